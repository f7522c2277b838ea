//! What can be written behind `mcp`.

use std::{net::SocketAddr, path::PathBuf};

use crate::args::RunArgs;

/// Without a subcommand, the tools are served.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) action: Option<McpAction>,
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
}

/// How the tools are served.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Serve over streamable HTTP at this address instead of standard input and output, e.g. 127.0.0.1:8000 (port 0: any
    /// free one, told on standard error). The endpoint is /mcp.
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<SocketAddr>,
    /// Take only requests that carry the token in this environment variable (`Authorization: Bearer …`).
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(crate) bearer_token_env: Option<String>,
    /// Serve to other machines without a token: whoever reaches the address can use the tools.
    #[arg(long, requires = "http", conflicts_with = "bearer_token_env")]
    pub(crate) no_token: bool,
    /// Take requests for this host too, and from pages of it: what a proxy in front is called. HOST, HOST:PORT, an IPv6
    /// address, or a whole address. Loopback's names and ADDR are always taken.
    #[arg(long, value_name = "HOST[:PORT]", requires = "http")]
    pub(crate) allow_host: Vec<String>,
    /// Only the tools of this set.
    #[arg(long, value_name = "NAME")]
    pub(crate) set: Option<String>,
    /// Only tools that change nothing by their own word.
    #[arg(long)]
    pub(crate) read_only: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// What is done with MCP servers in a configuration.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum McpAction {
    /// Add an MCP server to a configuration: a program, or an address.
    Add(AddArgs),
    /// List the MCP servers of a configuration. None is started.
    List(ServersArgs),
    /// Start the MCP servers of a configuration, all or some, and say what they offer.
    Test {
        /// The servers; all where none is named.
        names: Vec<String>,
        #[command(flatten)]
        servers: ServersArgs,
    },
    /// Take an MCP server out of a configuration.
    Remove {
        /// The server.
        name: String,
        #[command(flatten)]
        config: ConfigArgs,
    },
}

/// Where the configuration is.
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigArgs {
    /// The configuration: JSON as Claude, Cursor and VS Code write it, or codex's TOML.
    #[arg(long, value_name = "FILE", default_value = ".mcp.json")]
    pub(crate) config: PathBuf,
}

/// Servers that are looked at.
#[derive(Debug, clap::Args)]
pub(crate) struct ServersArgs {
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// Print one JSON array.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A new server.
#[derive(Debug, clap::Args)]
pub(crate) struct AddArgs {
    /// What it is called; its tools are `mcp__NAME__…`.
    pub(crate) name: String,
    /// Its address, for a server that is reached by streamable HTTP.
    #[arg(long, value_name = "URL", conflicts_with = "command", required_unless_present = "command")]
    pub(crate) url: Option<String>,
    /// A variable that the program gets.
    #[arg(long, value_name = "NAME=VALUE", value_parser = crate::args::pair, requires = "command")]
    pub(crate) env: Vec<(String, String)>,
    /// A header of every request.
    #[arg(long, value_name = "NAME: VALUE", value_parser = header, requires = "url")]
    pub(crate) header: Vec<(String, String)>,
    /// The environment variable that has the bearer token.
    #[arg(long, value_name = "NAME", requires = "url")]
    pub(crate) bearer_token_env_var: Option<String>,
    /// Believe what the server says of its tools: those that only read, by its word, run unasked.
    #[arg(long)]
    pub(crate) trust: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// The program and its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err("write NAME: VALUE".to_owned()),
    }
}
