//! Schemas whose references double at each step: checked as far as that can be done, and never for hours.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use serde_json::{Map, Value, json};
use tool_core::validation::Validator;

/// So many steps that a validator which takes each way would not be done in years.
const STEPS: usize = 60;

/// A property `it` that is `s0`, of which each step is made of the next one twice; the last is an object or a text.
fn doubling(make: impl Fn(Value) -> Value) -> Value {
    let step = |number: usize| make(json!({ "$ref": format!("#/$defs/s{}", number + 1) }));
    let mut steps: Map<String, Value> = (0..STEPS).map(|number| (format!("s{number}"), step(number))).collect();
    steps.insert(format!("s{STEPS}"), json!({ "type": ["object", "string"] }));
    json!({ "type": "object", "properties": { "it": { "$ref": "#/$defs/s0" } }, "$defs": steps })
}

fn nested(levels: usize, last: Value) -> Value {
    (0..levels).fold(last, |inner, _| json!({ "x": inner }))
}

#[test]
fn what_doubles_for_one_value_is_checked_as_far_as_it_can_be() {
    for schema in [
        doubling(|next| json!({ "allOf": [next, next] })),
        doubling(|next| json!({ "anyOf": [{ "allOf": [next, { "type": "string" }] }, next] })),
    ] {
        let validator = Validator::new(schema);
        validator.verify().unwrap();
        assert_eq!(validator.prepare(r#"{"it":"x"}"#).unwrap(), json!({ "it": "x" }));
    }
    // Where it is not clear which part is meant, nothing passes unchecked.
    let validator = Validator::new(doubling(|next| json!({ "if": next, "then": next })));
    let report = validator.prepare(r#"{"it":"x"}"#).unwrap_err();
    assert!(report.mistakes()[0].message.contains("cannot be checked"), "{report:?}");

    let all = Validator::new(doubling(|next| json!({ "allOf": [next, next] })));
    let report = all.prepare(r#"{"it":[5]}"#).unwrap_err();
    assert_eq!(report.mistakes()[0].pointer, "/it", "{report:?}");
}

#[test]
fn what_doubles_with_each_level_of_a_value_is_checked_whole_while_it_is_shallow() {
    let twice = |next: Value| json!({ "allOf": [{ "properties": { "x": next } }, { "properties": { "x": next } }] });
    let validator = Validator::new(doubling(twice));
    for levels in [3, 10, STEPS] {
        let given = json!({ "it": nested(levels, json!("x")) });
        assert_eq!(validator.prepare(&given.to_string()).unwrap(), given);
    }
    // Names that are told apart do not multiply, and are checked to the end.
    let apart = Validator::new(doubling(|next| json!({ "properties": { "x": next, "y": next } })));
    let report = apart.prepare(&json!({ "it": nested(STEPS, json!(5)) }).to_string()).unwrap_err();
    assert!(report.mistakes()[0].pointer.ends_with("/x/x"), "{report:?}");
}

#[test]
fn anchors_and_escapes_double_like_any_reference() {
    let step = |number: usize| {
        let next = json!({ "$ref": format!("#s{}", number + 1) });
        json!({ "$anchor": format!("s{number}"), "allOf": [next, { "$ref": format!("#/%24defs/{}", number + 1) }] })
    };
    let mut steps: Map<String, Value> = (0..STEPS).map(|number| (number.to_string(), step(number))).collect();
    steps.insert(STEPS.to_string(), json!({ "$anchor": format!("s{STEPS}"), "type": "string" }));
    let schema = json!({ "type": "object", "properties": { "it": { "$ref": "#s0" } }, "$defs": steps });
    let report = Validator::new(schema).prepare(r#"{"it":"x"}"#).unwrap_err();
    assert!(report.mistakes()[0].message.contains("cannot be checked"), "{report:?}");
}

/// A schema whose `s0` doubles for one value, and a root that leads to it in its own way.
fn rooted(root: Value) -> Value {
    let mut schema = doubling(|next| json!({ "allOf": [next, next] }));
    schema.as_object_mut().unwrap().extend(root.as_object().unwrap().clone());
    schema
}

#[test]
fn whatever_leads_to_what_doubles_is_counted() {
    let doubled = json!({ "$ref": "#/$defs/s0" });
    for root in [
        json!({ "propertyNames": doubled }),
        json!({ "properties": { "a": {} }, "patternProperties": { "a": doubled } }),
        json!({ "dependencies": { "a": doubled } }),
        json!({ "dependentSchemas": { "a": doubled } }),
        json!({ "not": { "not": doubled } }),
        json!({ "properties": { "a": { "contains": doubled } } }),
        json!({ "properties": { "a": { "unevaluatedItems": doubled } } }),
        json!({ "additionalProperties": doubled }),
    ] {
        // It ends; whether it is refused depends on what can be said of the part that is meant.
        let _ = Validator::new(rooted(root)).prepare(r#"{"a":["x"]}"#);
    }
    // A reference below an `$id` leads elsewhere than from the root.
    let mut inner = doubling(|next| json!({ "allOf": [next, next] }));
    inner["$id"] = json!("https://example.com/inner");
    let schema = json!({ "type": "object", "properties": { "a": inner }, "$defs": { "s0": {} } });
    let _ = Validator::new(schema).prepare(r#"{"a":{"it":"x"}}"#);
}

#[test]
fn what_is_looked_at_again_for_what_is_left_over_doubles_without_any_reference() {
    let schema = (0..50).fold(
        json!({ "type": "object", "properties": { "a": {} } }),
        |inner, _| json!({ "anyOf": [inner], "unevaluatedProperties": false }),
    );
    let _ = Validator::new(schema).prepare(r#"{"a":1}"#);
}

#[test]
fn a_long_way_of_references_is_no_way_off_the_stack() {
    let mut steps: Map<String, Value> =
        (0..2_000).map(|step| (step.to_string(), json!({ "$ref": format!("#/$defs/{}", step + 1) }))).collect();
    steps.insert("2000".into(), json!({ "type": "string" }));
    let schema = json!({ "type": "object", "properties": { "it": { "$ref": "#/$defs/0" } }, "$defs": steps });
    let on_a_small_stack = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let checked = on_a_small_stack.spawn(move || Validator::new(schema).prepare(r#"{"it":"x"}"#).is_ok());
    checked.unwrap().join().unwrap();
}

#[test]
fn large_lists_are_checked_to_their_end() {
    let schema = json!({
        "type": "object",
        "properties": { "all": { "type": "array", "items": { "$ref": "#/$defs/n" } } },
        "$defs": { "n": { "type": "integer" } },
    });
    let mut all = vec![json!(1); 300_000];
    let validator = Validator::new(schema);
    assert!(validator.prepare(&json!({ "all": all }).to_string()).is_ok());
    all.push(json!("x"));
    assert!(validator.prepare(&json!({ "all": all }).to_string()).is_err());
}
