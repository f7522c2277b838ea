//! Nothing is dropped in silence: what a schema says is in the result, as a keyword or in words, or a change names it.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tool_core::schema::{Change, Dialect, Effect, adapt};

/// A constraint or a word whose value is unlike any other: the number in it is replaced by a running one.
const SAYINGS: [(&str, &str); 16] = [
    ("string", r#"{"pattern":"^m0m$"}"#),
    ("string", r#"{"format":"m0m"}"#),
    ("string", r#"{"title":"m0m"}"#),
    ("string", r#"{"default":"m0m"}"#),
    ("string", r#"{"examples":["m0m"]}"#),
    ("string", r#"{"description":"m0m"}"#),
    ("string", r#"{"not":{"enum":["m0m"]}}"#),
    ("string", r#"{"contentEncoding":"m0m"}"#),
    ("object", r#"{"dependentRequired":{"a":["m0m"]}}"#),
    ("object", r#"{"dependentSchemas":{"a":{"required":["m0m"]}}}"#),
    ("object", r#"{"patternProperties":{"^m0m":{"type":"string"}}}"#),
    ("object", r#"{"propertyNames":{"pattern":"^m0m"}}"#),
    ("object", r#"{"required":["m0m"]}"#),
    ("object", r#"{"if":{"required":["m0m"]},"then":{"required":["x"]}}"#),
    ("object", r#"{"additionalProperties":{"type":"string","pattern":"^m0m"}}"#),
    ("array", r#"{"contains":{"pattern":"m0m"}}"#),
];

#[derive(Debug, Clone)]
enum Shape {
    /// A type, with some of the sayings about it.
    Leaf(&'static str, Vec<prop::sample::Index>),
    Object(Vec<Shape>, Vec<prop::sample::Index>),
    Array(Box<Shape>),
    Tuple(Vec<Shape>, bool),
    Joined(&'static str, Vec<Shape>, Vec<prop::sample::Index>),
}

fn shape() -> impl Strategy<Value = Shape> {
    let sayings = || prop::collection::vec(any::<prop::sample::Index>(), 0..3);
    let leaf = (prop::sample::select(vec!["string", "object", "array"]), sayings());
    leaf.prop_map(|(kind, sayings)| Shape::Leaf(kind, sayings)).prop_recursive(3, 16, 3, move |inner| {
        let some = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            (some.clone(), sayings()).prop_map(|(parts, sayings)| Shape::Object(parts, sayings)),
            inner.prop_map(|items| Shape::Array(Box::new(items))),
            (some.clone(), any::<bool>()).prop_map(|(parts, closed)| Shape::Tuple(parts, closed)),
            (prop::sample::select(vec!["anyOf", "oneOf", "allOf"]), some, sayings())
                .prop_map(|(keyword, parts, sayings)| Shape::Joined(keyword, parts, sayings)),
        ]
    })
}

/// Writes a schema, and what is marked in it: a keyword and its mark.
#[derive(Default)]
struct Writer {
    marks: Vec<(String, String)>,
}

impl Writer {
    fn says(&mut self, keywords: &mut Map<String, Value>, kind: &str, sayings: &[prop::sample::Index]) {
        let about: Vec<&str> = SAYINGS.iter().filter(|(of, _)| *of == kind).map(|(_, text)| *text).collect();
        for saying in sayings {
            let mark = format!("m{}m", 100 + self.marks.len());
            let more: Map<String, Value> = serde_json::from_str(&saying.get(&about).replace("m0m", &mark)).unwrap();
            let keyword = more.keys().next().unwrap().clone();
            if !more.keys().any(|keyword| keywords.contains_key(keyword)) {
                keywords.extend(more);
                self.marks.push((keyword, mark));
            }
        }
    }

    fn write(&mut self, shape: &Shape) -> Value {
        let mut keywords = Map::new();
        match shape {
            Shape::Leaf(kind, sayings) => {
                keywords.insert("type".into(), (*kind).into());
                self.says(&mut keywords, kind, sayings);
            }
            Shape::Object(parts, sayings) => {
                keywords.insert("type".into(), "object".into());
                let names = ["a", "b", "c"];
                let members: Map<_, _> =
                    parts.iter().zip(names).map(|(part, name)| (name.to_owned(), self.write(part))).collect();
                keywords.insert("properties".into(), members.into());
                self.says(&mut keywords, "object", sayings);
            }
            Shape::Array(items) => {
                keywords.insert("type".into(), "array".into());
                keywords.insert("items".into(), self.write(items));
            }
            Shape::Tuple(parts, closed) => {
                keywords.insert("type".into(), "array".into());
                keywords.insert("prefixItems".into(), parts.iter().map(|part| self.write(part)).collect());
                if *closed {
                    keywords.insert("items".into(), false.into());
                }
            }
            Shape::Joined(keyword, parts, sayings) => {
                keywords.insert((*keyword).into(), parts.iter().map(|part| self.write(part)).collect());
                self.says(&mut keywords, "string", sayings);
            }
        }
        keywords.into()
    }
}

/// Whether a change says that this keyword, or one around it, is left out.
fn is_reported(changes: &[Change], schema: &Value, mark: &str) -> bool {
    changes.iter().any(|change| match &change.effect {
        // By then `oneOf` is an `anyOf`, which a change before says.
        Effect::Dropped { .. } => change
            .keywords
            .iter()
            .any(|about| is_below(schema, about, mark) || about == "anyOf" && is_below(schema, "oneOf", mark)),
        Effect::Described { text } => text == "No value fits this.",
        _ => false,
    })
}

/// Whether a mark is in the value of a keyword, anywhere in the schema: parts are moved, so places do not tell.
fn is_below(schema: &Value, keyword: &str, mark: &str) -> bool {
    match schema {
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| name == keyword && value.to_string().contains(mark) || is_below(value, keyword, mark)),
        Value::Array(items) => items.iter().any(|item| is_below(item, keyword, mark)),
        _ => false,
    }
}

fn check(schema: &Value, marks: &[(String, String)]) {
    for dialect in Dialect::ALL {
        let Ok(adapted) = adapt(schema, dialect) else { continue };
        let text = adapted.schema.to_string();
        for (keyword, mark) in marks {
            let is_there = text.contains(mark.as_str()) || is_reported(&adapted.changes, schema, mark);
            assert!(
                is_there,
                "{dialect}: {keyword} with {mark} of {schema} is gone from {text}\n{:#?}",
                adapted.changes
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_dropped_in_silence(property in shape(), root in shape()) {
        let mut writer = Writer::default();
        let property = writer.write(&property);
        check(&json!({ "type": "object", "properties": { "it": property } }), &writer.marks);

        let mut writer = Writer::default();
        let Value::Object(mut root) = writer.write(&root) else { unreachable!("a schema is an object") };
        root.insert("type".into(), "object".into());
        check(&root.into(), &writer.marks);
    }
}

/// What is left of a schema's only property, for a dialect that takes lists and objects.
fn adapted(property: Value) -> Value {
    let schema = json!({ "type": "object", "properties": { "it": property } });
    adapt(&schema, Dialect::Gemini).unwrap().schema["properties"]["it"].clone()
}

#[test]
fn what_is_said_of_all_items_is_said_of_each_in_a_tuple() {
    let item = |pattern: &str| json!({ "type": "string", "pattern": pattern });
    let tuple = json!({ "prefixItems": [item("^a"), item("^b")], "items": false });
    let all = json!({ "type": "array", "items": item("^m100m") });
    for parts in [[&tuple, &all], [&all, &tuple]] {
        let schema = json!({ "type": "object", "properties": { "it": { "allOf": parts } } });
        check(&schema, &[("items".into(), "m100m".into())]);
        let it = adapted(json!({ "allOf": parts }));
        assert_eq!(it["maxItems"], 2, "{it}");
        assert!(it.to_string().contains("^a") && it.to_string().contains("^b"), "{it}");
    }
    // The shorter of two closed tuples says how many there may be.
    let longer = json!({ "prefixItems": [true, true, item("^c")], "items": false });
    let it = adapted(json!({ "allOf": [longer, tuple] }));
    assert_eq!((it["maxItems"].as_u64(), it.to_string().contains("^c")), (Some(2), false), "{it}");
}

#[test]
fn what_is_said_of_other_fields_is_said_of_those_that_another_part_names() {
    let closed = json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
    let open = json!({ "type": "object", "properties": { "a": {}, "b": {} } });
    for parts in [[&closed, &open], [&open, &closed]] {
        let it = adapted(json!({ "allOf": parts }));
        let names: Vec<&String> = it["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["a"], "{it}");
        assert!(it["description"].as_str().unwrap().contains("Takes no `b`."), "{it}");
    }
    let rest = json!({ "type": "object", "additionalProperties": { "type": "string", "maxLength": 5 } });
    let it = adapted(json!({ "allOf": [open, rest] }));
    assert_eq!(it["properties"]["b"]["type"], "string", "{it}");
}

#[test]
fn closed_over_all_its_parts_an_object_takes_the_fields_of_each() {
    let parts = [json!({ "properties": { "a": {} } }), json!({ "properties": { "b": {} }, "required": ["b"] })];
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let schema = json!({
            "type": "object", "properties": { "c": {} }, keyword: parts, "unevaluatedProperties": false,
        });
        for schema in [schema.clone(), json!({ "type": "object", "properties": { "it": schema } })] {
            for dialect in Dialect::ALL {
                let Ok(adapted) = adapt(&schema, dialect) else { continue };
                let text = adapted.schema.to_string();
                assert!(!text.contains("Takes no"), "{dialect}, {keyword}: {text}");
                assert!(["\"a\":", "\"b\":", "\"c\":"].iter().all(|name| text.contains(name)), "{dialect}: {text}");
            }
        }
    }
}

#[test]
fn what_is_closed_over_parts_that_stay_apart_is_not_closed_against_them() {
    let forms = |name: &str| json!({ "anyOf": [{ "properties": { name: {} } }] });
    let either = |name: &str| json!({ "anyOf": [{ "properties": { name: {} } }, { "required": ["z"] }] });
    for schema in [
        json!({ "type": "object", "unevaluatedProperties": false, "allOf": [either("a"), either("b")] }),
        json!({ "type": "object", "unevaluatedProperties": false, "allOf": [forms("a"), forms("b")] }),
        json!({
            "type": "object", "unevaluatedProperties": false, "anyOf": [{ "required": ["a"] }, { "required": ["z"] }],
            "if": { "required": ["a"] }, "then": { "properties": { "a": {}, "b": {} } },
        }),
    ] {
        let it = adapted(schema);
        assert_ne!(it["additionalProperties"], false, "{it}");
        assert!(!it.to_string().contains("Takes no `"), "{it}");
    }
    // Where a list must contain something, that has been looked at.
    let it = adapted(json!({ "type": "array", "contains": {}, "unevaluatedItems": false }));
    assert!(!it.to_string().contains("Takes no items"), "{it}");
}

#[test]
fn fields_that_a_pattern_allows_are_not_refused_in_an_alternative() {
    let it = adapted(json!({
        "type": "object", "patternProperties": { "^x-": {} }, "additionalProperties": false,
        "anyOf": [{ "properties": { "x-a": {} } }, { "properties": { "x-b": {} }, "required": ["x-b"] }],
    }));
    assert!(!it.to_string().contains("Takes no `x-a`"), "{it}");
}

#[test]
fn the_only_part_is_taken_over_as_it_is() {
    let parts =
        json!([{ "properties": { "a": { "type": "string" } } }, { "properties": { "b": { "type": "string" } } }]);
    let named = json!({
        "$ref": "#/definitions/A",
        "definitions": { "A": { "type": "object", "allOf": parts, "unevaluatedProperties": false } },
    });
    let strict = adapt(&named, Dialect::OpenAiStrict).unwrap();
    let names: Vec<&String> = strict.schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["a", "b"], "{}", strict.schema);
}

#[test]
fn ten_thousand_parts_that_name_one_field_cost_bounded_time() {
    let part = |least: usize| json!({ "properties": { "x": { "type": "string", "minLength": least } } });
    let parts: Vec<Value> = (0..10_000).map(part).collect();
    for dialect in Dialect::ALL {
        let _ = adapt(&json!({ "type": "object", "allOf": parts }), dialect);
    }
    let mut tuples: Vec<Value> = (0..8_000).map(|_| json!({ "prefixItems": [{}] })).collect();
    tuples.push(json!({ "prefixItems": vec![json!({}); 16_000] }));
    for dialect in Dialect::ALL {
        let _ = adapt(&json!({ "type": "object", "properties": { "it": { "allOf": tuples } } }), dialect);
    }
}
