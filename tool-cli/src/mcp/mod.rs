//! `mcp`: the tools as an MCP server, and the MCP servers whose tools are taken in.

mod args;
mod connect;
mod credentials;
mod operator;
mod serve;
mod servers;

pub(crate) use self::{
    args::McpArgs,
    connect::{connect, end},
    serve::serve,
    servers::servers,
};
