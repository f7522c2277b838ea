//! JSON Schemas: made from Rust types by `schemars`, then made portable.
//!
//! In: the fields of an annotated function, or a type. Out: draft 2020-12 that every provider's lenient mode takes.
//! `dialect` says it, or any other schema, in the form of one provider; `portability` reports what that changes. Not
//! here: checking values (`validation`).

mod dialect;
pub(crate) mod envelope;
mod kept;
pub(crate) mod place;
mod portability;
mod portable;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

pub(crate) use self::dialect::{Chosen, choose};
pub use self::{
    dialect::{Adapted, Change, Dialect, Effect, Fit, Fitted, Unfit, UnfitReason, adapt, fit},
    portability::{DialectFit, Portability, ToolPortability},
};
use crate::validation::{param::Field, source::Unknown};
pub(crate) use kept::KeptSchemas;
pub(crate) use portable::{portable, portable_result};

/// A generator that inlines what is not recursive and writes no `$schema`.
fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .into_generator()
}

/// The schema of a table of fields, as schemars words the types: the Rust number formats are still in it.
/// What cannot be written goes to `faults`.
pub(crate) fn of_fields(fields: &[Field], unknown: Unknown, faults: &mut Vec<String>) -> Value {
    let mut generator = generator();
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let mut property = match (field.schema)(&mut generator).to_value() {
            Value::Object(keywords) => keywords,
            // `true` is how schemars writes "anything"; as a property, Gemini, xAI and others refuse it.
            _ => Map::new(),
        };
        if !field.description.is_empty() {
            property.insert("description".into(), field.description.into());
        }
        if let Some(default) = field.default {
            property.insert("default".into(), default());
        }
        let constraints = field.constraints.map(|make| make()).unwrap_or_default();
        for (keyword, value) in constraints.keywords {
            tighten(&mut property, keyword, value);
        }
        faults.extend(constraints.faults.into_iter().map(|fault| format!("parameter `{}`: {fault}", field.name)));
        if field.is_required() {
            required.push(Value::from(field.name));
        }
        properties.insert(field.name.to_owned(), property.into());
    }
    let mut root = Map::new();
    root.insert("type".into(), "object".into());
    root.insert("properties".into(), properties.into());
    if !required.is_empty() {
        root.insert("required".into(), required.into());
    }
    if unknown == Unknown::Reject {
        root.insert("additionalProperties".into(), false.into());
    }
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        root.insert("$defs".into(), definitions.into());
    }
    root.into()
}

/// A keyword of a parameter's own; examples are collected, anything else replaces what the type said.
fn tighten(property: &mut Map<String, Value>, keyword: &str, value: Value) {
    match (property.get_mut(keyword), value) {
        (Some(Value::Array(known)), Value::Array(more)) if keyword == "examples" => known.extend(more),
        (_, value) => {
            // A bound of the other kind that the type brought would contradict this one.
            match keyword {
                "exclusiveMinimum" => property.shift_remove("minimum"),
                "exclusiveMaximum" => property.shift_remove("maximum"),
                _ => None,
            };
            property.insert(keyword.to_owned(), value);
        }
    }
}

/// The portable schema of what a type is written as: where a member is skipped or always there is said of writing, not
/// of reading, and an `Option` without a value is `null`.
///
/// ```
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Found { line: Option<u32> }
/// let schema = tool_core::schema::of_result::<Found>();
/// assert_eq!(schema["required"][0], "line");
/// assert_eq!(schema["properties"]["line"]["type"][1], "null");
/// ```
#[must_use]
pub fn of_result<T: JsonSchema + ?Sized>() -> Value {
    let settings = generator().settings().clone().for_serialize();
    let root = settings.into_generator().into_root_schema_for::<T>().to_value();
    portable_result(if root.is_object() { root } else { json!({}) })
}

/// The portable schema of a type: arguments of a closure.
///
/// ```
/// let schema = tool_core::schema::of_type::<Vec<u8>>();
/// assert_eq!(schema["items"]["maximum"], 255);
/// ```
#[must_use]
pub fn of_type<T: JsonSchema + ?Sized>() -> Value {
    let root = generator().into_root_schema_for::<T>().to_value();
    portable(if root.is_object() { root } else { json!({}) })
}
