//! The tools of MCP servers, as tools of a registry.
//!
//! In: servers, from a configuration ([`config`]) or put together. Out: [`McpConnections`], whose tools go through
//! validation, permission, truncation and events as all others do.
//!
//! # Names
//! `mcp__server__tool`. What a name cannot hold becomes `_`; one that is too long, or would be another's as well, ends in
//! a hash that is the same in every run.
//!
//! # Trust
//! Every call asks for the permission that is the tool's name, with the pattern `*`; rules for a whole server are
//! written `mcp__server__*`. What a server says of its tools is believed where its configuration has `trust` alone: then
//! its read-only tools run unasked. Servers that are programs get the few variables that every program needs, and those
//! their configuration names. Nothing is fetched for a server's schema.
//!
//! # What servers do wrong
//! A server that fails is reported ([`McpConnections::status`]) and, where that may help, started anew, with a growing
//! pause; the others do not notice. Messages, lists and what may wait are bounded; an answer that is too long, or cannot be read, is an error of
//! that call. A tool whose schema cannot be used is left out, and noted; references to elsewhere are not checked, and
//! noted.

mod call;
pub mod config;
mod connections;
mod content;
#[cfg(feature = "http-client")]
pub mod credentials;
mod declared;
mod environment;
mod failure;
mod handler;
pub mod host;
#[cfg(feature = "http-client")]
mod http;
#[cfg(feature = "http-client")]
mod http_client;
mod link;
mod listing;
mod name;
#[cfg(feature = "http-client")]
mod oauth_answers;
mod process;
#[cfg(unix)]
mod process_tree;
mod prompts;
mod resources;
mod server;
mod session;
#[cfg(feature = "http-client")]
mod sign_in;
mod start;
mod status;
mod stdio;
mod subscription;
mod tail;
mod tools;
mod words;

pub use self::{
    connections::{McpConnections, McpConnectionsBuilder},
    environment::Environment,
    prompts::{Prompt, PromptArgument, PromptMessages, ServerError},
    status::{MAX_NOTES, ServerState, ServerStatus},
};

/// The guide's examples.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/mcp-servers.md")]
struct Guide;
