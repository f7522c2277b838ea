//! Where a schema holds other schemas, what a reference says, and of which type a value is: what all that read schemas
//! agree on.

use serde_json::{Map, Value};

/// What is under a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// An object of schemas by name.
    ByName,
    /// A list of schemas.
    List,
    /// One schema.
    One,
    /// Data, or nothing that is known here.
    Data,
}

/// What a keyword holds; `items` held a list before draft 2020-12.
pub(crate) fn holds(keyword: &str, value: &Value) -> Holds {
    match keyword {
        "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => Holds::ByName,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Holds::List,
        "items" if value.is_array() => Holds::List,
        "items"
        | "additionalProperties"
        | "additionalItems"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::One,
        _ => Holds::Data,
    }
}

/// Whether a value is of a type, as JSON Schema sees it: 5.0 is an integer.
pub(crate) fn is_of(value: &Value, kind: &str) -> bool {
    match (kind, value) {
        ("integer", Value::Number(number)) => {
            number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
        }
        ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("boolean", Value::Bool(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_))
        | ("null", Value::Null) => true,
        _ => false,
    }
}

/// The keywords whose value is a reference.
pub(crate) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The schemas in one that are for the very value that it is for, whatever the value is. Those of `dependentSchemas` are
/// for values with a certain member, and are not among them.
pub(crate) fn for_same_value(keywords: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    keywords.iter().flat_map(|(keyword, held)| match (keyword.as_str(), held) {
        ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => parts.as_slice(),
        ("not" | "if" | "then" | "else", part) => std::slice::from_ref(part),
        _ => &[],
    })
}

/// What the fragment of a reference leads to: a place by its JSON pointer, else one that is found by its name.
pub(crate) fn target<'s>(
    root: &'s Value,
    fragment: &str,
    named: impl FnOnce(&str) -> Option<&'s Value>,
) -> Option<&'s Value> {
    let place = decoded(fragment);
    if place.is_empty() || place.starts_with('/') { root.pointer(&place) } else { named(&place) }
}

/// A fragment without its `%` escapes; what is no escape stays.
pub(crate) fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = (*first == b'%').then(|| tail.get(..2)).flatten();
        let byte = escaped.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
