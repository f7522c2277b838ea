//! The oracles can tell a good schema from a bad one: a script that says "ok" to anything would prove nothing.

use serde_json::{Value, json};
use tool_oracles::{Oracle, SCHEMA_NPM, SCHEMA_PYTHON};

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

#[test]
fn a_package_that_cannot_be_had_is_a_reason_to_skip() {
    let skipped = Oracle::npm(&["file:there-is-none"]).map(|_| ()).expect_err("there is no such folder");
    assert!(skipped.to_string().starts_with("skipped: "), "{skipped}");
}
