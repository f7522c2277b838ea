//! What rules are held against: paths by where they lead, texts as they are written and by where they may lead.

use std::path::Path;

use serde_json::json;
use tool_core::{
    error::{Denial, ErrorKind},
    permission::Reply,
    prelude::*,
    testing::{Bench, BenchBuilder},
    tool::FnTool,
};

/// Takes a path as text.
#[tool(register = false, permission = "edit", pattern = path)]
fn text(path: &str) -> String {
    path.to_owned()
}

/// Takes a path as what it is.
#[tool(register = false, permission = "edit", pattern = path)]
fn path(path: &Path) -> String {
    path.display().to_string()
}

/// Takes texts that are no paths.
#[tool(register = false, permission = "run", pattern = commands)]
fn run(commands: Vec<String>) -> String {
    commands.join(";")
}

fn raw(name: &str) -> FnTool {
    let schema = json!({ "type": "object", "properties": { "path": {} } });
    FnTool::raw(name, "", schema, |_, _| async { "done" }).expect("a name and a schema").permission("edit")
}

fn bench(rules: Ruleset) -> BenchBuilder {
    Bench::builder()
        .tool(TextTool)
        .tool(PathTool)
        .tool(RunTool)
        .tool(raw("raw_text").pattern("path"))
        .tool(raw("raw_path").path_pattern("path"))
        .cwd("/project")
        .with(|executor| executor.rules(rules))
}

const TOOLS: [&str; 4] = ["text", "path", "raw_text", "raw_path"];

async fn may(bench: &Bench, tool: &str, path: &str) -> bool {
    let outcome = bench.call(tool, &json!({ "path": path }).to_string()).await;
    match outcome.error().map(ToolError::kind) {
        None => true,
        Some(ErrorKind::Denied) => false,
        Some(kind) => panic!("{tool} {path}: {kind:?}: {}", outcome.text()),
    }
}

#[tokio::test]
async fn no_way_of_writing_a_path_passes_a_rule_that_it_does_not_lead_to() {
    let inside = bench(Ruleset::new().allow("edit", "src/*")).build();
    let all = bench(Ruleset::new().allow("edit", "*").deny("edit", "/etc/*").deny("edit", "secret/*")).build();
    for tool in TOOLS {
        for path in ["src/../../etc/passwd", "src/../secret/key", "src/..", "/project/src/../../etc/passwd"] {
            assert!(!may(&inside, tool, path).await, "{tool}: {path}");
        }
        for path in ["src/main.rs", "src/a/b.rs", "src/a..b/...", "src/.hidden"] {
            assert!(may(&inside, tool, path).await, "{tool}: {path}");
        }
        for path in ["./secret/key", "a/../secret/key", "/project/secret/key", "../etc/passwd", "/tmp/../etc/passwd"] {
            assert!(!may(&all, tool, path).await, "{tool}: {path}");
        }
    }
    // What is known to be a path is compared as that alone: these lead into `src`.
    for path in ["./src/main.rs", "/project/src/main.rs", "src//main.rs", "a/../src/main.rs"] {
        assert!(may(&inside, "path", path).await && may(&inside, "raw_path", path).await, "{path}");
    }
}

#[tokio::test]
async fn a_text_is_asked_for_as_it_is_written() {
    let asked = bench(Ruleset::new()).approve(|_| Reply::Once).build();
    let patterns = async |tool: &str, arguments: serde_json::Value| {
        asked.call(tool, &arguments.to_string()).await;
        asked.asks().pop().map(|ask| ask.request.patterns)
    };
    let texts = ["https://example.com/a?b=..", "cd .. && ls -la", "/usr/bin/env", "...", ""];
    let wanted: Vec<String> = texts.iter().map(ToString::to_string).collect();
    assert_eq!(patterns("run", json!({ "commands": texts })).await, Some(wanted));
    let both = ["cat a/../b".to_owned(), "b".to_owned()];
    assert_eq!(patterns("text", json!({ "path": "a/../b" })).await, Some(vec!["a/../b".to_owned(), both[1].clone()]));
    assert_eq!(patterns("path", json!({ "path": "a/.." })).await, Some(vec![".".to_owned()]));
    assert_eq!(
        patterns("raw_path", json!({ "path": ["a", "./b"] })).await,
        Some(vec!["a".to_owned(), both[1].clone()])
    );
    assert_eq!(patterns("raw_path", json!({})).await, Some(vec!["*".to_owned()]));
}

/// Would write without a word.
#[tool(register = false, asks = "edit")]
fn write() -> &'static str {
    "written"
}

#[tokio::test]
async fn a_tool_that_is_disabled_is_refused_though_it_forgets_to_ask() {
    let call = async |rules: Ruleset, own: Ruleset| {
        let bench = Bench::builder().tool(WriteTool).with(|executor| executor.rules(rules)).build();
        let session = Session::builder("/").rules(own).build();
        let outcome = bench.executor().call(&session, ToolCall::new("1", "write", "{}")).await;
        let registered = bench.executor().registry();
        let hidden = bench.executor().specs(&session, &tool_core::tool::Audience::new()).await.is_empty();
        assert_eq!(hidden, outcome.error().is_some(), "hidden and refused go together; {registered:?}");
        outcome
    };
    let deny = || Ruleset::new().deny("edit", "*");
    for (rules, own) in [(deny(), Ruleset::new()), (Ruleset::new(), deny()), (Ruleset::allow_all(), deny())] {
        let refused = call(rules, own).await;
        assert!(
            matches!(refused.error(), Some(ToolError::Denied(Denial::Disabled { permission, .. })) if permission == "edit")
        );
        assert!(refused.text().contains("`write` tool is disabled: `edit`"), "{}", refused.text());
    }
    for (rules, own) in [
        (deny().allow("edit", "src/*"), Ruleset::new()),
        (deny(), Ruleset::new().ask("edit", "*")),
        (Ruleset::new().deny("edit", "src/*"), Ruleset::new()),
    ] {
        assert_eq!(call(rules, own).await.output(), Some("written"));
    }
}
