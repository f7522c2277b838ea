//! The tools that are served.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use tokio::sync::Notify;
use tool_core::{event::Progress, prelude::*, registry::RegistryBuilder};
use tool_mcp::server::{Elicited, LogLevel, McpClient, McpClientError, McpServer, McpServerBuilder};

/// Say it back.
#[tool(read_only)]
pub(crate) fn echo(
    /** What. */
    text: String,
) -> String {
    text
}

/// Write to a file.
#[tool(permission = "edit", pattern = path)]
pub(crate) fn save(
    /** Where. */
    path: String,
    #[inject] seen: &Seen,
) -> String {
    seen.saved.fetch_add(1, Ordering::Relaxed);
    format!("saved {path}")
}

/// Many lines.
#[tool(read_only)]
pub(crate) fn lines(
    /** How many. */
    count: usize,
) -> String {
    (0..count).map(|line| format!("line {line}\n")).collect()
}

/// Go on until it is cancelled.
#[tool(read_only)]
pub(crate) async fn wait(ctx: &ToolContext, #[inject] seen: &Seen) -> String {
    seen.began.notify_one();
    ctx.cancellation().cancelled().await;
    seen.cancelled.notify_one();
    "cancelled".to_owned()
}

/// Tell how far it is.
#[tool(read_only)]
pub(crate) fn steps(ctx: &ToolContext) -> &'static str {
    for (progress, title) in [(0, "Starting"), (50, "Halfway"), (20, "Stumbling"), (100, "Done")] {
        ctx.progress(Progress::title(title).with("progress", progress).with("total", 100));
    }
    "arrived"
}

/// Ask two things at once, and note it.
#[tool(read_only)]
pub(crate) async fn greet(#[inject] client: McpClient) -> Result<String, McpClientError> {
    client.log(LogLevel::Info, "greet", "asking");
    let schema = || json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    let (first, last) = (client.keyed("first"), client.keyed("last"));
    let (first, last) = tokio::join!(first.elicit("First name?", schema()), last.elicit("Last name?", schema()));
    match (first?, last?) {
        (Elicited::Accepted(first), Elicited::Accepted(last)) => {
            let name = |answer: serde_json::Value| answer["name"].as_str().unwrap_or_default().to_owned();
            Ok(format!("Hello {} {}", name(first), name(last)))
        }
        _ => Ok("Hello nobody".to_owned()),
    }
}

/// Ask once, and tell of it before and after.
#[tool(read_only)]
pub(crate) async fn agree(ctx: &ToolContext, #[inject] client: McpClient) -> Result<&'static str, McpClientError> {
    ctx.progress(Progress::title("asking"));
    let schema = json!({ "type": "object", "properties": { "yes": { "type": "boolean" } }, "required": ["yes"] });
    let answer = client.keyed("agreed").elicit("Agreed?", schema).await?;
    ctx.progress(Progress::title("asked"));
    Ok(if matches!(answer, Elicited::Accepted(_)) { "agreed" } else { "not agreed" })
}

/// What tools note.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    pub(crate) saved: Arc<AtomicUsize>,
    pub(crate) began: Arc<Notify>,
    pub(crate) cancelled: Arc<Notify>,
}

pub(crate) fn registry() -> RegistryBuilder {
    Registry::builder()
        .add(EchoTool)
        .add(SaveTool)
        .add(LinesTool)
        .add(WaitTool)
        .add(StepsTool)
        .add(GreetTool)
        .add(AgreeTool)
}

pub(crate) fn builder(seen: &Seen) -> McpServerBuilder {
    let registry = registry().build().expect("they have names of their own");
    McpServer::builder(Executor::builder(registry).state(seen.clone())).cwd("/")
}

pub(crate) fn server(seen: &Seen) -> McpServer {
    builder(seen).build().expect("they have what they take")
}
