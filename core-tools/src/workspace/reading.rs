//! Asking before a tool looks into a file.

use tool_core::{ToolContext, ToolError, permission::PermissionRequest};

use super::{Place, Project, Workspace, ask_external};

/// Finds the place of a model's path that is to be read, and asks for leave: `external_directory`, then `read`
/// (opencode's permissions and patterns).
///
/// # Errors
/// When it cannot be a path, leave is not given, or it leads elsewhere by then.
pub(crate) async fn place_to_read(
    ctx: &ToolContext,
    workspace: &dyn Workspace,
    path: &str,
) -> Result<(Project, Place), ToolError> {
    let project = Project::of(ctx, workspace).await;
    let place = Place::of(ctx, workspace, path).await?;
    ask_external(ctx, workspace, &project, &place).await?;
    ctx.ask(PermissionRequest::new("read", place.patterns(&project)).always(["*"])).await?;
    place.is_unchanged(workspace).await?;
    Ok((project, place))
}
