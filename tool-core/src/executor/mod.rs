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
    pin::pin,
    sync::Arc,
    task::Poll,
};

use tokio_util::sync::CancellationToken;

pub(crate) use self::queue::{Place, Queue};
use self::{
    admission::{Admitted, conclude},
    hook::Verdict,
    turn::Order,
};
pub use self::{
    builder::{BuildError, ExecutorBuilder},
    hook::{Arguments, Before, Hook},
    nested::NestingLimits,
    outcome::{CallTime, Outcome, Status},
    telemetry::Telemetry,
    turn::{Running, Turn},
};
use crate::{
    call::{ToolCall, decode},
    context::{Host, Session, ToolContext},
    error::ToolError,
    event::Change,
    output::ToolOutput,
    permission::{Granted, authorize},
    registry::{LiveRegistry, Registered, Registry},
    truncate::{Bounded, fit},
    validation::{InvalidArguments, Prepared, prepare},
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
}

impl Executor {
    /// Begins an executor for these tools: a [`Registry`], or a [`LiveRegistry`] that changes while sessions run. As it
    /// stands it asks nobody and refuses what a tool asks for.
    pub fn builder(registry: impl Into<LiveRegistry>) -> ExecutorBuilder {
        ExecutorBuilder::new(registry.into())
    }

    fn of(ctx: &ToolContext) -> Self {
        Self { host: ctx.host().clone() }
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
    pub async fn call(&self, session: &Session, call: ToolCall) -> Outcome {
        match self.admit(session, call, None, None, Order::of(&self.host)) {
            Ok(admitted) => self.run(admitted, None).await,
            Err(outcome) => *outcome,
        }
    }

    /// The same, cancelled when `turn` is as well.
    pub async fn call_until(&self, session: &Session, call: ToolCall, turn: CancellationToken) -> Outcome {
        // The session's end is the call's as well, whatever the turn's token comes from.
        let token = session.cancellation().child_token();
        let admitted = match self.admit(session, call, Some(token.clone()), None, Order::of(&self.host)) {
            Ok(admitted) => admitted,
            Err(outcome) => return *outcome,
        };
        let mut run = Box::pin(self.run(admitted, None));
        match turn.run_until_cancelled(&mut run).await {
            Some(outcome) => outcome,
            None => {
                token.cancel();
                run.await
            }
        }
    }

    /// A call that a tool makes.
    async fn nested(&self, parent: &ToolContext, call: ToolCall) -> Outcome {
        let turn = parent.cancellation().child_token();
        match self.admit(parent.session(), call, Some(turn), Some(parent.clone()), Order::of(&self.host)) {
            Ok(admitted) => self.run(admitted, None).await,
            Err(outcome) => *outcome,
        }
    }

    async fn run(&self, mut call: Admitted, steering: Option<CancellationToken>) -> Outcome {
        let telemetry = self.host.telemetry;
        let span = telemetry.begin(&call.ctx, call.tool.spec(), &call.arguments);
        let (requested, arguments) = (std::mem::take(&mut call.requested), std::mem::take(&mut call.arguments));
        let status = {
            let mut stages = pin!(self.stages(&call, arguments, steering.as_ref()));
            poll_fn(|task| {
                let _entered = span.enter();
                match catch_unwind(AssertUnwindSafe(|| stages.as_mut().poll(task))) {
                    Ok(polled) => polled,
                    Err(panic) => Poll::Ready(Err(panicked(&call.tool, &*panic))),
                }
            })
            .await
        };
        telemetry.end(&span, &status);
        conclude(&call.ctx, requested, status)
    }

    /// Ready, run, fit.
    async fn stages(
        &self,
        call: &Admitted,
        arguments: String,
        steering: Option<&CancellationToken>,
    ) -> Result<Bounded, ToolError> {
        let ready = match steering {
            None => self.ready(call, arguments).await,
            // What has not started when the user speaks is left out, also where it waits for an answer. In a box, as all
            // that few calls need: the others do not carry the room for it.
            Some(message) => {
                let ready = message.run_until_cancelled(self.ready(call, arguments));
                Box::pin(ready).await.unwrap_or(Err(ToolError::Skipped))
            }
        };
        let ctx = &call.ctx;
        let result = match ready {
            Ok(Ready::Run(_)) if ctx.parent_cancellation().is_cancelled() => Err(ToolError::Cancelled),
            Ok(Ready::Run(granted)) => {
                ctx.report(|| Change::Running);
                guard::run(granted, ctx).await
            }
            Ok(Ready::Answered(output)) => {
                call.tool.check(&output)?;
                return Ok(fit(output, ctx.limits(), ctx.spills()));
            }
            Err(error) => Err(error),
        };
        let result = if self.host.hooks.is_empty() { result } else { Box::pin(hook::after(result, ctx)).await };
        let output = result?;
        call.tool.check(&output)?;
        Ok(fit(output, ctx.limits(), ctx.spills()))
    }

    /// Decode, prepare, hooks, doom loop, authorize, and the place in line: each takes what only the one before can
    /// make.
    async fn ready(&self, call: &Admitted, arguments: String) -> Result<Ready, ToolError> {
        let Admitted { tool, ctx, order, .. } = call;
        let decoded = decode(tool.name(), arguments, self.host.max_argument_bytes)?;
        let mut prepared = prepare(tool.tool(), &decoded).map_err(|report| invalid(tool, report));
        if let Some(mended) = prepared.as_ref().ok().and_then(Prepared::mended) {
            ctx.note_mended(mended.clone());
        }
        if !self.host.hooks.is_empty() && prepared.is_ok() {
            match Box::pin(hook::before(decoded.value(), ctx)).await? {
                Verdict::Run(None) => {}
                Verdict::Run(Some(changed)) => prepared = self.changed(tool, &changed),
                Verdict::Answered(output) => return Ok(Ready::Answered(output)),
            }
        }
        // Counted also where it does not fit: a model that repeats a mistake repeats itself.
        let identical = if ctx.parent().is_none() { ctx.session().history().note(tool.name(), decoded) } else { 1 };
        let prepared = prepared?;
        if self.host.doom_loop.is_some_and(|most| identical >= most) {
            Box::pin(doom_loop::ask(ctx, identical)).await?;
        }
        let granted = authorize(prepared, tool.tool().policy(), ctx).await?;
        let queue = ctx.session().queue();
        if !queue.try_enter(ctx.place(), order.most) {
            let turn = ctx.parent_cancellation().run_until_cancelled(queue.enter(ctx.place(), order.most));
            Box::pin(turn).await.ok_or(ToolError::Cancelled)?;
        }
        Ok(Ready::Run(granted))
    }

    /// Arguments that a hook has changed.
    fn changed(&self, tool: &Registered, arguments: &Arguments) -> Result<Prepared, ToolError> {
        let decoded = decode(tool.name(), arguments.to_string(), self.host.max_argument_bytes)?;
        prepare(tool.tool(), &decoded).map_err(|report| {
            let report = report.report(tool.name().as_str());
            ToolError::failed(format!("A hook of the host changed the arguments to ones that do not fit: {report}"))
        })
    }
}

/// A call at the point where its tool would start.
enum Ready {
    Run(Granted),
    Answered(ToolOutput),
}

fn invalid(tool: &Registered, report: InvalidArguments) -> ToolError {
    ToolError::invalid(tool.name().clone(), report)
}

fn panicked(tool: &Registered, panic: &(dyn Any + Send)) -> ToolError {
    let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = message.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    ToolError::Panicked { tool: tool.name().clone(), message }
}
