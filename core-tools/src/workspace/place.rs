//! A path in relation to the project: what it is called, what it is asked for by, whether it is outside.

use std::{
    io,
    path::{Path, PathBuf},
};

use tool_core::{ToolContext, ToolError};

use super::{
    BadPath, Workspace,
    alike::{self, Alike},
    resolve,
};

/// What is known of a working directory: see [`Workspace::roots`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    /// The git top level: it or the closest directory above it that has a `.git`; itself where none has.
    pub worktree: PathBuf,
    /// The working directory with all links followed; as it is, where that cannot be done.
    pub real_cwd: PathBuf,
    /// The top level, in the same way.
    pub real_worktree: PathBuf,
}

/// The project a call works in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Project {
    /// The call's working directory.
    pub cwd: PathBuf,
    /// The git top level above it, else the working directory itself. (opencode takes `/` outside git, which makes its
    /// titles there nearly absolute, and nothing relative to the project.)
    pub worktree: PathBuf,
    real_cwd: PathBuf,
    real_worktree: PathBuf,
}

impl Project {
    /// Finds the project of a call.
    pub async fn of(ctx: &ToolContext, workspace: &dyn Workspace) -> Self {
        let cwd = ctx.resolve(".");
        let Roots { worktree, real_cwd, real_worktree } = workspace.roots(&cwd).await;
        Self { cwd, worktree, real_cwd, real_worktree }
    }

    /// Where a command runs: in a directory that a model gave, or in the working directory, which is known.
    pub(crate) async fn workdir(
        &self,
        ctx: &ToolContext,
        workspace: &dyn Workspace,
        given: Option<&str>,
    ) -> Result<Place, ToolError> {
        match given {
            None | Some("" | ".") => Ok(Place { path: self.cwd.clone(), real: self.real_cwd.clone() }),
            Some(given) => Place::of(ctx, workspace, given).await,
        }
    }

    /// A path as people and rules see it: from the worktree, with forward slashes; absolute when it is outside.
    #[must_use]
    pub fn relative(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.worktree).or_else(|_| path.strip_prefix(&self.real_worktree));
        inside.unwrap_or(path).to_string_lossy().into_owned()
    }

    /// Whether a real path is in the working directory. (opencode counts all of the worktree as inside: a `.git` in the
    /// home directory then opens the home directory.)
    #[must_use]
    pub fn holds(&self, real: &Path) -> bool {
        real.starts_with(&self.real_cwd)
    }

    /// Whether a path as it was given is in the project by its text.
    #[must_use]
    pub(super) fn names(&self, path: &Path) -> bool {
        path.starts_with(&self.cwd)
    }
}

/// A path a model gave, made absolute, and where it really leads.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// As it was given, made absolute: what messages show.
    pub path: PathBuf,
    /// With all links followed: what is judged, and then worked on, so that a link that is pointed elsewhere in between
    /// changes nothing. (A link that is put in the very place of what was judged would still be followed.)
    pub real: PathBuf,
}

impl Place {
    /// Finds the place of a model's path: of what exists, if something of that name does, or of a name that looks the
    /// same but for kinds of spaces and quotes and forms of Unicode.
    ///
    /// # Errors
    /// When the path cannot be one of this machine's, or its links lead nowhere.
    pub async fn of(ctx: &ToolContext, workspace: &dyn Workspace, path: &str) -> Result<Self, ToolError> {
        Self::find(ctx, workspace, path, Alike::Similar).await
    }

    /// Finds the place of a file that may be made or replaced as a whole: one that only looks similar is another file,
    /// and is let be. The forms of Unicode are no difference here either.
    ///
    /// # Errors
    /// As of [`of`](Self::of).
    pub async fn to_write(ctx: &ToolContext, workspace: &dyn Workspace, path: &str) -> Result<Self, ToolError> {
        Self::find(ctx, workspace, path, Alike::Equivalent).await
    }

    async fn find(ctx: &ToolContext, workspace: &dyn Workspace, path: &str, alike: Alike) -> Result<Self, ToolError> {
        let path = without_mark(ctx, workspace, path).await?;
        Self::as_written(ctx, workspace, path, alike).await
    }

    /// Finds the place of a path in which every sign is meant, as in a patch: an `@` in front belongs to the name.
    pub(crate) async fn as_written(
        ctx: &ToolContext,
        workspace: &dyn Workspace,
        path: &str,
        alike: Alike,
    ) -> Result<Self, ToolError> {
        let path = resolve(ctx, workspace, path)?;
        let path = alike::find(workspace, path, alike).await;
        match workspace.real_path(&path).await {
            Ok(real) => Ok(Self { path, real }),
            Err(error) => Err(unreachable(&path, &error)),
        }
    }

    /// Looks again, after somebody was asked: a link that was put in the way meanwhile leads to what nobody allowed.
    ///
    /// # Errors
    /// When the place is not what was judged any more.
    pub async fn is_unchanged(&self, workspace: &dyn Workspace) -> Result<(), ToolError> {
        match workspace.real_path(&self.real).await {
            Ok(real) if real == self.real => Ok(()),
            Ok(_) => Err(ToolError::failed(format!(
                "{} changed while permission was asked for: a link stands there now. Look again, then decide.",
                self.path.display()
            ))),
            Err(error) => Err(unreachable(&self.path, &error)),
        }
    }

    /// What rules are asked about: the name from the worktree, and where a link leads elsewhere, that place too. A rule
    /// on `*.env` then also holds for a link to such a file, which it does not in opencode.
    #[must_use]
    pub fn patterns(&self, project: &Project) -> Vec<String> {
        let mut patterns = vec![project.relative(&self.path)];
        let real = project.relative(&self.real);
        if !patterns.contains(&real) {
            patterns.push(real);
        }
        patterns
    }
}

/// A path without the `@` that some interfaces put in front of files (pi): where its first part is there without it, and
/// is not with it, as folders of packages are.
async fn without_mark<'p>(ctx: &ToolContext, workspace: &dyn Workspace, path: &'p str) -> Result<&'p str, BadPath> {
    let Some(rest) = path.strip_prefix('@').filter(|rest| !rest.is_empty()) else { return Ok(path) };
    let is_there = async |path: &str| -> Result<bool, BadPath> {
        // Of an address there is no first part.
        let first = if path.contains("://") { path } else { path.split_inclusive('/').next().unwrap_or(path) };
        Ok(workspace.stat(&resolve(ctx, workspace, first)?).await.is_ok())
    };
    Ok(if is_there(rest).await? && !is_there(path).await? { rest } else { path })
}

fn unreachable(path: &Path, error: &io::Error) -> ToolError {
    ToolError::failed(format!("Cannot reach {}: {error}. Check the path, or ask the user for access.", path.display()))
}
