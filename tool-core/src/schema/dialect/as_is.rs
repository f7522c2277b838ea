//! A look at a schema that says, without a copy, that a dialect which takes everything has nothing to change in it.
//!
//! Most schemas of most tools are such ones: what is not told here goes the long way, and comes out the same.

use serde_json::{Map, Value};

use super::rules::{Rules, is_plain_property};
use crate::schema::place::{Holds, holds};

/// Levels of objects and lists that need no counting of any other kind.
const LEVELS: usize = 90;

/// What a root is not where a provider wants one object.
const NO_ONE_OBJECT: [&str; 7] = ["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const"];

/// Whether a schema stays as it is under these rules. `false` is no verdict.
pub(super) fn is_taken(schema: &Value, rules: &Rules) -> bool {
    let Value::Object(root) = schema else { return false };
    rules.keywords.is_none()
        && rules.limits.is_none()
        && root.get("type").is_some_and(|kind| kind == "object")
        && (rules.root_alternatives || !NO_ONE_OBJECT.iter().any(|keyword| root.contains_key(*keyword)))
        && (!rules.plain_properties || property_names(root).all(is_plain_property))
        && part(schema, LEVELS)
}

pub(super) fn property_names(root: &Map<String, Value>) -> impl Iterator<Item = &str> {
    root.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).map(String::as_str)
}

fn part(schema: &Value, levels: usize) -> bool {
    let (Value::Object(keywords), Some(left)) = (schema, levels.checked_sub(2)) else { return false };
    keywords.iter().all(|(keyword, value)| match (holds(keyword, value), value) {
        (Holds::ByName, Value::Object(members)) => members.values().all(|member| part(member, left)),
        (Holds::List, Value::Array(parts)) => parts.iter().all(|held| part(held, left)),
        (Holds::One, Value::Object(_)) => part(value, left),
        (_, data) => is_shallow(data, left),
    })
}

/// Whether a value has no more levels of objects and lists than these.
pub(super) fn is_shallow(data: &Value, levels: usize) -> bool {
    match data {
        Value::Array(items) => levels > 0 && items.iter().all(|item| is_shallow(item, levels - 1)),
        Value::Object(members) => levels > 0 && members.values().all(|member| is_shallow(member, levels - 1)),
        _ => true,
    }
}
