//! Which file an operation is about.

use std::{
    io,
    path::{Path, PathBuf},
};

use tool_core::{ToolContext, ToolError};

use super::patch::WrittenPath;
use crate::workspace::{Place, Workspace};

/// A file that a patch names.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// Its path as the patch writes it.
    pub(super) written: String,
    /// Where it is.
    pub(super) place: Place,
    /// The name itself, in its real directory: where it is a link, the link and not what it leads to.
    pub(super) name: PathBuf,
}

impl Target {
    /// The file that a path means. Of several readings that is the first with a file; `made` are names that the patch
    /// gives files before this operation.
    pub(super) async fn of(
        ctx: &ToolContext,
        workspace: &dyn Workspace,
        path: &WrittenPath,
        made: &[Target],
    ) -> Result<Self, ToolError> {
        let mut first = None;
        for reading in path.readings() {
            let target = Self::at(ctx, workspace, reading).await?;
            let is_there =
                made.iter().any(|made| made.name == target.name) || workspace.stat(&target.place.real).await.is_ok();
            if is_there {
                return Ok(target);
            }
            first.get_or_insert(target);
        }
        first.ok_or_else(|| ToolError::failed("a file of the patch has no path"))
    }

    /// The file of a path that has one reading.
    pub(super) async fn at(ctx: &ToolContext, workspace: &dyn Workspace, path: &str) -> Result<Self, ToolError> {
        let place = Place::of(ctx, workspace, path).await?;
        let name = own_name(workspace, &place.path).await.unwrap_or_else(|_| place.real.clone());
        Ok(Self { written: path.to_owned(), place, name })
    }

    /// Whether it is a link.
    pub(super) fn is_link(&self) -> bool {
        self.name != self.place.real
    }
}

/// A path with the links of all its parts followed, but for the last.
async fn own_name(workspace: &dyn Workspace, path: &Path) -> io::Result<PathBuf> {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => Ok(workspace.real_path(folder).await?.join(name)),
        _ => workspace.real_path(path).await,
    }
}
