//! How a call ends that is not done when it is first looked at.

use std::time::Duration;

use tool_core::{ErrorKind, executor::Outcome, prelude::*};

/// Wait.
#[tool(read_only, timeout = "50ms")]
async fn wait(
    /// Milliseconds.
    ms: u64,
) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    "done".to_owned()
}

/// Panic.
#[tool(read_only)]
async fn fall(
    /// Whether to wait first.
    late: bool,
) -> String {
    if late {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("fell")
}

/// Panic at once.
#[tool(read_only)]
fn fall_plainly() -> String {
    panic!("fell")
}

/// Stop when cancelled.
#[tool(read_only)]
async fn obey(ctx: &ToolContext) -> String {
    ctx.cancellation().cancelled().await;
    "so far".to_owned()
}

async fn call(session: Session, tool: &'static str, arguments: &'static str) -> Outcome {
    let executor =
        Executor::builder(Registry::linked().expect("the names differ")).build().expect("nothing is missing");
    // On another task, so that the call's future has to be `Send`.
    tokio::spawn(async move { executor.call(&session, ToolCall::new("1", tool, arguments)).await })
        .await
        .expect("a call never panics")
}

fn kind(outcome: &Outcome) -> Option<ErrorKind> {
    outcome.error().map(tool_core::ToolError::kind)
}

#[tokio::test]
async fn a_late_result_is_a_result() {
    assert_eq!(call(Session::new("/"), "wait", r#"{"ms":1}"#).await.into_text(), "done");
}

#[tokio::test]
async fn a_timeout_ends_a_call() {
    let outcome = call(Session::new("/"), "wait", r#"{"ms":60000}"#).await;
    assert_eq!(kind(&outcome), Some(ErrorKind::TimedOut));
    assert_eq!(outcome.call_id().as_str(), "1");
}

#[tokio::test]
async fn a_panic_ends_a_call_wherever_it_happens() {
    for (tool, arguments) in [("fall", r#"{"late":false}"#), ("fall", r#"{"late":true}"#), ("fall_plainly", "{}")] {
        assert_eq!(kind(&call(Session::new("/"), tool, arguments).await), Some(ErrorKind::Panicked), "{arguments}");
    }
}

#[tokio::test]
async fn a_cancelled_tool_hands_over_what_it_has() {
    let session = Session::new("/");
    let running = tokio::spawn(call(session.clone(), "obey", "{}"));
    tokio::time::sleep(Duration::from_millis(20)).await;
    session.cancellation().cancel();
    assert_eq!(running.await.unwrap().into_text(), "so far");
}
