//! `list_dir`: a page of a tree (codex's tool).

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use tool_core::{ToolContext, ToolError, ToolOutput, permission::PermissionRequest, tool};

use crate::{
    search::{Report, Searched, Wording, cut, finish, is_absolute},
    workspace::{ActiveWorkspace, Fault, FileKind, Found, Place, Step, Visit, Visitor, Walk},
};

/// codex's defaults.
const ENTRIES: u64 = 25;
const DEPTH: u64 = 2;
/// Names are cut after so many bytes (codex).
const MAX_NAME: usize = 500;
/// So many entries are looked at: a page is of all of them, and a tree may have millions.
const MOST: usize = 200_000;

const WORDING: Wording = Wording {
    missing: |path| format!("failed to read directory: there is no {path}"),
    no_directory: Some(|path| format!("failed to read directory: {path} is not a directory")),
};

/// List a directory and what is in the directories below it.
///
/// Gives names indented by depth, directories with a `/` at the end, symbolic links with an `@`, anything else than files
/// with a `?`; hidden and ignored entries too, but not what is in `.git`. Those of lower depth are counted first.
#[tool(asks = "list", read_only, set = "codex")]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn list_dir(
    /// Absolute path of the directory.
    dir_path: String,
    /// The entry to begin at, counted from 1.
    #[arg(default = 1)]
    offset: u64,
    /// How many entries to show at most.
    #[arg(default = ENTRIES)]
    limit: u64,
    /// How many levels to go down, 1 for the directory alone.
    #[arg(default = DEPTH)]
    depth: u64,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    for (wrong, what) in [
        (offset == 0, "offset must be a 1-indexed entry number"),
        (limit == 0, "limit must be greater than zero"),
        (depth == 0, "depth must be greater than zero"),
        (!is_absolute(&dir_path), "dir_path must be an absolute path"),
    ] {
        if wrong {
            return Err(ToolError::failed(what));
        }
    }
    let leave = |project: &_, place: &Place| {
        PermissionRequest::new("list", place.patterns(project)).always(["*"]).with("path", &dir_path)
    };
    let searched = Searched::of(ctx, &workspace, Some(&dir_path), leave, WORDING).await?;
    let listing = Arc::new(Listing::default());
    let walk = Walk::new(&searched.place.real).all().depth(usize::try_from(depth).unwrap_or(usize::MAX));
    finish(ctx, workspace.shared().walk(walk, listing.clone())).await?;
    let mut listed = std::mem::take(&mut *listing.0.lock().unwrap_or_else(PoisonError::into_inner));
    if let Some(fault) = listed.faults.iter().find(|fault| fault.path.as_ref() == Some(&searched.place.real)) {
        return Err(ToolError::failed(format!("failed to read directory: {}", fault.error)));
    }

    // Those of lower depth come first where a page is cut, and each stands below its directory on the page.
    listed.entries.sort_by(|one, other| (one.depth, &one.path).cmp(&(other.depth, &other.path)));
    let total = listed.entries.len();
    let skip = usize::try_from(offset - 1).unwrap_or(usize::MAX);
    if skip >= total && (skip > 0 || total > 0) {
        return Err(ToolError::failed("offset exceeds directory entry count"));
    }
    let mut page: Vec<Entry> =
        listed.entries.into_iter().skip(skip).take(usize::try_from(limit).unwrap_or(usize::MAX)).collect();
    page.sort_by(|one, other| one.path.cmp(&other.path));
    let mut report = Report::new(ctx.limits().bytes);
    let head = report.line(&format!("Absolute path: {}", searched.place.path.display()));
    let count = if head { page.iter().take_while(|entry| report.line(&entry.line())).count() } else { 0 };
    let truncated = skip + count < total || listed.is_cut;
    let mut text = report.finish();
    if truncated {
        text.push_str(&format!("\nMore than {count} entries found"));
    }
    if let Some(fault) = listed.faults.first() {
        let path = fault.path.as_deref().unwrap_or(Path::new("?")).display();
        text.push_str(&format!("\n({} directories could not be read: {path}: {})", listed.faults.len(), fault.error));
    }
    Ok(ToolOutput::text(text).title(searched.title).with("count", count).with("truncated", truncated))
}

/// One entry.
#[derive(Debug)]
struct Entry {
    path: PathBuf,
    depth: usize,
    kind: FileKind,
}

impl Entry {
    fn line(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let mark = match self.kind {
            FileKind::Directory => "/",
            FileKind::Link => "@",
            FileKind::File => "",
            _ => "?",
        };
        format!("{}{}{mark}", "  ".repeat(self.depth - 1), cut(&name, MAX_NAME))
    }
}

#[derive(Default)]
struct Listing(Mutex<Listed>);

#[derive(Default)]
struct Listed {
    entries: Vec<Entry>,
    faults: Vec<Fault>,
    /// Whether there are more entries than are looked at.
    is_cut: bool,
}

impl Visit for Listing {
    fn visitor(&self) -> Box<dyn Visitor + '_> {
        Box::new(Worker(self))
    }
}

struct Worker<'a>(&'a Listing);

impl Visitor for Worker<'_> {
    fn visit(&mut self, found: &Found<'_>) -> Step {
        let mut listed = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if listed.entries.len() >= MOST {
            listed.is_cut = true;
            return Step::Stop;
        }
        listed.entries.push(Entry { path: found.path().to_owned(), depth: found.depth().max(1), kind: found.kind() });
        let is_git = found.path().file_name().is_some_and(|name| name == ".git");
        if is_git { Step::Past } else { Step::On }
    }

    fn fault(&mut self, fault: Fault) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).faults.push(fault);
    }
}
