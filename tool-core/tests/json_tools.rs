//! Tools made of declarations in JSON, also of hostile ones.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_core::{
    ToolName, ToolSpec,
    permission::Reply,
    prelude::*,
    testing::Bench,
    tool::{Annotations, Concurrency, FnTool, InvalidTool, MAX_SCHEMA_DEPTH, MAX_SCHEMA_VALUES, SchemaFault},
};

fn made(schema: Value) -> Result<FnTool, InvalidTool> {
    FnTool::raw("t", "A tool.", schema, |arguments: Value, _| async move { arguments.to_string() })
}

fn fault(schema: Value) -> SchemaFault {
    let start = Instant::now();
    let error = made(schema).err().unwrap();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    match error {
        InvalidTool::InputSchema { fault, .. } => fault,
        other => panic!("{other}"),
    }
}

#[test]
fn a_declaration_is_read_in_mcps_form() {
    let spec: ToolSpec = serde_json::from_value(json!({
        "name": "issues", "description": "List issues.", "_meta": { "x": 1 }, "icons": [],
        "inputSchema": { "type": "object" }, "outputSchema": { "type": "object" },
        "annotations": { "title": "Issues", "readOnlyHint": true, "openWorldHint": false },
    }))
    .unwrap();
    assert_eq!(spec.title.as_deref(), Some("Issues"));
    assert_eq!(spec.annotations, Annotations::new(true, false, false, false));
    let again: ToolSpec = serde_json::from_value(serde_json::to_value(&spec).unwrap()).unwrap();
    assert_eq!(again, spec);
    let tool = FnTool::declared(spec, |_, _| async {}).unwrap();
    assert_eq!(Tool::policy(&tool).concurrency, Concurrency::Parallel);
    // What MCP's defaults say of a tool that says nothing.
    let bare: ToolSpec = serde_json::from_value(json!({ "name": "x", "inputSchema": { "type": "object" } })).unwrap();
    assert_eq!(bare.annotations, Annotations::new(false, true, false, true));
    for wrong in [json!({ "inputSchema": {} }), json!({ "name": "a b", "inputSchema": {} }), json!({ "name": "x" })] {
        assert!(serde_json::from_value::<ToolSpec>(wrong.clone()).is_err(), "{wrong}");
    }
}

#[tokio::test]
async fn arguments_are_validated_converted_and_explained() {
    let schema = json!({
        "type": "object",
        "properties": {
            "filePath": { "type": "string" },
            "limit": { "type": "integer", "maximum": 10 },
            "kind": { "enum": ["bug", "feature"] },
            "tags": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["filePath"],
        "additionalProperties": false,
    });
    let bench = Bench::new(made(schema).unwrap());
    let good = bench.call("t", r#"{"filePath":"a","limit":"5","tags":"one"}"#).await;
    assert_eq!(good.output(), Some(r#"{"filePath":"a","limit":5,"tags":["one"]}"#));
    let bad = bench.call("t", r#"{"file_path":"a","limit":50,"kind":"bgu"}"#).await.text();
    for wanted in ["/filePath: missing", "/file_path: unknown argument; did you mean `filePath`?", "/limit", "\"bug\""]
    {
        assert!(bad.contains(wanted), "{wanted}: {bad}");
    }
}

#[tokio::test]
async fn a_tool_made_at_run_time_has_a_policy_of_its_own() {
    let schema = json!({ "type": "object", "properties": { "paths": { "type": "array" } } });
    let (set, permission) = (String::from("remote"), String::from("touch"));
    let tool = made(schema).unwrap().sets([set]).tags(["x"]).permission(permission).pattern("paths");
    let bench = Bench::builder().tool(tool).replies([Reply::Once, Reply::Once]).build();
    assert_eq!(bench.executor().registry().sets(), ["remote"]);
    bench.call("t", r#"{"paths":["a","b",3]}"#).await;
    bench.call("t", "{}").await;
    let asked: Vec<_> = bench.asks().into_iter().map(|ask| (ask.request.permission, ask.request.patterns)).collect();
    assert_eq!(asked[0].1, ["a", "b", "3"]);
    assert_eq!((&*asked[1].0, &asked[1].1), ("touch", &vec!["*".to_owned()]));
    let slow = FnTool::raw("slow", "", json!({ "type": "object" }), |_, _| std::future::pending::<()>()).unwrap();
    let bench = Bench::new(slow.timeout(Duration::from_millis(5)));
    assert!(bench.call("slow", "{}").await.text().contains("was stopped after"));
}

#[test]
fn schemas_that_cannot_be_worked_with_are_refused() {
    assert_eq!(fault(json!({})), SchemaFault::NotAnObject);
    assert_eq!(fault(json!(true)), SchemaFault::NotAnObject);
    assert!(matches!(fault(json!({ "type": "object", "properties": 3 })), SchemaFault::Invalid(_)));
    let pattern = json!({ "type": "object", "properties": { "a": { "pattern": "(" } } });
    assert!(matches!(fault(pattern), SchemaFault::Invalid(_)));
    let far = json!({ "type": "object", "properties": { "a": { "$ref": "https://example.invalid/a.json" } } });
    assert_eq!(fault(far), SchemaFault::Elsewhere("https://example.invalid/a.json".to_owned()));
    let file = json!({ "type": "object", "properties": { "a": { "$ref": "file:///etc/passwd" } } });
    assert!(matches!(fault(file), SchemaFault::Elsewhere(_)));
    let nowhere = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/b" } } });
    assert_eq!(fault(nowhere), SchemaFault::Dangling("#/$defs/b".to_owned()));
    let huge: Vec<String> = (0..MAX_SCHEMA_VALUES).map(|n| n.to_string()).collect();
    assert_eq!(fault(json!({ "type": "object", "properties": { "a": { "enum": huge } } })), SchemaFault::TooLarge);
    let mut output = ToolSpec::new(ToolName::new("t").unwrap(), "", json!({ "type": "object" }));
    output.output_schema = Some(json!({ "$ref": "#" }));
    assert!(matches!(FnTool::declared(output, |_, _| async {}).err().unwrap(), InvalidTool::OutputSchema { .. }));
}

#[test]
fn circles_are_refused_and_recursion_is_not() {
    for circle in [
        json!({ "type": "object", "$ref": "#" }),
        json!({ "type": "object", "allOf": [{ "$ref": "#" }] }),
        json!({ "type": "object", "anyOf": [{ "type": "object" }, { "not": { "$ref": "#/anyOf/1" } }] }),
        json!({
            "type": "object", "properties": { "a": { "$ref": "#/$defs/a" } },
            "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "anyOf": [{ "$ref": "#/$defs/a" }] } },
        }),
        json!({
            "type": "object", "properties": { "a": { "$ref": "#x" } },
            "$defs": { "a": { "$anchor": "x", "if": { "$ref": "#x" } } },
        }),
    ] {
        assert!(matches!(fault(circle.clone()), SchemaFault::Circular(_)), "{circle}");
    }
    // A tree goes into the value with each step; a property may be named `$ref`; an example may hold one.
    let tree = json!({
        "type": "object",
        "properties": { "children": { "type": "array", "items": { "$ref": "#" } }, "$ref": { "type": "string" } },
        "examples": [{ "$ref": "nowhere" }],
        "additionalProperties": false,
    });
    let bench = Bench::new(made(tree).unwrap());
    let deep = format!("{}{{}}{}", r#"{"children":["#.repeat(50), "]}".repeat(50));
    let outcome = tool_core::testing::block_on(bench.call("t", &deep));
    assert_eq!(outcome.output(), Some(&*deep));
    let diamond = json!({
        "type": "object",
        "properties": { "a": { "allOf": [{ "$ref": "#/$defs/x" }, { "$ref": "#/$defs/x" }] } },
        "$defs": { "x": { "type": "string" } },
    });
    assert!(made(diamond).is_ok());
}

#[test]
fn depth_is_an_error_and_never_a_full_stack() {
    for levels in [MAX_SCHEMA_DEPTH, 10_000, 300_000] {
        let mut schema = json!({ "type": "string" });
        for _ in 0..levels {
            schema = Value::Array(vec![schema]);
        }
        let schema =
            Value::Object([("type".to_owned(), json!("object")), ("allOf".to_owned(), schema)].into_iter().collect());
        assert_eq!(fault(schema), SchemaFault::TooDeep, "{levels}");
    }
    let mut schema = json!({ "type": "object" });
    while depth(&schema) + 2 <= MAX_SCHEMA_DEPTH {
        schema = json!({ "type": "object", "properties": { "a": schema } });
    }
    assert!(made(schema).is_ok());
}

fn depth(value: &Value) -> usize {
    1 + match value {
        Value::Object(members) => members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

#[tokio::test]
async fn regular_expressions_take_no_long_time() {
    for pattern in ["^(a+)+$", "^(?=a)((a+)+)\\2$", "(?<!b)(a|aa)+$"] {
        let schema = json!({ "type": "object", "properties": { "a": { "type": "string", "pattern": pattern } } });
        let bench = Bench::new(made(schema).unwrap());
        let start = Instant::now();
        let evil = format!(r#"{{"a":"{}!"}}"#, "a".repeat(5_000));
        let outcome = bench.call("t", &evil).await;
        assert!(outcome.error().is_some(), "{pattern}");
        assert!(start.elapsed() < Duration::from_secs(20), "{pattern}: {:?}", start.elapsed());
    }
}
