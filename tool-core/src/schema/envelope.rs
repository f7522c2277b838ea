//! Results that are no objects, for MCP, whose structured results are: they go in an envelope, `{"result": …}`, in the
//! schema and in the result alike.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{
    Change, Effect,
    place::{Holds, holds},
};
use crate::tool::ToolSpec;

/// The envelope's one member, named as the Python SDK names it.
const MEMBER: &str = "result";

/// How many references and alternatives a root is followed through.
const DEPTH: usize = 16;

/// Whether a tool's structured results go in an envelope: those that its schema does not make objects.
pub(crate) fn is_wrapped(spec: &ToolSpec) -> bool {
    spec.output_schema.as_ref().is_some_and(|schema| !is_object(schema, schema, DEPTH))
}

/// A structured result in its envelope.
pub(crate) fn wrap(result: &Value) -> Value {
    json!({ MEMBER: result })
}

/// An output schema whose root is an object by name, and what was changed for it.
pub(crate) fn object_schema(schema: &Value) -> (Cow<'_, Value>, Vec<Change>) {
    let change = |to: String| {
        let keywords = vec!["type".to_owned()];
        vec![Change { pointer: String::new(), keywords, effect: Effect::Rewritten { to } }]
    };
    match schema {
        Value::Object(root) if root.get("type").is_some_and(|kind| kind == "object") => {
            (Cow::Borrowed(schema), Vec::new())
        }
        Value::Object(root) if is_object(schema, schema, DEPTH) => {
            let mut whole = Map::from_iter([("type".to_owned(), json!("object"))]);
            whole.extend(root.iter().filter(|(keyword, _)| *keyword != "type").map(|(k, v)| (k.clone(), v.clone())));
            (Cow::Owned(whole.into()), change("`object`, which every result is".to_owned()))
        }
        schema => {
            let mut inner = schema.clone();
            lead_inside(&mut inner);
            let whole = json!({ "type": "object", "properties": { MEMBER: inner }, "required": [MEMBER] });
            (Cow::Owned(whole), change(format!("an object with the result in `{MEMBER}`")))
        }
    }
}

/// Whether every value of a schema is an object.
fn is_object(root: &Value, schema: &Value, depth: usize) -> bool {
    let (Some(keywords), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else { return false };
    let parts = |keyword: &str| keywords.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_object = |part: &Value| is_object(root, part, depth);
    let of_alternatives = |parts: &[Value]| !parts.is_empty() && parts.iter().all(is_object);
    keywords.get("type").is_some_and(|kind| kind == "object" || *kind == json!(["object"]))
        || parts("allOf").iter().any(is_object)
        || of_alternatives(parts("anyOf"))
        || of_alternatives(parts("oneOf"))
        || keywords
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| root.pointer(reference.strip_prefix('#')?))
            .is_some_and(is_object)
}

/// Lets references to places of the schema lead to where these are in the envelope.
fn lead_inside(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    // What has a name of its own is its own document: references in it stay what they are.
    if keywords.contains_key("$id") {
        return;
    }
    for (keyword, value) in keywords.iter_mut() {
        if let ("$ref" | "$dynamicRef", Value::String(reference)) = (keyword.as_str(), &mut *value) {
            let place = reference.strip_prefix('#').filter(|place| place.is_empty() || place.starts_with('/'));
            if let Some(place) = place {
                *reference = format!("#/properties/{MEMBER}{place}");
            }
            continue;
        }
        match (holds(keyword, value), value) {
            (Holds::ByName, Value::Object(members)) => members.values_mut().for_each(lead_inside),
            (Holds::List, Value::Array(parts)) => parts.iter_mut().for_each(lead_inside),
            (Holds::One, part) => lead_inside(part),
            _ => {}
        }
    }
}
