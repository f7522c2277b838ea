//! Sets of tools: what is linked, what collides, what a host adds and changes.

use std::sync::atomic::{AtomicI64, Ordering};

use tool_core::{
    prelude::*,
    testing::Bench,
    tool::{Annotations, Audience, Concurrency},
};

/// In two sets.
#[tool(set("files", "safe"), tags("slow"), read_only, title = "One")]
fn one() -> &'static str {
    "one"
}

/// In one set.
#[tool(set = "files", exclusive, read_only, describe = describe)]
fn two() -> &'static str {
    "two"
}

async fn describe(audience: &Audience) -> String {
    format!("For {}.", audience.model.as_deref().unwrap_or("nobody"))
}

/// A counter.
#[derive(Default)]
struct Counter(AtomicI64);

#[toolset(set = "counting")]
impl Counter {
    /// Count up.
    #[tool]
    fn up(&self) -> String {
        (self.0.fetch_add(1, Ordering::SeqCst) + 1).to_string()
    }

    /// How far.
    #[tool(read_only, set = "reading")]
    async fn far(&self) -> String {
        self.0.load(Ordering::SeqCst).to_string()
    }
}

mod elsewhere {
    /// Another of that name.
    #[tool_core::tool(register = false, name = "one")]
    pub(crate) fn another() -> &'static str {
        "another"
    }
}

fn names(registry: &Registry) -> Vec<String> {
    registry.names().map(ToString::to_string).collect()
}

#[test]
fn linked_tools_are_there_in_order() {
    let registry = Registry::linked().unwrap();
    assert_eq!(names(&registry), ["far", "one", "two", "up"]);
    assert_eq!(names(&registry.set("files")), ["one", "two"]);
    assert_eq!(names(&registry.set("counting")), ["up"]);
    assert_eq!(names(&registry.set("all")).len(), 4);
    assert_eq!(names(&registry.tag("slow")), ["one"]);
    assert_eq!(registry.sets(), ["counting", "files", "reading", "safe"]);
    let one = registry.get("one").unwrap();
    assert_eq!(one.spec().title.as_deref(), Some("One"));
    assert_eq!(one.spec().annotations, Annotations::new(true, false, false, false));
    assert_eq!(one.tool().policy().concurrency, Concurrency::Parallel);
    assert_eq!(registry.get("two").unwrap().tool().policy().concurrency, Concurrency::Exclusive);
    assert_eq!(registry.get("up").unwrap().tool().policy().concurrency, Concurrency::Exclusive);
    let place = one.tool().location().unwrap();
    assert!(place.file.ends_with("tests/registry.rs") && place.module == "registry" && place.line > 10, "{place}");
}

#[test]
fn all_collisions_are_reported_with_both_places() {
    let error =
        Registry::builder().linked().add(elsewhere::AnotherTool).add(TwoTool).remove("three").build().unwrap_err();
    assert_eq!(error.collisions().len(), 2);
    let text = error.to_string();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("two tools are named `one`: "), "{text}");
    assert!(lines[0].contains("tests/registry.rs:") && lines[0].contains("(registry::elsewhere)"), "{text}");
    assert!(lines[1].starts_with("two tools are named `two`: "), "{text}");
    assert_eq!(lines[2], "cannot remove `three`: there is no tool of that name");
}

#[test]
fn a_host_changes_what_it_has() {
    let registry = Registry::builder()
        .linked()
        .remove("one")
        .rename("two", "deux")
        .add(elsewhere::AnotherTool)
        .namespace("files")
        .build()
        .unwrap();
    assert_eq!(names(&registry), ["files__deux", "files__far", "files__one", "files__up"]);
    assert_eq!(registry.get("files__deux").unwrap().spec().name, "files__deux");
    let wrong = Registry::builder().add(OneTool).rename("one", "no name").rename("absent", "x").build().unwrap_err();
    assert!(wrong.to_string().contains("`no name` is not a tool name"), "{wrong}");
    assert!(wrong.to_string().contains("cannot rename `absent`"), "{wrong}");
    assert!(Registry::builder().add(OneTool).namespace(&"x".repeat(64)).build().is_err());
}

#[test]
fn two_values_of_one_toolset_serve_side_by_side() {
    let of = |name: &str, start| {
        let counter = Counter(AtomicI64::new(start));
        Registry::builder().add(CounterUpTool).add(CounterFarTool).state(counter).namespace(name).build().unwrap()
    };
    let registry = Registry::builder().extend(&of("left", 0)).extend(&of("right", 10)).build().unwrap();
    // No state to register: each tool has its own.
    let executor = Executor::builder(registry).build().unwrap();
    let call = |tool| {
        let call = ToolCall::new("1", tool, "{}");
        tool_core::testing::block_on(executor.call(&Session::new("/"), call)).text()
    };
    assert_eq!([call("left__up"), call("left__up"), call("right__up")], ["1", "2", "11"]);
    assert_eq!([call("left__far"), call("right__far")], ["2", "11"]);
}

#[tokio::test]
async fn a_renamed_tool_runs_under_its_new_name() {
    let registry = Registry::builder().add(OneTool).rename("one", "uno").build().unwrap();
    let executor = Executor::builder(registry).build().unwrap();
    let outcome = executor.call(&Session::new("/"), ToolCall::new("1", "uno", "{\"x\":1}")).await;
    assert!(outcome.text().contains("The uno tool was called"), "{}", outcome.text());
}

#[tokio::test]
async fn descriptions_can_depend_on_who_reads_them() {
    let registry = Registry::linked().unwrap();
    let spec = registry.get("two").unwrap().spec_for(&Audience::new().model("m-1")).await;
    assert_eq!(spec.description, "For m-1.");
    let specs = registry.specs_for(&Audience::new()).await;
    assert_eq!(
        specs.iter().map(|spec| &*spec.description).collect::<Vec<_>>(),
        ["How far.", "In two sets.", "For nobody.", "Count up."]
    );
}

#[tokio::test]
async fn a_toolset_shares_its_value() {
    let bench = Bench::builder().tool(CounterUpTool).tool(CounterFarTool).state(Counter::default()).build();
    bench.call("up", "{}").await;
    assert_eq!(bench.call("up", "{}").await.output(), Some("2"));
    assert_eq!(bench.call("far", "{}").await.output(), Some("2"));
}
