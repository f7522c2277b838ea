//! `list_exec_sessions`: what goes on (wished for by codex's users).

use std::{fmt::Write as _, time::Duration};

use tool_core::{ToolContext, ToolOutput, tool};

use super::sessions::Sessions;
use crate::workspace::End;

/// List the commands that `exec_command` left running: session ID, age, directory and command of each.
///
/// A command that has ended is listed until `write_stdin` has told of its end.
#[tool(read_only, set("codex"))]
#[must_use]
pub fn list_exec_sessions(ctx: &ToolContext) -> ToolOutput {
    let all = ctx.session().memory::<Sessions>().all();
    let mut text = String::new();
    let mut listed = Vec::with_capacity(all.len());
    for (id, session) in &all {
        let seconds = session.started.elapsed().as_secs();
        let age = humantime::format_duration(Duration::from_secs(seconds));
        let state = match session.live.end() {
            None => "running",
            Some(End::Exited { .. }) => "ended",
            Some(End::TimedOut | End::Cancelled) => "stopped",
            Some(End::Lost(_)) => "lost",
        };
        let tty = if session.live.has_terminal() { ", tty" } else { "" };
        let folder = session.place.path.display();
        let _ = writeln!(text, "{id}: {state} for {age}{tty}, in {folder}: {}", session.label());
        listed.push(serde_json::json!({
            "session_id": id, "state": state, "age_seconds": seconds, "tty": session.live.has_terminal(),
            "workdir": session.place.path.to_string_lossy(), "command": session.command,
        }));
    }
    if text.is_empty() {
        text.push_str("No session is open.");
    }
    ToolOutput::text(text).title(format!("{} sessions", listed.len())).with("sessions", listed)
}
