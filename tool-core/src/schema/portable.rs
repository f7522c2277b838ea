//! From what schemars writes to what every provider's lenient mode accepts, saying the same.
//!
//! | schemars writes | providers that refuse it | becomes |
//! |---|---|---|
//! | `title`, `$schema` | noise in the prompt; Gemini and Moonshot refuse `$schema` | nothing |
//! | `format: "uint32"` and kin | strict ajv, Moonshot | the type's bounds, up to 32 bits |
//! | `oneOf` of documented constants | Gemini, Moonshot | `enum`, the documents in the description |
//! | `oneOf` | OpenAI | `anyOf` |
//! | `const` | Gemini's types | an `enum` of one |
//! | `true` as a schema | four of six | `{}` |
//! | `null` of a property that may be left out | Moonshot beside other keywords | nothing (opencode does this too) |

use serde_json::{Map, Value, json};

use super::place::{Holds, holds};
use crate::validation::type_bounds;

/// Formats that OpenAI, Anthropic, xAI and JSON Schema itself have in common, with `uri`, which Anthropic has.
const FORMATS: [&str; 10] =
    ["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"];

/// Makes a schema portable.
pub(crate) fn portable(mut schema: Value) -> Value {
    node(&mut schema, Null::IsAbsent);
    schema
}

/// Makes the schema of a result portable: what a tool writes is `null` where its type says so, also of a member that
/// may be left out.
pub(crate) fn portable_result(mut schema: Value) -> Value {
    node(&mut schema, Null::IsWritten);
    schema
}

/// What `null` is for a property that may be left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Null {
    /// The same as leaving it out.
    IsAbsent,
    /// A value of its own.
    IsWritten,
}

fn node(schema: &mut Value, null: Null) {
    if *schema == Value::Bool(true) {
        *schema = json!({});
    }
    let Value::Object(keywords) = schema else { return };
    for noise in ["$schema", "title", "writeOnly", "readOnly"] {
        keywords.shift_remove(noise);
    }
    // Before the parts: what is said of an alternative's values goes into the property's own description.
    if null == Null::IsAbsent {
        optional_nulls(keywords);
    }
    for (keyword, value) in keywords.iter_mut() {
        match (holds(keyword, value), value) {
            (Holds::ByName, Value::Object(members)) => {
                members.iter_mut().for_each(|(_, member)| node(member, null));
            }
            (Holds::List, Value::Array(parts)) => parts.iter_mut().for_each(|part| node(part, null)),
            // `true` and `false` open and close an object, and mean what they say to all providers.
            (Holds::One, Value::Bool(_)) if keyword.starts_with("additional") || keyword.starts_with("unevaluated") => {
            }
            (Holds::One, part) => node(part, null),
            _ => {}
        }
    }
    format(keywords);
    if let Some(constant) = keywords.shift_remove("const") {
        keywords.insert("enum".into(), json!([constant]));
    }
    if let Some(branches) = keywords.shift_remove("oneOf") {
        match keywords.shift_remove("anyOf") {
            None => keywords.insert("anyOf".into(), branches),
            // Two sets of alternatives, as of two flattened enums: one of each.
            Some(others) => {
                let all = [json!({ "anyOf": others }), json!({ "anyOf": branches })];
                let known = keywords.shift_remove("allOf").and_then(|known| known.as_array().cloned());
                keywords.insert("allOf".into(), known.into_iter().flatten().chain(all).collect())
            }
        };
    }
    enumeration(keywords);
}

fn format(keywords: &mut Map<String, Value>) {
    let Some(format) = keywords.get("format").and_then(Value::as_str) else { return };
    if FORMATS.contains(&format) {
        return;
    }
    if let Some((low, high)) = type_bounds(format) {
        for (keyword, stricter, bound) in [("minimum", "exclusiveMinimum", low), ("maximum", "exclusiveMaximum", high)]
        {
            let bound = bound.and_then(|bound| i64::try_from(bound).ok());
            if let (Some(bound), false) = (bound, keywords.contains_key(stricter)) {
                keywords.entry(keyword).or_insert(bound.into());
            }
        }
    }
    keywords.shift_remove("format");
}

/// Alternatives that are all constants of one type become one `enum`; what was said of each goes into the description.
fn enumeration(keywords: &mut Map<String, Value>) {
    let Some(branches) = keywords.get("anyOf").and_then(Value::as_array) else { return };
    let mut values = Vec::new();
    let mut notes = Vec::new();
    let mut kind = None;
    for branch in branches {
        let Some(branch) = branch.as_object() else { return };
        let Some(options) = branch.get("enum").and_then(Value::as_array) else { return };
        if branch.keys().any(|keyword| !matches!(keyword.as_str(), "enum" | "type" | "description")) {
            return;
        }
        match (&kind, branch.get("type")) {
            (None, Some(own)) => kind = Some(own.clone()),
            (Some(known), Some(own)) if known == own => {}
            _ => return,
        }
        if let Some(text) = branch.get("description").and_then(Value::as_str) {
            let name = |value: &Value| format!("`{}`", value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            notes.push(format!("- {}: {text}", options.iter().map(name).collect::<Vec<_>>().join(", ")));
        }
        values.extend(options.iter().cloned());
    }
    let Some(kind) = kind else { return };
    keywords.shift_remove("anyOf");
    keywords.insert("type".into(), kind);
    keywords.insert("enum".into(), values.into());
    if !notes.is_empty() {
        let known = keywords.get("description").and_then(Value::as_str).map(|text| format!("{text}\n"));
        let text = format!("{}{}", known.unwrap_or_default(), notes.join("\n"));
        keywords.insert("description".into(), text.into());
    }
}

/// A property that may be left out need not be nullable as well.
fn optional_nulls(keywords: &mut Map<String, Value>) {
    let required: Vec<String> = keywords
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    let Some(properties) = keywords.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, property) in properties {
        if let (Some(property), false) = (property.as_object_mut(), required.contains(name)) {
            without_null(property);
        }
    }
}

fn without_null(property: &mut Map<String, Value>) {
    if property.get("default").is_some_and(Value::is_null) {
        property.shift_remove("default");
    }
    if let Some(Value::Array(kinds)) = property.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            property.insert("type".into(), kind);
        }
    }
    if let Some(Value::Array(values)) = property.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(branches)) = property.get_mut("anyOf") else { return };
    branches.retain(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
    if let [Value::Object(only)] = branches.as_slice() {
        let only = only.clone();
        property.shift_remove("anyOf");
        for (keyword, value) in only {
            property.entry(keyword).or_insert(value);
        }
    }
}
