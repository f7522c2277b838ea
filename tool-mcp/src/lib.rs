//! MCP, both ways, over a [`Registry`](tool_core::Registry): any binary that links annotated tools is a server, and any
//! server's tools are tools of a registry.
//!
//! On `rmcp`, the official SDK, behind types of this crate's own: none of `rmcp`'s is in a public signature, for its
//! majors change often.

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "server")]
pub mod server;
