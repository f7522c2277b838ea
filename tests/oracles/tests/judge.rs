//! The oracles can tell good from bad, schemas and messages: a script that says "ok" to anything would prove nothing.

use serde_json::{Value, json};
use tool_oracles::{Oracle, SCHEMA_NPM, SCHEMA_PYTHON, WIRE_PYTHON};

fn question() -> Value {
    let closed = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    json!({
        "good": {
            "dialect": "openai-strict",
            "schema": closed(json!({ "city": { "type": "string" } }), json!(["city"])),
        },
        "optional": {
            "dialect": "openai-strict",
            "schema": closed(json!({ "city": { "type": "string" } }), json!([])),
        },
        "length": {
            "dialect": "anthropic-strict",
            "schema": closed(json!({ "city": { "type": "string", "maxLength": 3 } }), json!(["city"])),
        },
        "wrong type": { "dialect": "mcp", "schema": { "type": "strnig" } },
        "constant": { "dialect": "gemini", "schema": { "type": "object", "properties": { "kind": { "const": "a" } } } },
    })
}

fn refused(answer: &Value, name: &str, oracle: &str) -> bool {
    answer[name][oracle].as_str().expect("a verdict") != "ok"
}

#[test]
fn the_node_oracle_tells_good_from_bad() {
    let oracle = match Oracle::npm(&SCHEMA_NPM) {
        Ok(oracle) => oracle,
        Err(skipped) => return skipped.report(),
    };
    let answer = oracle.ask("schema.cjs", &question());
    assert!(!refused(&answer, "good", "openai-strict"), "{answer:#}");
    assert!(!refused(&answer, "good", "ajv 2020-12"), "{answer:#}");
    assert!(refused(&answer, "optional", "openai-strict"), "{answer:#}");
    assert!(refused(&answer, "length", "anthropic-strict"), "{answer:#}");
    assert!(refused(&answer, "wrong type", "ajv 2020-12"), "{answer:#}");
}

#[test]
fn the_python_oracle_tells_good_from_bad() {
    let oracle = match Oracle::python(&SCHEMA_PYTHON) {
        Ok(oracle) => oracle,
        Err(skipped) => return skipped.report(),
    };
    let answer = oracle.ask("schema.py", &question());
    assert!(!refused(&answer, "good", "jsonschema"), "{answer:#}");
    assert!(refused(&answer, "wrong type", "jsonschema"), "{answer:#}");
    assert!(refused(&answer, "constant", "google-genai"), "{answer:#}");
}

/// A good tool, a bad one, a good message, a bad one: the mistakes are deep inside.
#[test]
fn the_wire_oracle_tells_good_from_bad() {
    let oracle = match Oracle::python(&WIRE_PYTHON) {
        Ok(oracle) => oracle,
        Err(skipped) => return skipped.report(),
    };
    let picture =
        |key: &str| json!({ "role": "user", "content": [{ "type": "image_url", "image_url": { key: "https://x" } }] });
    let custom = |syntax: &str| json!({ "type": "custom", "name": "a", "format": { "type": "grammar", "syntax": syntax, "definition": "b" } });
    let output = |key: &str| json!({ "type": "function_call_output", "call_id": "1", "output": [{ "type": "input_text", key: "x" }] });
    let result = |mime: &str| {
        json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "1", "content": [
        { "type": "image", "source": { "type": "base64", "media_type": mime, "data": "AAAA" } },
    ] }] })
    };
    let response = |key: &str| json!({ "role": "user", "parts": [{ "functionResponse": { "name": "a", key: {} } }] });
    let block = |key: &str| json!({ "content": [{ "type": "image", "data": "AAAA", key: "image/png" }] });
    let function = |key: &str| json!({ "type": "function", "function": { "name": "a", key: {} } });
    let question = json!({
        "openai_chat": { "tools": [function("parameters"), function("parameterz")], "messages": [picture("url"), picture("uri")] },
        "openai_responses": { "tools": [custom("lark"), custom("ebnf")], "messages": [output("text"), output("words")] },
        "anthropic": {
            "tools": [{ "name": "a", "input_schema": { "type": "object" } }, { "name": "a", "inputSchema": { "type": "object" } }],
            "messages": [result("image/png"), result("image/bmp")],
        },
        "gemini": {
            "tools": [{ "name": "a", "parametersJsonSchema": {} }, { "name": "a", "parametersJson": {} }],
            "messages": [response("response"), response("result")],
        },
        "mcp": {
            "tools": [{ "name": "a", "inputSchema": { "type": "object" } }, { "name": "a", "inputSchema": { "type": "object" }, "kind": 1 }],
            "messages": [block("mimeType"), block("media")],
        },
    });
    let answer = oracle.ask("wire.py", &question);
    for provider in question.as_object().expect("an object").keys() {
        let wrong: Vec<&String> = answer[provider]
            .as_object()
            .expect("verdicts")
            .iter()
            .filter(|(_, word)| *word != "ok")
            .map(|(name, _)| name)
            .collect();
        assert_eq!(wrong, ["tool 1", "message 1"], "{provider}: {answer:#}");
    }
}

#[test]
fn a_package_that_cannot_be_had_is_a_reason_to_skip() {
    let skipped = Oracle::npm(&["file:there-is-none"]).map(|_| ()).expect_err("there is no such folder");
    assert!(skipped.to_string().starts_with("skipped: "), "{skipped}");
}
