//! Runs calls against a registry under one policy. The stages of a call, in order, are [`Executor::call`].

mod builder;
mod guard;
mod outcome;

use std::{
    any::Any,
    borrow::Cow,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::{Duration, SystemTime},
};

use tokio_util::sync::CancellationToken;

pub use self::{
    builder::{BuildError, ExecutorBuilder},
    outcome::{CallTime, Outcome, Status},
};
use crate::{
    call::{ToolCall, decode},
    context::{Host, Session, ToolContext},
    error::{ToolError, UnknownTool},
    event::{CallEvent, Change},
    permission::authorize,
    registry::{Registered, Registry},
    truncate::{Bounded, Limits, fit},
    validation::prepare,
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
    registry: Arc<Registry>,
    host: Arc<Host>,
    limits: Limits,
    timeout: Option<Duration>,
    max_argument_bytes: usize,
}

impl Executor {
    /// Begins an executor for these tools. As it stands it asks nobody and refuses what a tool asks for.
    pub fn builder(registry: Registry) -> ExecutorBuilder {
        ExecutorBuilder::new(registry)
    }

    /// The tools.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Waits until every [`Observer`](crate::event::Observer) has taken in what happened so far.
    pub async fn flush(&self) {
        self.host.observers.flush().await;
    }

    /// Runs one call to its end. It always ends, in exactly one outcome; nothing escapes as a panic.
    ///
    /// Dropping the future stops the call. To stop it and still get its outcome, cancel the session, or use
    /// [`call_until`](Self::call_until).
    pub fn call(&self, session: &Session, call: ToolCall) -> impl Future<Output = Outcome> + Send {
        self.run(session, call, None)
    }

    /// The same, cancelled when `turn` is as well.
    pub async fn call_until(&self, session: &Session, call: ToolCall, turn: CancellationToken) -> Outcome {
        // The session's end is the call's as well, whatever the turn's token comes from.
        let token = session.cancellation().child_token();
        let mut run = Box::pin(self.run(session, call, Some(token.clone())));
        match turn.run_until_cancelled(&mut run).await {
            Some(outcome) => outcome,
            None => {
                token.cancel();
                run.await
            }
        }
    }

    async fn run(&self, session: &Session, call: ToolCall, turn: Option<CancellationToken>) -> Outcome {
        let ToolCall { id, name, arguments } = call;
        let start = self.host.clock.now();
        let tool = match self.registry.resolve(&name) {
            Ok(tool) => tool,
            Err(unknown) => return self.unknown(session, ToolCall { id, name, arguments }, unknown, start),
        };
        let policy = tool.tool().policy();
        let limits = policy.limits.over(self.limits);
        let timeout = policy.timeout.into_iter().chain(self.timeout).min();
        let ctx = ToolContext::new(self.host.clone(), session.clone(), turn, id, tool.name().clone(), limits);
        ctx.report(|| Change::Pending { arguments: arguments.as_str().into() });
        let end = End { ctx: &ctx, start, told: false };
        let status = {
            let mut stages = pin!(self.stages(tool, arguments, timeout, &ctx));
            poll_fn(|task| {
                let polled = catch_unwind(AssertUnwindSafe(|| stages.as_mut().poll(task)));
                polled.unwrap_or_else(|panic| Poll::Ready(Err(panicked(&ctx, &*panic))))
            })
            .await
        };
        end.tell(name, status)
    }

    /// Decode, prepare, authorize, run, fit: each takes what only the one before can make.
    async fn stages(
        &self,
        tool: &Registered,
        arguments: String,
        timeout: Option<Duration>,
        ctx: &ToolContext,
    ) -> Result<Bounded, ToolError> {
        let decoded = decode(tool.name(), arguments, self.max_argument_bytes)?;
        let prepared =
            prepare(tool.tool(), &decoded).map_err(|report| ToolError::invalid(tool.name().clone(), report))?;
        let granted = authorize(prepared, ctx).await?;
        ctx.report(|| Change::Running);
        let output = guard::run(granted, ctx, timeout).await?;
        Ok(fit(output, ctx.limits(), ctx.spills()))
    }

    fn unknown(&self, session: &Session, call: ToolCall, unknown: UnknownTool, start: SystemTime) -> Outcome {
        let end = self.host.clock.now();
        let outcome = Outcome::failed(&call, ToolError::UnknownTool(unknown), CallTime { start, end });
        if self.host.observers.is_empty() {
            return outcome;
        }
        let outcome = Arc::new(outcome);
        let changes = [Change::Pending { arguments: call.arguments.into() }, Change::from(outcome.clone())];
        for (change, at) in changes.into_iter().zip([start, end]) {
            let (session, call_id, tool) = (session.id().clone(), call.id.clone(), call.name.to_string());
            self.host.observers.tell(CallEvent { session, call_id, parent: None, tool, at, change });
        }
        Arc::unwrap_or_clone(outcome)
    }
}

/// The last event of a call: told when it ends, also when its future is dropped.
struct End<'c> {
    ctx: &'c ToolContext,
    start: SystemTime,
    told: bool,
}

impl End<'_> {
    fn tell(mut self, requested: Cow<'static, str>, status: Status) -> Outcome {
        self.told = true;
        let (id, tool) = (self.ctx.call_id().clone(), self.ctx.tool().clone());
        let time = CallTime { start: self.start, end: self.ctx.now() };
        let outcome = Outcome::new(id, requested, Some(tool), status, time);
        if !self.ctx.is_observed() {
            return outcome;
        }
        let outcome = Arc::new(outcome);
        self.ctx.report(|| outcome.clone().into());
        Arc::unwrap_or_clone(outcome)
    }
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        if !self.told {
            self.ctx.report(|| {
                let time = CallTime { start: self.start, end: self.ctx.now() };
                let (id, tool) = (self.ctx.call_id().clone(), self.ctx.tool().clone());
                let name = tool.to_string().into();
                Arc::new(Outcome::new(id, name, Some(tool), Err(ToolError::Cancelled), time)).into()
            });
        }
    }
}

fn panicked(ctx: &ToolContext, panic: &(dyn Any + Send)) -> ToolError {
    let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = message.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    ToolError::Panicked { tool: ctx.tool().clone(), message }
}
