//! Whether two schemas say the same: word for word, but for what only people read.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::spread::follow;
use crate::schema::place::{Holds, holds};

/// What is said to people, or of what is left out: no value is refused for it. `$defs` count where they are used.
const ANNOTATIONS: [&str; 12] = [
    "title",
    "description",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$schema",
    "$defs",
    "definitions",
];

/// Whether they are the same, each reference being what it means in its own document.
pub(super) fn same(left: &Value, left_root: &Value, right: &Value, right_root: &Value) -> bool {
    Same { roots: (left_root, right_root), open: HashSet::new() }.schema(left, right)
}

struct Same<'s> {
    roots: (&'s Value, &'s Value),
    open: HashSet<(String, String)>,
}

impl Same<'_> {
    fn schema(&mut self, left: &Value, right: &Value) -> bool {
        let (Value::Object(left), Value::Object(right)) = (left, right) else { return left == right };
        let said = |map: &Map<String, Value>| {
            map.keys().filter(|key| !ANNOTATIONS.contains(&key.as_str())).cloned().collect::<HashSet<_>>()
        };
        let keywords = said(left);
        keywords == said(right) && keywords.iter().all(|keyword| self.keyword(keyword, &left[keyword], &right[keyword]))
    }

    fn keyword(&mut self, keyword: &str, left: &Value, right: &Value) -> bool {
        match (keyword, left, right) {
            ("$ref", Value::String(left), Value::String(right)) => return self.reference(left, right),
            ("required" | "enum" | "type", Value::Array(left), Value::Array(right)) => {
                return left.len() == right.len() && left.iter().all(|value| right.contains(value));
            }
            _ => {}
        }
        match (holds(keyword, left), left, right) {
            (Holds::ByName, Value::Object(left), Value::Object(right)) => {
                left.len() == right.len()
                    && left.iter().all(|(name, own)| right.get(name).is_some_and(|other| self.schema(own, other)))
            }
            (Holds::List, Value::Array(left), Value::Array(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(own, other)| self.schema(own, other))
            }
            (Holds::One, left, right) => self.schema(left, right),
            (_, left, right) => left == right,
        }
    }

    fn reference(&mut self, left: &str, right: &str) -> bool {
        if !self.open.insert((left.to_owned(), right.to_owned())) {
            return true;
        }
        let (own, other) = self.roots;
        match (follow(own, left), follow(other, right)) {
            (Some(own), Some(other)) => self.schema(own, other),
            // What cannot be looked up is the same under the same name.
            (None, None) => left == right,
            _ => false,
        }
    }
}
