//! What a model is told of a command: codex's lines, in its order.

use std::{
    fmt::Write as _,
    hash::{BuildHasher, RandomState},
};

use tokio::time::Instant;
use tool_core::{ToolContext, ToolOutput};

use super::sessions::Session;
use crate::{
    process::{Cut, Note, Whole, cut, tokens},
    workspace::{End, Exit},
};

/// At most so many tokens of output are shown (codex-rs).
const MOST_TOKENS: u64 = 10_000;
/// What is added to a signal's number (the shells' way).
const BY_SIGNAL: i32 = 128;

/// How many tokens of output a call may show: as it says, but no more than the most, and than the host allows.
pub(crate) fn budget(ctx: &ToolContext, wanted: Option<u64>) -> u64 {
    wanted.unwrap_or(MOST_TOKENS).min(MOST_TOKENS).min(tokens(ctx.limits().bytes as u64))
}

/// The exit code that a shell would give.
pub(crate) fn exit_code(exit: Exit) -> i32 {
    exit.code.or_else(|| exit.signal.map(|signal| BY_SIGNAL + signal)).unwrap_or(-1)
}

/// What is known of a command when a call ends.
pub(super) struct Answer<'a> {
    pub(super) session: &'a Session,
    /// The session's number, where it goes on.
    pub(super) id: Option<i32>,
    pub(super) start: Instant,
    pub(super) budget: u64,
    pub(super) note: Note,
}

impl Answer<'_> {
    /// All of it.
    pub(super) fn output(self) -> ToolOutput {
        let Self { session, id, start, budget, mut note } = self;
        let live = &session.live;
        let Cut { text, tokens, whole } = cut(live.take(), budget);
        let chunk = format!("{:06x}", RandomState::new().hash_one(tokens) & 0xff_ffff);
        let seconds = start.elapsed().as_secs_f64();
        let exit = match (id, live.end()) {
            (Some(_), _) => None,
            (None, Some(End::Exited { exit, .. })) => Some(exit),
            (None, Some(End::Lost(why))) => {
                note.say(format!("what became of the command is not known: {why}"));
                None
            }
            // It was ended.
            (None, _) => Some(Exit::new(None, Some(rustix::process::Signal::TERM.as_raw()))),
        };

        let mut all = format!("Chunk ID: {chunk}\nWall time: {seconds:.4} seconds\n");
        if let Some(exit) = exit {
            let _ = writeln!(all, "Process exited with code {}", exit_code(exit));
            note.signal(exit);
        } else if let Some(id) = id {
            let _ = writeln!(all, "Process running with session ID {id}");
        }
        let _ = write!(all, "Original token count: {tokens}\nOutput:\n");
        if let Some(whole) = &whole {
            let _ = writeln!(all, "Warning: truncated output (original token count: {tokens})");
            let _ = match whole {
                Whole::Lines(lines) => write!(all, "Total output lines: {lines}\n\n"),
                Whole::Omitted(bytes) => write!(all, "... {bytes} bytes omitted ...\n\n"),
            };
        }
        all.push_str(&text);
        note.withheld(live.withheld(), &session.command, &text, exit.is_some_and(|exit| exit.code != Some(0)));

        let mut output = ToolOutput::text(all)
            .note(note.into_text())
            .title(&session.command)
            .with("chunk_id", chunk)
            .with("wall_time_seconds", seconds)
            .with("original_token_count", tokens)
            .with("output", text)
            .with("truncated", whole.is_some());
        if let Some(exit) = exit {
            output = output.with("exit_code", exit_code(exit));
            if let Some(signal) = exit.signal {
                output = output.with("signal", signal);
            }
        }
        match id {
            Some(id) => output.with("session_id", id),
            None => output,
        }
    }
}
