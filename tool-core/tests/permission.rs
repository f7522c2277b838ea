//! Who may: rules, approvals, and those who are asked.

use serde_json::json;
use tool_core::{
    error::{Denial, ErrorKind},
    permission::Reply,
    prelude::*,
    testing::Bench,
};

/// Write a file.
#[tool(register = false, permission = "edit", pattern = path)]
fn edit(path: &str) -> String {
    format!("wrote {path}")
}

/// Asks in its body.
#[tool(register = false)]
async fn fetch(url: String, ctx: &ToolContext) -> Result<String, ToolError> {
    ctx.ask(PermissionRequest::new("network", [url.clone()]).always(["https://example.com/*"])).await?;
    Ok(url)
}

/// Takes many.
#[tool(register = false, permission = "edit", pattern = paths)]
fn edit_many(paths: Vec<std::path::PathBuf>) -> String {
    format!("{paths:?}")
}

/// Asks for nothing, and fails.
#[tool(register = false)]
fn quiet() -> Result<(), String> {
    Err("soft".to_owned())
}

fn kind(outcome: &tool_core::Outcome) -> Option<ErrorKind> {
    outcome.error().map(ToolError::kind)
}

#[tokio::test]
async fn rules_decide_and_the_last_that_matches_wins() {
    let rules = Ruleset::new().allow("edit", "*").deny("edit", "*.lock").allow("edit", "my.lock");
    let bench = Bench::builder().tool(EditTool).with(|executor| executor.rules(rules)).build();
    assert_eq!(bench.call("edit", r#"{"path":"a.rs"}"#).await.output(), Some("wrote a.rs"));
    assert_eq!(bench.call("edit", r#"{"path":"my.lock"}"#).await.output(), Some("wrote my.lock"));
    let denied = bench.call("edit", r#"{"path":"Cargo.lock"}"#).await;
    assert_eq!(kind(&denied), Some(ErrorKind::Denied));
    assert!(denied.text().contains("`edit` for `Cargo.lock` is denied by a rule"), "{}", denied.text());
    assert!(bench.asks().is_empty());
}

#[tokio::test]
async fn what_the_rules_leave_open_is_asked() {
    let replies = [
        Reply::Once,
        Reply::Reject { feedback: Some("use b.rs".to_owned()) },
        Reply::Always,
        Reply::Reject { feedback: None },
    ];
    // The same call over and over is another question.
    let bench = Bench::builder().tool(EditTool).replies(replies).with(|executor| executor.doom_loop(None)).build();
    let edit = |path: &str| {
        let arguments = json!({ "path": path }).to_string();
        let bench = &bench;
        async move { bench.call("edit", &arguments).await }
    };
    assert_eq!(edit("a.rs").await.output(), Some("wrote a.rs"));
    let rejected = edit("a.rs").await;
    assert_eq!(rejected.text(), "The user rejected `edit` for `a.rs`. They say: use b.rs");
    assert_eq!(edit("a.rs").await.output(), Some("wrote a.rs"));
    // Remembered, for this pattern alone.
    assert_eq!(edit("a.rs").await.output(), Some("wrote a.rs"));
    assert_eq!(kind(&edit("b.rs").await), Some(ErrorKind::Denied));
    assert!(matches!(edit("c.rs").await.error(), Some(ToolError::Denied(Denial::Unanswered { .. }))));
    let asked: Vec<_> = bench.asks().into_iter().map(|ask| ask.request.patterns.join(" ")).collect();
    assert_eq!(asked, ["a.rs", "a.rs", "a.rs", "b.rs", "c.rs"]);
}

#[tokio::test]
async fn a_remembered_approval_never_overrides_a_rule() {
    let rules = Ruleset::new().deny("network", "https://example.com/secret");
    let bench =
        Bench::builder().tool(FetchTool).replies([Reply::Always]).with(|executor| executor.rules(rules)).build();
    assert_eq!(bench.call("fetch", r#"{"url":"https://example.com/a"}"#).await.output(), Some("https://example.com/a"));
    assert_eq!(bench.call("fetch", r#"{"url":"https://example.com/b"}"#).await.output(), Some("https://example.com/b"));
    assert_eq!(kind(&bench.call("fetch", r#"{"url":"https://example.com/secret"}"#).await), Some(ErrorKind::Denied));
}

#[tokio::test]
async fn a_tool_that_asks_for_nothing_runs_unless_a_rule_names_it() {
    let arguments = "{}";
    let open = Bench::builder().tool(QuietTool).build();
    assert_eq!(kind(&open.call("quiet", arguments).await), Some(ErrorKind::Failed));
    let closed = Bench::builder().tool(QuietTool).with(|e| e.rules(Ruleset::new().deny("quiet", "*"))).build();
    assert_eq!(kind(&closed.call("quiet", arguments).await), Some(ErrorKind::Denied));
    let asked = Bench::builder().tool(QuietTool).with(|e| e.rules(Ruleset::new().ask("*", "*"))).build();
    assert_eq!(kind(&asked.call("quiet", arguments).await), Some(ErrorKind::Denied));
    assert_eq!(asked.asks().len(), 1);
}

#[tokio::test]
async fn wrong_arguments_are_found_before_anybody_is_asked() {
    let bench = Bench::builder().tool(EditTool).build();
    assert_eq!(kind(&bench.call("edit", "{}").await), Some(ErrorKind::InvalidArguments));
    assert!(bench.asks().is_empty());
}

#[tokio::test]
async fn waiting_for_an_answer_can_be_cancelled() {
    struct Silent;
    #[async_trait::async_trait]
    impl Approver for Silent {
        async fn approve(&self, _: &tool_core::permission::Ask) -> Reply {
            std::future::pending().await
        }
    }
    let bench = Bench::builder().tool(EditTool).with(|executor| executor.approver(Silent)).build();
    let token = bench.session().cancellation().clone();
    let (outcome, ()) = tokio::join!(bench.call("edit", r#"{"path":"a"}"#), async {
        tokio::task::yield_now().await;
        token.cancel();
    });
    assert_eq!(kind(&outcome), Some(ErrorKind::Cancelled));
}

#[tokio::test]
async fn no_pattern_and_an_odd_path_pass_no_denial() {
    let rules = Ruleset::new().allow("edit", "*").deny("edit", "/etc/*").deny("edit", "secret/*");
    let bench = Bench::builder().tool(EditManyTool).cwd("/project").with(|executor| executor.rules(rules)).build();
    for path in ["/tmp/../etc/passwd", "//etc/passwd", "/./etc/passwd", "a/../secret/x", "/project/secret/x"] {
        let outcome = bench.call("edit_many", &json!({ "paths": [path] }).to_string()).await;
        assert_eq!(kind(&outcome), Some(ErrorKind::Denied), "{path}");
    }
    assert!(bench.call("edit_many", r#"{"paths":["a","b/c"]}"#).await.output().is_some());
    let closed = Bench::builder().tool(EditManyTool).with(|e| e.rules(Ruleset::new().deny("edit", "*"))).build();
    assert_eq!(kind(&closed.call("edit_many", r#"{"paths":[]}"#).await), Some(ErrorKind::Denied));
}

#[tokio::test]
async fn a_star_that_a_model_wrote_is_no_wildcard_when_approved_for_ever() {
    let bench = Bench::builder().tool(EditTool).replies([Reply::Always]).build();
    assert!(bench.call("edit", r#"{"path":"*"}"#).await.output().is_some());
    assert!(bench.call("edit", r#"{"path":"*"}"#).await.output().is_some());
    assert_eq!(kind(&bench.call("edit", r#"{"path":"/etc/passwd"}"#).await), Some(ErrorKind::Denied));
}

#[tokio::test]
async fn a_tool_denied_by_its_name_is_denied() {
    let rules = Ruleset::new().deny("edit_many", "*").allow("edit", "*");
    let bench = Bench::builder().tool(EditManyTool).with(|executor| executor.rules(rules)).build();
    assert_eq!(kind(&bench.call("edit_many", r#"{"paths":["a"]}"#).await), Some(ErrorKind::Denied));
}
