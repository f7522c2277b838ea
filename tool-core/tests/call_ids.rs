//! Ids of calls: one call's own, until it has ended.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tool_core::{ErrorKind, Outcome, event::Change, prelude::*, testing::Bench};

/// Say it, when the door is open.
#[tool(read_only, register = false)]
async fn say(
    /// What.
    what: String,
    door: &Arc<Semaphore>,
) -> String {
    door.acquire().await.expect("the door stays").forget();
    what
}

/// Say it through another call.
#[tool(read_only, register = false)]
async fn relay(ctx: &ToolContext) -> String {
    ctx.call_tool("say", r#"{"what":"nested"}"#).await.into_text()
}

fn bench(permits: usize) -> (Arc<Semaphore>, Bench) {
    let door = Arc::new(Semaphore::new(permits));
    let bench = Bench::builder().tool(SayTool).tool(RelayTool).state(door.clone());
    (door, bench.with(|executor| executor.doom_loop(None)).build())
}

fn call(id: &str, what: &str) -> ToolCall {
    ToolCall::new(id.to_owned(), "say", format!(r#"{{"what":"{what}"}}"#))
}

fn is_repeated(outcome: &Outcome) -> bool {
    assert_eq!(outcome.error().map(ToolError::kind), Some(ErrorKind::InvalidArguments));
    matches!(outcome.error(), Some(ToolError::RepeatedId { .. }))
}

#[tokio::test]
async fn of_two_calls_of_a_turn_with_one_id_the_first_runs() {
    let (_, bench) = bench(1);
    let outcomes = bench.executor().call_all(bench.session(), [call("same", "a"), call("same", "b")]).await;
    assert_eq!(outcomes[0].output(), Some("a"));
    assert!(is_repeated(&outcomes[1]));
    let text = outcomes[1].text();
    assert!(text.contains("not run") && text.contains("`same`") && text.contains("another id"), "{text}");
    // Those who watch know the first by that id, and its life is not disturbed.
    assert!(matches!(bench.changes().as_slice(), [Change::Pending { .. }, Change::Running, Change::Completed(_)]));
}

#[tokio::test]
async fn a_call_of_no_tool_keeps_its_id_too() {
    let (_, bench) = bench(1);
    let turn = [ToolCall::new("same", "nowhere", "{}"), call("same", "a"), call("other", "b")];
    let outcomes = bench.executor().call_all(bench.session(), turn).await;
    assert_eq!(outcomes[0].error().map(ToolError::kind), Some(ErrorKind::UnknownTool));
    assert!(is_repeated(&outcomes[1]));
    assert_eq!(outcomes[2].output(), Some("b"));
}

#[tokio::test]
async fn an_id_is_free_again_when_its_call_has_ended() {
    let (door, bench) = bench(0);
    let (executor, session) = (bench.executor(), bench.session());
    let mut first = Box::pin(executor.call(session, call("1", "a")));
    assert!(futures_util::poll!(&mut first).is_pending());
    assert!(is_repeated(&executor.call(session, call("1", "b")).await));
    // Of another session it is another id.
    let elsewhere = bench.another_session("elsewhere");
    door.add_permits(2);
    assert_eq!(executor.call(&elsewhere, call("1", "c")).await.output(), Some("c"));
    assert_eq!(first.await.output(), Some("a"));
    door.add_permits(2);
    for what in ["d", "e"] {
        assert_eq!(executor.call(session, call("1", what)).await.output(), Some(what));
    }
    // Also when it ended by being dropped.
    let mut dropped = Box::pin(executor.call(session, call("1", "f")));
    assert!(futures_util::poll!(&mut dropped).is_pending());
    drop(dropped);
    door.add_permits(1);
    assert_eq!(executor.call(session, call("1", "g")).await.output(), Some("g"));
}

#[tokio::test]
async fn a_models_id_may_not_be_that_of_a_call_below_another() {
    let (door, bench) = bench(0);
    let (executor, session) = (bench.executor(), bench.session());
    let mut relay = Box::pin(executor.call(session, ToolCall::new("1", "relay", "{}")));
    assert!(futures_util::poll!(&mut relay).is_pending());
    assert!(is_repeated(&executor.call(session, call("1/1", "a")).await));
    door.add_permits(1);
    assert_eq!(relay.await.output(), Some("nested"));
}

#[tokio::test]
async fn an_id_of_any_length_is_told_in_short() {
    let (_, bench) = bench(1);
    let id = "i".repeat(1 << 20);
    let outcomes = bench.executor().call_all(bench.session(), [call(&id, "a"), call(&id, "b")]).await;
    assert!(is_repeated(&outcomes[1]));
    assert!(outcomes[1].text().len() < 1_000);
    assert_eq!(outcomes[1].call_id().as_str(), id);
}
