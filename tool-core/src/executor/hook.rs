//! What a host does around a tool: see its definition, change or answer a call before it runs, see what came of it.
//!
//! opencode's `tool.definition`, `tool.execute.before` and `.after`, codex-rs's `PreToolUse` and `PostToolUse`,
//! pi's `tool_call` and `tool_result`. Unlike with those, changed arguments are validated again, and a hook that panics or
//! takes too long is a refusal.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use futures_util::{FutureExt, future::BoxFuture};
use tokio::time::Instant;

use super::{Made, admission::Admitted};
use crate::{
    call::{Decoded, decode},
    context::{Host, ToolContext},
    error::{Denial, ToolError},
    output::ToolOutput,
    registry::Registered,
    tool::{Audience, ToolResult, ToolSpec},
    validation::{Prepared, prepare},
};

/// A call's arguments as JSON: an object, in the form that the tool takes. Members have the names of its parameters,
/// whatever alias the model wrote, and values that were converted are as they were converted to. What was left out is
/// left out.
pub type Arguments = serde_json::Value;

/// What becomes of a call, by a hook's word.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Before {
    /// It goes on as it is.
    Continue,
    /// It goes on with other arguments, which are validated as the model's were.
    Change(Arguments),
    /// The tool does not run; this is its output.
    Answer(ToolOutput),
    /// The tool does not run; the model is told why.
    Refuse {
        /// Why, and what to do instead.
        reason: String,
    },
    /// The same, and the turn should stop: the error is [`ErrorKind::Fatal`](crate::ErrorKind::Fatal).
    Abort {
        /// Why.
        reason: String,
    },
}

/// Stands around every call of an executor. Hooks run in the order in which they were registered; each sees what the
/// one before made. All methods do nothing unless written.
///
/// ```
/// use tool_core::{executor::{Arguments, Before, Hook}, prelude::*};
///
/// /// Say hello.
/// #[tool]
/// fn hello(/** Whom to. */ name: String) -> String {
///     format!("Hello, {name}!")
/// }
///
/// struct Polite;
///
/// #[tool_core::async_trait]
/// impl Hook for Polite {
///     async fn before(&self, arguments: &Arguments, _: &ToolContext) -> Before {
///         match arguments["name"].as_str() {
///             Some("world") => Before::Refuse { reason: "Greet one person.".to_owned() },
///             Some(name) => Before::Change(format!(r#"{{"name":"dear {name}"}}"#).parse().unwrap()),
///             None => Before::Continue,
///         }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::builder().add(HelloTool).build()?;
/// let executor = Executor::builder(registry).hook(Polite).build()?;
/// let session = Session::new("/");
/// let outcome = executor.call(&session, ToolCall::new("1", "hello", r#"{"name":"Ada"}"#)).await;
/// assert_eq!(outcome.output(), Some("Hello, dear Ada!"));
/// let outcome = executor.call(&session, ToolCall::new("2", "hello", r#"{"name":"world"}"#)).await;
/// assert!(outcome.text().contains("Greet one person."));
/// # Ok(()) }
/// ```
#[async_trait]
pub trait Hook: Send + Sync + 'static {
    /// Changes what a model is told of a tool. What it leaves out of the schema is still accepted by the tool itself.
    fn definition(&self, spec: &mut ToolSpec, audience: &Audience) {
        let _ = (spec, audience);
    }

    /// Before anything is asked and before the tool runs, with arguments that are valid for it: the model's, or what the
    /// hook before has changed them to.
    async fn before(&self, arguments: &Arguments, ctx: &ToolContext) -> Before {
        let _ = (arguments, ctx);
        Before::Continue
    }

    /// After the tool has run, before its output is cut to size. Not called for an output that a hook gave.
    ///
    /// It sees every output of a tool before anybody else does, also what a cancelled tool hands over. All hooks of a
    /// cancelled call have 50 ms together, and each is begun; where one is not done by then, the output is withheld and
    /// the call ends in [`ToolError::Cancelled`].
    ///
    /// # Errors
    /// What the call is to fail with instead.
    async fn after(&self, output: ToolOutput, ctx: &ToolContext) -> ToolResult {
        let _ = ctx;
        Ok(output)
    }

    /// After a call has failed, at whatever stage, but for its cancellation: also where there is no such tool, where the
    /// tool has panicked, and where its output does not keep to its schema. Once a call; not where this hook's own
    /// [`after`](Self::after) has made the error. Where it fails, or is not done in the time that a cancelled call
    /// leaves it, the error stays as it is.
    ///
    /// # Errors
    /// What the call is to fail with: as a rule the same error.
    async fn error(&self, error: ToolError, ctx: &ToolContext) -> ToolResult {
        let _ = ctx;
        Err(error)
    }
}

/// How long the hooks after a call have once it is cancelled: with what the tool had, less than the 250 ms after which a
/// turn is over.
const GRACE: Duration = Duration::from_millis(50);

/// How a hook has failed, rather than answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Panicked,
    TimedOut,
}

impl Fault {
    fn words(self) -> &'static str {
        match self {
            Self::Panicked => "a hook of the host failed",
            Self::TimedOut => "a hook of the host took too long",
        }
    }
}

/// What the hooks before a call leave of it.
pub(super) enum Verdict {
    /// It goes on, with these arguments.
    Run(Prepared),
    /// A hook has answered.
    Answered(ToolOutput),
}

/// All hooks before a call whose arguments are valid.
pub(super) async fn before(
    mut prepared: Prepared,
    decoded: &Decoded,
    tool: &Registered,
    ctx: &ToolContext,
) -> Result<Verdict, ToolError> {
    let mut arguments = shown(tool, decoded);
    for hook in &ctx.host().hooks {
        let answer = ctx.parent_cancellation().run_until_cancelled(bounded(|| hook.before(&arguments, ctx), ctx));
        match answer.await.ok_or(ToolError::Cancelled)? {
            Ok(Before::Continue) => {}
            Ok(Before::Change(new)) => {
                let decoded = decode(tool.name(), new.to_string(), ctx.host().max_argument_bytes)?;
                prepared = prepare(tool.tool(), &decoded).map_err(|report| {
                    let report = report.report(tool.name().as_str());
                    let message = "A hook of the host changed the arguments to ones that do not fit";
                    ToolError::failed(format!("{message}: {report}"))
                })?;
                arguments = shown(tool, &decoded);
            }
            Ok(Before::Answer(output)) => return Ok(Verdict::Answered(output)),
            Ok(Before::Refuse { reason }) => return Err(ToolError::Denied(Denial::Hook { reason })),
            Ok(Before::Abort { reason }) => return Err(ToolError::fatal(reason)),
            Err(fault) => return Err(ToolError::Denied(Denial::Hook { reason: fault.words().to_owned() })),
        }
    }
    Ok(Verdict::Run(prepared))
}

/// The arguments as hooks see them.
fn shown(tool: &Registered, call: &Decoded) -> Arguments {
    tool.tool().normalize(call.arguments()).unwrap_or_else(|| call.value())
}

/// All hooks after a call that came to an output of its tool's, or to an error.
pub(super) async fn after(made: Result<Made, ToolError>, call: &Admitted) -> ToolResult {
    let mut result = match made {
        Ok(Made::ByHook(output)) => return Ok(output),
        made => made.map(Made::into_output),
    };
    let (ctx, mut is_told) = (&call.ctx, false);
    let mut time = Time { ctx, end: None };
    for hook in &ctx.host().hooks {
        result = match result {
            Ok(output) => match time.bound(bounded(|| hook.after(output, ctx), ctx)).await {
                Some(Ok(result)) => result,
                Some(Err(fault)) => Err(ToolError::failed(format!("The tool ran, but {} afterwards.", fault.words()))),
                // What this hook would have taken out of the output must not get past it.
                None => Err(ToolError::Cancelled),
            },
            Err(error) => {
                is_told = true;
                result = failed(hook, error, ctx, &mut time).await;
                if result.is_ok() {
                    break;
                }
                result
            }
        };
    }
    // What hooks have made of an output is held against its schema as the tool's own was.
    let (Ok(output), Ok(tool)) = (&result, &call.tool) else { return result };
    let Err(mut error) = tool.check(output) else { return result };
    if !is_told {
        for hook in &ctx.host().hooks {
            match failed(hook, error, ctx, &mut time).await {
                Ok(output) => return tool.check(&output).map(|()| output),
                Err(left) => error = left,
            }
        }
    }
    Err(error)
}

/// What one hook makes of an error.
async fn failed(hook: &Arc<dyn Hook>, error: ToolError, ctx: &ToolContext, time: &mut Time<'_>) -> ToolResult {
    if matches!(error, ToolError::Cancelled | ToolError::Skipped) {
        return Err(error);
    }
    // Kept aside: where the hook fails, or has no time, the error is still the tool's.
    match time.bound(bounded(|| hook.error(error.clone(), ctx), ctx)).await {
        Some(Ok(result)) => result,
        Some(Err(_)) | None => Err(error),
    }
}

/// A hook's own future under the host's limit. Its panics are caught, those too that come before there is a future.
async fn bounded<'f, T>(hook: impl FnOnce() -> BoxFuture<'f, T>, ctx: &ToolContext) -> Result<T, Fault> {
    // Nothing of it is used after a panic.
    let guarded = AssertUnwindSafe(async { hook().await }).catch_unwind();
    match tokio::time::timeout(ctx.host().hook_timeout, guarded).await {
        Ok(answer) => answer.map_err(|_| Fault::Panicked),
        Err(_) => Err(Fault::TimedOut),
    }
}

/// The time that the hooks after a call have together: as much as they need until it is cancelled, and little from then
/// on.
struct Time<'c> {
    ctx: &'c ToolContext,
    /// Once it is cancelled.
    end: Option<Instant>,
}

impl Time<'_> {
    /// Runs one of them, which is begun whatever time there is. `None` where it was not done in time.
    async fn bound<T>(&mut self, hook: impl Future<Output = T>) -> Option<T> {
        let mut hook = pin!(hook);
        if self.end.is_none() {
            let done = self.ctx.parent_cancellation().run_until_cancelled(&mut hook).await;
            if done.is_some() {
                return done;
            }
        }
        let end = *self.end.get_or_insert_with(|| Instant::now() + GRACE);
        tokio::time::timeout_at(end, hook).await.ok()
    }
}

/// What the hooks make of a definition. One that panics leaves it as it was.
pub(super) fn define(host: &Host, mut spec: ToolSpec, audience: &Audience) -> ToolSpec {
    for hook in &host.hooks {
        let mut changed = spec.clone();
        if catch_unwind(AssertUnwindSafe(|| hook.definition(&mut changed, audience))).is_ok() {
            spec = changed;
        }
    }
    spec
}
