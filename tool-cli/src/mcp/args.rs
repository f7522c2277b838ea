//! What can be written behind `mcp`.

use std::net::SocketAddr;

use crate::args::RunArgs;

/// Without a subcommand, the tools are served.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct McpArgs {
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
    /// Take requests for this host too, and from pages of it: what a proxy in front is called. Loopback's names and ADDR
    /// are always taken.
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
