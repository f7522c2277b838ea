//! `exec_command`, `write_stdin` and `list_exec_sessions`: commands that may go on between calls (codex's unified exec).
//!
//! A call gives what was printed until the command ended or its time was over; then the command goes on as a session,
//! which `write_stdin` looks at and types into. Sessions are the conversation's (`sessions`): at most 64, and all end with
//! it. What the model reads is put together in `answer`; a patch that comes as a command goes to `apply_patch` (`patch`).
//!
//! Beyond codex: who is ended for room is told of; sessions can be listed; a shell that is not there is an error; Ctrl-C
//! ends a command the same way with and without a terminal; a host's policy withholds secrets; what is typed into a
//! terminal is asked about like a command.

mod answer;
mod list;
pub(crate) mod patch;
mod sessions;
mod write_stdin;

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use tool_core::{ToolContext, ToolError, ToolOutput, tool};

pub(crate) use self::answer::{budget, exit_code};
use self::{
    answer::Answer,
    sessions::{Session, Sessions},
};
pub use self::{
    list::{ListExecSessionsTool, list_exec_sessions},
    write_stdin::{WriteStdinTool, write_stdin},
};
use crate::{
    process::{Live, Note, Shell, Start, Waited, background},
    sandbox::{Again, SandboxPermissions, Wish, admit},
    workspace::{ActiveWorkspace, Background, Project, TerminalSize},
};

/// How long a call waits unless it says otherwise, in milliseconds (codex-rs).
const YIELD: u64 = 10_000;
/// No call that starts or types something waits shorter (codex-rs) …
const SHORTEST: u64 = 250;
/// … or longer than this (codex-rs).
const LONGEST: u64 = 30_000;

/// Run a command in a shell, and get what it prints; a command that takes long goes on as a session.
///
/// You get the output once the command has ended, or what there is of it after `yield_time_ms`. If it runs on then, you
/// get a session ID: look again, type something or press Ctrl-C with `write_stdin`. stdout and stderr come together. Of
/// a long output you get the beginning and the end. Without `tty` the command has no terminal and nothing to read. When
/// its shell ends, processes it left in the background are stopped, but for those with a session of their own (`setsid`).
/// At most 64 sessions are kept, and all end with the conversation.
#[tool(asks = "bash", destructive, open_world, set("codex"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
#[expect(clippy::too_many_arguments, reason = "these are codex's, and the window's size")]
pub async fn exec_command(
    /// The command, as for a shell's `-c`.
    cmd: String,
    /// The directory to run in: absolute, or relative to the working directory, which it is without this.
    workdir: Option<String>,
    /// The shell to run it with, by name or path; the user's own without this.
    shell: Option<String>,
    /// Whether the shell is a login shell, which reads the user's profile.
    #[arg(default = true)]
    login: bool,
    /// Whether the command gets a terminal, so that it can be typed into with `write_stdin`.
    #[arg(default)]
    tty: bool,
    /// The lines of the terminal.
    #[arg(default = 24, range(1..=1000))]
    rows: u16,
    /// The characters in a line of the terminal.
    #[arg(default = 80, range(1..=1000))]
    columns: u16,
    /// How many milliseconds to wait for the command's end, 250 to 30000.
    #[arg(default = YIELD)]
    yield_time_ms: u64,
    /// At most so many tokens of output are shown, and never more than 10000.
    max_output_tokens: Option<u64>,
    /// Whether to run in the sandbox, where there is one, or without it, which the user is asked for.
    #[arg(default)]
    sandbox_permissions: SandboxPermissions,
    /// A few words on what the command is for, or why it has to run without the sandbox, for the person who is asked.
    justification: Option<String>,
    /// The words that commands begin with which the user may allow along with this one, e.g. ["git", "push"].
    #[arg(default)]
    prefix_rule: Vec<String>,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    let start = Instant::now();
    let project = Project::of(ctx, &*workspace).await;
    let place = project.workdir(ctx, &*workspace, workdir.as_deref()).await?;
    if let Some(patched) = patch::apply(ctx, &place, &cmd).await {
        let text = format!("Wall time: {:.4} seconds\nOutput:\n{}", start.elapsed().as_secs_f64(), patched?);
        return Ok(ToolOutput::text(text).title(cmd).with("truncated", false));
    }
    let wish = Wish {
        permissions: sandbox_permissions,
        justification: justification.as_deref(),
        prefix_rule: &prefix_rule,
        can_wish: true,
    };
    let mut leave = admit(ctx, &*workspace, &project, &cmd, &place, &wish).await?;

    let shell = Shell::named(ctx, &*workspace, shell.as_deref()).await?;
    let size = TerminalSize { rows, columns };
    let terminal = tty.then_some(size);
    let mut note = Note::default();
    let (session, start, waited) = loop {
        let starting = Start { ctx, workspace: &*workspace, place: &place, confinement: leave.confinement() };
        // What somebody was asked for is not the command's time.
        let start = Instant::now();
        let running = starting.script(&shell, &cmd, login, terminal).await?;
        let live = Live::new(running, size, background(ctx, Background::StopGroup));
        let until = start + Duration::from_millis(yield_time_ms.clamp(SHORTEST, LONGEST));
        let waited = live.wait(ctx, Some(until)).await;
        if let Waited::Ended(end) = &waited {
            match leave.again(ctx, end.exit(), || live.glance()).await {
                Again::Freely => continue,
                Again::No(Some(why)) => note.say(why),
                Again::No(None) => {}
            }
        }
        break (Arc::new(Session::new(&cmd, place, live)), start, waited);
    };
    let id = match waited {
        Waited::Ended(_) => None,
        Waited::Yielded => {
            let (id, ended) = ctx.session().memory::<Sessions>().add(session.clone());
            if let Some(ended) = ended {
                note.say(ended);
            }
            Some(id)
        }
        Waited::Cancelled => {
            session.live.stop().await;
            note.say("User aborted the command");
            None
        }
    };
    let answer = Answer { session: &session, id, start, budget: budget(ctx, max_output_tokens), note };
    let mut output = answer.output();
    if let Some(state) = leave.state() {
        output = output.with("sandbox", state);
    }
    Ok(match justification {
        Some(justification) => output.with("justification", justification),
        None => output,
    })
}
