//! What a schema promises beyond what serde enforces while it reads: bounds, lengths, patterns, formats.
//!
//! Most parameters promise nothing, and pay nothing. The others are checked one by one, after they were read.

use std::sync::OnceLock;

use serde_json::Value;

use super::{
    ambiguity::{MOST_LEVELS, Reader, is_explosive},
    validator::compile,
};
use crate::call::{depth, skip};

/// The check of one parameter's schema, compiled when it is first needed: that takes as long as a program's start.
pub(crate) struct Promise {
    schema: Value,
    /// Whether values have to be held against the schema.
    is_checked: bool,
    /// Whether reading a deep value could take for ever.
    is_explosive: bool,
    compiled: OnceLock<Option<jsonschema::Validator>>,
}

impl Promise {
    /// A check for `schema` (with the definitions it refers to), if it has anything serde does not see to.
    /// With `all`, a check of the whole schema, for parameters whose schema was not made from their type alone.
    pub(super) fn of(schema: &Value, definitions: Option<&Value>, all: bool) -> Option<Self> {
        let is_checked = all || promises(schema) || definitions.is_some_and(promises);
        let mut schema = schema.clone();
        if let (Some(definitions), Value::Object(schema)) = (definitions, &mut schema) {
            schema.insert("$defs".into(), definitions.clone());
        }
        let reader = if is_checked { Reader::Validator } else { Reader::Derive };
        let is_explosive = definitions.is_some() && is_explosive(&schema, &schema, reader);
        (is_checked || is_explosive).then(|| Self { schema, is_checked, is_explosive, compiled: OnceLock::new() })
    }

    /// What is wrong with the depth of a value that has not been read yet.
    pub(super) fn depth_fault(&self, json: &str) -> Option<String> {
        let is_deep = |json: &str| skip(json).is_ok_and(|length| depth(&json[..length]) > MOST_LEVELS);
        (self.is_explosive && is_deep(json)).then(|| {
            format!("nested more than {MOST_LEVELS} levels deep, beyond which its alternatives cannot be told apart")
        })
    }

    /// Whether the schema can be used at all. Only a pattern can make it unusable, so others are not compiled for it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn verify(&self) -> Result<(), String> {
        if has_pattern(&self.schema) { compile(&self.schema).map(drop) } else { Ok(()) }
    }

    /// Whether this JSON text, which serde has read already, keeps the promise.
    pub(super) fn is_kept(&self, json: &str) -> bool {
        !self.is_checked || serde_json::from_str::<Value>(json).is_ok_and(|value| self.is_kept_by(&value))
    }

    /// Whether a value keeps the promise. A promise that cannot be understood is kept by none.
    pub(super) fn is_kept_by(&self, value: &Value) -> bool {
        if !self.is_checked {
            return true;
        }
        let compiled = self.compiled.get_or_init(|| compile(&self.schema).ok());
        compiled.as_ref().is_some_and(|validator| validator.is_valid(value))
    }
}

fn has_pattern(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => {
            object.contains_key("pattern")
                || object.contains_key("patternProperties")
                || object.values().any(has_pattern)
        }
        Value::Array(items) => items.iter().any(has_pattern),
        _ => false,
    }
}

/// Keywords that no deserialiser looks at. Bounds that follow from a Rust type (`u8`: 0 to 255) are not among them:
/// the schema still has them next to the type's own `format` when this is asked.
const UNENFORCED: [&str; 9] = [
    "pattern",
    "multipleOf",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "contains",
    "propertyNames",
    "not",
    "dependentRequired",
];

fn promises(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => {
            UNENFORCED.iter().any(|keyword| object.contains_key(*keyword))
                || bounds(object)
                || lengths(object)
                || object.get("format").and_then(Value::as_str).is_some_and(|format| type_bounds(format).is_none())
                || object.iter().any(|(keyword, value)| {
                    !matches!(keyword.as_str(), "enum" | "const" | "default" | "examples") && promises(value)
                })
        }
        Value::Array(items) => items.iter().any(promises),
        _ => false,
    }
}

/// Bounds other than those of the integer type.
fn bounds(object: &serde_json::Map<String, Value>) -> bool {
    if object.contains_key("exclusiveMinimum") || object.contains_key("exclusiveMaximum") {
        return true;
    }
    let format = object.get("format").and_then(Value::as_str).and_then(type_bounds);
    let is_own = |keyword: &str, own: Option<i128>| match object.get(keyword) {
        None => true,
        Some(bound) => own.is_some() && bound.as_i64().map(i128::from) == own,
    };
    let (low, high) = format.unwrap_or((None, None));
    !(is_own("minimum", low) && is_own("maximum", high))
}

/// Lengths, but for those of a tuple, which serde does see to.
fn lengths(object: &serde_json::Map<String, Value>) -> bool {
    let has = |keyword: &str| object.contains_key(keyword);
    has("minLength") || has("maxLength") || !has("prefixItems") && (has("minItems") || has("maxItems"))
}

/// The bounds of the Rust type behind one of schemars' number formats; `None` for any other format.
pub(crate) fn type_bounds(format: &str) -> Option<(Option<i128>, Option<i128>)> {
    Some(match format {
        "uint8" => (Some(0), Some(u8::MAX.into())),
        "uint16" => (Some(0), Some(u16::MAX.into())),
        "uint32" => (Some(0), Some(u32::MAX.into())),
        "uint64" | "uint" | "uint128" => (Some(0), None),
        "int8" => (Some(i8::MIN.into()), Some(i8::MAX.into())),
        "int16" => (Some(i16::MIN.into()), Some(i16::MAX.into())),
        "int32" => (Some(i32::MIN.into()), Some(i32::MAX.into())),
        "int64" | "int" | "int128" | "float" | "double" => (None, None),
        _ => return None,
    })
}
