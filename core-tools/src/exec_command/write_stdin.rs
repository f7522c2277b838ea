//! `write_stdin`: looks at a session, and types into it.

use std::time::Duration;

use tokio::time::Instant;
use tool_core::{ToolContext, ToolError, ToolOutput, tool};

use super::{
    LONGEST, SHORTEST,
    answer::{Answer, budget},
    sessions::Sessions,
};
use crate::{
    command::ask_command,
    process::{Note, Waited},
    workspace::{ActiveWorkspace, Project},
};

/// How long a call that only looks waits at least (codex-rs) …
const LOOK: u64 = 5_000;
/// … and at most (codex-rs).
const LONGEST_LOOK: u64 = 300_000;
/// Ctrl-C, as a terminal has it.
const INTERRUPT: &str = "\u{3}";
/// Ctrl-D.
const END_OF_FILE: &str = "\u{4}";

/// Look at a command that `exec_command` left running, and type into it.
///
/// You get what it printed since the last look, once it has ended or `yield_time_ms` are over. `chars` is typed as it is,
/// so end a line with a line break; this needs a session that was started with `tty`. "\u0003" is Ctrl-C and works in
/// every session; "\u0004" is the end of input. Without `chars`, the call only waits and looks.
#[tool(asks = "bash", destructive, open_world, set("codex"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
#[expect(clippy::too_many_arguments, reason = "these are codex's, and the window's size")]
pub async fn write_stdin(
    /// The session ID that `exec_command` gave.
    session_id: i32,
    /// What is typed.
    #[arg(default)]
    chars: String,
    /// How many milliseconds to wait: 250 to 30000 after typing (250 without this), 5000 to 300000 for a look alone
    /// (5000 without this). The call ends with the command.
    yield_time_ms: Option<u64>,
    /// At most so many tokens of output are shown, and never more than 10000.
    max_output_tokens: Option<u64>,
    /// The terminal gets so many lines; without this it keeps those that it has.
    #[arg(range(1..=1000))]
    rows: Option<u16>,
    /// The terminal gets so many characters in a line; without this it keeps those that it has.
    #[arg(range(1..=1000))]
    columns: Option<u16>,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    let sessions = ctx.session().memory::<Sessions>();
    let session = sessions.get(session_id).ok_or_else(|| unknown(session_id, &sessions))?;
    let live = &session.live;
    if !chars.trim_matches(|c: char| c.is_control() || c.is_whitespace()).is_empty() && live.has_terminal() {
        // A shell in a terminal does what it is told: what is typed is asked about like a command.
        let project = Project::of(ctx, &*workspace).await;
        ask_command(ctx, &*workspace, &project, chars.trim(), &session.place).await?;
    }

    let start = Instant::now();
    let mut note = Note::default();
    let wait = if chars.is_empty() {
        yield_time_ms.unwrap_or(LOOK).clamp(LOOK, LONGEST_LOOK)
    } else {
        yield_time_ms.unwrap_or(SHORTEST).clamp(SHORTEST, LONGEST)
    };
    let until = start + Duration::from_millis(wait);
    if rows.is_some() || columns.is_some() {
        live.resize(rows, columns).await.map_err(|error| {
            ToolError::failed(format!("write_stdin failed: the terminal of session {session_id} cannot be given another size ({error}); start the command with tty=true"))
        })?;
    }
    if live.end().is_none() && !chars.is_empty() {
        if live.has_terminal() {
            match live.type_in(chars.as_bytes(), until).await {
                Ok(typed) if typed < chars.len() => {
                    note.say(format!("only {typed} of {} bytes were taken: the command does not read", chars.len()));
                }
                // A command that is just ending closes its terminal; what became of it is told below.
                Ok(_) | Err(_) => {}
            }
        } else {
            match &*chars {
                INTERRUPT => live.interrupt(),
                // What it reads has ended from the beginning.
                END_OF_FILE => {}
                _ => {
                    return Err(ToolError::failed(
                        "write_stdin failed: stdin is closed for this session; rerun exec_command with tty=true to keep stdin open",
                    ));
                }
            }
        }
    }
    if chars.is_empty() {
        // Who waits for a long command says the same over and over.
        ctx.expect_repetition();
    }
    let id = match live.wait(ctx, Some(until)).await {
        Waited::Ended(_) => None,
        Waited::Yielded => Some(session_id),
        // The session goes on, and what it printed can be had by another call.
        Waited::Cancelled => return Err(ToolError::Cancelled),
    };
    if id.is_none() {
        sessions.remove(session_id);
    }
    Ok(Answer { session: &session, id, start, budget: budget(ctx, max_output_tokens), note }.output())
}

fn unknown(id: i32, sessions: &Sessions) -> ToolError {
    let open: Vec<String> =
        sessions.all().iter().map(|(id, session)| format!("{id} (`{}`)", session.label())).collect();
    let open = if open.is_empty() {
        "No session is open. One whose exit code was told is forgotten; start the command anew with exec_command."
            .to_owned()
    } else {
        format!("Open are: {}.", open.join(", "))
    };
    ToolError::failed(format!("write_stdin failed: Unknown process id {id}. {open}"))
}
