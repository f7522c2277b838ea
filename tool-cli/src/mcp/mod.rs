//! `mcp`: the tools as an MCP server.

mod args;
mod serve;

pub(crate) use self::{args::McpArgs, serve::serve};
