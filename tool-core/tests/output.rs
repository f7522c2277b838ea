//! What a tool gives back: structured results that keep their schema, and metadata with a type.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what is wrong by panicking")]

use std::{borrow::Cow, collections::BTreeMap};

use futures_util::future::BoxFuture;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tool_core::{
    error::ErrorKind,
    output::Output,
    permission::PermissionRequest,
    prelude::*,
    schemars,
    testing::Bench,
    tool::{FnTool, Invocation, ToolPolicy, ToolResult, ToolSpec},
    validation::InvalidArguments,
};

#[derive(Serialize, JsonSchema)]
struct Reading {
    #[schemars(range(min = 0, max = 100))]
    percent: i64,
    #[schemars(regex(pattern = r"^[A-Z]{3}$"))]
    code: String,
    ratio: f64,
    note: Option<String>,
}

/// Read a gauge.
#[tool(register = false)]
fn gauge(percent: i64, code: String, #[arg(default)] broken: bool) -> Result<Json<Reading>, String> {
    Ok(Json(Reading { percent, code, ratio: if broken { f64::NAN } else { 0.5 }, note: None }))
}

async fn gauge_of(arguments: serde_json::Value) -> tool_core::Outcome {
    Bench::new(GaugeTool).call("gauge", &arguments.to_string()).await
}

#[tokio::test]
async fn a_result_that_fits_its_schema_leaves() {
    let outcome = gauge_of(json!({ "percent": 100, "code": "ABC" })).await;
    let structured = outcome.status().unwrap().structured().unwrap();
    assert_eq!(*structured, json!({ "percent": 100, "code": "ABC", "ratio": 0.5, "note": null }));
    assert_eq!(outcome.output().unwrap(), structured.to_string());
}

#[tokio::test]
async fn one_that_does_not_is_the_tools_fault_and_not_the_models() {
    let outcome = gauge_of(json!({ "percent": 101, "code": "abc" })).await;
    let error = outcome.error().expect("an error");
    assert_eq!(error.kind(), ErrorKind::Failed);
    let text = error.to_string();
    for part in ["`gauge`", "/percent", "101", "/code", "^[A-Z]{3}$", "The arguments were not at fault"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[tokio::test]
async fn nan_is_named() {
    let text = gauge_of(json!({ "percent": 1, "code": "ABC", "broken": true })).await.text();
    assert!(text.contains("/ratio") && text.contains("NaN"), "{text}");
}

/// An even number, by a schema of its own.
struct Even(u64);

impl Serialize for Even {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json!({ "even": self.0 }).serialize(serializer)
    }
}

impl JsonSchema for Even {
    fn schema_name() -> Cow<'static, str> {
        "Even".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": { "even": { "type": "integer", "multipleOf": 2 } },
            "required": ["even"],
        })
    }
}

#[derive(Deserialize, JsonSchema)]
struct Number {
    n: u64,
}

#[tokio::test]
async fn closures_and_schemas_by_hand_are_held_to_it_too() {
    let tool = FnTool::new("even", "Gives a number.", |args: Number, _| async move { Json(Even(args.n)) }).unwrap();
    let bench = Bench::new(tool);
    assert_eq!(bench.call("even", r#"{"n":4}"#).await.output(), Some(r#"{"even":4}"#));
    let text = bench.call("even", r#"{"n":5}"#).await.text();
    assert!(text.contains("/even") && text.contains("multiple of 2"), "{text}");
}

/// A tool of another process: its schemas come as JSON.
struct Remote {
    spec: ToolSpec,
    policy: ToolPolicy,
}

impl Remote {
    fn new(output_schema: Option<serde_json::Value>) -> Self {
        let name = tool_core::ToolName::new("remote").unwrap();
        let mut spec = ToolSpec::new(name, "Gives what it gets.", json!({ "type": "object" }));
        spec.output_schema = output_schema;
        Self { spec, policy: ToolPolicy::default() }
    }
}

impl Tool for Remote {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn policy(&self) -> &ToolPolicy {
        &self.policy
    }

    fn bind(&self, arguments: &str) -> Result<Box<dyn Invocation>, InvalidArguments> {
        Ok(Box::new(Given(arguments.to_owned())))
    }
}

struct Given(String);

impl Invocation for Given {
    fn permission(&self, _: &ToolContext) -> Option<PermissionRequest> {
        None
    }

    fn run<'c>(self: Box<Self>, _: &'c ToolContext) -> BoxFuture<'c, ToolResult> {
        let mut output = ToolOutput::text(self.0.clone());
        output.structured = serde_json::from_str(&self.0).ok().filter(|value| *value != json!({})).map(Box::new);
        Box::pin(std::future::ready(Ok(output)))
    }
}

#[tokio::test]
async fn tools_made_from_json_are_held_to_it_too() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let bench = Bench::new(Remote::new(Some(schema)));
    assert_eq!(bench.call("remote", r#"{"n":1}"#).await.output(), Some(r#"{"n":1}"#));
    assert!(bench.call("remote", r#"{"n":"x"}"#).await.text().contains("/n"));
    let text = bench.call("remote", "{}").await.text();
    assert!(text.contains("promises JSON"), "{text}");

    let bench = Bench::new(Remote::new(Some(json!({ "type": "object", "properties": { "n": { "pattern": "(" } } }))));
    let text = bench.call("remote", r#"{"n":1}"#).await.text();
    assert!(text.contains("schema cannot be used"), "{text}");

    // One whose references double at each step would keep a validator busy for years.
    let mut steps: Map<String, Value> = (0..60)
        .map(|step| (step.to_string(), json!({ "$ref": format!("#/$defs/{}", step + 1) })))
        .map(|(name, next)| (name, json!({ "allOf": [next, next] })))
        .collect();
    steps.insert("60".into(), json!({ "type": "object" }));
    let bench = Bench::new(Remote::new(Some(json!({ "$ref": "#/$defs/0", "$defs": steps }))));
    assert_eq!(bench.call("remote", r#"{"n":1}"#).await.output(), Some(r#"{"n":1}"#));
}

#[tokio::test]
async fn a_tool_without_an_output_schema_gives_what_it_likes() {
    let bench = Bench::new(Remote::new(None));
    for arguments in [r#"{"n":1}"#, r#"{"n":[null]}"#, "{}"] {
        assert_eq!(bench.call("remote", arguments).await.output(), Some(arguments));
    }
}

#[derive(Serialize, JsonSchema)]
struct Table {
    rows: BTreeMap<Vec<u8>, u8>,
}

/// A map whose keys are no text.
#[tool(register = false)]
fn table() -> Json<Table> {
    Json(Table { rows: BTreeMap::from([(vec![1], 2)]) })
}

#[tokio::test]
async fn what_json_cannot_say_is_an_error() {
    let text = Bench::new(TableTool).call("table", "{}").await.text();
    assert!(text.contains("cannot be written as JSON") && text.contains("key must be a string"), "{text}");
}

#[derive(Debug, Serialize, Deserialize, PartialEq)]
struct Ran {
    exit: i32,
    files: Vec<String>,
}

/// Run.
#[tool(register = false)]
fn run(exit: i32) -> Result<Output<Ran>, String> {
    if exit < 0 {
        return Err("no such command".to_owned());
    }
    Ok(ToolOutput::text("ran").with("exit", "replaced").with("more", 1).typed(Ran { exit, files: vec!["a".into()] }))
}

#[tokio::test]
async fn metadata_has_a_type_for_both_sides() {
    let bench = Bench::new(RunTool);
    let outcome = bench.call("run", r#"{"exit":3}"#).await;
    assert_eq!(outcome.metadata_as::<Ran>().unwrap(), Ran { exit: 3, files: vec!["a".into()] });
    assert_eq!(outcome.metadata()["more"], 1);
    // Also after it was stored.
    let stored: tool_core::Outcome = serde_json::from_value(json!(outcome)).unwrap();
    assert_eq!(stored.metadata_as::<Ran>().unwrap().exit, 3);

    let error = bench.call("run", r#"{"exit":-1}"#).await.metadata_as::<Ran>().unwrap_err().to_string();
    assert!(error.contains("`run`") && error.contains("Ran") && error.contains("missing field `exit`"), "{error}");
}

/// Counts.
#[tool(register = false)]
fn count() -> Output<u8> {
    ToolOutput::text("7").typed(7)
}

#[tokio::test]
async fn metadata_is_an_object() {
    let text = Bench::new(CountTool).call("count", "{}").await.text();
    assert!(text.contains("to be an object, got 7"), "{text}");
}

/// Takes a picture.
#[tool(register = false)]
fn screenshot() -> tool_core::Attachment {
    tool_core::Attachment::base64("image/png", "iVBORw0=").named("screen.png")
}

#[tokio::test]
async fn an_attachment_alone_is_an_output() {
    let outcome = Bench::new(ScreenshotTool).call("screenshot", "{}").await;
    assert_eq!(outcome.output(), Some("screen.png"));
    assert_eq!(outcome.status().unwrap().attachments()[0].mime, "image/png");
}
