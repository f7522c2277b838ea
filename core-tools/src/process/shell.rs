//! Which shell runs commands.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use tool_core::{ToolContext, ToolError};

use crate::workspace::{FileKind, Workspace};

/// The shells a model may name: all take `-c` and `-l`, and a command in POSIX syntax.
const KNOWN: [&str; 6] = ["bash", "zsh", "sh", "dash", "ksh", "mksh"];
/// Where shells are.
const FOLDERS: [&str; 5] = ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/bin", "/run/current-system/sw/bin"];

/// The shell that commands are given to with `-c`.
///
/// A host registers one as state of its executor; without it, bash runs them, or `sh` where there is no bash. opencode
/// takes `$SHELL` here, which is the host's to look up: `Shell::new(…)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell(PathBuf);

/// The machine's shell, as a session found it first.
#[derive(Default)]
struct Usual(OnceLock<Shell>);

impl Shell {
    /// The shell at this path. It has to take `-c` with a command in POSIX syntax, which fish and nu do not.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The program.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The host's shell, else the machine's.
    pub(crate) async fn of(ctx: &ToolContext, workspace: &dyn Workspace) -> Self {
        if let Some(registered) = ctx.state::<Self>() {
            return registered.clone();
        }
        let usual = ctx.session().memory::<Usual>();
        if let Some(known) = usual.0.get() {
            return known.clone();
        }
        let bash = Path::new("/bin/bash");
        let found = Self::new(if is_file(workspace, bash).await { bash } else { Path::new("/bin/sh") });
        usual.0.get_or_init(|| found).clone()
    }

    /// The shell that a call names, by its name or path; else as [`of`](Self::of). codex silently takes `/bin/sh` where
    /// it does not know a shell, and the command is then read by other rules than it was written by.
    pub(crate) async fn named(
        ctx: &ToolContext,
        workspace: &dyn Workspace,
        named: Option<&str>,
    ) -> Result<Self, ToolError> {
        let Some(named) = named.filter(|name| !name.is_empty()) else { return Ok(Self::of(ctx, workspace).await) };
        let path = Path::new(named);
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if KNOWN.contains(&name) {
            let folders = path.parent().filter(|folder| folder.is_absolute()).map(Path::to_owned);
            for folder in folders.into_iter().chain(FOLDERS.map(PathBuf::from)) {
                // The folder's own name, as a search of the PATH would give: `/bin` may be a link to it.
                let Ok(folder) = workspace.real_path(&folder).await else { continue };
                if is_file(workspace, &folder.join(name)).await {
                    return Ok(Self::new(folder.join(name)));
                }
            }
        }
        Err(ToolError::failed(format!(
            "There is no shell `{named}` to run commands here. Leave `shell` out, or give one of {} that is installed.",
            KNOWN.join(", ")
        )))
    }
}

async fn is_file(workspace: &dyn Workspace, path: &Path) -> bool {
    workspace.stat(path).await.is_ok_and(|info| info.kind == FileKind::File)
}
