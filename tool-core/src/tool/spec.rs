//! What a model is told of a tool.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{Icons, ToolName};
use crate::schema::KeptSchemas;

/// What a model sees of a tool; every provider's declaration is made from it (`wire`).
///
/// It is read from JSON as well, in MCP's form of `tools/list`: members it does not know are left out, a missing
/// description is empty, a title may stand among the annotations, hints that are not given are what MCP takes them
/// for, and icons that clients have to refuse are left out. Whether the schema can be used is looked at where a tool is
/// made of it ([`FnTool::declared`](super::FnTool::declared)).
///
/// ```
/// use tool_core::ToolSpec;
/// let spec: ToolSpec = serde_json::from_str(
///     r#"{"name":"now","description":"The time.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#,
/// )?;
/// assert!(spec.annotations.read_only && spec.annotations.open_world && !spec.annotations.destructive);
/// # Ok::<(), serde_json::Error>(())
/// ```
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
    /// Pictures for people, which no model sees (MCP's `icons`).
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub icons: Icons,
    /// The input schema in the dialects that were asked for so far.
    #[serde(skip)]
    pub(crate) kept: KeptSchemas,
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
    /// A spec with no title, no output schema, no annotations and no icons.
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
            icons: Icons::default(),
            kept: KeptSchemas::default(),
        }
    }
}

/// A declaration as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Declaration {
    name: ToolName,
    title: Option<String>,
    #[serde(default)]
    description: String,
    #[serde(alias = "input_schema")]
    input_schema: Value,
    #[serde(alias = "output_schema")]
    output_schema: Option<Value>,
    #[serde(default)]
    annotations: Hints,
    grammar: Option<Grammar>,
    #[serde(default)]
    icons: Icons,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Hints {
    title: Option<String>,
    read_only_hint: Option<bool>,
    destructive_hint: Option<bool>,
    idempotent_hint: Option<bool>,
    open_world_hint: Option<bool>,
}

impl From<&Hints> for Annotations {
    /// What is not said is taken as MCP takes it: a tool that may change things may destroy, and may reach anywhere.
    fn from(hints: &Hints) -> Self {
        let read_only = hints.read_only_hint.unwrap_or(false);
        Self {
            read_only,
            destructive: hints.destructive_hint.unwrap_or(!read_only),
            idempotent: hints.idempotent_hint.unwrap_or(false),
            open_world: hints.open_world_hint.unwrap_or(true),
        }
    }
}

impl<'de> Deserialize<'de> for ToolSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Declaration { name, title, description, input_schema, output_schema, annotations, grammar, icons } =
            Declaration::deserialize(deserializer)?;
        Ok(Self {
            name,
            annotations: Annotations::from(&annotations),
            title: title.or(annotations.title).map(Into::into),
            description: description.into(),
            input_schema,
            output_schema,
            grammar,
            icons,
            kept: KeptSchemas::default(),
        })
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

impl<'de> Deserialize<'de> for Annotations {
    /// Hints that are not given are what MCP takes them for: not read-only, destructive, open-world.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok((&Hints::deserialize(deserializer)?).into())
    }
}
