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
        Effect::Dropped { .. } => change.keywords.iter().any(|about| is_below(schema, about, mark)),
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
