//! `schema`: what a provider is told of the tools, and with `--check`, what it is not.

use std::process::ExitCode;

use serde_json::{Map, Value};
use tool_core::{
    Registry, ToolSpec,
    schema::{Dialect, Portability, fit},
    tool::Audience,
    wire::{Declarations, Provider, declarations},
};

use crate::{
    args::{Form, SchemaArgs},
    failure::Failure,
    print,
};

pub(crate) async fn schema(registry: &Registry, args: &SchemaArgs) -> Result<ExitCode, Failure> {
    let specs = specs(registry, &args.names, &audience(args.provider)).await?;
    if args.check {
        return check(&specs, args);
    }
    let dialect = dialect(args.provider, args.strict);
    let printed = match (provider(args.provider), dialect) {
        (Some(provider), Some(dialect)) => {
            let Declarations { tools, left_out, .. } = declarations(&specs, provider, dialect);
            left_out.iter().for_each(|left_out| print::error(&left_out.to_string()));
            tools.into()
        }
        (None, Some(dialect)) => {
            let schemas = fit(&specs, dialect).into_iter().map(|fitted| fitted.schema);
            by_name(&specs, schemas)
        }
        (_, None) => by_name(&specs, specs.iter().map(|spec| spec.input_schema.clone())),
    };
    print::json_pretty(&printed)?;
    Ok(ExitCode::SUCCESS)
}

fn check(specs: &[ToolSpec], args: &SchemaArgs) -> Result<ExitCode, Failure> {
    let dialects: Vec<Dialect> = match args.provider {
        Form::JsonSchema => Dialect::ALL.into_iter().filter(|dialect| !args.strict || dialect.is_strict()).collect(),
        form => dialect(form, args.strict).into_iter().collect(),
    };
    let report = Portability::of(specs, &dialects);
    if args.json {
        print::json_pretty(&report)?;
    } else {
        print::stdout(|out| write!(out, "{report}"))?;
    }
    Ok(if report.is_usable() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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

fn by_name(specs: &[ToolSpec], schemas: impl Iterator<Item = Value>) -> Value {
    specs.iter().map(|spec| spec.name.to_string()).zip(schemas).collect::<Map<_, _>>().into()
}

/// Whose form of a declaration it is; plain schemas have none.
fn provider(form: Form) -> Option<Provider> {
    Some(match form {
        Form::JsonSchema => return None,
        Form::OpenAiChat | Form::Moonshot | Form::Mistral | Form::Xai | Form::Deepseek => Provider::OpenAiChat,
        Form::OpenAiResponses => Provider::OpenAiResponses,
        Form::Anthropic => Provider::Anthropic,
        Form::Gemini => Provider::Gemini,
        Form::Mcp => Provider::Mcp,
    })
}

/// The dialect of the schemas; none for schemas as they are.
fn dialect(form: Form, strict: bool) -> Option<Dialect> {
    Some(match form {
        // There is no provider here; OpenAI's strict dialect is the one that others take too.
        Form::JsonSchema if strict => Dialect::OpenAiStrict,
        Form::JsonSchema => return None,
        Form::Moonshot => Dialect::Moonshot,
        Form::Mistral => Dialect::Mistral,
        Form::Xai => Dialect::XAi,
        Form::Deepseek if strict => Dialect::DeepSeekStrict,
        form => provider(form)?.dialect(strict),
    })
}

/// For tools that describe themselves differently to different providers.
fn audience(form: Form) -> Audience {
    let provider = match form {
        Form::JsonSchema | Form::Mcp => return Audience::new(),
        Form::OpenAiChat | Form::OpenAiResponses => "openai",
        Form::Anthropic => "anthropic",
        Form::Gemini => "google",
        Form::Moonshot => "moonshotai",
        Form::Mistral => "mistral",
        Form::Xai => "xai",
        Form::Deepseek => "deepseek",
    };
    Audience::new().provider(provider)
}
