//! `write`: a whole file, made or replaced (opencode's tool).
//!
//! In this order: where is it, may it be gone to (`external_directory`), what is there, may it become this (`edit`, with
//! the diff), write. Beyond opencode: the file is replaced in one step, and what changed while somebody was asked is not
//! written over.

mod diff;

use std::{io, path::Path};

use tokio::io::AsyncReadExt;
use tool_core::{ToolContext, ToolError, ToolOutput, permission::PermissionRequest, tool};

use crate::{
    text_file::{BOM, has_bom, strip_bom},
    workspace::{ActiveWorkspace, FileInfo, FileKind, Place, Project, Workspace, ask_external},
};

/// Of a longer file no diff is shown.
const MAX_DIFF_BYTES: u64 = 4 * 1024 * 1024;

/// Write a file, with exactly this content.
///
/// Makes the file, and the directories it is in, or replaces all that was in it. Read an existing file first, and prefer
/// an edit where only a part of it changes. The content is written as it is: line endings are not changed, and a byte
/// order mark that the file had is kept.
#[tool(rename_all = "camelCase", asks = "edit", destructive, set("opencode", "coding"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn write(
    /// All of the file's new content.
    content: String,
    /// Path of the file: absolute, or relative to the working directory.
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
    let place = Place::of(ctx, &*workspace, &file_path).await?;
    ask_external(ctx, &*workspace, &project, &place).await?;

    let before = look(&*workspace, &place).await?;
    let old = match before {
        Some(info) => old(&*workspace, &place, info).await?,
        None => Old::default(),
    };
    let text = strip_bom(&content);
    let path = place.path.to_string_lossy();
    let diff = match old.text {
        Some(old) => diff::unified(&project.relative(&place.path), old, text.to_owned()).await,
        None => format!("(no diff: {path} is too long, or not text)"),
    };
    let request = PermissionRequest::new("edit", place.patterns(&project)).always(["*"]);
    ctx.ask(request.with("filepath", &*path).with("diff", diff)).await?;

    place.is_unchanged(&*workspace).await?;
    if look(&*workspace, &place).await? != before {
        return Err(ToolError::failed(format!(
            "{path} changed while permission to write it was asked for, and was not written. Read it again, then decide."
        )));
    }
    let bom = if old.bom || has_bom(content.as_bytes()) { BOM } else { "" };
    let bytes = format!("{bom}{text}").into_bytes();
    workspace.replace(&place.real, bytes).await.map_err(|error| failed("write", &place.path, &error))?;
    Ok(ToolOutput::text("Wrote file successfully.")
        .title(project.relative(&place.path))
        .with("filepath", path)
        .with("diagnostics", serde_json::json!({}))
        .with("exists", before.is_some()))
}

/// What is there to be replaced: a regular file, or nothing.
async fn look(workspace: &dyn Workspace, place: &Place) -> Result<Option<FileInfo>, ToolError> {
    match workspace.stat(&place.real).await {
        Ok(info) if info.kind == FileKind::File => Ok(Some(info)),
        Ok(info) => Err(ToolError::failed(format!(
            "Cannot write {}: it is {}. Give the path of a regular file, or of one to be made.",
            place.path.display(),
            info.kind
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("write", &place.path, &error)),
    }
}

/// The old content, as far as it matters.
struct Old {
    bom: bool,
    /// Without the mark; `None` when it cannot be shown.
    text: Option<String>,
}

impl Default for Old {
    fn default() -> Self {
        Self { bom: false, text: Some(String::new()) }
    }
}

async fn old(workspace: &dyn Workspace, place: &Place, info: FileInfo) -> Result<Old, ToolError> {
    let read = async {
        let most = if info.len <= MAX_DIFF_BYTES { MAX_DIFF_BYTES + 1 } else { BOM.len() as u64 };
        let mut bytes = Vec::new();
        workspace.open(&place.real).await?.take(most).read_to_end(&mut bytes).await?;
        Ok(bytes)
    };
    let bytes = read.await.map_err(|error| failed("read", &place.path, &error))?;
    let bom = has_bom(&bytes);
    let whole = info.len <= MAX_DIFF_BYTES && bytes.len() as u64 <= MAX_DIFF_BYTES;
    let text = whole.then_some(bytes).and_then(|bytes| String::from_utf8(bytes).ok());
    Ok(Old { bom, text: text.map(|text| strip_bom(&text).to_owned()) })
}

fn failed(verb: &str, path: &Path, error: &io::Error) -> ToolError {
    ToolError::failed(format!("Cannot {verb} {}: {error}", path.display()))
}
