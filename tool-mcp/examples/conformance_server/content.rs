//! Tools that answer with each kind of content.

use std::time::Duration;

use tokio::time::sleep;
use tool_core::{event::Progress, prelude::*};
use tool_mcp::server::{LogLevel, McpClient};

/// A red pixel, as PNG.
pub(crate) const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
/// No sound at all, as WAV: a header that promises no samples.
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
/// "This is an embedded resource content."
const EMBEDDED: &str = "VGhpcyBpcyBhbiBlbWJlZGRlZCByZXNvdXJjZSBjb250ZW50Lg==";
/// `{"test":"data","value":123}`
const MIXED: &str = "eyJ0ZXN0IjoiZGF0YSIsInZhbHVlIjoxMjN9";
/// How long the suite wants a tool to rest between what it tells.
const REST: Duration = Duration::from_millis(50);

/// Answer with text.
#[tool(
    read_only,
    icon(src = "https://example.com/text.svg", mime_type = "image/svg+xml", sizes("48x48", "any"), theme = "dark")
)]
fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Answer with a picture.
#[tool(read_only)]
fn test_image_content() -> ToolOutput {
    ToolOutput::default().attach(Attachment::base64("image/png", PIXEL))
}

/// Answer with a sound.
#[tool(read_only)]
fn test_audio_content() -> ToolOutput {
    ToolOutput::default().attach(Attachment::base64("audio/wav", SILENCE))
}

/// Answer with a resource.
#[tool(read_only)]
fn test_embedded_resource() -> ToolOutput {
    ToolOutput::default().attach(Attachment::base64("text/plain", EMBEDDED).named("embedded-resource"))
}

/// Answer with several kinds of content.
#[tool(read_only)]
fn test_multiple_content_types() -> ToolOutput {
    ToolOutput::text("Multiple content types test:")
        .attach(Attachment::base64("image/png", PIXEL))
        .attach(Attachment::base64("application/json", MIXED).named("mixed-content-resource"))
}

/// Fail.
#[tool(read_only)]
fn test_error_handling() -> Result<(), &'static str> {
    Err("This tool intentionally returns an error for testing")
}

/// Tell how far it is.
#[tool(read_only)]
async fn test_tool_with_progress(ctx: &ToolContext) -> &'static str {
    for (percent, title) in [(0, "Starting"), (50, "Halfway"), (100, "Complete")] {
        ctx.progress(Progress::title(title).with("progress", percent).with("total", 100));
        sleep(REST).await;
    }
    "Progress test completed"
}

/// Write to the log.
#[tool(read_only)]
async fn test_tool_with_logging(#[inject] client: McpClient) -> &'static str {
    for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        client.log(LogLevel::Info, "conformance", message);
        sleep(REST).await;
    }
    "Logging test completed"
}

/// Write to the log of a client that may not have asked for it.
#[tool(read_only)]
fn test_logging_tool(#[inject] client: McpClient) -> &'static str {
    client.log(LogLevel::Info, "conformance", "This is only for clients that want it");
    "Logging test completed"
}

/// Take a moment. The suite lets a tool close its stream meanwhile, to see whether the answer is found elsewhere; this
/// server keeps it open, and answers there.
#[tool(read_only)]
async fn test_reconnection() -> &'static str {
    sleep(REST).await;
    "Reconnection test completed"
}

/// Take a region that travels in a header as well.
#[tool(read_only)]
fn test_custom_headers(#[schemars(extend("x-mcp-header" = "Region"))] region: String) -> String {
    format!("The region is {region}")
}
