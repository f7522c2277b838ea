//! Which model and agent see which tools, and how.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use std::time::{Duration, Instant};

use serde_json::json;
use tool_core::{
    prelude::*,
    registry::{Offer, Selection, SelectionRule},
    tool::{Audience, Description, FnTool},
};

fn tool(name: &str) -> FnTool {
    FnTool::raw(name, "A tool.", json!({ "type": "object" }), |_, _| async {}).unwrap()
}

fn editing() -> Registry {
    let all = ["apply_patch", "edit", "write", "read"].into_iter();
    all.fold(Registry::builder(), |all, name| all.add(tool(name).sets(["coding"]))).build().unwrap()
}

fn chosen(registry: &Registry, audience: &Audience, selection: &Selection) -> Vec<String> {
    registry.for_audience(audience, selection).names().map(ToString::to_string).collect()
}

#[test]
fn opencode_gives_gpt_models_apply_patch_and_others_edit_and_write() {
    let (registry, rule) = (editing(), Selection::opencode());
    let of = |model: &str| chosen(&registry, &Audience::new().model(model), &rule);
    for model in ["gpt-5", "gpt-5.1-codex", "openai/gpt-5-mini"] {
        assert_eq!(of(model), ["apply_patch", "read"], "{model}");
    }
    for model in ["gpt-4o", "gpt-4.1", "gpt-oss-120b", "claude-sonnet-4-5", "gemini-3", "GPT-5", ""] {
        assert_eq!(of(model), ["edit", "read", "write"], "{model}");
    }
    assert_eq!(chosen(&registry, &Audience::new(), &rule), ["edit", "read", "write"]);
}

#[test]
fn the_last_rule_that_holds_decides() {
    let registry = Registry::builder()
        .add(tool("a").sets(["one"]).tags(["slow"]))
        .add(tool("b").sets(["one", "two"]))
        .add(tool("c"))
        .build()
        .unwrap();
    let nobody = Audience::new();
    let only_two = Selection::new()
        .with(SelectionRule::new(Offer::Exclude))
        .with(SelectionRule::new(Offer::Include).sets(["two"]));
    assert_eq!(chosen(&registry, &nobody, &only_two), ["b"]);
    let turned = only_two.clone().with(SelectionRule::new(Offer::Include).sets(["all"]));
    assert_eq!(chosen(&registry, &nobody, &turned), ["a", "b", "c"]);
    let both = Selection::new().with(SelectionRule::new(Offer::Exclude).sets(["one"]).tags(["slow"]));
    assert_eq!(chosen(&registry, &nobody, &both), ["b", "c"]);
    let but = Selection::new().with(SelectionRule::new(Offer::Exclude).tools(["!b"]));
    assert_eq!(chosen(&registry, &nobody, &but), ["b"]);
    let planner = Selection::new().with(SelectionRule::new(Offer::Exclude).tools(["a"]).agents(["plan*"]));
    assert_eq!(chosen(&registry, &Audience::new().agent("planner"), &planner), ["b", "c"]);
    assert_eq!(chosen(&registry, &Audience::new().agent("build"), &planner).len(), 3);
    assert_eq!(chosen(&registry, &nobody, &planner).len(), 3);
    let vendor = Selection::new().with(SelectionRule::new(Offer::Exclude).providers(["openai"]));
    assert!(chosen(&registry, &Audience::new().provider("openai"), &vendor).is_empty());
}

#[test]
fn rules_are_read_and_written_as_json() {
    let text =
        r#"[{"offer":"exclude","tools":["edit"],"models":["*gpt-*","!*oss*"]},{"offer":"defer","sets":["web"]}]"#;
    let selection: Selection = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&selection).unwrap(), text);
    let wrong = serde_json::from_str::<Selection>(r#"[{"offer":"exclude","tool":["edit"]}]"#).unwrap_err();
    assert!(wrong.to_string().contains("unknown field `tool`"), "{wrong}");
    assert!(serde_json::from_str::<Selection>(r#"[{"tools":["edit"]}]"#).is_err());
}

/// Panics.
#[tool(register = false, describe = panics)]
fn first() {}

async fn panics(_: &Audience) -> String {
    panic!("no description")
}

/// Never comes to an end.
#[tool(register = false, describe = hangs)]
fn second() {}

async fn hangs(_: &Audience) -> String {
    std::future::pending().await
}

/// For those who build.
#[tool(register = false, describe = withheld)]
fn third() {}

async fn withheld(audience: &Audience) -> Description {
    match audience.agent.as_deref() {
        Some("plan") => Description::withheld(),
        _ => Description::from("Changed.").with_schema(json!("no schema")),
    }
}

#[tokio::test]
async fn a_description_that_fails_leaves_the_tools_own() {
    let limit = Duration::from_millis(20);
    let registry = Registry::builder().add(FirstTool).add(SecondTool).add(ThirdTool).described_within(limit);
    let registry = registry.build().unwrap();
    let start = Instant::now();
    let specs = registry.specs_for(&Audience::new()).await;
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let texts: Vec<&str> = specs.iter().map(|spec| &*spec.description).collect();
    assert_eq!(texts, ["Panics.", "Never comes to an end.", "Changed."]);
    // What is no schema of arguments is not taken for one.
    assert_eq!(specs[2].input_schema["type"], "object");
    let planned = registry.specs_for(&Audience::new().agent("plan")).await;
    assert_eq!(planned.iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>(), ["first", "second"]);
}
