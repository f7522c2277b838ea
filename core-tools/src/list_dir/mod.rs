//! `list_dir`: a page of a tree (codex's tool).

use std::{
    collections::BinaryHeap,
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
/// Of the first so many entries a page can be had: all before its end are held.
const MOST: u64 = 200_000;

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
    if offset > MOST {
        return Err(ToolError::failed(format!(
            "offset must be {MOST} at most, and is {offset}: list a directory further down"
        )));
    }
    let leave = |project: &_, place: &Place| {
        PermissionRequest::new("list", place.patterns(project)).always(["*"]).with("path", &dir_path)
    };
    let searched = Searched::of(ctx, &workspace, Some(&dir_path), leave, WORDING).await?;
    // Those of lower depth come first where a page is cut, and each stands below its directory on the page.
    let end = usize::try_from((offset - 1).saturating_add(limit).min(MOST)).unwrap_or(usize::MAX);
    let listing = Arc::new(Listing { end, listed: Mutex::default() });
    let walk = Walk::new(&searched.place.real).all().depth(usize::try_from(depth).unwrap_or(usize::MAX));
    finish(ctx, workspace.shared().walk(walk, listing.clone())).await?;
    let listed = std::mem::take(&mut *listing.listed.lock().unwrap_or_else(PoisonError::into_inner));
    if let Some(fault) = listed.fault.as_ref().filter(|fault| fault.path.as_ref() == Some(&searched.place.real)) {
        return Err(ToolError::failed(format!("failed to read directory: {}", fault.error)));
    }

    let total = listed.total;
    let skip = usize::try_from(offset - 1).unwrap_or(usize::MAX);
    if skip >= total && (skip > 0 || total > 0) {
        return Err(ToolError::failed("offset exceeds directory entry count"));
    }
    let mut page = listed.first.into_sorted_vec().split_off(skip);
    page.sort_by(|one, other| one.path.cmp(&other.path));
    let mut report = Report::new(ctx.limits().bytes);
    let head = report.line(&format!("Absolute path: {}", searched.place.path.display()));
    let count = if head { page.iter().take_while(|entry| report.line(&entry.line())).count() } else { 0 };
    let truncated = skip + count < total;
    let mut text = report.finish();
    if truncated {
        text.push_str(&format!("\nMore than {count} entries found"));
    }
    if let Some(fault) = listed.fault {
        let path = fault.path.as_deref().unwrap_or(Path::new("?")).display();
        text.push_str(&format!("\n({} directories could not be read: {path}: {})", listed.faults, fault.error));
    }
    Ok(ToolOutput::text(text).title(searched.title).with("count", count).with("truncated", truncated))
}

/// One entry, ordered by depth, then by path.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    depth: usize,
    path: PathBuf,
    kind: Kind,
}

/// What an entry is shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Directory,
    Link,
    File,
    Other,
}

impl Entry {
    fn line(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let mark = match self.kind {
            Kind::Directory => "/",
            Kind::Link => "@",
            Kind::File => "",
            Kind::Other => "?",
        };
        format!("{}{}{mark}", "  ".repeat(self.depth - 1), cut(&name, MAX_NAME))
    }
}

struct Listing {
    /// So many entries are kept: those before the end of the page.
    end: usize,
    listed: Mutex<Listed>,
}

/// What a walk has come upon, or one of its threads.
#[derive(Default)]
struct Listed {
    /// The first entries; the last of them is at hand.
    first: BinaryHeap<Entry>,
    total: usize,
    /// The first fault by path: that of the root, where that is one.
    fault: Option<Fault>,
    faults: u64,
}

impl Listed {
    fn keep(&mut self, entry: Entry, end: usize) {
        if self.first.len() < end {
            self.first.push(entry);
        } else if let Some(mut last) = self.first.peek_mut()
            && entry < *last
        {
            *last = entry;
        }
    }

    fn note(&mut self, fault: Fault) {
        if self.fault.as_ref().is_none_or(|first| fault.path < first.path) {
            self.fault = Some(fault);
        }
    }
}

impl Visit for Listing {
    fn visitor(&self) -> Box<dyn Visitor + '_> {
        Box::new(Worker { listing: self, listed: Listed::default() })
    }
}

struct Worker<'a> {
    listing: &'a Listing,
    listed: Listed,
}

impl Visitor for Worker<'_> {
    fn visit(&mut self, found: &Found<'_>) -> Step {
        let kind = match found.kind() {
            FileKind::Directory => Kind::Directory,
            FileKind::Link => Kind::Link,
            FileKind::File => Kind::File,
            _ => Kind::Other,
        };
        let entry = Entry { depth: found.depth().max(1), path: found.path().to_owned(), kind };
        self.listed.total += 1;
        self.listed.keep(entry, self.listing.end);
        let is_git = found.path().file_name().is_some_and(|name| name == ".git");
        if is_git { Step::Past } else { Step::On }
    }

    fn fault(&mut self, fault: Fault) {
        self.listed.faults += 1;
        self.listed.note(fault);
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let own = std::mem::take(&mut self.listed);
        let mut all = self.listing.listed.lock().unwrap_or_else(PoisonError::into_inner);
        own.first.into_iter().for_each(|entry| all.keep(entry, self.listing.end));
        own.fault.into_iter().for_each(|fault| all.note(fault));
        all.total += own.total;
        all.faults += own.faults;
    }
}
