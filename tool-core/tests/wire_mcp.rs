//! MCP's structured results are objects: what is none goes in an envelope, in the schema and in the result alike.

use jsonschema::validator_for;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tool_core::{
    prelude::*,
    schema::{Dialect, Portability},
    wire::{Conversation, Provider},
};

/// A tree.
#[derive(Serialize, JsonSchema)]
struct Tree {
    name: String,
    below: Vec<Tree>,
}

/// Always an object, though not by name.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind")]
enum Found {
    File { path: String },
    Nothing,
}

/// Sometimes an object.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Object { path: String },
    Text(String),
}

#[tool(register = false, description = "A tree.")]
fn tree() -> Json<Tree> {
    Json(Tree { name: "a".to_owned(), below: Vec::new() })
}

#[tool(register = false, description = "Trees.")]
fn forest() -> Json<Vec<Tree>> {
    let below = vec![Tree { name: "b".to_owned(), below: Vec::new() }];
    Json(vec![Tree { name: "a".to_owned(), below }])
}

#[tool(register = false, description = "Find.")]
fn find() -> Json<Found> {
    Json(Found::File { path: "a".to_owned() })
}

#[tool(register = false, description = "Nothing.")]
fn nothing() -> Json<Found> {
    Json(Found::Nothing)
}

#[tool(register = false, description = "One or the other.")]
fn either(text: bool) -> Json<Either> {
    Json(if text { Either::Text("a".to_owned()) } else { Either::Object { path: "a".to_owned() } })
}

#[tool(register = false, description = "A number.")]
fn count() -> Json<u8> {
    Json(3)
}

fn registry() -> Registry {
    let registry = Registry::builder().add(TreeTool).add(ForestTool).add(FindTool).add(NothingTool);
    registry.add(EitherTool).add(CountTool).build().expect("six names")
}

/// A tool's declared output schema, and the structured result of a call, by way of an executor.
async fn call(name: &str, arguments: Value) -> (Value, Value) {
    let mut conversation = Conversation::new(Provider::Mcp);
    let declared = conversation.declarations(registry().specs());
    let tool = declared.tools.iter().find(|tool| tool["name"] == name).expect("it is declared").clone();
    let turn = conversation.read(&json!({ "name": name, "arguments": arguments })).expect("a request");
    let executor = Executor::builder(registry()).build().expect("an executor");
    let mut outcomes = Vec::new();
    for call in turn.calls() {
        outcomes.push(executor.call(&Session::new("/"), call.clone()).await);
    }
    let result = conversation.results(&turn, outcomes).messages.remove(0);
    (tool["outputSchema"].clone(), result["structuredContent"].clone())
}

#[tokio::test]
async fn schema_and_result_are_objects_and_agree() {
    let wrapped = |value: Value| json!({ "result": value });
    let tree = json!({ "name": "a", "below": [] });
    for (name, arguments, structured) in [
        ("tree", json!({}), tree),
        ("forest", json!({}), wrapped(json!([{ "name": "a", "below": [{ "name": "b", "below": [] }] }]))),
        ("find", json!({}), json!({ "kind": "File", "path": "a" })),
        ("nothing", json!({}), json!({ "kind": "Nothing" })),
        ("either", json!({ "text": true }), wrapped(json!("a"))),
        // In the envelope as well: the schema cannot be both.
        ("either", json!({ "text": false }), wrapped(json!({ "path": "a" }))),
        ("count", json!({}), wrapped(json!(3))),
    ] {
        let (schema, result) = call(name, arguments).await;
        assert_eq!(schema["type"], "object", "{name}: {schema}");
        assert_eq!(result, structured, "{name}");
        let validator = validator_for(&schema).expect("a schema whose references lead somewhere");
        assert!(validator.is_valid(&result), "{name}: {result} in {schema}");
        assert!(!validator.is_valid(&json!({ "result": { "below": 5 } })), "{name}: {schema} takes anything");
    }
}

#[test]
fn portability_says_so() {
    let report = Portability::of(registry().specs(), &[Dialect::Mcp, Dialect::OpenAi]);
    let text = report.to_string();
    let about = |name: &str| {
        let lines: Vec<&str> = text.lines().skip_while(|line| !line.starts_with(name)).skip(1).collect();
        lines.first().copied().unwrap_or_default().to_owned()
    };
    assert_eq!(about("count"), "    result, root: `type` written as an object with the result in `result`");
    assert_eq!(about("find"), "    result, root: `type` written as `object`, which every result is");
    let json = serde_json::to_value(&report).expect("JSON");
    let tools = json["tools"].as_array().expect("a list");
    let dialects = &tools.iter().find(|tool| tool["name"] == "count").expect("it is reported")["dialects"];
    assert_eq!(dialects[0]["output_changes"][0]["keywords"], json!(["type"]));
    assert_eq!(dialects[1].get("output_changes"), None, "OpenAI is not told of results");
}
