//! Runs a granted call under its cancellation and its timeout.
//!
//! Panics are not caught here but around all stages: a rule, an approver or a destructor can panic too.

use std::{pin::pin, task::Poll, time::Duration};

use futures_util::{
    FutureExt,
    future::{BoxFuture, Either, select},
};

use crate::{context::ToolContext, error::ToolError, permission::Granted, tool::ToolResult};

/// How long a cancelled tool has to hand over what it has. A turn is over 250 ms after it was cancelled (opencode's
/// figure), and what hooks do afterwards needs a part of that.
const GRACE: Duration = Duration::from_millis(150);

/// Runs to the end, whatever the end is.
pub(super) async fn run(granted: Granted, ctx: &ToolContext) -> ToolResult {
    let mut work = granted.into_invocation().run(ctx);
    // Most calls are done when first looked at, and then need neither a timer nor a place in line for cancellation.
    let first = std::future::poll_fn(|task| Poll::Ready(work.poll_unpin(task))).await;
    match first {
        Poll::Ready(result) => result,
        // In a box, so that the others do not carry the room for it.
        Poll::Pending => Box::pin(wait(work, ctx)).await,
    }
}

/// Waits for the end of work, its cancellation or its timeout, whichever comes first.
async fn wait(mut work: BoxFuture<'_, ToolResult>, ctx: &ToolContext) -> ToolResult {
    // A call that is dropped is cancelled: what it runs elsewhere, on the pool for blocking work, learns of it.
    let dropped = ctx.cancellation().clone().drop_guard();
    let race = ctx.cancellation().run_until_cancelled(&mut work);
    let ended = match ctx.timeout() {
        None => Ok(race.await),
        Some(after) => match select(pin!(race), pin!(ctx.elapse(after))).await {
            Either::Left((ended, _)) => Ok(ended),
            Either::Right(_) => Err(after),
        },
    };
    let error = match ended {
        Ok(Some(result)) => {
            dropped.disarm();
            return result;
        }
        Ok(None) => ToolError::Cancelled,
        Err(after) => ToolError::TimedOut { tool: ctx.tool().clone(), after },
    };
    ctx.cancellation().cancel();
    match tokio::time::timeout(GRACE, work).await {
        // What a cancelled tool has done so far is worth more than the word that it was cancelled.
        Ok(Ok(output)) if error == ToolError::Cancelled => Ok(output),
        _ => Err(error),
    }
}
