//! Runs calls against a registry under one policy. The stages of a call, in order, are `Executor::stages`.

mod admission;
mod builder;
mod doom_loop;
mod guard;
mod hook;
mod nested;
mod outcome;
mod queue;
mod specs;
mod telemetry;
mod turn;

use std::{
    any::Any,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
};

use tokio_util::sync::CancellationToken;

use self::{
    admission::{Admitted, Origin, conclude},
    hook::Verdict,
    telemetry::CallSpan,
};
pub use self::{
    builder::{BuildError, ExecutorBuilder},
    hook::{Arguments, Before, Hook},
    nested::NestingLimits,
    outcome::{CallTime, Outcome, Status},
    telemetry::Telemetry,
    turn::{Running, Turn},
};
pub(crate) use self::{
    queue::{Place, Queue},
    turn::Order,
};
use crate::{
    call::{Decoded, ToolCall, decode},
    context::{Host, Session, ToolContext, WeakContext},
    error::ToolError,
    event::Change,
    output::ToolOutput,
    permission::{Granted, authorize},
    registry::{LiveRegistry, Registered, Registry},
    truncate::fit,
    validation::{Prepared, prepare},
};

/// Runs calls against a registry. Cloning gives the same executor.
///
/// ```
/// use tool_core::prelude::*;
///
/// /// Add two numbers.
/// #[tool(read_only)]
/// fn add(/** One. */ a: i64, /** Other. */ b: i64) -> String {
///     (a + b).to_string()
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let executor = Executor::builder(Registry::builder().add(AddTool).build()?).build()?;
/// let outcome = executor.call(&Session::new("/"), ToolCall::new("1", "add", r#"{"a":2,"b":3}"#)).await;
/// assert_eq!(outcome.output(), Some("5"));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Executor {
    host: Arc<Host>,
    /// The call whose tool was given it.
    within: Option<WeakContext>,
}

impl Executor {
    /// Begins an executor for these tools: a [`Registry`], or a [`LiveRegistry`] that changes while sessions run. As it
    /// stands it asks nobody and refuses what a tool asks for.
    pub fn builder(registry: impl Into<LiveRegistry>) -> ExecutorBuilder {
        ExecutorBuilder::new(registry.into())
    }

    fn of(ctx: &ToolContext) -> Self {
        Self { host: ctx.host().clone(), within: Some(ctx.downgrade()) }
    }

    /// The tools as they are now.
    #[must_use]
    pub fn registry(&self) -> Arc<Registry> {
        self.host.registry.current()
    }

    /// The set of tools, to be changed or watched. A call keeps the tool that it has found.
    #[must_use]
    pub fn tools(&self) -> &LiveRegistry {
        &self.host.registry
    }

    /// Waits until every [`Observer`](crate::event::Observer) has taken in what happened so far.
    pub async fn flush(&self) {
        self.host.observers.flush().await;
    }

    /// Runs one call to its end. It always ends, in exactly one outcome; nothing escapes as a panic.
    ///
    /// Beside other calls of the session it waits its turn, as its tool says: parallel ones share, the others run
    /// alone. Dropping the future stops the call. To stop it and still get its outcome, cancel the session, or use
    /// [`call_until`](Self::call_until).
    ///
    /// Its id is its own until it has ended: another call of the session with the same id is not run meanwhile, and ends
    /// in [`ToolError::RepeatedId`].
    pub async fn call(&self, session: &Session, call: ToolCall) -> Outcome {
        self.run(self.admit(session, call, Origin::model(None, Order::of(&self.host)))).await
    }

    /// The same, cancelled when `turn` is as well.
    pub async fn call_until(&self, session: &Session, call: ToolCall, turn: CancellationToken) -> Outcome {
        // The session's end is the call's as well, whatever the turn's token comes from.
        let token = session.cancellation().child_token();
        let admitted = self.admit(session, call, Origin::model(Some(token.clone()), Order::of(&self.host)));
        turn::until(&turn, &token, Box::pin(self.run(admitted))).await
    }

    /// A call that a tool makes, or may not make.
    async fn nested(&self, parent: &ToolContext, call: ToolCall, refusal: Option<ToolError>) -> Outcome {
        let turn = Some(parent.cancellation().child_token());
        let origin = Origin { turn, order: parent.order().clone(), parent: Some(parent), refusal };
        self.run(self.admit(parent.session(), call, origin)).await
    }

    async fn run(&self, mut call: Admitted) -> Outcome {
        let telemetry = self.host.telemetry;
        let span = telemetry.begin(&call.ctx, call.tool.as_deref().ok(), &call.arguments);
        let (requested, arguments) = (std::mem::take(&mut call.requested), std::mem::take(&mut call.arguments));
        let made = guarded(&span, &call.ctx, pin!(self.stages(&call, arguments))).await;
        let result = if self.host.hooks.is_empty() {
            made.map(Made::into_output)
        } else {
            // In a box, as all that few hosts have.
            let mut hooks = Box::pin(hook::after(made, &call));
            guarded(&span, &call.ctx, hooks.as_mut()).await
        };
        let ctx = &call.ctx;
        let fitted = || result.map(|output| fit(output, ctx.limits(), ctx.spills()));
        let status =
            span.within(|| catch_unwind(AssertUnwindSafe(fitted)).unwrap_or_else(|panic| Err(panicked(ctx, &*panic))));
        // Of one that was given up for lost its span tells as much as its outcome does.
        if !ctx.is_detached() {
            telemetry.end(span, &status);
        }
        conclude(ctx, requested, status)
    }

    /// Ready, run, and the output held against its schema.
    async fn stages(&self, call: &Admitted, arguments: String) -> Result<Made, ToolError> {
        let ctx = &call.ctx;
        let ready = match &ctx.order().steering {
            None => self.ready(call, arguments).await,
            // What has not started when the user speaks is left out, also where it waits for an answer. In a box, as all
            // that few calls need: the others do not carry the room for it.
            Some(message) => {
                let ready = message.run_until_cancelled(self.ready(call, arguments));
                Box::pin(ready).await.unwrap_or(Err(ToolError::Skipped))
            }
        };
        let made = match ready? {
            Ready::Run(_) if ctx.parent_cancellation().is_cancelled() => return Err(ToolError::Cancelled),
            Ready::Run(granted) => {
                ctx.report(|| Change::Running);
                Made::ByTool(guard::run(granted, ctx).await?)
            }
            Ready::Answered(output) => Made::ByHook(output),
        };
        if let Ok(tool) = &call.tool {
            tool.check(made.output())?;
        }
        Ok(made)
    }

    /// Decode, prepare, hooks, doom loop, authorize, and the place in line: each takes what only the one before can
    /// make.
    async fn ready(&self, call: &Admitted, arguments: String) -> Result<Ready, ToolError> {
        let ctx = &call.ctx;
        let repeated = self.host.doom_loop.is_some_and(|most| call.identical >= most);
        let written = repeated.then(|| doom_loop::written(&arguments, self.host.max_argument_bytes));
        let (tool, decoded, mut prepared) = match self.valid(call, arguments) {
            Ok(valid) => valid,
            Err(mistake) => {
                // Over and over the same mistake is a loop as well.
                if let Some(written) = written {
                    Box::pin(doom_loop::ask(ctx, call.identical, written)).await?;
                }
                return Err(mistake);
            }
        };
        if let Some(mended) = prepared.mended() {
            ctx.note_mended(mended.clone());
        }
        if !self.host.hooks.is_empty() {
            match Box::pin(hook::before(prepared, &decoded, tool, ctx)).await? {
                Verdict::Run(changed) => prepared = changed,
                Verdict::Answered(output) => return Ok(Ready::Answered(output)),
            }
        }
        if let Some(written) = written {
            Box::pin(doom_loop::ask(ctx, call.identical, written)).await?;
        }
        drop(decoded);
        let granted = authorize(prepared, tool.tool().policy(), ctx).await?;
        let (queue, most) = (ctx.session().queue(), ctx.order().most);
        if !queue.try_enter(ctx.place(), most) {
            let turn = ctx.parent_cancellation().run_until_cancelled(queue.enter(ctx.place(), most));
            Box::pin(turn).await.ok_or(ToolError::Cancelled)?;
        }
        Ok(Ready::Run(granted))
    }

    /// The tool, and arguments that it takes.
    fn valid<'c>(
        &self,
        call: &'c Admitted,
        arguments: String,
    ) -> Result<(&'c Registered, Decoded, Prepared), ToolError> {
        let tool: &Registered = call.tool.as_ref().map_err(|refusal| refusal.as_ref().clone())?;
        let decoded = decode(tool.name(), arguments, self.host.max_argument_bytes)?;
        let prepared = prepare(tool.tool(), &decoded);
        let prepared = prepared.map_err(|report| ToolError::invalid(tool.name().clone(), report))?;
        Ok((tool, decoded, prepared))
    }
}

/// A call at the point where its tool would start.
enum Ready {
    Run(Granted),
    Answered(ToolOutput),
}

/// An output, and whose it is.
enum Made {
    ByTool(ToolOutput),
    ByHook(ToolOutput),
}

impl Made {
    fn output(&self) -> &ToolOutput {
        match self {
            Self::ByTool(output) | Self::ByHook(output) => output,
        }
    }

    fn into_output(self) -> ToolOutput {
        match self {
            Self::ByTool(output) | Self::ByHook(output) => output,
        }
    }
}

/// Runs a part of a call within its span, its panics caught.
async fn guarded<T>(
    span: &CallSpan,
    ctx: &ToolContext,
    mut part: Pin<&mut impl Future<Output = Result<T, ToolError>>>,
) -> Result<T, ToolError> {
    poll_fn(|task| {
        let polled = span.within(|| catch_unwind(AssertUnwindSafe(|| part.as_mut().poll(task))));
        polled.unwrap_or_else(|panic| Poll::Ready(Err(panicked(ctx, &*panic))))
    })
    .await
}

fn panicked(ctx: &ToolContext, panic: &(dyn Any + Send)) -> ToolError {
    let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = message.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    ToolError::Panicked { tool: ctx.tool().clone(), message }
}
