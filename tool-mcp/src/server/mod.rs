//! A registry as an MCP server.
