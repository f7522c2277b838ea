//! Tool declarations, one a provider.

use std::iter;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::freeform;
use crate::{
    schema::{Chosen, Dialect, Unfit, choose},
    tool::{ToolName, ToolSpec},
};

/// Whose form a declaration has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Provider {
    /// OpenAI's Chat Completions: `tools` of type `function`.
    OpenAiChat,
    /// OpenAI's Responses: the same, flat.
    OpenAiResponses,
    /// Anthropic's Messages: `input_schema`.
    Anthropic,
    /// Gemini: one `functionDeclarations` entry with `parametersJsonSchema`.
    Gemini,
    /// MCP's `tools/list`.
    Mcp,
}

impl Provider {
    /// The dialect of JSON Schema that its own models take; the strict one where it is wanted and there is one.
    #[must_use]
    pub fn dialect(self, strict: bool) -> Dialect {
        match (self, strict) {
            (Self::OpenAiChat | Self::OpenAiResponses, true) => Dialect::OpenAiStrict,
            (Self::OpenAiChat | Self::OpenAiResponses, false) => Dialect::OpenAi,
            (Self::Anthropic, true) => Dialect::AnthropicStrict,
            (Self::Anthropic, false) => Dialect::Anthropic,
            (Self::Gemini, _) => Dialect::Gemini,
            (Self::Mcp, _) => Dialect::Mcp,
        }
    }
}

/// The declarations of one request's tools.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Declarations {
    /// One a tool that the provider can use, in the order of the specs.
    pub tools: Vec<Value>,
    /// The tools that the provider cannot use: declared all the same, they would have the whole request refused.
    pub left_out: Vec<LeftOut>,
}

/// A tool that is not declared to a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("`{name}` is not declared to this provider: {why}")]
#[non_exhaustive]
pub struct LeftOut {
    /// The tool.
    pub name: ToolName,
    /// Why it cannot be used.
    pub why: Unfit,
}

/// One tool's declaration. With `strict`, in the provider's strict mode where it has one and the schema allows it; a
/// tool whose schema it cannot hold is declared in the lenient form.
///
/// ```
/// use tool_core::{tool::{ToolName, ToolSpec}, wire::{Provider, declaration}};
/// let spec = ToolSpec::new(ToolName::new("now")?, "The time.", serde_json::json!({ "type": "object" }));
/// assert_eq!(declaration(&spec, Provider::Anthropic, false)?["input_schema"]["type"], "object");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the provider cannot use the tool in either form.
pub fn declaration(spec: &ToolSpec, provider: Provider, strict: bool) -> Result<Value, LeftOut> {
    let mut all = declarations([spec], provider, provider.dialect(strict));
    all.left_out.pop().map_or_else(|| Ok(all.tools.pop().unwrap_or_default()), Err)
}

/// The declarations of one request's tools in a provider's form, with their schemas in a dialect: the provider's own
/// ([`Provider::dialect`]), or that of another provider who speaks the same form, as Moonshot, Mistral, xAI and
/// DeepSeek speak OpenAI's Chat Completions.
///
/// Limits that hold for all strict tools of a request are kept: see [`fit`](crate::schema::fit). What became of each tool is in
/// [`Registry::portability`](crate::Registry::portability). Adapted schemas are kept with their spec: declaring the
/// same tools again costs little.
///
/// ```
/// use serde_json::json;
/// use tool_core::{schema::Dialect, tool::{ToolName, ToolSpec}, wire::{Provider, declarations}};
/// let schema = json!({ "type": "object", "properties": { "a b": { "type": "string" } } });
/// let spec = ToolSpec::new(ToolName::new("odd")?, "Odd.", schema);
/// assert_eq!(declarations([&spec], Provider::OpenAiChat, Dialect::OpenAi).tools.len(), 1);
/// let anthropic = declarations([&spec], Provider::Anthropic, Dialect::Anthropic);
/// assert!(anthropic.tools.is_empty());
/// assert_eq!(
///     anthropic.left_out[0].to_string(),
///     "`odd` is not declared to this provider: root: the property name `a b`: the provider takes letters, digits, \
///      `_`, `.` and `-`, 1 to 64 of them"
/// );
/// # Ok::<(), tool_core::tool::InvalidName>(())
/// ```
#[must_use]
pub fn declarations<'s>(
    specs: impl IntoIterator<Item = &'s ToolSpec>,
    provider: Provider,
    dialect: Dialect,
) -> Declarations {
    let mut all = Declarations::default();
    for chosen in choose(specs, dialect) {
        match declared(chosen, provider) {
            Ok(tool) => all.tools.push(tool),
            Err(left_out) => all.left_out.push(left_out),
        }
    }
    all
}

fn declared(chosen: Chosen<'_>, provider: Provider) -> Result<Value, LeftOut> {
    let (spec, dialect, output) = (chosen.spec, chosen.dialect, chosen.output());
    let schema = chosen.into_schema().map_err(|why| LeftOut { name: spec.name.clone(), why })?;
    if let (Provider::OpenAiResponses, Some(custom)) = (provider, freeform::custom(spec)) {
        return Ok(custom);
    }
    let name = ("name", spec.name.as_str().into());
    let description = ("description", freeform::described(spec).into());
    let strict = ("strict", dialect.is_strict().into());
    Ok(match provider {
        Provider::OpenAiChat => {
            let function = object([name, description, ("parameters", schema), strict]);
            object([("type", "function".into()), ("function", function)])
        }
        Provider::OpenAiResponses => {
            object([("type", "function".into()), name, description, ("parameters", schema), strict])
        }
        Provider::Anthropic => {
            let strict = dialect.is_strict().then_some(strict);
            object([name, description, ("input_schema", schema)].into_iter().chain(strict))
        }
        Provider::Gemini => object([name, description, ("parametersJsonSchema", schema)]),
        Provider::Mcp => {
            let title = spec.title.as_deref().map(|title| ("title", title.into()));
            let output = output.map(|(schema, _)| ("outputSchema", schema));
            let members = iter::once(name).chain(title).chain([description, ("inputSchema", schema)]).chain(output);
            let icons = (!spec.icons.is_empty()).then(|| ("icons", json!(spec.icons)));
            object(members.chain([("annotations", json!(spec.annotations))]).chain(icons))
        }
    })
}

/// An object of members that are given up for it; `json!` would write each anew.
fn object<'k>(members: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>().into()
}
