//! Runs a granted call under its cancellation, its timeout, and a guard against panics.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    task::Poll,
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{BoxFuture, CatchUnwind},
};

use crate::{context::ToolContext, error::ToolError, permission::Granted, tool::ToolResult};

/// How long a cancelled tool has to hand over what it has (opencode's figure).
const GRACE: Duration = Duration::from_millis(250);

/// A tool's future whose panics are caught.
type Work<'c> = CatchUnwind<AssertUnwindSafe<BoxFuture<'c, ToolResult>>>;

/// What a panic carried.
type Panic = Box<dyn Any + Send>;

/// Runs to the end, whatever the end is.
pub(super) async fn run(granted: Granted, ctx: &ToolContext, timeout: Option<Duration>) -> ToolResult {
    if ctx.parent_cancellation().is_cancelled() {
        return Err(ToolError::Cancelled);
    }
    let invocation = granted.into_invocation();
    // The future is made inside a guard too: a plain `fn` runs while it is made.
    let mut work = match catch_unwind(AssertUnwindSafe(|| invocation.run(ctx))) {
        Ok(work) => AssertUnwindSafe(work).catch_unwind(),
        Err(panic) => return Err(panicked(ctx, &*panic)),
    };
    // Most calls are done when first looked at, and then need neither a timer nor a place in line for cancellation.
    let first = std::future::poll_fn(|task| Poll::Ready(work.poll_unpin(task))).await;
    match first {
        Poll::Ready(done) => done.unwrap_or_else(|panic| Err(panicked(ctx, &*panic))),
        // In a box, so that the others do not carry the room for it.
        Poll::Pending => Box::pin(wait(work, ctx, timeout)).await,
    }
}

/// Waits for the end of work, its cancellation or its timeout, whichever comes first.
async fn wait(mut work: Work<'_>, ctx: &ToolContext, timeout: Option<Duration>) -> ToolResult {
    let unguarded = |done: Result<ToolResult, Panic>| done.unwrap_or_else(|panic| Err(panicked(ctx, &*panic)));
    let race = ctx.cancellation().run_until_cancelled(&mut work);
    let ended = match timeout {
        None => Ok(race.await),
        Some(after) => tokio::time::timeout(after, race).await.map_err(|_| after),
    };
    let error = match ended {
        Ok(Some(done)) => return unguarded(done),
        Ok(None) => ToolError::Cancelled,
        Err(after) => ToolError::TimedOut { tool: ctx.tool().clone(), after },
    };
    ctx.cancellation().cancel();
    match tokio::time::timeout(GRACE, work).await.map(unguarded) {
        // What a cancelled tool has done so far is worth more than the word that it was cancelled.
        Ok(Ok(output)) if error == ToolError::Cancelled => Ok(output),
        _ => Err(error),
    }
}

fn panicked(ctx: &ToolContext, panic: &(dyn Any + Send)) -> ToolError {
    let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = message.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    ToolError::Panicked { tool: ctx.tool().clone(), message }
}
