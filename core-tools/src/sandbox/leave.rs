//! Whether a command may run, and whether without the sandbox.

use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tool_core::{
    ToolContext, ToolError,
    permission::{PermissionRequest, Reading, RequestKind},
    schemars::JsonSchema,
};

use super::{Confinement, NoSandbox, Sandbox, denial::denial};
use crate::{
    command::{Analysis, ask_files, use_request},
    workspace::{EnvironmentPolicy, Exit, Place, Project, Workspace},
};

/// What is said of a command that the sandbox stopped (codex-rs).
const RETRY: &str = "command failed; retry without sandbox?";

/// Programs that run what they are given: to allow one whatever comes after it allows everything (codex-rs).
const TOO_WIDE: [&[&str]; 31] = [
    &["python"],
    &["python", "-c"],
    &["python3"],
    &["python3", "-c"],
    &["py"],
    &["pypy"],
    &["git"],
    &["bash"],
    &["bash", "-c"],
    &["bash", "-lc"],
    &["sh"],
    &["sh", "-c"],
    &["sh", "-lc"],
    &["zsh"],
    &["zsh", "-c"],
    &["zsh", "-lc"],
    &["env"],
    &["sudo"],
    &["node"],
    &["node", "-e"],
    &["perl"],
    &["perl", "-e"],
    &["ruby"],
    &["ruby", "-e"],
    &["php"],
    &["php", "-r"],
    &["lua"],
    &["lua", "-e"],
    &["pwsh"],
    &["pwsh", "-c"],
    &["osascript"],
];

/// Whether a command is to run in the sandbox (codex-rs).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(crate = "tool_core::schemars")]
#[serde(rename_all = "snake_case")]
pub enum SandboxPermissions {
    /// In the sandbox, where the host has one.
    #[default]
    UseDefault,
    /// Without it: the user is asked.
    RequireEscalated,
}

/// What a call says of the sandbox.
#[derive(Debug, Default)]
pub(crate) struct Wish<'a> {
    pub(crate) permissions: SandboxPermissions,
    pub(crate) justification: Option<&'a str>,
    pub(crate) prefix_rule: &'a [String],
    /// Whether the tool has a way to say so beforehand. One that has not asks afterwards, also under `on-request`.
    pub(crate) can_wish: bool,
}

/// A command that may run.
pub(crate) struct Leave {
    /// In this, or freely.
    confinement: Option<Confinement>,
    /// What people are shown of it: how the command was confined, and whether that seems to have stopped it.
    state: Option<State>,
    /// What is asked where it was stopped.
    escalation: Option<PermissionRequest>,
    place: Place,
    can_wish: bool,
}

/// How a command ran on a host that has a sandbox: in the metadata of its output.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct State {
    /// What confined it, the last time it ran; `none` where nothing did.
    backend: &'static str,
    /// What it leaves open and should not.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<&'static str>,
    /// What shows that the sandbox stopped it, the first time it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    denied: Option<String>,
}

/// What became of a command that the sandbox seems to have stopped.
pub(crate) enum Again {
    /// It may run again, without.
    Freely,
    /// It was not stopped, or may not; what the model is told then.
    No(Option<String>),
}

/// Asks for a command what [`ask_command`](crate::command::ask_command) asks, and then for `escalate`, where it is to run
/// without the sandbox that the host has, or that cannot be had.
///
/// # Errors
/// When leave is not given.
pub(crate) async fn admit(
    ctx: &ToolContext,
    workspace: &dyn Workspace,
    project: &Project,
    script: &str,
    place: &Place,
    wish: &Wish<'_>,
) -> Result<Leave, ToolError> {
    let analysis = ask_files(ctx, workspace, project, script, place).await?;
    let described =
        |request: PermissionRequest| request.with("command", script).with("workdir", project.relative(&place.path));
    let escalation = |kind| {
        let mut request = use_request("escalate", &analysis, Some(kind)).kind(kind).by_name_only();
        if request.patterns.is_empty() {
            // Nothing but redirections and assignments.
            request.patterns.push(script.to_owned());
        }
        described(match prefix(wish.prefix_rule, &analysis) {
            Some(prefix) => request.always([prefix]),
            None => request,
        })
    };

    let sandbox = ctx.state::<Sandbox>().filter(|sandbox| sandbox.is_on());
    let confined = match (sandbox, wish.permissions) {
        (None, _) => Ok(None),
        (Some(_), SandboxPermissions::RequireEscalated) => {
            let why = wish.justification.map(|why| format!(": {why}")).unwrap_or_default();
            Err(format!("it asks to run without the sandbox{why}"))
        }
        (Some(sandbox), SandboxPermissions::UseDefault) => {
            confine(ctx, workspace, sandbox).await.map(Some).map_err(|none| none.to_string())
        }
    };
    // Leave to get out of the sandbox is no leave to do anything there.
    let uses = described(use_request("bash", &analysis, None));
    if !uses.patterns.is_empty() {
        ctx.ask(uses).await?;
    }
    let confinement = match confined {
        Ok(confinement) => confinement,
        Err(reason) => {
            ctx.ask(escalation(RequestKind::Boundary).with("reason", reason)).await?;
            None
        }
    };
    let retry = if wish.can_wish { RequestKind::Escalation } else { RequestKind::Boundary };
    Ok(Leave {
        state: sandbox.map(|_| State {
            backend: confinement.as_ref().map_or("none", Confinement::backend),
            gap: confinement.as_ref().and_then(Confinement::gap),
            denied: None,
        }),
        escalation: confinement.as_ref().map(|_| escalation(retry)),
        confinement,
        place: place.clone(),
        can_wish: wish.can_wish,
    })
}

async fn confine(ctx: &ToolContext, workspace: &dyn Workspace, sandbox: &Sandbox) -> Result<Confinement, NoSandbox> {
    if !workspace.confines() {
        return Err(NoSandbox::new("commands here run on another machine, and are confined on this one alone"));
    }
    let policy = ctx.state::<EnvironmentPolicy>().cloned().unwrap_or_default();
    let set = policy.variables().find(|(name, _)| name == "TMPDIR").map(|(_, value)| value.clone());
    let inherited = || std::env::var_os("TMPDIR").filter(|_| policy.keeps("TMPDIR"));
    let tmpdir = set.or_else(inherited);
    sandbox.confine(ctx.session().cwd(), tmpdir.as_deref()).await
}

/// What "always" is to allow by a model's own word: only where that is narrow enough, and allows all of the script.
fn prefix(words: &[String], analysis: &Analysis) -> Option<String> {
    let is_word = |word: &String| !word.is_empty() && !word.contains(['*', '?']) && !word.contains(char::is_whitespace);
    if words.is_empty()
        || analysis.commands.is_empty()
        || !words.iter().all(is_word)
        || TOO_WIDE.iter().any(|wide| is_program(words, wide))
    {
        return None;
    }
    let pattern = format!("{} *", words.join(" "));
    let covers = |readings: &[Reading]| readings.first().is_some_and(|reading| reading.is_covered_by(&pattern));
    analysis.commands.iter().all(|command| covers(&command.readings)).then_some(pattern)
}

fn is_program(words: &[String], wide: &[&str]) -> bool {
    let program = words[0].rsplit('/').next().unwrap_or_default();
    words.len() == wide.len()
        && program == wide[0]
        && words[1..].iter().zip(&wide[1..]).all(|(one, other)| one == other)
}

impl Leave {
    /// What it is to be started in.
    pub(crate) fn confinement(&self) -> Option<&Confinement> {
        self.confinement.as_ref()
    }

    /// What people are shown of it, where the host has a sandbox.
    pub(crate) fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// Looks at how it ended, and asks, once, whether it may run again without the sandbox where that seems to have
    /// stopped it. From then on the command is not confined.
    pub(crate) async fn again(&mut self, ctx: &ToolContext, exit: Exit, output: impl FnOnce() -> String) -> Again {
        let ended_well = exit.code == Some(0) || exit == Exit::default();
        let confined = self.confinement.clone().zip(self.escalation.clone()).filter(|_| !ended_well);
        let Some((confinement, escalation)) = confined else { return Again::No(None) };
        let (output, cwd) = (output(), self.place.real.clone());
        let looked = spawn_blocking(move || {
            let line = denial(&confinement, exit, &output, &cwd);
            line.map(|line| (line, confinement.summary()))
        });
        let Ok(Some((line, summary))) = looked.await else { return Again::No(None) };
        let request = escalation.with("reason", RETRY).with("denied", &line);
        if let Some(state) = &mut self.state {
            state.denied = Some(line.clone());
        }
        match ctx.ask(request).await {
            Ok(()) => {
                self.confinement = None;
                if let Some(state) = &mut self.state {
                    state.backend = "none";
                }
                Again::Freely
            }
            Err(error) => {
                let wish = if self.can_wish {
                    " If it has to, call again with sandbox_permissions=\"require_escalated\" and a justification."
                } else {
                    ""
                };
                Again::No(Some(format!(
                    "the sandbox ({summary}) seems to have stopped this: {line}\nIt was not run without the sandbox: {error}{wish}"
                )))
            }
        }
    }
}
