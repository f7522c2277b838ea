//! What can be written on the command line.

use std::{path::PathBuf, time::Duration};

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use tool_core::permission::ApprovalPolicy;

use crate::mcp::McpArgs;

/// Lists, describes and runs the tools that are linked into this program.
#[derive(Debug, Parser)]
#[command(arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the tools.
    List(ListArgs),
    /// Print the declarations of tools, in a provider's own form.
    Schema(SchemaArgs),
    /// Call one tool.
    Call(CallArgs),
    /// Run calls from JSON Lines of {"id","name","arguments"}; print one outcome line each, in one session.
    Batch(BatchArgs),
    /// Serve the tools by MCP: on standard input and output, or over HTTP.
    Mcp(Box<McpArgs>),
    /// Print a completion script for a shell.
    Completions {
        /// Whose script.
        shell: Shell,
    },
}

/// Where tools are that are not linked.
#[derive(Debug, clap::Args)]
pub(crate) struct FileArgs {
    /// Load the tools that the manifests in DIR describe, in place of linked ones of their names. They run what DIR's
    /// authors wrote.
    #[arg(long = "tools", value_name = "DIR")]
    pub(crate) directories: Vec<PathBuf>,
    /// Start the MCP servers of this file, and take their tools too: JSON as Claude, Cursor and VS Code write it, or
    /// codex's TOML. They run what the file says.
    #[arg(long = "mcp", value_name = "CONFIG")]
    pub(crate) servers: Vec<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) files: FileArgs,
    /// Only the tools of this set.
    #[arg(long, value_name = "NAME")]
    pub(crate) set: Option<String>,
    /// Print the specs as one JSON array.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SchemaArgs {
    #[command(flatten)]
    pub(crate) files: FileArgs,
    /// The tools; all of them where none is named.
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Whose form. `json-schema`: one object from name to input schema; the others: one array of declarations.
    #[arg(long, value_enum, default_value_t = Form::JsonSchema, value_name = "PROVIDER")]
    pub(crate) provider: Form,
    /// In the provider's strict mode, where it has one and the schema allows it.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Report instead what the provider's form changes, or cannot hold: for all providers where none is named. Status
    /// 1 where a provider cannot use a tool at all.
    #[arg(long)]
    pub(crate) check: bool,
    /// Print the report of --check as one JSON object.
    #[arg(long, requires = "check")]
    pub(crate) json: bool,
}

/// Whose form a declaration has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Plain JSON Schemas by name.
    JsonSchema,
    #[value(name = "openai-chat", help = "OpenAI's Chat Completions")]
    OpenAiChat,
    #[value(name = "openai-responses", help = "OpenAI's Responses")]
    OpenAiResponses,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
    /// MCP's `tools/list`.
    Mcp,
    #[value(help = "Moonshot's Chat Completions")]
    Moonshot,
    #[value(help = "Mistral's Chat Completions")]
    Mistral,
    #[value(help = "xAI's Chat Completions")]
    Xai,
    #[value(help = "DeepSeek's Chat Completions")]
    Deepseek,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CallArgs {
    /// The tool.
    pub(crate) name: String,
    /// The arguments: a JSON object, @FILE to read it from a file, or - for standard input.
    #[arg(value_name = "JSON | @FILE | -")]
    pub(crate) arguments: Option<String>,
    /// One argument as text, typed by the tool's schema; a repeated key makes a list. Goes over the JSON.
    #[arg(long = "arg", value_name = "KEY=VALUE", value_parser = pair)]
    pub(crate) pairs: Vec<(String, String)>,
    /// Print the outcome as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct BatchArgs {
    /// Where the calls are: @FILE, or - for standard input.
    #[arg(value_name = "@FILE | -", default_value = "-")]
    pub(crate) input: String,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// How calls are run.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) files: FileArgs,
    /// The directory that relative paths are meant from.
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Answer every question with yes. What --deny forbids stays forbidden.
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
    /// Rules from a file, .json or .toml, in the form of opencode's `permission`; --allow and --deny come after them.
    #[arg(long, value_name = "FILE")]
    pub(crate) permissions: Option<PathBuf>,
    /// Allow a permission, for what matches the pattern (default `*`), without asking.
    #[arg(long, value_name = "PERM[:PATTERN]", value_parser = scope)]
    pub(crate) allow: Vec<Scope>,
    /// Forbid a permission; stronger than --allow and --yes.
    #[arg(long, value_name = "PERM[:PATTERN]", value_parser = scope)]
    pub(crate) deny: Vec<Scope>,
    /// When anybody is asked, by codex's names; rules come before it. `on-request` where it is not given.
    #[arg(long, value_enum, value_name = "POLICY")]
    pub(crate) approval: Option<Approval>,
    /// Stop a tool that runs longer, e.g. 30s, 2m; the call ends with the error `timed_out`.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Where whole outputs are kept that were too long: in DIR/tool-output, for 7 days.
    #[arg(long, value_name = "DIR")]
    pub(crate) output_dir: Option<PathBuf>,
    /// Print every step of a call on standard error.
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,
}

/// An [`ApprovalPolicy`] that has no settings of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Approval {
    /// Ask for all that no rule allows, also before tools that ask for nothing; read-only tools run.
    Untrusted,
    /// Ask for what tools ask for and no rule decides.
    OnRequest,
    /// Run what no rule decides; ask to leave the working directory and where a rule says so. For confined tools.
    OnFailure,
    /// Ask nobody: what no rule allows is refused, also with --yes.
    Never,
}

impl From<Approval> for ApprovalPolicy {
    fn from(approval: Approval) -> Self {
        match approval {
            Approval::Untrusted => Self::Untrusted,
            Approval::OnRequest => Self::OnRequest,
            Approval::OnFailure => Self::OnFailure,
            Approval::Never => Self::Never,
        }
    }
}

/// What a flag allows or denies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scope {
    pub(crate) permission: String,
    pub(crate) pattern: String,
}

pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        Some(_) => Err("there is no key before `=`; write KEY=VALUE".to_owned()),
        None => Err("there is no `=` in it; write KEY=VALUE".to_owned()),
    }
}

fn scope(text: &str) -> Result<Scope, String> {
    let (permission, pattern) = text.split_once(':').unwrap_or((text, "*"));
    if permission.is_empty() || pattern.is_empty() {
        return Err("write PERM or PERM:PATTERN, e.g. edit or bash:git *".to_owned());
    }
    Ok(Scope { permission: permission.to_owned(), pattern: pattern.to_owned() })
}

fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|error| format!("{error}; write a number and a unit, e.g. 30s, 2m or 500ms"))
}

/// Adds examples that show the program by its own name.
pub(crate) fn with_examples(command: clap::Command, name: &str) -> clap::Command {
    let examples = |lines: &[&str]| {
        let lines: Vec<String> = lines.iter().map(|line| format!("  {}", line.replace("PROGRAM", name))).collect();
        format!("Examples:\n{}", lines.join("\n"))
    };
    command
        .after_help(examples(&[
            "PROGRAM list",
            "PROGRAM call NAME --help",
            "PROGRAM call NAME '{\"key\": \"value\"}' --json",
        ]))
        .mut_subcommand("list", |list| list.after_help(examples(&["PROGRAM list", "PROGRAM list --set coding --json"])))
        .mut_subcommand("schema", |schema| {
            schema.after_help(examples(&["PROGRAM schema", "PROGRAM schema NAME --provider openai-responses --strict"]))
        })
        .mut_subcommand("call", |call| {
            call.after_help(examples(&[
                "PROGRAM call NAME '{\"key\": \"value\"}'",
                "PROGRAM call NAME --arg key=value --arg list=1 --arg list=2",
                "PROGRAM call NAME @arguments.json --cwd project --json",
                "echo '{\"key\": \"value\"}' | PROGRAM call NAME - --allow edit:src/* --timeout 30s",
            ]))
        })
        .mut_subcommand("batch", |batch| {
            batch.after_help(examples(&[
                "echo '{\"id\": \"1\", \"name\": \"NAME\", \"arguments\": {}}' | PROGRAM batch",
                "PROGRAM batch @calls.jsonl --yes --deny bash",
                "PROGRAM batch @calls.jsonl --permissions rules.toml --approval never",
            ]))
        })
        .mut_subcommand("mcp", |mcp| {
            mcp.after_help(examples(&[
                "PROGRAM mcp --cwd project",
                "PROGRAM mcp --set coding --allow edit:src/* --deny bash",
                "PROGRAM mcp --http 127.0.0.1:8000 --cwd project",
                "PROGRAM mcp --http 0.0.0.0:8000 --bearer-token-env MCP_TOKEN --allow-host tools.example.com",
            ]))
        })
        .mut_subcommand("completions", |completions| {
            completions.after_help(examples(&[
                "PROGRAM completions bash > ~/.local/share/bash-completion/completions/PROGRAM",
            ]))
        })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        with_examples(Args::command(), "demo").debug_assert();
    }

    #[test]
    fn a_scope_is_split_at_its_first_colon() {
        let wanted = Scope { permission: "bash".to_owned(), pattern: "curl http://*".to_owned() };
        assert_eq!(scope("bash:curl http://*"), Ok(wanted));
        assert_eq!(scope("edit").map(|scope| scope.pattern), Ok("*".to_owned()));
        assert!(scope("edit:").is_err());
        assert!(scope(":*").is_err());
    }
}
