//! Asking before a tool goes outside the project.

use std::path::{Path, PathBuf};

use tool_core::{
    ToolContext, ToolError,
    permission::{PermissionRequest, RequestKind},
};

use super::{FileKind, Place, Project, Workspace};

/// Asks for `external_directory` where a place is outside the working directory (opencode's permission,
/// pattern and metadata; there all of the git worktree counts as inside, see [`Project::holds`]).
///
/// What counts is where the path leads. opencode judges the text alone, so that a link inside the project opens any file
/// outside without a question; here it is asked about by the folder it leads to. A path that is outside by name as well
/// and leads somewhere else is asked about by both folders. The folder of spilled outputs is never outside.
///
/// # Errors
/// When leave is not given.
pub async fn ask_external(
    ctx: &ToolContext,
    workspace: &dyn Workspace,
    project: &Project,
    place: &Place,
) -> Result<(), ToolError> {
    let Some(outside) = outside(ctx, workspace, project, place).await else { return Ok(()) };
    // A folder's own name may have a wildcard in it, which would then allow others too.
    let is_plain = |pattern: &String| !pattern.trim_end_matches("/*").contains(['*', '?']);
    let patterns = outside.patterns;
    let always = if patterns.iter().all(is_plain) { patterns.clone() } else { Vec::new() };
    let request = PermissionRequest::new("external_directory", patterns)
        .always(always)
        .kind(RequestKind::Boundary)
        .with("filepath", place.path.to_string_lossy())
        .with("parentDir", outside.folder.to_string_lossy());
    ctx.ask(request).await
}

/// A place outside the project: the patterns that it is asked for by, and the folder that it is really in.
pub(crate) struct Outside {
    pub(crate) patterns: Vec<String>,
    pub(crate) folder: PathBuf,
}

/// What has to be asked for a place; `None` where it is in the project.
pub(crate) async fn outside(
    ctx: &ToolContext,
    workspace: &dyn Workspace,
    project: &Project,
    place: &Place,
) -> Option<Outside> {
    if project.holds(&place.real) || is_spill(ctx, workspace, &place.real).await {
        return None;
    }
    let is_folder = workspace.stat(&place.real).await.is_ok_and(|info| info.kind == FileKind::Directory);
    let folder =
        |path: &Path| -> PathBuf { if is_folder { path.to_owned() } else { path.parent().unwrap_or(path).to_owned() } };
    let real = folder(&place.real);
    let mut patterns = vec![all_in(&real)];
    if !project.names(&place.path) {
        let named = all_in(&folder(&place.path));
        if !patterns.contains(&named) {
            patterns.insert(0, named);
        }
    }
    Some(Outside { patterns, folder: real })
}

fn all_in(folder: &Path) -> String {
    format!("{}/*", folder.to_string_lossy().trim_end_matches('/'))
}

async fn is_spill(ctx: &ToolContext, workspace: &dyn Workspace, real: &Path) -> bool {
    let Some(store) = ctx.spills() else { return false };
    let spills = ctx.resolve(store.directory());
    workspace.real_path(&spills).await.is_ok_and(|spills| real.starts_with(spills))
}
