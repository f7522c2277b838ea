//! Arguments for tools of which nothing but their schema is known.

use serde_json::{Map, Value, json};

/// An object with all that a schema requires.
pub(crate) fn arguments(schema: &Value) -> Value {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let members = required.map(|name| (name.to_owned(), some(&schema["properties"][name])));
    Value::Object(members.collect::<Map<_, _>>())
}

/// A value of a schema's type, its default if it has one.
fn some(schema: &Value) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    match schema["type"].as_str() {
        Some("number") => json!(1.5),
        Some("integer") => json!(1),
        Some("boolean") => json!(true),
        Some("object") => arguments(schema),
        Some("array") => json!([]),
        Some("null") => Value::Null,
        _ => schema["enum"].get(0).cloned().unwrap_or_else(|| json!("test")),
    }
}
