//! What a model is told of a tool.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ToolName;

/// What a model sees of a tool; every provider's declaration is made from it (`wire`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name the model calls.
    pub name: ToolName,
    /// A name for people, where one was given (MCP's `title`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Cow<'static, str>>,
    /// What the tool does and when to use it.
    pub description: Cow<'static, str>,
    /// JSON Schema (draft 2020-12) of the arguments; always an object.
    pub input_schema: Value,
    /// JSON Schema of the structured result, for tools that return [`Json`](crate::output::Json).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Hints on what the tool does to the world.
    pub annotations: Annotations,
    /// The grammar of the tool's one text parameter, for providers where a tool may take plain text instead of JSON
    /// (OpenAI's `custom` tools).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grammar: Option<Grammar>,
}

/// What a freeform tool's text looks like. The tool has exactly one parameter, a text; a provider without freeform
/// tools declares it as a function with that parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "syntax", content = "definition", rename_all = "lowercase")]
pub enum Grammar {
    /// In Lark's notation, as OpenAI reads it.
    Lark(Cow<'static, str>),
    /// A regular expression in the notation of Rust's `regex` crate.
    Regex(Cow<'static, str>),
}

impl ToolSpec {
    /// A spec with no title, no output schema and no annotations.
    #[must_use]
    pub fn new(name: ToolName, description: impl Into<Cow<'static, str>>, input_schema: Value) -> Self {
        Self {
            name,
            title: None,
            description: description.into(),
            input_schema,
            output_schema: None,
            annotations: Annotations::default(),
            grammar: None,
        }
    }
}

/// Hints on what a tool does, with MCP's names and meanings (`ToolAnnotations`).
///
/// They are the author's word: no permission is ever granted because of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Annotations {
    /// Changes nothing.
    #[serde(rename = "readOnlyHint")]
    pub read_only: bool,
    /// May delete or overwrite.
    #[serde(rename = "destructiveHint")]
    pub destructive: bool,
    /// A second identical call changes nothing more.
    #[serde(rename = "idempotentHint")]
    pub idempotent: bool,
    /// Reaches beyond this machine.
    #[serde(rename = "openWorldHint")]
    pub open_world: bool,
}

impl Annotations {
    /// The four hints in MCP's order.
    #[must_use]
    pub const fn new(read_only: bool, destructive: bool, idempotent: bool, open_world: bool) -> Self {
        Self { read_only, destructive, idempotent, open_world }
    }
}
