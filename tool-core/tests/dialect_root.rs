//! Alternatives at the root: one object in every dialect that wants one, with all that they say.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use serde_json::{Value, json};
use tool_core::schema::{Change, Dialect, Effect, UnfitReason, adapt};

#[test]
fn the_root_is_one_object() {
    let union = json!({ "oneOf": [
        { "type": "object", "properties": { "op": { "const": "add" }, "path": { "type": "string" } },
            "required": ["op", "path"], "description": "Add it." },
        { "type": "object", "properties": { "op": { "const": "move" }, "from": { "type": "string" } }, "required": ["op"] },
    ] });
    for dialect in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Gemini, Dialect::Moonshot] {
        let schema = adapt(&union, dialect).unwrap().schema;
        assert_eq!(
            schema["description"],
            "Takes one of these forms:\n- `{op: \"add\", path}`: Add it.\n- `{op: \"move\", from?}`"
        );
        assert_eq!(schema["required"], json!(["op"]));
        assert_eq!(schema["properties"]["op"]["enum"], json!(["add", "move"]));
    }
    assert!(adapt(&union, Dialect::Mcp).unwrap().schema.get("oneOf").is_some());
    for root in [json!({ "type": "array" }), json!({ "anyOf": [{ "type": "string" }] }), json!(true), json!(5)] {
        for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Mcp) {
            assert_eq!(adapt(&root, dialect).unwrap_err().reason, UnfitReason::RootNotObject, "{root} in {dialect}");
        }
    }
}

/// What lenient dialects say of the root in words, and what they note of it.
fn lenient(schema: &Value) -> (Value, Vec<Change>) {
    let adapted = adapt(schema, Dialect::OpenAi).unwrap();
    (adapted.schema, adapted.changes)
}

fn notes(changes: &[Change], keyword: &str) -> bool {
    changes.iter().any(|change| change.pointer.is_empty() && change.keywords.iter().any(|about| about == keyword))
}

#[test]
fn what_one_form_says_alone_is_said_in_words() {
    let union = json!({ "type": "object", "anyOf": [
        { "properties": { "a": { "type": "string" }, "b": { "type": "string" } }, "minProperties": 2,
          "dependentRequired": { "a": ["b"] }, "not": { "required": ["c"] }, "additionalProperties": false },
        { "properties": { "c": { "type": "string" } }, "maxProperties": 3,
          "patternProperties": { "^x-": { "type": "integer" } } },
    ] });
    let (schema, changes) = lenient(&union);
    let said = schema["description"].as_str().unwrap();
    for sentence in [
        "At least 2 fields.",
        "With `a`, also give `b`.",
        "Must not match the schema `{\"required\":[\"c\"]}`.",
        "Takes no other fields.",
        "At most 3 fields.",
        "Fields whose name matches `^x-` must match the schema `{\"type\":\"integer\"}`.",
    ] {
        assert!(said.contains(sentence), "{said}");
    }
    for keyword in
        ["minProperties", "dependentRequired", "not", "additionalProperties", "maxProperties", "patternProperties"]
    {
        assert!(notes(&changes, keyword), "{keyword}: {changes:?}");
    }
    assert!(schema.get("additionalProperties").is_none(), "the second form takes other fields");
}

#[test]
fn what_all_forms_say_stays_a_keyword() {
    let form = |name: &str| json!({ "properties": { name: { "type": "string" } }, "minProperties": 1, "additionalProperties": false });
    let (schema, _) = lenient(&json!({ "type": "object", "oneOf": [form("a"), form("b")] }));
    assert_eq!((&schema["minProperties"], &schema["additionalProperties"]), (&json!(1), &json!(false)));
    assert!(!schema["description"].as_str().unwrap().contains("At least"));
}

#[test]
fn the_only_form_is_taken_whole() {
    let only = json!({ "type": "object", "description": "Outer.", "anyOf": [
        { "properties": { "a": { "type": "string" } }, "description": "Inner.", "minProperties": 1 },
        { "type": "string" },
        false,
    ] });
    let (schema, changes) = lenient(&only);
    assert_eq!(
        schema,
        json!({ "type": "object", "description": "Outer.\nInner.", "properties": { "a": { "type": "string" } }, "minProperties": 1 })
    );
    let dropped = changes.iter().filter(|change| matches!(change.effect, Effect::Dropped { .. })).count();
    assert_eq!(dropped, 2, "{changes:?}");
}

#[test]
fn a_form_that_is_a_map_is_no_closed_object() {
    for map in [
        json!({ "additionalProperties": { "type": "string" } }),
        json!({ "additionalProperties": true }),
        json!({ "patternProperties": { "^x": { "type": "string" } }, "additionalProperties": false }),
    ] {
        let schema = json!({ "type": "object", "anyOf": [map, { "properties": { "a": { "type": "string" } } }] });
        for strict in [Dialect::OpenAiStrict, Dialect::AnthropicStrict, Dialect::DeepSeekStrict] {
            assert_eq!(adapt(&schema, strict).unwrap_err().reason, UnfitReason::Map, "{schema} in {strict}");
        }
        let schema = adapt(&schema, Dialect::Gemini).unwrap().schema;
        assert_ne!(schema["additionalProperties"], false);
    }
}

#[test]
fn a_way_out_of_recursion_is_reported_as_one() {
    let schema = json!({ "type": "object", "properties": { "it": { "$ref": "#/$defs/node" } }, "required": ["it"],
        "$defs": { "node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/node" } } } } });
    let adapted = adapt(&schema, Dialect::Moonshot).unwrap();
    assert_eq!(adapted.schema["$defs"]["node"].get("required"), None);
    let exit = adapted.changes.iter().find(|change| change.effect == Effect::NullExit).unwrap();
    assert_eq!(
        exit.to_string(),
        "/$defs/node/properties/next: may also be null, so that a type which contains itself can end"
    );
    assert!(!adapted.changes.iter().any(|change| change.effect == Effect::Nullable));
}
