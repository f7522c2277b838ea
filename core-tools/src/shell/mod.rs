//! `shell` and `shell_command`: one command to its end (codex's earlier tools, which its models still know).
//!
//! Both run what `exec_command` would, without sessions; they differ in how the command is given and what is shown of it.
//! Beyond codex: a timeout ends all that the command has started; death by a signal is an exit code and not an error;
//! a background child takes no output with it.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use tool_core::{ToolContext, ToolError, ToolOutput, tool};

use crate::{
    exec_command::{budget, exit_code, patch},
    process::{Cut, Live, Note, Shell, Start, Waited, Whole, background, cut},
    sandbox::{Again, SandboxPermissions, SandboxState, Wish, admit},
    workspace::{ActiveWorkspace, Background, End, Exit, Place, Project, Running, TerminalSize},
};

/// How long a command may take unless the call says otherwise, in milliseconds (codex-rs).
const TIMEOUT: u64 = 10_000;
/// The exit code of a command that took longer (that of `timeout`, as in codex-rs).
const TIMED_OUT: i32 = 124;

/// Run a program with its arguments, and get what it prints.
///
/// The command is a list: the program, then each argument as it is; no shell reads it. For a shell's syntax run one:
/// ["bash", "-lc", "…"]. There is no terminal and nothing to read. stdout and stderr come together; of a long output you
/// get the beginning and the end. A command that takes longer than `timeout_ms` is stopped.
#[tool(asks = "bash", destructive, open_world, set("codex"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
#[expect(clippy::too_many_arguments, reason = "these are codex's")]
pub async fn shell(
    /// The program and its arguments.
    command: Vec<String>,
    /// The directory to run in: absolute, or relative to the working directory, which it is without this.
    workdir: Option<String>,
    /// After this many milliseconds the command is stopped.
    #[arg(default = TIMEOUT, range(1..), alias = "timeout")]
    timeout_ms: u64,
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
    let Some((program, args)) = command.split_first() else {
        return Err(ToolError::failed("command args are empty: give the program, and then its arguments"));
    };
    let line = shlex::try_join(command.iter().map(String::as_str))
        .map_err(|_| ToolError::failed("An argument has a NUL byte in it, which none can have. Write it anew."))?;
    let place = place(ctx, &workspace, workdir).await?;
    let patched = match (&*command, script_of(&command)) {
        (_, Some(script)) => patch::apply(ctx, &place, script).await,
        ([_, body], _) if patch::is_program(program) => patch::apply_body(ctx, &place, body).await,
        _ => None,
    };
    let output = match patched {
        Some(patched) => ToolOutput::text(patched?).with("truncated", false),
        None => {
            let what = What::Program { program, args };
            let wish = wish(sandbox_permissions, justification.as_deref(), &prefix_rule);
            let done = run(ctx, &workspace, &place, &line, &what, timeout_ms, &wish).await?;
            done.output(ctx, &line, |exit, seconds, lines, text| {
                let text = match lines {
                    Some(lines) => format!("Total output lines: {lines}\n\n{text}"),
                    None => text,
                };
                let seconds = (seconds * 10.0).round() / 10.0;
                json!({ "output": text, "metadata": { "exit_code": exit, "duration_seconds": seconds } }).to_string()
            })
        }
    };
    Ok(said(output.title(line), justification))
}

/// Run a command in a shell, and get what it prints.
///
/// Each call starts a new shell. There is no terminal and nothing to read. stdout and stderr come together; of a long
/// output you get the beginning and the end. A command that takes longer than `timeout_ms` is stopped.
#[tool(asks = "bash", destructive, open_world, set("codex"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
#[expect(clippy::too_many_arguments, reason = "these are codex's")]
pub async fn shell_command(
    /// The command, as for a shell's `-c`.
    command: String,
    /// The directory to run in: absolute, or relative to the working directory, which it is without this.
    workdir: Option<String>,
    /// Whether the shell is a login shell, which reads the user's profile.
    #[arg(default = true)]
    login: bool,
    /// After this many milliseconds the command is stopped.
    #[arg(default = TIMEOUT, range(1..), alias = "timeout")]
    timeout_ms: u64,
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
    let place = place(ctx, &workspace, workdir).await?;
    let output = match patch::apply(ctx, &place, &command).await {
        Some(patched) => ToolOutput::text(patched?).with("truncated", false),
        None => {
            let what = What::Script { shell: Shell::of(ctx, &*workspace).await, script: &command, login };
            let wish = wish(sandbox_permissions, justification.as_deref(), &prefix_rule);
            let done = run(ctx, &workspace, &place, &command, &what, timeout_ms, &wish).await?;
            done.output(ctx, &command, |exit, seconds, lines, text| {
                let lines = lines.map(|lines| format!("Total output lines: {lines}\n")).unwrap_or_default();
                format!("Exit code: {exit}\nWall time: {seconds:.1} seconds\n{lines}Output:\n{text}")
            })
        }
    };
    Ok(said(output.title(command), justification))
}

fn said(output: ToolOutput, justification: Option<String>) -> ToolOutput {
    match justification {
        Some(justification) => output.with("justification", justification),
        None => output,
    }
}

/// The script of `bash -lc SCRIPT`.
fn script_of(command: &[String]) -> Option<&str> {
    let [shell, flag, script] = command else { return None };
    let is_shell = matches!(shell.rsplit('/').next(), Some("bash" | "zsh" | "sh"));
    (is_shell && matches!(&**flag, "-c" | "-lc")).then_some(script)
}

async fn place(ctx: &ToolContext, workspace: &ActiveWorkspace, workdir: Option<String>) -> Result<Place, ToolError> {
    let workdir = workdir.filter(|workdir| !workdir.is_empty());
    Place::of(ctx, &**workspace, workdir.as_deref().unwrap_or(".")).await
}

fn wish<'a>(permissions: SandboxPermissions, justification: Option<&'a str>, prefix_rule: &'a [String]) -> Wish<'a> {
    Wish { permissions, justification, prefix_rule, can_wish: true }
}

/// What is started.
enum What<'a> {
    Program { program: &'a str, args: &'a [String] },
    Script { shell: Shell, script: &'a str, login: bool },
}

/// Runs it, if it may: again without the sandbox, where that stopped it and it may.
async fn run(
    ctx: &ToolContext,
    workspace: &ActiveWorkspace,
    place: &Place,
    line: &str,
    what: &What<'_>,
    timeout_ms: u64,
    wish: &Wish<'_>,
) -> Result<Done, ToolError> {
    let project = Project::of(ctx, &**workspace).await;
    let mut leave = admit(ctx, &**workspace, &project, line, place, wish).await?;
    loop {
        let start = Start { ctx, workspace: &**workspace, place, confinement: leave.confinement() };
        let running = match what {
            What::Program { program, args } => start.program(program, args).await?,
            What::Script { shell, script, login } => start.script(shell, script, *login, None).await?,
        };
        let mut done = Done::of(ctx, running, timeout_ms).await;
        if let Waited::Ended(end) = &done.waited {
            match leave.again(ctx, end.exit(), || done.live.glance()).await {
                Again::Freely => continue,
                Again::No(why) => done.stopped = why,
            }
        }
        done.sandbox = leave.state().cloned();
        return Ok(done);
    }
}

/// A command that has ended, one way or another.
struct Done {
    live: Live,
    waited: Waited,
    took: Duration,
    /// What is told where the sandbox stopped it.
    stopped: Option<String>,
    sandbox: Option<SandboxState>,
}

impl Done {
    async fn of(ctx: &ToolContext, running: Running, timeout_ms: u64) -> Self {
        let start = Instant::now();
        let live = Live::new(running, TerminalSize::default(), background(ctx, Background::StopGroup));
        let waited = live.wait(ctx, start.checked_add(Duration::from_millis(timeout_ms))).await;
        let took = start.elapsed();
        if !matches!(waited, Waited::Ended(_)) {
            live.stop().await;
        }
        Self { live, waited, took, stopped: None, sandbox: None }
    }

    /// What is shown of it: the words for exit code, seconds, lines (where it was cut), and text.
    fn output(
        &self,
        ctx: &ToolContext,
        command: &str,
        words: impl FnOnce(i32, f64, Option<u64>, String) -> String,
    ) -> ToolOutput {
        let taken = self.live.take();
        let lines = taken.lines;
        let Cut { mut text, whole, .. } = cut(taken, budget(ctx, None));
        let mut note = Note::default();
        if let Some(stopped) = &self.stopped {
            note.say(stopped);
        }
        let (code, signal) = match &self.waited {
            Waited::Ended(End::Exited { exit, .. }) => {
                note.signal(*exit);
                (exit_code(*exit), exit.signal)
            }
            Waited::Ended(End::Lost(why)) => {
                note.say(format!("what became of the command is not known: {why}"));
                (exit_code(Exit::default()), None)
            }
            Waited::Yielded => {
                text.insert_str(0, &format!("command timed out after {} milliseconds\n", self.took.as_millis()));
                (TIMED_OUT, None)
            }
            Waited::Ended(End::TimedOut | End::Cancelled) | Waited::Cancelled => {
                note.say("User aborted the command");
                (exit_code(Exit::new(None, Some(rustix::process::Signal::TERM.as_raw()))), None)
            }
        };
        note.withheld(self.live.withheld(), command, &text, code != 0);
        let shown = match &whole {
            Some(Whole::Lines(lines)) => Some(*lines),
            Some(Whole::Omitted(_)) => Some(lines),
            None => None,
        };
        let output = ToolOutput::text(words(code, self.took.as_secs_f64(), shown, text.clone()))
            .note(note.into_text())
            .with("output", text)
            .with("exit_code", code)
            .with("duration_seconds", self.took.as_secs_f64())
            .with("truncated", whole.is_some());
        let output = match &self.sandbox {
            Some(state) => output.with("sandbox", state),
            None => output,
        };
        match signal {
            Some(signal) => output.with("signal", signal),
            None => output,
        }
    }
}
