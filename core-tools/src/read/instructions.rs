//! Instruction files beside what is read, told to the model once a session.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use tokio::io::AsyncReadExt;
use tool_core::ToolContext;

use crate::workspace::{FileKind, Place, Project, Workspace};

/// In each directory the first of these counts (opencode).
const NAMES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];
/// As much of one file is told. opencode tells all, however long.
const MAX_BYTES: usize = 50 * 1024;

/// What was told in this session.
#[derive(Default)]
struct Told(Mutex<HashSet<PathBuf>>);

/// What is added to a read.
#[derive(Debug, Default)]
pub(super) struct Reminder {
    /// The text behind the result; empty where there is nothing to tell.
    pub(super) text: String,
    /// The files in it.
    pub(super) loaded: Vec<String>,
}

/// The instruction files from a file's directory up to the working directory, that one left out; the nearest first
/// (opencode).
///
/// A file that is a link out of the project is left alone: whoever wrote the project has no say over what else of this
/// machine a model is told unasked.
pub(super) async fn of(ctx: &ToolContext, workspace: &dyn Workspace, project: &Project, place: &Place) -> Reminder {
    let told = ctx.session().memory::<Told>();
    let mut loaded = Vec::new();
    let mut blocks = Vec::new();
    let folders = place.path.ancestors().skip(1);
    for folder in folders.take_while(|folder| folder.starts_with(&project.cwd) && *folder != project.cwd) {
        let Some((path, real)) = first(workspace, folder).await else { continue };
        let found = Place { path, real };
        if found.real == place.real || !project.holds(&found.real) || is_denied(ctx, project, &found) {
            continue;
        }
        let Place { path, real } = found;
        // Claimed before it is read, so that of two calls at the same time one tells it.
        if !told.0.lock().unwrap_or_else(PoisonError::into_inner).insert(real.clone()) {
            continue;
        }
        if let Some(text) = text(workspace, &real).await {
            if text.trim().is_empty() {
                continue;
            }
            let path = path.to_string_lossy().into_owned();
            blocks.push(format!("Instructions from: {path}\n{text}"));
            loaded.push(path);
        } else {
            told.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&real);
        }
    }
    if blocks.is_empty() {
        return Reminder::default();
    }
    let text = format!("\n\n<system-reminder>\n{}\n</system-reminder>", blocks.join("\n\n"));
    Reminder { text, loaded }
}

/// Nobody is asked about these, but what must not be read is not told either, whatever link leads to it.
fn is_denied(ctx: &ToolContext, project: &Project, found: &Place) -> bool {
    found.patterns(project).iter().any(|pattern| ctx.denies("read", pattern))
}

async fn first(workspace: &dyn Workspace, folder: &Path) -> Option<(PathBuf, PathBuf)> {
    for name in NAMES {
        let path = folder.join(name);
        if workspace.stat(&path).await.is_ok_and(|info| info.kind == FileKind::File) {
            let real = workspace.real_path(&path).await.ok()?;
            return Some((path, real));
        }
    }
    None
}

async fn text(workspace: &dyn Workspace, path: &Path) -> Option<String> {
    let source = workspace.open(path).await.ok()?;
    let mut bytes = Vec::new();
    source.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).await.ok()?;
    let whole = bytes.len() <= MAX_BYTES;
    bytes.truncate(MAX_BYTES);
    let text = String::from_utf8_lossy(crate::text_file::strip_bom_bytes(&bytes)).into_owned();
    Some(if whole { text } else { text + "\n(There is more of these instructions: read the file.)" })
}
