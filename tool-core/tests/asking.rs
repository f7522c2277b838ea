//! The time that a tool has, while it asks.

use std::{sync::Arc, time::Duration};

use tokio::sync::Semaphore;
use tool_core::{
    ErrorKind, Outcome, async_trait,
    permission::{Ask, Reply},
    prelude::*,
    testing::Bench,
};

/// Ask, and then wait.
#[tool(read_only, timeout = "1s", register = false)]
async fn careful(
    /// Milliseconds to wait afterwards.
    then: u64,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    ctx.ask(PermissionRequest::new("think", ["*"])).await?;
    tokio::time::sleep(Duration::from_millis(then)).await;
    Ok("done".to_owned())
}

/// Ask in a call of its own.
#[tool(read_only, timeout = "1s", register = false)]
async fn through(
    /// Milliseconds to wait afterwards.
    then: u64,
    ctx: &ToolContext,
) -> String {
    ctx.call_tool("careful", format!(r#"{{"then":{then}}}"#)).await.into_text()
}

/// Ask twice at once.
#[tool(read_only, timeout = "1s", register = false)]
async fn twice(ctx: &ToolContext) -> Result<String, ToolError> {
    let ask = || ctx.ask(PermissionRequest::new("think", ["*"]));
    let (one, other) = tokio::join!(ask(), ask());
    one.and(other).map(|()| "done".to_owned())
}

/// Thinks for a minute, or until it is told.
struct Slow(Option<Arc<Semaphore>>);

#[async_trait]
impl Approver for Slow {
    async fn approve(&self, _: &Ask) -> Reply {
        match &self.0 {
            None => tokio::time::sleep(Duration::from_secs(60)).await,
            Some(door) => door.acquire().await.expect("it stays").forget(),
        }
        Reply::Once
    }
}

fn bench(approver: Slow) -> Bench {
    let bench = Bench::builder().tool(CarefulTool).tool(ThroughTool).tool(TwiceTool);
    bench.with(|executor| executor.approver(approver)).build()
}

fn kind(outcome: &Outcome) -> Option<ErrorKind> {
    outcome.error().map(ToolError::kind)
}

// Time stands still but for the timers, which come one after the other at once.
#[tokio::test(start_paused = true)]
async fn no_time_counts_while_somebody_is_asked() {
    let bench = bench(Slow(None));
    assert_eq!(bench.call("careful", r#"{"then":500}"#).await.output(), Some("done"));
    assert_eq!(bench.call("through", r#"{"then":500}"#).await.output(), Some("done"));
    assert_eq!(bench.call("twice", "{}").await.output(), Some("done"));
}

#[tokio::test(start_paused = true)]
async fn time_counts_again_when_the_answer_has_come() {
    let bench = bench(Slow(None));
    let start = tokio::time::Instant::now();
    assert_eq!(kind(&bench.call("careful", r#"{"then":5000}"#).await), Some(ErrorKind::TimedOut));
    let taken = start.elapsed();
    assert!(taken >= Duration::from_secs(61) && taken < Duration::from_secs(62), "{taken:?}");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_asks_can_be_cancelled() {
    let door = Arc::new(Semaphore::new(0));
    let bench = bench(Slow(Some(door)));
    for tool in ["careful", "through"] {
        let token = CancellationToken::new();
        let call = ToolCall::new(tool, tool, r#"{"then":0}"#);
        let run = bench.executor().call_until(bench.session(), call, token.clone());
        let cancel = async {
            while bench.session().pending().is_empty() {
                tokio::task::yield_now().await;
            }
            tokio::time::sleep(Duration::from_secs(3600)).await;
            token.cancel();
        };
        let start = tokio::time::Instant::now();
        let (outcome, ()) = tokio::join!(run, cancel);
        assert!(outcome.text().contains("cancelled"), "{outcome:?}");
        assert!(start.elapsed() < Duration::from_secs(3601), "{:?}", start.elapsed());
    }
}
