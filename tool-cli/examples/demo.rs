//! A binary with a few tools and a state value. The tests of this crate run it; try it with
//! `cargo run -p tool-cli --example demo -- list`.

use std::{
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tool_core::{event::Progress, permission::PermissionRequest, prelude::*};

/// Greet somebody.
///
/// The second paragraph is no part of a list.
#[tool(read_only, idempotent, title = "Greeting", set = "demo")]
async fn greet(
    /// Whom.
    name: String,
) -> String {
    format!("Hello, {name}!")
}

/// Say back what came, as JSON.
#[tool(read_only, set = "demo")]
async fn echo_back(
    /// A text.
    text: Option<String>,
    /// A number.
    count: Option<i64>,
    /// A switch.
    deep: Option<bool>,
    /// Some numbers.
    list: Option<Vec<i64>>,
) -> String {
    serde_json::json!({ "text": text, "count": count, "deep": deep, "list": list }).to_string()
}

/// Read a file.
#[tool(read_only, permission = "read", pattern = file_path)]
async fn read_file(
    /// The file.
    file_path: String,
    ctx: &ToolContext,
) -> Result<String, std::io::Error> {
    std::fs::read_to_string(ctx.resolve(file_path))
}

/// Write a file.
#[tool(destructive, permission = "edit", pattern = file_path)]
async fn write_file(
    /// The file.
    file_path: String,
    /// What will be in it.
    content: String,
    ctx: &ToolContext,
) -> Result<String, std::io::Error> {
    std::fs::write(ctx.resolve(file_path), content)?;
    Ok("written".to_owned())
}

/// Pretend to run a command.
#[tool(open_world)]
async fn pretend(
    /// The command.
    command: String,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    let request = PermissionRequest::new("bash", [command.clone()])
        .always(["echo *"])
        .with("command", &command)
        .with("diff", "@@ -1 +1 @@\n-old\n+new\n")
        .with("reason", "a demonstration");
    ctx.ask(request).await?;
    Ok(format!("ran {command}"))
}

/// Always fail.
#[tool]
async fn fail() -> Result<String, &'static str> {
    Err("it did not work")
}

/// Wait until it is cancelled or the time is over.
#[tool]
async fn slow(
    /// For how long.
    milliseconds: u64,
    /// A file that is made when the waiting begins.
    started: Option<String>,
    ctx: &ToolContext,
) -> Result<String, std::io::Error> {
    ctx.progress("waiting");
    ctx.progress(Progress::text("first line\nsecond line\n"));
    if let Some(started) = started {
        std::fs::write(ctx.resolve(started), "")?;
    }
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    Ok("waited".to_owned())
}

/// Hold its thread for a minute, whatever happens.
#[tool]
fn stubborn(
    /// A file that is made when the waiting begins.
    started: String,
    ctx: &ToolContext,
) -> Result<(), std::io::Error> {
    std::fs::write(ctx.resolve(started), "")?;
    std::thread::sleep(Duration::from_secs(60));
    Ok(())
}

/// Count on, one number a line.
#[tool(read_only)]
fn numbers(
    /// How far.
    to: u32,
) -> String {
    (1..=to).map(|n| format!("{n}\n")).collect()
}

/// Draw a picture.
#[tool(read_only)]
fn picture() -> ToolOutput {
    ToolOutput::text("a picture").attach(Attachment::base64("image/png", "iVBORw0=").named("dot.png"))
}

/// Fall over.
#[tool]
fn panics() -> String {
    let nothing: Option<&Path> = None;
    nothing.map_or_else(|| panic!("private details"), |path| path.display().to_string())
}

/// Counts over the whole session.
#[derive(Default)]
struct Counter(AtomicU64);

#[toolset]
impl Counter {
    /// Count one further.
    #[tool(set = "state")]
    async fn count_on(&self) -> String {
        (self.0.fetch_add(1, Ordering::Relaxed) + 1).to_string()
    }
}

fn main() -> std::process::ExitCode {
    // What the one-line form says to a crate whose tools take state.
    if std::env::var_os("DEMO_WITHOUT_STATE").is_some() {
        return tool_cli::main();
    }
    tool_cli::Cli::new().version("9.8.7").state(Counter::default()).run()
}
