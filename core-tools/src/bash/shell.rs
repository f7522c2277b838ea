//! Which shell runs commands.

use std::path::{Path, PathBuf};

use tool_core::ToolContext;

use crate::workspace::{FileKind, Workspace};

/// The shell that commands are given to with `-c`.
///
/// A host registers one as state of its executor; without it, bash runs them, or `sh` where there is no bash. opencode
/// takes `$SHELL` here, which is the host's to look up: `Shell::new(…)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell(PathBuf);

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
    pub(super) async fn of(ctx: &ToolContext, workspace: &dyn Workspace) -> Self {
        if let Some(registered) = ctx.state::<Self>() {
            return registered.clone();
        }
        let bash = Path::new("/bin/bash");
        let has_bash = workspace.stat(bash).await.is_ok_and(|info| info.kind == FileKind::File);
        Self::new(if has_bash { bash } else { Path::new("/bin/sh") })
    }
}
