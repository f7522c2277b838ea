//! The bench of tool authors: files, clocks, sessions, approvals by rule, and contexts for the function alone.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what is wrong by panicking")]

use std::time::{Duration, SystemTime};

use tool_core::{
    permission::Reply,
    prelude::*,
    testing::{self, Bench, ManualClock, Workspace},
};

/// Copy a file.
#[tool(register = false, permission = "edit", pattern = to)]
fn copy(from: &str, to: &str, ctx: &ToolContext) -> Result<String, std::io::Error> {
    let bytes = std::fs::copy(ctx.resolve(from), ctx.resolve(to))?;
    Ok(format!("{bytes} bytes"))
}

#[tokio::test]
async fn files_are_laid_out_and_removed() {
    let bench = Bench::builder().tool(CopyTool).file("a/one.txt", "one").approve(|_| Reply::Once).build();
    let path = bench.workspace().path().to_owned();
    bench.write("two.txt", "two!");
    let outcome = bench.call("copy", r#"{"from":"two.txt","to":"a/two.txt"}"#).await;
    assert_eq!(outcome.output(), Some("4 bytes"));
    assert_eq!((bench.read("a/one.txt"), bench.read("a/two.txt")), ("one".to_owned(), "two!".to_owned()));
    assert_eq!(outcome.call_id().as_str(), "call_1");
    drop(bench);
    assert!(!path.exists());
}

#[test]
fn a_workspace_is_removed_by_a_panic_too_and_does_not_let_out() {
    let workspace = Workspace::new();
    let path = workspace.path().to_owned();
    let panic = std::panic::catch_unwind(move || workspace.write("../outside.txt", "")).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("expected a path in the workspace"));
    assert!(!path.exists());
    assert!(!path.parent().unwrap().join("outside.txt").exists());
}

#[tokio::test]
async fn a_rule_answers_after_the_list() {
    let bench = Bench::builder()
        .tool(CopyTool)
        .file("a", "a")
        .replies([Reply::Reject { feedback: Some("not yet".to_owned()) }])
        .approve(|ask| match ask.request.patterns[0].as_str() {
            "b" => Reply::Once,
            _ => Reply::Reject { feedback: Some("only b".to_owned()) },
        })
        .build();
    for (to, wanted) in [("b", "not yet"), ("b", "1 bytes"), ("c", "only b")] {
        let text = bench.call("copy", &format!(r#"{{"from":"a","to":"{to}"}}"#)).await.text();
        assert!(text.contains(wanted), "{text}");
    }
    assert_eq!(bench.asks().len(), 3);
}

#[tokio::test]
async fn sessions_are_apart_and_times_are_set() {
    let clock = ManualClock::at(SystemTime::UNIX_EPOCH + Duration::from_secs(60));
    let bench = Bench::builder().tool(CopyTool).file("a", "a").replies([Reply::Always]).clock(clock.clone()).build();
    let call = r#"{"from":"a","to":"b"}"#;
    let first = bench.call("copy", call).await;
    clock.advance(Duration::from_secs(1));
    let second = bench.call("copy", call).await;
    assert!(first.error().is_none() && second.error().is_none());
    assert_eq!(second.time().start.duration_since(first.time().start).unwrap(), Duration::from_secs(1));
    let other = bench.another_session("other");
    assert!(bench.call_in(&other, "copy", call).await.text().contains("nobody could be asked"));
}

#[tokio::test]
async fn a_function_is_called_with_a_context_of_its_own() {
    let bench = Bench::builder().tool(CopyTool).file("a", "abc").approve(|_| Reply::Once).state(7_u8).build();
    let ctx = bench.context("copy");
    assert_eq!(copy("a", "b", &ctx).unwrap(), "3 bytes");
    assert_eq!(ctx.state::<u8>(), Some(&7));
    ctx.ask(PermissionRequest::new("edit", ["x"])).await.unwrap();
    ctx.progress("half way");
    assert_eq!((bench.asks().len(), bench.changes().len()), (1, 1));
    // Nothing waits for a call that has no end.
    assert!(bench.call("copy", r#"{"from":"a","to":"c"}"#).await.error().is_none());
    assert!(testing::context().ask(PermissionRequest::new("anything", ["*"])).await.is_ok());
}
