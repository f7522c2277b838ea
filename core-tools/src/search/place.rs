//! Where a search begins.

use std::path::{Path, PathBuf};

use tool_core::{ToolContext, ToolError, permission::PermissionRequest};

use crate::workspace::{ActiveWorkspace, FileKind, Place, Project, ask_external, is_missing, suggestions};

/// A place that may be searched.
#[derive(Debug)]
pub(crate) struct Searched {
    pub(crate) place: Place,
    pub(crate) kind: FileKind,
    /// The place as people see it: from the worktree.
    pub(crate) title: String,
}

/// How a tool says that its place is not what it has to be; each gets the absolute path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wording {
    /// There is nothing.
    pub(crate) missing: fn(&str) -> String,
    /// It is no directory; `None` where a file will do.
    pub(crate) no_directory: Option<fn(&str) -> String>,
}

impl Searched {
    /// Finds the place, asks for leave (`external_directory`, then the tool's own), and looks what it is.
    ///
    /// # Errors
    /// When leave is not given, or there is nothing that can be searched.
    pub(crate) async fn of(
        ctx: &ToolContext,
        workspace: &ActiveWorkspace,
        path: Option<&str>,
        leave: impl FnOnce(&Project, &Place) -> PermissionRequest,
        wording: Wording,
    ) -> Result<Self, ToolError> {
        let project = Project::of(ctx, &**workspace).await;
        // An empty path is what models write for none.
        let path = path.map(str::trim).filter(|path| !path.is_empty()).unwrap_or(".");
        let place = Place::of(ctx, &**workspace, path).await?;
        ask_external(ctx, &**workspace, &project, &place).await?;
        ctx.ask(leave(&project, &place)).await?;
        place.is_unchanged(&**workspace).await?;
        let shown = place.path.to_string_lossy();
        let kind = match workspace.stat(&place.real).await {
            Ok(info) => info.kind,
            Err(error) if is_missing(&error) => {
                let suggestions = suggestions(&**workspace, &place).await;
                return Err(ToolError::failed(format!("{}{suggestions}", (wording.missing)(&shown))));
            }
            Err(error) => return Err(ToolError::failed(format!("Cannot search {shown}: {error}"))),
        };
        match (kind, wording.no_directory) {
            (FileKind::Directory, _) | (FileKind::File, None) => {}
            (_, Some(no_directory)) => return Err(ToolError::failed(no_directory(&shown))),
            (kind, None) => {
                return Err(ToolError::failed(format!(
                    "Cannot search {shown}: it is {kind}, and only regular files and directories can be searched."
                )));
            }
        }
        let title = project.relative(&place.path);
        Ok(Self { place, kind, title })
    }

    /// A path that was found, as the model named what is above it.
    pub(crate) fn shown(&self, found: &Path) -> PathBuf {
        match found.strip_prefix(&self.place.real) {
            Ok(below) if below.as_os_str().is_empty() => self.place.path.clone(),
            Ok(below) => self.place.path.join(below),
            Err(_) => found.to_owned(),
        }
    }

    /// A path that was found, from the place; of a file that is the place itself, its name.
    pub(crate) fn below(&self, found: &Path) -> String {
        match found.strip_prefix(&self.place.real) {
            Ok(below) if !below.as_os_str().is_empty() => below.to_string_lossy().into_owned(),
            _ => found.file_name().unwrap_or(found.as_os_str()).to_string_lossy().into_owned(),
        }
    }

    /// The directory that globs are meant from.
    pub(crate) fn folder(&self) -> &Path {
        match self.kind {
            FileKind::Directory => &self.place.real,
            _ => self.place.real.parent().unwrap_or(&self.place.real),
        }
    }
}

/// Waits for a search, unless the call is cancelled first: then the search ends.
///
/// # Errors
/// When it is cancelled, or cannot be made.
pub(crate) async fn finish<T>(
    ctx: &ToolContext,
    search: impl Future<Output = std::io::Result<T>>,
) -> Result<T, ToolError> {
    match ctx.cancellation().run_until_cancelled(search).await {
        None => Err(ToolError::Cancelled),
        Some(found) => found.map_err(|error| ToolError::failed(format!("Cannot search: {error}"))),
    }
}

/// Whether a path says by itself where it is, as codex's tools want it.
pub(crate) fn is_absolute(path: &str) -> bool {
    ["/", "~", "file:"].iter().any(|start| path.trim_start().starts_with(start))
}
