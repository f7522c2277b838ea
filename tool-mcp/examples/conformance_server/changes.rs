//! Tools that change what the server offers, and one whose schema is written by hand.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use serde_json::json;
use tool_core::{
    prelude::*,
    registry::LiveRegistry,
    tool::{FnTool, InvalidTool},
};
use tool_mcp::server::McpServer;

/// What comes and goes.
const ANOTHER_TOOL: &str = "test_another_tool";

/// What the tools of this file change.
#[derive(Clone)]
pub(crate) struct Offer {
    pub(crate) tools: LiveRegistry,
    pub(crate) has_more_prompts: Arc<AtomicBool>,
    pub(crate) server: Arc<OnceLock<McpServer>>,
}

/// Offer another tool, or no longer.
#[tool(parallel)]
fn test_trigger_tool_change(#[inject] offer: &Offer) -> Result<&'static str, ToolError> {
    let changed = match offer.tools.current().get(ANOTHER_TOOL) {
        Some(_) => offer.tools.remove(ANOTHER_TOOL),
        None => {
            let schema = json!({ "type": "object" });
            let tool = FnTool::raw(ANOTHER_TOOL, "Come and go.", schema, |_, _| async { "I am here" });
            offer.tools.add(tool.map_err(ToolError::from_error)?)
        }
    };
    changed.map_err(ToolError::from_error)?;
    Ok("The tools are others now")
}

/// Offer another prompt, or no longer.
#[tool(parallel)]
fn test_trigger_prompt_change(#[inject] offer: &Offer) -> &'static str {
    offer.has_more_prompts.fetch_xor(true, Ordering::Relaxed);
    if let Some(server) = offer.server.get() {
        server.prompts_changed();
    }
    "The prompts are others now"
}

/// A tool with a schema as people write them for other servers.
pub(crate) fn json_schema_tool() -> Result<FnTool, InvalidTool> {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    });
    FnTool::raw(
        "json_schema_2020_12_tool",
        "Take what a schema of 2020-12 lets pass.",
        schema,
        |arguments, _| async move { arguments.to_string() },
    )
}
