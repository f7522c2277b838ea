//! Schemas that nobody means: adapted or refused within bounds, and what comes out is what a dialect takes.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tool_core::schema::{Change, Dialect, Effect, adapt};

mod dialect_law;

use dialect_law::check;

/// In every dialect, within a second, and without a panic.
fn survives(name: &str, schema: &Value) {
    for dialect in Dialect::ALL {
        let started = Instant::now();
        check(name, schema, dialect);
        assert!(started.elapsed() < Duration::from_secs(20), "{name} in {dialect}: {:?}", started.elapsed());
    }
}

#[test]
fn what_refers_to_itself_is_written_out_within_bounds() {
    survives(
        "a circle of references",
        &json!({ "$ref": "#/$defs/a", "$defs": {
        "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
    );
    survives(
        "all of itself",
        &json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/a" } }, "$defs": {
        "a": { "allOf": [{ "$ref": "#/$defs/a" }, { "type": "object", "properties": { "y": { "$ref": "#/$defs/a" } } }] } } }),
    );
    // Each level has the next one twice: 2^40 written out.
    let mut doubling = Map::new();
    for level in 0..40 {
        let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
        doubling.insert(
            format!("l{level}"),
            json!({ "allOf": [
            { "type": "object", "properties": { "a": { "allOf": [next, { "type": "object" }] } } },
            { "type": "object", "properties": { "b": { "allOf": [next, { "type": "object" }] } } },
        ] }),
        );
    }
    doubling.insert("l40".into(), json!({ "type": "object", "properties": { "end": { "type": "string" } } }));
    survives(
        "doubling",
        &json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/l0" } }, "$defs": doubling }),
    );
}

#[test]
fn ten_thousand_levels_are_cut() {
    for keyword in ["items", "not", "additionalProperties", "anyOf", "default"] {
        // Taken apart again by hand below: dropping it would recurse.
        let mut schema = json!({ "type": "string" });
        for _ in 0..10_000 {
            let inner = if keyword == "anyOf" { Value::Array(vec![schema]) } else { schema };
            let mut outer = Map::new();
            outer.insert(keyword.to_owned(), inner);
            schema = Value::Object(outer);
        }
        let mut root = json!({ "type": "object" });
        root["properties"] = json!({ "x": null });
        root["properties"]["x"] = schema;
        for dialect in Dialect::ALL {
            if let Ok(adapted) = adapt(&root, dialect) {
                let is_cut =
                    |change: &Change| matches!(&change.effect, Effect::Dropped { why } if why.contains("levels"));
                assert!(adapted.changes.iter().any(is_cut), "{keyword} in {dialect}");
                assert!(serde_json::from_str::<Value>(&adapted.schema.to_string()).is_ok());
            }
        }
        let mut left = vec![root];
        while let Some(value) = left.pop() {
            match value {
                Value::Array(items) => left.extend(items),
                Value::Object(members) => left.extend(members.into_iter().map(|(_, member)| member)),
                _ => {}
            }
        }
    }
}

/// Any JSON under any keyword.
fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({})),
        Just(json!("x")),
        Just(json!(-1)),
        Just(json!({ "type": "string", "minLength": 2, "format": "uri" })),
        Just(json!({ "type": ["integer", "null"], "minimum": 0 })),
        Just(json!({ "$ref": "#" })),
        Just(json!({ "$ref": "#/properties/a" })),
        Just(json!({ "$ref": "#/$defs/d", "description": "D." })),
        Just(json!({ "enum": ["a", 1, null, {}] })),
        Just(json!({ "const": 5, "title": "Five" })),
        Just(json!({ "enum": [true] })),
    ];
    leaf.prop_recursive(4, 40, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..3);
        let wrap = |keyword: &'static str| move |value: Value| json!({ keyword: value });
        let members = prop::collection::btree_map("[ab]", inner.clone(), 0..3);
        prop_oneof![
            list.clone().prop_map(|parts| json!({ "anyOf": parts })),
            list.clone().prop_map(|parts| json!({ "oneOf": parts, "type": "object" })),
            list.clone().prop_map(|parts| json!({ "allOf": parts })),
            list.clone().prop_map(|parts| json!({ "type": "array", "prefixItems": parts })),
            (members.clone(), list).prop_map(|(members, parts)| json!({
                "type": "object", "properties": members, "anyOf": parts, "required": ["a"],
            })),
            members.clone().prop_map(|members| json!({ "type": "object", "properties": members })),
            members.prop_map(|members| json!({ "properties": members, "additionalProperties": false, "default": {} })),
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items, "maxItems": 3 })),
            inner.clone().prop_map(wrap("not")),
            inner.clone().prop_map(wrap("if")),
            inner.clone().prop_map(wrap("additionalProperties")),
            inner.prop_map(|part| json!({ "type": "object", "patternProperties": { "^x": part } })),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_time: 5000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_schema_can_be_adapted(property in any_schema(), definition in any_schema(), root in any_schema()) {
        let mut schema = json!({ "type": "object", "properties": { "a": property }, "$defs": { "d": definition } });
        for dialect in Dialect::ALL {
            check("any", &schema, dialect);
        }
        if let (Some(schema), Value::Object(root)) = (schema.as_object_mut(), root) {
            schema.extend(root);
        }
        for dialect in Dialect::ALL {
            check("any root", &schema, dialect);
        }
    }
}

#[test]
fn two_lists_of_alternatives_at_every_level_cost_bounded_time() {
    for together in [false, true] {
        let mut schema = json!({ "type": "string" });
        for _ in 0..24 {
            let pair = json!([schema, { "type": "integer" }]);
            schema = match together {
                true => json!({ "anyOf": pair, "oneOf": pair }),
                false => json!({ "allOf": [{ "anyOf": pair }, { "oneOf": [{ "minimum": 1 }, { "maxLength": 3 }] }] }),
            };
            if schema.to_string().len() > 20_000 {
                break;
            }
        }
        let root = json!({ "type": "object", "properties": { "x": schema } });
        for dialect in Dialect::ALL {
            if let Ok(adapted) = adapt(&root, dialect) {
                assert!(adapted.schema.to_string().len() < 4_000_000, "{dialect}");
            }
        }
    }
}
