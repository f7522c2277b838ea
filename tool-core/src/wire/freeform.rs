//! Freeform tools: the model writes plain text, which becomes the tool's one argument.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::tool::{Grammar, ToolSpec};

/// The tool's one parameter, if it is a freeform tool: one that has a grammar and exactly one parameter, a text.
pub(crate) fn text_parameter(spec: &ToolSpec) -> Option<&str> {
    spec.grammar.as_ref()?;
    let mut properties = spec.input_schema.get("properties")?.as_object()?.iter();
    let (name, schema) = properties.next()?;
    (properties.next().is_none() && schema.get("type").is_some_and(|kind| kind == "string")).then_some(name)
}

/// Whether a tool with a grammar can be called with a text.
///
/// # Errors
/// What it lacks, for the error when an executor is built.
pub(crate) fn verify(spec: &ToolSpec) -> Result<(), String> {
    if spec.grammar.is_none() || text_parameter(spec).is_some() {
        return Ok(());
    }
    Err("a tool with a grammar has exactly one parameter, a text: take the others away, or the grammar".to_owned())
}

/// OpenAI's `custom` tool, for a freeform tool.
pub(super) fn custom(spec: &ToolSpec) -> Option<Value> {
    text_parameter(spec)?;
    let mut format = Map::from_iter([("type".to_owned(), json!("grammar"))]);
    if let Value::Object(grammar) = json!(spec.grammar) {
        format.extend(grammar);
    }
    Some(json!({ "type": "custom", "name": spec.name, "description": spec.description, "format": format }))
}

/// The description for a provider that takes a freeform tool as a function only: the grammar, which no JSON Schema
/// can say, in words.
pub(super) fn described(spec: &ToolSpec) -> Cow<'_, str> {
    let (Some(parameter), Some(grammar)) = (text_parameter(spec), &spec.grammar) else {
        return Cow::Borrowed(&spec.description);
    };
    let (kind, definition) = match grammar {
        Grammar::Lark(definition) => ("Lark grammar", definition),
        Grammar::Regex(definition) => ("regular expression", definition),
    };
    format!("{}\n\nThe text of `{parameter}` follows this {kind}:\n{}", spec.description, definition.trim_end()).into()
}

/// Text as the arguments of a freeform tool.
pub(super) fn arguments(parameter: &str, text: &str) -> String {
    json!({ parameter: text }).to_string()
}

/// The text in a freeform tool's arguments; the arguments themselves, where they are not of that form.
pub(super) fn text(arguments: &str) -> String {
    match serde_json::from_str::<Map<String, Value>>(arguments).ok().map(|map| map.into_iter().collect::<Vec<_>>()) {
        Some(mut members) if members.len() == 1 && members[0].1.is_string() => {
            members.swap_remove(0).1.as_str().unwrap_or_default().to_owned()
        }
        _ => arguments.to_owned(),
    }
}
