//! Declarations in each provider's form, and the strict forms of schemas.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::{
    prelude::*,
    schema::{Dialect, adapt},
    wire::{Provider, declaration},
};

/// A way to sort.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Sort {
    /// By name.
    Name,
    /// Newest first.
    Date,
}

/// Search.
#[tool(register = false, read_only, title = "Search files")]
fn search(
    /// What for.
    query: String,
    #[arg(default = 10, range(1..=50))] limit: u8,
    /// How.
    sort: Option<Sort>,
) -> Json<Vec<String>> {
    Json(vec![format!("{query} {limit} {sort:?}")])
}

/// Set variables.
#[tool(register = false)]
fn set(variables: HashMap<String, String>) -> String {
    format!("{variables:?}")
}

fn spec(registry: &Registry, name: &str) -> tool_core::ToolSpec {
    registry.get(name).map(|tool| tool.spec().clone()).expect("it was added")
}

fn declared(spec: &tool_core::ToolSpec, provider: Provider, strict: bool) -> Value {
    declaration(spec, provider, strict).expect("every provider can use it")
}

fn registry() -> Registry {
    Registry::builder().add(SearchTool).add(SetTool).build().expect("two names")
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "description": "What for." },
            "limit": { "type": "integer", "minimum": 1, "maximum": 50, "default": 10 },
            "sort": {
                "description": "How.\n- `name`: By name.\n- `date`: Newest first.", "type": "string", "enum": ["name", "date"],
            },
        },
        "required": ["query"],
        "additionalProperties": false,
    })
}

#[test]
fn each_provider_has_its_own_form() {
    let spec = spec(&registry(), "search");
    assert_eq!(spec.input_schema, schema());
    assert_eq!(
        declared(&spec, Provider::OpenAiChat, false),
        json!({ "type": "function", "function": {
            "name": "search", "description": "Search.", "parameters": schema(), "strict": false,
        } })
    );
    assert_eq!(
        declared(&spec, Provider::OpenAiResponses, false),
        json!({ "type": "function", "name": "search", "description": "Search.", "parameters": schema(), "strict": false })
    );
    assert_eq!(
        declared(&spec, Provider::Anthropic, false),
        json!({ "name": "search", "description": "Search.", "input_schema": schema() })
    );
    assert_eq!(
        declared(&spec, Provider::Gemini, false),
        json!({ "name": "search", "description": "Search.", "parametersJsonSchema": schema() })
    );
    assert_eq!(
        declared(&spec, Provider::Mcp, false),
        json!({
            "name": "search", "title": "Search files", "description": "Search.", "inputSchema": schema(),
            "outputSchema": {
                "type": "object", "required": ["result"],
                "properties": { "result": { "type": "array", "items": { "type": "string" } } },
            },
            "annotations": {
                "readOnlyHint": true, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false,
            },
        })
    );
}

#[test]
fn a_strict_schema_requires_everything_and_says_the_rest_in_words() {
    let spec = spec(&registry(), "search");
    let declared = self::declared(&spec, Provider::OpenAiChat, true);
    assert_eq!(declared["function"]["strict"], true);
    assert_eq!(
        declared["function"]["parameters"],
        json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "What for." },
                "limit": {
                    "description": "Defaults to `10` if null.",
                    "anyOf": [{ "type": "integer", "minimum": 1, "maximum": 50 }, { "type": "null" }],
                },
                "sort": {
                    "description": "How.\n- `name`: By name.\n- `date`: Newest first.",
                    "anyOf": [{ "type": "string", "enum": ["name", "date"] }, { "type": "null" }],
                },
            },
            "required": ["query", "limit", "sort"],
            "additionalProperties": false,
        })
    );
    let anthropic = self::declared(&spec, Provider::Anthropic, true);
    assert_eq!(anthropic["strict"], true);
    assert_eq!(anthropic["input_schema"]["required"], json!(["query"]));
    assert_eq!(
        anthropic["input_schema"]["properties"]["limit"],
        json!({ "type": "integer", "description": "Between 1 and 50. Defaults to `10`." })
    );
}

/// What the strict form lets through is what the tool takes: `null` for an optional argument.
#[tokio::test]
async fn a_strict_call_is_taken() {
    let executor = Executor::builder(registry()).build().unwrap();
    let call = ToolCall::new("1", "search", r#"{"query":"x","limit":null,"sort":null}"#);
    let outcome = executor.call(&Session::new("/"), call).await;
    assert_eq!(outcome.output(), Some(r#"["x 10 None"]"#));
}

#[test]
fn what_strict_cannot_hold_falls_back_to_the_lenient_form() {
    let spec = spec(&registry(), "set");
    let declared = self::declared(&spec, Provider::OpenAiResponses, true);
    assert_eq!(declared["strict"], false);
    assert_eq!(declared["parameters"], spec.input_schema);
    let why = adapt(&spec.input_schema, Dialect::OpenAiStrict).unwrap_err();
    assert_eq!(why.to_string(), "/properties/variables: a map: its keys cannot be listed beforehand");
}
