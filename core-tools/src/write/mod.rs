//! `write`: a whole file, made or replaced (opencode's tool; pi's has `path` for `filePath`).
//!
//! In this order: where is it, may it be gone to (`external_directory`), what is there and is it what the session knows,
//! may it become this (`edit`, with the diff), write. Beyond opencode: the file is replaced in one step and keeps its
//! encoding, and what somebody else changed is not written over.

mod old;

use std::{io, path::Path};

use bytes::Bytes;
use serde_json::json;
use tool_core::{ToolContext, ToolError, ToolOutput, permission::PermissionRequest, tool};

use self::old::Old;
use crate::{
    text_file::Diff,
    workspace::{ActiveWorkspace, Change, Place, Project, Seen, apply_all, ask_external},
};

/// Write a file, with exactly this content.
///
/// Makes the file, and the directories it is in, or replaces all that was in it. Read an existing file first, and prefer
/// an edit where only a part of it changes: a file that changed on disk since you read it is not replaced. The content is
/// written as it is: line endings are not changed. A byte order mark that the file had is kept, and so is UTF-16.
#[tool(rename_all = "camelCase", asks = "edit", destructive, set("opencode", "pi", "coding"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn write(
    /// All of the file's new content.
    content: String,
    /// Path of the file: absolute, or relative to the working directory.
    #[arg(alias = "path")]
    file_path: String,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    if file_path.ends_with('/') {
        return Err(ToolError::failed(format!(
            "Cannot write {file_path}: it names a directory. Give the path of a file."
        )));
    }
    let project = Project::of(ctx, &*workspace).await;
    let place = Place::to_write(ctx, &*workspace, &file_path).await?;
    ask_external(ctx, &*workspace, &project, &place).await?;

    let guard = workspace.locks().lock([place.real.clone()]).await;
    let old = Old::look(&*workspace, &place).await?;
    let warning = match old.info() {
        Some(info) => Seen::check(ctx, &place.real, &place.path, info, old.bytes())?,
        None => None,
    };
    let new = Bytes::from(old.encode(&content));
    let path = place.path.to_string_lossy().into_owned();
    let diff = match old.text() {
        Some(text) => Diff::between(path.clone(), text, Bytes::from(content)).await,
        None => Diff::missing(format!("(no diff: what was in {path} is too long, or not text)")),
    };
    let request = PermissionRequest::new("edit", place.patterns(&project)).always(["*"]);
    ctx.ask(request.with("filepath", &*path).with("diff", &*diff.patch)).await?;

    place.is_unchanged(&*workspace).await?;
    if old.bytes() != Some(&new) {
        let change = Change::write(&place.real, new, old.before());
        apply_all(&workspace, Seen::of(ctx), guard, vec![change]).await.map_err(ToolError::from_error)?;
    }
    let mut text = String::from("Wrote file successfully.");
    if let Some(warning) = warning {
        text.push_str("\n\n");
        text.push_str(&warning);
    }
    let filediff = json!({
        "file": path, "patch": diff.patch, "additions": diff.additions, "deletions": diff.deletions,
    });
    Ok(ToolOutput::text(text)
        .title(project.relative(&place.path))
        .with("filepath", path)
        .with("diff", diff.patch)
        .with("filediff", filediff)
        .with("diagnostics", json!({}))
        .with("exists", old.info().is_some()))
}

fn failed(path: &Path, error: &io::Error) -> ToolError {
    ToolError::failed(format!("Cannot write {}: {error}", path.display()))
}
