//! `bash`: one command in a shell (opencode's tool).
//!
//! In this order: may it run there and may it run (`command`, `sandbox`), run it (`process`), keep what it prints
//! (`capture`, on `tail`), say how it ended.
//!
//! Unlike in opencode, the call ends when the shell does, not when the last of its children closes the output. What
//! becomes of those children is the host's to say ([`Background`]); without a word of it, it depends on whether they were
//! detached: one whose output was sent elsewhere (`server >log 2>&1 &`) or that has a session of its own (`setsid`) runs
//! on; one that still holds the call's output when that is about to be closed is stopped, with its group, and the
//! metadata says `backgroundStopped`. A command that takes too long or is cancelled is ended with all it has started.
//!
//! Unlike in opencode, the model is told of an exit code other than 0, and of the signal that ended a command: behind the
//! output, as its note.

mod capture;
mod tail;

use std::time::Duration;

use tool_core::{ToolContext, ToolError, ToolOutput, event::Progress, tool};

use self::{
    capture::{Capture, Captured, Kept, MAX_SPILL},
    tail::last_chars,
};
use crate::{
    process::{Note, Shell, Start, background},
    sandbox::{Again, Leave, Wish, admit},
    workspace::{ActiveWorkspace, Background, End, Exit, Place, Project, Workspace, follow},
};

/// How long a command may take unless the call says otherwise (opencode).
const TIMEOUT: u64 = 120_000;
/// As much of the output is in the metadata (opencode).
const METADATA_CHARS: usize = 30_000;

/// Run a command in a shell, and get what it prints.
///
/// Each call starts a new shell in the working directory (or in `workdir`): nothing of an earlier call is left but the
/// files it wrote. There is no terminal and no input, so use options that keep programs from asking. stdout and stderr
/// come together, in the order of writing. Of a long output you get the end (2000 lines or 50 KB) and the path of a file
/// with all of it. A command that takes longer than `timeout` is stopped. A process that is to run on after the call has
/// to send its output elsewhere: `command >log 2>&1 &`; others are stopped when the shell ends. To read, find, search or
/// change files, prefer the tools made for it where you have them.
#[tool(rename_all = "camelCase", asks = "bash", destructive, open_world, truncate = tail, set("opencode", "pi", "coding"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn bash(
    /// The command, as for `bash -c`.
    command: String,
    /// After this many milliseconds the command is stopped.
    #[arg(default = TIMEOUT, range(1..))]
    timeout: u64,
    /// The directory to run in, instead of `cd`: absolute, or relative to the working directory.
    workdir: Option<String>,
    /// A few words on what the command does, for the person who watches.
    description: Option<String>,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    let project = Project::of(ctx, &*workspace).await;
    let place = project.workdir(ctx, &*workspace, workdir.as_deref()).await?;
    let wish = Wish::default();
    let mut leave = admit(ctx, &*workspace, &project, &command, &place, &wish).await?;

    let mut done = run(ctx, &*workspace, &place, &leave, &command, timeout).await?;
    let mut note = Note::default();
    match leave.again(ctx, done.end.exit(), || done.captured.text.clone()).await {
        Again::Freely => done = run(ctx, &*workspace, &place, &leave, &command, timeout).await?,
        Again::No(Some(why)) => note.say(why),
        Again::No(None) => {}
    }
    let mut output = output(&command, timeout, done, note);
    if let Some(state) = leave.state() {
        output = output.with("sandbox", state);
    }
    Ok(match description {
        Some(description) => output.with("description", description),
        None => output,
    })
}

/// A command that has ended.
struct Done {
    end: End,
    withheld: Vec<String>,
    captured: Captured,
}

async fn run(
    ctx: &ToolContext,
    workspace: &dyn Workspace,
    place: &Place,
    leave: &Leave,
    command: &str,
    timeout: u64,
) -> Result<Done, ToolError> {
    let shell = Shell::of(ctx, workspace).await;
    let start = Start { ctx, workspace, place, confinement: leave.confinement() };
    let mut running = start.script(&shell, command, false, None).await?;
    let withheld = std::mem::take(&mut running.withheld);

    let report = |text: String| ctx.progress(Progress::text(text));
    let background = background(ctx, Background::StopAttached);
    let mut capture = Capture::new(ctx.limits(), ctx.spills(), background, &report);
    let end = follow(running, Some(Duration::from_millis(timeout)), ctx.cancellation(), &mut capture).await;
    let captured = capture.finish().await;
    let captured = if workspace.is_host() { captured } else { captured.elsewhere() };
    Ok(Done { end, withheld, captured })
}

/// What the model and people get.
fn output(command: &str, timeout: u64, done: Done, mut note: Note) -> ToolOutput {
    let Done { end, withheld, captured } = done;
    let mut body = captured.text;
    if body.is_empty() {
        body.push_str("(no output)");
    }
    let shown = last_chars(&body, METADATA_CHARS);
    let mut text = match &captured.kept {
        Kept::Whole => body,
        Kept::Saved(path) => {
            format!("...output truncated...\n\nFull output saved to: {}\n\n{body}", path.display())
        }
        Kept::Partly(path) => format!(
            "...output truncated...\n\nThe first {} MB of the output saved to: {}\n\n{body}",
            MAX_SPILL >> 20,
            path.display()
        ),
        Kept::OnHost(path) => format!(
            "...output truncated...\n\nThe full output was saved for the user, on their own machine and not on this one: {}. To see more of it, run the command again into a file.\n\n{body}",
            path.display()
        ),
        Kept::Nowhere(why) => {
            format!("...output truncated...\n\nThe full output was not kept: {why}. Print less in one call.\n\n{body}")
        }
    };
    let stopped = match &end {
        End::Exited { .. } => None,
        End::TimedOut => Some(format!(
            "shell tool terminated command after exceeding timeout {timeout} ms. If it needs more time, and does not wait for input, give a larger `timeout`."
        )),
        End::Cancelled => Some("User aborted the command".to_owned()),
        End::Lost(why) => Some(format!("what became of the command is not known: {why}")),
    };
    if let Some(stopped) = stopped {
        text.push_str("\n\n<shell_metadata>\n");
        text.push_str(&stopped);
        text.push_str("\n</shell_metadata>");
    }

    // How a command ended that was stopped says nothing about it (opencode).
    let (exit, background_stopped) = match &end {
        End::Exited { exit, background_stopped } => (*exit, *background_stopped),
        End::TimedOut | End::Cancelled | End::Lost(_) => (Exit::default(), false),
    };
    note.exit(exit);
    if background_stopped {
        note.say("processes in the background that held the output were stopped when the shell ended");
    }
    note.withheld(&withheld, command, &shown, exit.code != Some(0));

    let mut output = ToolOutput::text(text)
        .note(note.into_text())
        .title(command)
        .with("output", shown)
        .with("exit", exit.code)
        .with("truncated", captured.kept != Kept::Whole);
    if let Kept::Saved(path) | Kept::Partly(path) | Kept::OnHost(path) = &captured.kept {
        output = output.with("outputPath", path.to_string_lossy());
    }
    if let Some(signal) = exit.signal {
        output = output.with("signal", signal);
    }
    if background_stopped {
        output = output.with("backgroundStopped", true);
    }
    output
}
