//! Runs calls against a registry under one policy. The stages of a call, in order, are [`Executor::call`].

mod builder;
mod guard;
mod outcome;

use std::{
    any::Any,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
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
    event::Change,
    permission::authorize,
    registry::{Registered, Registry},
    tool::ToolPolicy,
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
        let (id, status, tool) = match self.registry.resolve(&name) {
            Ok(tool) => {
                let policy = tool.tool().policy();
                let limits = policy.limits.over(self.limits);
                let timeout = policy.timeout.into_iter().chain(self.timeout).min();
                let (host, session) = (self.host.clone(), session.clone());
                let read_only = tool.tool().spec().annotations.read_only;
                let ctx = ToolContext::new(host, session, turn, id, tool.name().clone(), read_only, limits);
                ctx.report(|| Change::Pending);
                let end = End { ctx: &ctx, told: false };
                let status = {
                    let mut stages = pin!(self.stages(tool, &policy, arguments, timeout, &ctx));
                    poll_fn(|task| {
                        let polled = catch_unwind(AssertUnwindSafe(|| stages.as_mut().poll(task)));
                        polled.unwrap_or_else(|panic| Poll::Ready(Err(panicked(&ctx, &*panic))))
                    })
                    .await
                };
                end.tell(&status);
                (ctx.into_call_id(), status, Some(tool.name().clone()))
            }
            Err(unknown) => {
                let status = self.unknown(&id, unknown);
                (id, status, None)
            }
        };
        Outcome::new(id, name, tool, status, CallTime { start, end: self.host.clock.now() })
    }

    /// Decode, prepare, authorize, run, fit: each takes what only the one before can make.
    async fn stages(
        &self,
        tool: &Registered,
        policy: &ToolPolicy,
        arguments: String,
        timeout: Option<Duration>,
        ctx: &ToolContext,
    ) -> Result<Bounded, ToolError> {
        let decoded = decode(tool.name(), arguments, self.max_argument_bytes)?;
        let prepared =
            prepare(tool.tool(), &decoded).map_err(|report| ToolError::invalid(tool.name().clone(), report))?;
        let granted = authorize(prepared, policy, ctx).await?;
        ctx.report(|| Change::Running);
        let output = guard::run(granted, ctx, timeout).await?;
        Ok(fit(output, ctx.limits(), ctx.spills()))
    }

    fn unknown(&self, id: &crate::call::CallId, unknown: UnknownTool) -> Result<Bounded, ToolError> {
        let name = unknown.name.clone();
        let error = ToolError::UnknownTool(unknown);
        if !self.host.observers.is_empty() {
            for change in [Change::Pending, Change::from(&error)] {
                self.host.observers.tell(id, &name, self.host.clock.now(), change);
            }
        }
        Err(error)
    }
}

/// The last event of a call: told when it ends, also when its future is dropped.
struct End<'c> {
    ctx: &'c ToolContext,
    told: bool,
}

impl End<'_> {
    fn tell(mut self, status: &Status) {
        self.told = true;
        self.ctx.report(|| match status {
            Ok(bounded) => Change::Completed { title: bounded.title().to_owned() },
            Err(error) => error.into(),
        });
    }
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        if !self.told {
            self.ctx.report(|| Change::from(&ToolError::Cancelled));
        }
    }
}

fn panicked(ctx: &ToolContext, panic: &(dyn Any + Send)) -> ToolError {
    let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = message.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    ToolError::Panicked { tool: ctx.tool().clone(), message }
}
