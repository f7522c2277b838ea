//! `schema`: what a provider is told of the tools.

use std::process::ExitCode;

use serde_json::{Map, Value};
use tool_core::{
    Registry, ToolSpec,
    schema::{StrictDialect, strict},
    tool::Audience,
    wire::{Provider, declaration},
};

use crate::{
    args::{Form, SchemaArgs},
    failure::Failure,
    print,
};

pub(crate) async fn schema(registry: &Registry, args: &SchemaArgs) -> Result<ExitCode, Failure> {
    let specs = specs(registry, &args.names, &audience(args.provider)).await?;
    let printed = match provider(args.provider) {
        None => Value::Object(specs.into_iter().map(|spec| by_name(spec, args.strict)).collect::<Map<_, _>>()),
        Some(provider) => specs.iter().map(|spec| declaration(spec, provider, args.strict)).collect(),
    };
    print::json_pretty(&printed)?;
    Ok(ExitCode::SUCCESS)
}

async fn specs(registry: &Registry, names: &[String], audience: &Audience) -> Result<Vec<ToolSpec>, Failure> {
    if names.is_empty() {
        return Ok(registry.specs_for(audience).await);
    }
    let mut chosen: Vec<ToolSpec> = Vec::new();
    for name in names {
        let tool = registry.resolve(name).map_err(|unknown| Failure::Usage(unknown.to_string()))?;
        if chosen.iter().all(|spec| spec.name != *tool.name()) {
            chosen.push(tool.spec_for(audience).await);
        }
    }
    Ok(chosen)
}

fn by_name(spec: ToolSpec, wants_strict: bool) -> (String, Value) {
    // There is no provider here; OpenAI's strict dialect is the one that others take too.
    let strict_form = wants_strict.then(|| strict(&spec.input_schema, StrictDialect::OpenAi).ok()).flatten();
    (spec.name.to_string(), strict_form.unwrap_or(spec.input_schema))
}

fn provider(form: Form) -> Option<Provider> {
    Some(match form {
        Form::JsonSchema => return None,
        Form::OpenAiChat => Provider::OpenAiChat,
        Form::OpenAiResponses => Provider::OpenAiResponses,
        Form::Anthropic => Provider::Anthropic,
        Form::Gemini => Provider::Gemini,
        Form::Mcp => Provider::Mcp,
    })
}

/// For tools that describe themselves differently to different providers.
fn audience(form: Form) -> Audience {
    match form {
        Form::JsonSchema | Form::Mcp => Audience::new(),
        Form::OpenAiChat | Form::OpenAiResponses => Audience::new().provider("openai"),
        Form::Anthropic => Audience::new().provider("anthropic"),
        Form::Gemini => Audience::new().provider("google"),
    }
}
