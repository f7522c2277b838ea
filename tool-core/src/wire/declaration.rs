//! Tool declarations, one a provider.

use serde_json::{Value, json};

use super::freeform;
use crate::{
    schema::{StrictDialect, strict},
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
    if let (Provider::OpenAiResponses, Some(custom)) = (provider, freeform::custom(spec)) {
        return custom;
    }
    let (name, description) = (&spec.name, freeform::described(spec));
    match provider {
        Provider::OpenAiChat => {
            let (parameters, strict) = parameters(spec, StrictDialect::OpenAi, strict);
            json!({
                "type": "function",
                "function": {
                    "name": name, "description": description, "parameters": parameters, "strict": strict,
                },
            })
        }
        Provider::OpenAiResponses => {
            let (parameters, strict) = parameters(spec, StrictDialect::OpenAi, strict);
            json!({
                "type": "function", "name": name, "description": description, "parameters": parameters, "strict": strict,
            })
        }
        Provider::Anthropic => {
            let (schema, strict) = parameters(spec, StrictDialect::Anthropic, strict);
            let mut declaration = json!({ "name": name, "description": description, "input_schema": schema });
            if strict {
                declaration["strict"] = true.into();
            }
            declaration
        }
        Provider::Gemini => {
            json!({ "name": name, "description": description, "parametersJsonSchema": spec.input_schema })
        }
        Provider::Mcp => {
            let mut declaration = json!({ "name": name });
            if let Some(title) = &spec.title {
                declaration["title"] = json!(title);
            }
            declaration["description"] = json!(description);
            declaration["inputSchema"] = spec.input_schema.clone();
            if let Some(schema) = &spec.output_schema {
                declaration["outputSchema"] = schema.clone();
            }
            declaration["annotations"] = json!(spec.annotations);
            declaration
        }
    }
}

/// The schema, and whether it is the strict one.
fn parameters(spec: &ToolSpec, dialect: StrictDialect, wanted: bool) -> (Value, bool) {
    match wanted.then(|| strict(&spec.input_schema, dialect)) {
        Some(Ok(schema)) => (schema, true),
        Some(Err(_)) | None => (spec.input_schema.clone(), false),
    }
}
