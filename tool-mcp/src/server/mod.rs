//! A registry as an MCP server.
//!
//! In: an [`ExecutorBuilder`](tool_core::executor::ExecutorBuilder) with the tools, their state and their rules. Out:
//! [`McpServer`], which serves clients on standard input and output, over streamable HTTP, or on any pair of streams; of
//! the revision 2026-07-28, which has no connections, and of 2025-11-25 and all before it, side by side. A binary whose
//! tools take no state is a server in one line:
//!
//! ```no_run
//! // use my_tools as _;
//! #[tokio::main]
//! async fn main() -> Result<(), tool_mcp::server::ServeError> {
//!     tool_mcp::server::serve_stdio().await
//! }
//! ```
//!
//! # A call
//! Each client has a [`Session`](tool_core::Session): a connection, an HTTP session, or what requests of 2026-07-28 over
//! HTTP declare by `_meta["tool-core/session"]`. Those that declare nothing share one session on a server that only this
//! machine can reach, and have each their own on others. Requests of 2026-07-28 over HTTP share approvals and what tools
//! remember, and stand in no line together. Its calls go through the executor, with all that it does.
//!
//! A tool that asks its client in 2026-07-28 waits in this process for the client's next request: 15 minutes at most, and
//! 1,000 of them. Several replicas need a balancer that sends a client to the same one again.
//!
//! | in a tool | at the client |
//! |---|---|
//! | [`ctx.progress`](tool_core::ToolContext::progress) | `notifications/progress`, if it gave a token. The number is `progress` of `total` in the metadata, where they are there, and else a count |
//! | [`ctx.ask`](tool_core::ToolContext::ask), and what rules have asked | a form (elicitation), if it shows such; else [`McpServerBuilder::approver`] answers |
//! | [`McpClient`] | elicitation, sampling, roots, log messages |
//! | an output that was cut | a link to a resource, which holds the whole |
//! | an error | a result with `isError`; a JSON-RPC error for a name that no tool has, and for [`ToolError::Fatal`](tool_core::ToolError::Fatal) |
//!
//! Resources, prompts and completions of a host's own: [`Resources`], [`Prompts`], [`Completions`].

mod allowed_host;
mod announce;
mod answer;
mod approver;
mod body;
mod builder;
mod call;
mod client;
mod completions;
mod content;
mod error;
mod exchange;
mod handler;
mod http;
mod icon;
mod lines;
mod logging;
mod message;
mod page;
mod progress;
mod prompt;
mod prompts;
mod question;
mod read;
mod resources;
mod rounds;
mod session;
mod sessions;
mod shared;
mod spills;
mod streams;
mod watch;
mod weight;
mod withdraw;

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tool_core::{Executor, Registry, executor::ExecutorBuilder};

use self::shared::{Changed, Shared};
pub use self::{
    builder::McpServerBuilder,
    client::{ClientFeature, Elicited, McpClient, McpClientError, Root, Sampled, SamplingRequest},
    completions::{Completion, CompletionOf, CompletionRequest, Completions},
    error::ServeError,
    http::HttpOptions,
    logging::LogLevel,
    prompts::{Prompt, PromptMessage, Prompts},
    resources::{HostError, Resource, ResourceContent, ResourceTemplate, Resources},
};

/// The guide's examples.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/mcp.md")]
struct Guide;

/// Tools as an MCP server. Cloning gives the same server.
///
/// ```no_run
/// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tool_core::{prelude::*, permission::Ruleset};
/// use tool_mcp::server::McpServer;
///
/// let executor = Executor::builder(Registry::linked()?).rules(Ruleset::new().allow("read", "*"));
/// McpServer::builder(executor).cwd("/home/me/project").build()?.serve_stdio().await?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct McpServer {
    shared: Arc<Shared>,
}

impl McpServer {
    /// Begins a server of what this executor will run. Its approver is taken by the server, which asks clients: give the
    /// one that stands in for them to [`McpServerBuilder::approver`], and the spill store to
    /// [`McpServerBuilder::spills`].
    pub fn builder(executor: ExecutorBuilder) -> McpServerBuilder {
        McpServerBuilder::new(executor)
    }

    /// Serves one client on standard input and output, which nothing else may use then, until its end of input or
    /// [`stop`](Self::stop). Calls that still run have two seconds to end by themselves, and are cancelled then.
    ///
    /// # Errors
    /// When the client does not begin as the protocol wants it.
    pub async fn serve_stdio(&self) -> Result<(), ServeError> {
        let (input, output) = rmcp::transport::stdio_pipes();
        self.serve(input, output).await
    }

    /// The same on any pair of streams. Messages are lines of JSON, of at most 32 MiB and 500,000
    /// values.
    ///
    /// # Errors
    /// When the client does not begin as the protocol wants it.
    pub async fn serve<R, W>(&self, input: R, output: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        streams::serve(self.shared.clone(), input, output).await
    }

    /// Serves clients over streamable HTTP at this address, until [`stop`](Self::stop).
    ///
    /// # Errors
    /// When other machines could reach the address, and the options do not say that they may.
    pub async fn serve_http(&self, listener: tokio::net::TcpListener, options: HttpOptions) -> Result<(), ServeError> {
        http::serve(self.shared.clone(), listener, options).await
    }

    /// The executor that runs the calls.
    #[must_use]
    pub fn executor(&self) -> &Executor {
        &self.shared.executor
    }

    /// Cancels all calls, tells their clients so, and ends the server.
    pub fn stop(&self) {
        self.shared.stop.cancel();
    }

    /// Tells clients that other resources are listed now.
    pub fn resources_changed(&self) {
        let _ = self.shared.changes.send(Changed::Resources);
    }

    /// Tells those clients that watch this resource that it is another now.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        let _ = self.shared.changes.send(Changed::Resource(uri.into()));
    }

    /// Tells clients that other prompts are listed now.
    pub fn prompts_changed(&self) {
        let _ = self.shared.changes.send(Changed::Prompts);
    }
}

/// Serves all linked tools on standard input and output, in the current directory, under no rules: what a tool asks for
/// is asked of the client, and refused where it cannot be asked.
///
/// # Errors
/// When two tools have one name, one takes a state value, or the client does not begin as the protocol wants it.
pub async fn serve_stdio() -> Result<(), ServeError> {
    let executor = Executor::builder(Registry::linked()?);
    McpServer::builder(executor).cwd(std::env::current_dir()?).build()?.serve_stdio().await
}
