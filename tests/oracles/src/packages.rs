//! The packages that the scripts need, pinned.

/// What `schema.cjs` needs: ajv, and the strict-mode helpers of OpenAI's and Anthropic's SDKs.
pub const SCHEMA_NPM: [&str; 4] = ["ajv@8.20.0", "ajv-formats@3.0.1", "openai@6.49.0", "@anthropic-ai/sdk@1.11.0"];

/// What `schema.py` needs: jsonschema, and Google's client.
pub const SCHEMA_PYTHON: [&str; 2] = ["jsonschema==4.26.0", "google-genai==3.4.0"];

/// What `wire.py` needs: the clients of `OpenAI`, Anthropic, Google and MCP.
pub const WIRE_PYTHON: [&str; 4] = ["openai==3.52.0", "anthropic==2.11.0", "google-genai==3.4.0", "mcp==2.3.0"];

/// Programs that check and serve MCP: the official conformance suite and the Inspector, and two reference servers.
///
/// They need [`Oracle::npm_on_node_22`](crate::Oracle::npm_on_node_22).
pub const MCP_NPM: [&str; 4] = [
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
];

/// What `client.py` needs: the official Python SDK and fastmcp, and jsonschema for what the tools declare.
pub const MCP_PYTHON: [&str; 3] = ["mcp==2.3.0", "fastmcp==4.1.2", "jsonschema==4.26.0"];
