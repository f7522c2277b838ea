//! Where a search begins.

use std::path::{Path, PathBuf};

use tool_core::{ToolContext, ToolError, permission::PermissionRequest};

use super::{Globs, NameGlob, content::Denies, globs::BadGlob};
use crate::workspace::{ActiveWorkspace, FileKind, Place, Project, Workspace, ask_external, is_missing, suggestions};

/// A place that may be searched.
#[derive(Debug)]
pub(crate) struct Searched {
    pub(crate) place: Place,
    pub(crate) kind: FileKind,
    /// The place as people see it: from the worktree.
    pub(crate) title: String,
    project: Project,
}

/// How a tool says that its place is not what it has to be; each gets the absolute path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wording {
    /// There is nothing.
    pub(crate) missing: fn(&str) -> String,
    /// It is no directory; `None` where a file will do.
    pub(crate) no_directory: Option<fn(&str) -> String>,
}

/// Asks whether a directory may be listed: the permission of opencode's `list`.
pub(crate) fn leave_to_list(path: Option<&str>) -> impl FnOnce(&Project, &Place) -> PermissionRequest {
    move |project, place| PermissionRequest::new("list", place.patterns(project)).always(["*"]).with("path", path)
}

/// Asks whether files may be looked for by a glob, which is the pattern: the permission of opencode's `glob`.
pub(crate) fn leave_to_glob(pattern: &str, path: Option<&str>) -> impl FnOnce(&Project, &Place) -> PermissionRequest {
    move |_, _| PermissionRequest::new("glob", [pattern]).always(["*"]).with("pattern", pattern).with("path", path)
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
        // An empty path is what models write for none. A name may well begin or end with a space.
        let path = path.filter(|path| !path.trim().is_empty()).unwrap_or(".");
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
        Ok(Self { place, kind, title, project })
    }

    /// A path that was found, as the model named what is above it.
    pub(crate) fn shown(&self, found: &Path) -> PathBuf {
        below(&self.place, found)
    }

    /// A path that was found, from the place; of a file that is the place itself, its name.
    pub(crate) fn below(&self, found: &Path) -> String {
        match found.strip_prefix(&self.place.real) {
            Ok(below) if !below.as_os_str().is_empty() => below.to_string_lossy().into_owned(),
            _ => found.file_name().unwrap_or(found.as_os_str()).to_string_lossy().into_owned(),
        }
    }

    /// A filter of what is below the place, by a glob as ripgrep's `--glob` reads it.
    ///
    /// # Errors
    /// When the glob cannot be read, or can match nothing there.
    pub(crate) async fn globs(&self, workspace: &dyn Workspace, glob: &str) -> Result<Globs, ToolError> {
        let [real, named] = self.folders();
        let globs = Globs::new(real, named, glob)?;
        // `/src` is tied to the folder, unless the whole machine has such a place and the folder has not.
        if let Some(first) = globs.begins_with()
            && is_there(workspace, &Path::new("/").join(first)).await
            && !is_there(workspace, &real.join(first)).await
        {
            return Err(BadGlob::elsewhere(glob).into());
        }
        Ok(globs)
    }

    /// A filter of what is below the place, by a glob as pi's `find` reads it.
    ///
    /// # Errors
    /// As of [`globs`](Self::globs).
    pub(crate) fn name_glob(&self, glob: &str) -> Result<NameGlob, ToolError> {
        let [real, named] = self.folders();
        Ok(NameGlob::new(real, named, glob)?)
    }

    /// Whether a rule denies to read a file below the place: as `read` asks, by its name from the worktree, and by that
    /// of where it really is.
    pub(crate) fn denies_reading(&self, ctx: &ToolContext) -> Box<Denies> {
        let (ctx, project, place) = (ctx.clone(), self.project.clone(), self.place.clone());
        Box::new(move |found| {
            let shown = below(&place, found);
            let denies = |path: &Path| ctx.denies("read", &project.relative(path));
            denies(&shown) || shown != found && denies(found)
        })
    }

    /// The directory that globs are meant from: really, and as the model named it.
    fn folders(&self) -> [&Path; 2] {
        [&self.place.real, &self.place.path].map(|path| match self.kind {
            FileKind::Directory => path.as_path(),
            _ => path.parent().unwrap_or(path),
        })
    }
}

/// A path that was found at a place or below it, as the model named the place.
fn below(place: &Place, found: &Path) -> PathBuf {
    match found.strip_prefix(&place.real) {
        Ok(below) if below.as_os_str().is_empty() => place.path.clone(),
        Ok(below) => place.path.join(below),
        Err(_) => found.to_owned(),
    }
}

async fn is_there(workspace: &dyn Workspace, path: &Path) -> bool {
    workspace.stat(path).await.is_ok()
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
    ["/", "~", "file:"].iter().any(|start| path.starts_with(start))
}
