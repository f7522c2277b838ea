//! Tool declarations, one a provider.

use serde_json::{Value, json};

use super::freeform;
use crate::{
    schema::{Dialect, Fitted, fit},
    tool::ToolSpec,
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

/// One tool's declaration. With `strict`, in the provider's strict mode where it has one and the schema allows it; a
/// tool whose schema it cannot hold is declared in the lenient form.
///
/// ```
/// use tool_core::{tool::{ToolName, ToolSpec}, wire::{Provider, declaration}};
/// let spec = ToolSpec::new(ToolName::new("now")?, "The time.", serde_json::json!({ "type": "object" }));
/// assert_eq!(declaration(&spec, Provider::Anthropic, false)["input_schema"]["type"], "object");
/// # Ok::<(), tool_core::tool::InvalidName>(())
/// ```
#[must_use]
pub fn declaration(spec: &ToolSpec, provider: Provider, strict: bool) -> Value {
    declarations([spec], provider, provider.dialect(strict)).pop().unwrap_or_default()
}

/// The declarations of one request's tools in a provider's form, with their schemas in a dialect: the provider's own
/// ([`Provider::dialect`]), or that of another provider who speaks the same form, as Moonshot, Mistral, xAI and
/// DeepSeek speak OpenAI's Chat Completions.
///
/// Limits that hold for all strict tools of a request are kept: see [`fit`]. What became of each tool is in
/// [`Registry::portability`](crate::Registry::portability).
#[must_use]
pub fn declarations<'s>(
    specs: impl IntoIterator<Item = &'s ToolSpec>,
    provider: Provider,
    dialect: Dialect,
) -> Vec<Value> {
    let specs: Vec<&ToolSpec> = specs.into_iter().collect();
    let fitted = fit(specs.iter().copied(), dialect);
    specs.into_iter().zip(fitted).map(|(spec, fitted)| form(spec, provider, fitted)).collect()
}

fn form(spec: &ToolSpec, provider: Provider, Fitted { schema, dialect, .. }: Fitted) -> Value {
    if let (Provider::OpenAiResponses, Some(custom)) = (provider, freeform::custom(spec)) {
        return custom;
    }
    let (name, description) = (&spec.name, freeform::described(spec));
    let strict = dialect.is_strict();
    match provider {
        Provider::OpenAiChat => json!({
            "type": "function",
            "function": { "name": name, "description": description, "parameters": schema, "strict": strict },
        }),
        Provider::OpenAiResponses => json!({
            "type": "function", "name": name, "description": description, "parameters": schema, "strict": strict,
        }),
        Provider::Anthropic => {
            let mut declaration = json!({ "name": name, "description": description, "input_schema": schema });
            if strict {
                declaration["strict"] = true.into();
            }
            declaration
        }
        Provider::Gemini => json!({ "name": name, "description": description, "parametersJsonSchema": schema }),
        Provider::Mcp => {
            let mut declaration = json!({ "name": name });
            if let Some(title) = &spec.title {
                declaration["title"] = json!(title);
            }
            declaration["description"] = json!(description);
            declaration["inputSchema"] = schema;
            if let Some(schema) = &spec.output_schema {
                declaration["outputSchema"] = schema.clone();
            }
            declaration["annotations"] = json!(spec.annotations);
            declaration
        }
    }
}
