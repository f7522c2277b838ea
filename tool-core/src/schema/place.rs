//! Where a schema holds other schemas, what a reference says, and of which type a value is: what all that read schemas
//! agree on.

use serde_json::Value;

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
