//! codex's approval policies, what they do to each kind of request, and rules on tools by their names.

use tool_core::{
    error::{Denial, ErrorKind},
    permission::{Approval, ApprovalPolicy, ApprovalSettings, Granular, Reply, RequestKind},
    prelude::*,
    testing::{Bench, BenchBuilder},
};

/// Asks for what its arguments say.
#[tool(register = false)]
async fn write(kind: String, ctx: &ToolContext) -> Result<String, ToolError> {
    request(&kind, ctx).await
}

/// The same, and changes nothing.
#[tool(register = false, read_only, asks = "edit")]
async fn look(kind: String, ctx: &ToolContext) -> Result<String, ToolError> {
    request(&kind, ctx).await
}

/// Changes something, and asks itself.
#[tool(register = false, asks = "edit")]
async fn patch(kind: String, ctx: &ToolContext) -> Result<String, ToolError> {
    request(&kind, ctx).await
}

async fn request(kind: &str, ctx: &ToolContext) -> Result<String, ToolError> {
    let edit = PermissionRequest::new("edit", ["a.rs"]);
    let request = match kind {
        "none" => return Ok(kind.to_owned()),
        "boundary" => edit.kind(RequestKind::Boundary),
        "skill" => edit.kind(RequestKind::Skill),
        "elicitation" => edit.kind(RequestKind::Elicitation),
        "permissions" => edit.kind(RequestKind::Permissions),
        "escalation" => PermissionRequest::escalation(["cargo build"]),
        _ => edit,
    };
    ctx.ask(request).await?;
    Ok(kind.to_owned())
}

fn bench(policy: ApprovalPolicy, rules: Ruleset) -> Bench {
    tools().with(move |executor| executor.rules(rules).approvals(ApprovalSettings::from(policy))).build()
}

fn tools() -> BenchBuilder {
    Bench::builder().tool(WriteTool).tool(LookTool).tool(PatchTool).replies([Reply::Once])
}

/// `runs`, `asks` or `refused`.
async fn what(policy: ApprovalPolicy, rules: Ruleset, tool: &str, kind: &str) -> &'static str {
    let bench = bench(policy, rules);
    let outcome = bench.call(tool, &serde_json::json!({ "kind": kind }).to_string()).await;
    match (outcome.error(), bench.asks().len()) {
        (None, 0) => "runs",
        (None, 1) => "asks",
        (Some(ToolError::Denied(Denial::Policy { .. })), 0) => "refused",
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_policy_asks_about_what_it_should() {
    use ApprovalPolicy::{Never, OnFailure, OnRequest, Untrusted};
    for (tool, kind, untrusted, on_request, on_failure, never) in [
        ("patch", "use", "asks", "asks", "runs", "refused"),
        // A tool that says it asks itself is not asked about by its name as well; one that says nothing is.
        ("patch", "none", "runs", "runs", "runs", "runs"),
        ("write", "none", "asks", "runs", "runs", "runs"),
        ("look", "use", "runs", "asks", "runs", "refused"),
        ("look", "none", "runs", "runs", "runs", "runs"),
        ("look", "boundary", "asks", "asks", "asks", "refused"),
        ("look", "escalation", "asks", "refused", "asks", "refused"),
    ] {
        for (policy, wanted) in
            [(Untrusted, untrusted), (OnRequest, on_request), (OnFailure, on_failure), (Never, never)]
        {
            assert_eq!(what(policy, Ruleset::new(), tool, kind).await, wanted, "{policy}: {tool} {kind}");
        }
    }
}

#[tokio::test]
async fn rules_come_before_a_policy() {
    use ApprovalPolicy::{Never, OnFailure, OnRequest, Untrusted};
    for policy in [Untrusted, OnRequest, OnFailure, Never] {
        assert_eq!(what(policy, Ruleset::allow_all(), "write", "use").await, "runs", "{policy}");
        let asked = if policy == Never { "refused" } else { "asks" };
        assert_eq!(what(policy, Ruleset::new().ask("edit", "*"), "look", "use").await, asked, "{policy}");
        let denied = bench(policy, Ruleset::new().deny("edit", "*.rs")).call("look", r#"{"kind":"use"}"#).await;
        assert!(matches!(denied.error(), Some(ToolError::Denied(Denial::Rule { .. }))), "{policy}");
    }
    let remembered = bench(Never, Ruleset::new());
    remembered.session().approve([Approval { permission: "edit".into(), pattern: "*.rs".into(), exact: false }]);
    assert_eq!(remembered.call("patch", r#"{"kind":"use"}"#).await.output(), Some("use"));
    let told = bench(Never, Ruleset::new()).call("patch", r#"{"kind":"use"}"#).await;
    assert!(told.text().contains("`edit` for `a.rs`") && told.text().contains("`never`"), "{}", told.text());
}

#[tokio::test]
async fn granular_refuses_the_kinds_that_are_off() {
    let off = Granular::default();
    for (kind, on) in [
        ("use", Granular { sandbox_approval: true, ..off }),
        ("boundary", Granular { sandbox_approval: true, ..off }),
        ("escalation", Granular { sandbox_approval: true, ..off }),
        ("elicitation", Granular { mcp_elicitations: true, ..off }),
        ("permissions", Granular { request_permissions: true, ..off }),
        ("skill", Granular { skill_approval: true, ..off }),
    ] {
        for (granular, wanted) in [(on, "asks"), (off, "refused")] {
            assert_eq!(what(ApprovalPolicy::Granular(granular), Ruleset::new(), "patch", kind).await, wanted, "{kind}");
        }
    }
    let rules = || Ruleset::new().ask("edit", "*");
    let on = Granular { rules: true, ..off };
    assert_eq!(what(ApprovalPolicy::Granular(on), rules(), "patch", "use").await, "asks");
    let all_but = Granular { sandbox_approval: true, ..off };
    assert_eq!(what(ApprovalPolicy::Granular(all_but), rules(), "patch", "use").await, "refused");
}

#[test]
fn policies_read_as_codex_writes_them() {
    for name in ["untrusted", "on-request", "on-failure", "never"] {
        let policy: ApprovalPolicy = serde_json::from_value(name.into()).expect("codex's name");
        assert_eq!(policy.to_string(), name);
        assert_eq!(serde_json::to_value(policy).expect("a string"), name);
    }
    let error = serde_json::from_str::<ApprovalPolicy>(r#"{"granular":{"rule":true}}"#).expect_err("no such switch");
    assert!(error.to_string().contains("rules"), "{error}");
}

#[tokio::test]
async fn a_tool_goes_by_the_permission_it_asks_for() {
    let rules = Ruleset::new().deny("*", "*").allow("edit", "*");
    assert!(!rules.disabled("patch", Some("edit")));
    assert!(rules.disabled("write", None));
    let bench = bench(ApprovalPolicy::default(), rules);
    assert_eq!(bench.call("patch", r#"{"kind":"use"}"#).await.output(), Some("use"));
    let denied = bench.call("write", r#"{"kind":"none"}"#).await;
    assert_eq!(denied.error().map(ToolError::kind), Some(ErrorKind::Denied));
}

#[test]
fn disabled_is_opencodes_rule_and_the_tools_own_name() {
    let rules = |json: &str| serde_json::from_str::<Ruleset>(json).expect("rules");
    for (json, tool, permission, wanted) in [
        (r#"{"bash":"deny"}"#, "bash", None, true),
        (r#"{"bash":{"*":"deny","git *":"allow"}}"#, "bash", None, false),
        (r#"{"bash":{"git *":"allow","*":"deny"}}"#, "bash", None, true),
        (r#"{"edit":"deny"}"#, "write", Some("edit"), true),
        (r#"{"edit":"deny","write":"allow"}"#, "write", Some("edit"), true),
        (r#"{"write":"deny","edit":"allow"}"#, "write", Some("edit"), true),
        (r#"{"files__*":"deny","edit":"allow"}"#, "files__write", Some("edit"), true),
        (r#"{"*":"deny","edit":"allow"}"#, "write", Some("edit"), false),
        (r#"{"edit":"allow","*":"deny"}"#, "write", Some("edit"), true),
        (r#"{"bash":{"rm *":"deny"}}"#, "bash", None, false),
        (r#""deny""#, "anything", None, true),
        (r#"{}"#, "anything", None, false),
    ] {
        assert_eq!(rules(json).disabled(tool, permission), wanted, "{json} {tool}");
    }
}

#[tokio::test]
async fn a_sessions_own_rules_come_last() {
    let registry = Registry::builder().add(PatchTool).build().expect("one tool");
    let executor = Executor::builder(registry).rules(Ruleset::allow_all()).build().expect("nothing is missing");
    let call = || ToolCall::new("1", "patch", r#"{"kind":"use"}"#);
    assert!(executor.call(&Session::new("/"), call()).await.output().is_some());
    let strict = Session::builder("/").rules(Ruleset::new().deny("edit", "*.rs")).build();
    assert_eq!(executor.call(&strict, call()).await.error().map(ToolError::kind), Some(ErrorKind::Denied));
}

#[tokio::test]
async fn a_model_is_not_told_of_tools_that_are_denied_altogether() {
    let names = |rules: Ruleset, own: Ruleset| async move {
        let bench = Bench::builder().tool(PatchTool).tool(WriteTool).with(|executor| executor.rules(rules)).build();
        let session = Session::builder("/").rules(own).build();
        let specs = bench.executor().specs(&session, &tool_core::tool::Audience::new()).await;
        specs.into_iter().map(|spec| spec.name.to_string()).collect::<Vec<_>>()
    };
    let all = names(Ruleset::new(), Ruleset::new()).await;
    assert_eq!(all, ["patch", "write"]);
    let without = names(Ruleset::new().deny("edit", "*"), Ruleset::new()).await;
    assert_eq!(without, ["write"]);
    // One pattern that is allowed all the same keeps it in.
    assert_eq!(names(Ruleset::new().deny("edit", "*").allow("edit", "docs/*"), Ruleset::new()).await, all);
    assert_eq!(names(Ruleset::new(), Ruleset::new().deny("edit", "*")).await, without);
    assert_eq!(names(Ruleset::new().deny("edit", "*"), Ruleset::new().allow("edit", "*")).await, all);
    // What comes after it lets the tool run, and so it is shown.
    assert_eq!(names(Ruleset::new().deny("write", "*").allow("*", "*"), Ruleset::new()).await, all);
}
