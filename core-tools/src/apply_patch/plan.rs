//! What a patch makes of the files that are there: its operations one after the other, in memory. Nothing is written.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use tokio::task::spawn_blocking;
use tool_core::{ToolContext, ToolError};

use super::{
    error::{self, LoadError},
    files::{Content, Files},
    locate::Located,
    patch::{Action, Hunk, Operation, Patch, Update},
    target::Target,
    update::{Updated, update},
};
use crate::{
    text_file::Diff,
    workspace::{Before, Change, Original, OriginalError, Project, Workspace},
};

/// A longer file is not read to be deleted, and no diff of it is shown.
const MAX_SHOWN_BYTES: usize = 4 * 1024 * 1024;

/// What was done with one file, for the result.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) kind: Kind,
    pub(super) source: Target,
    /// Where it went.
    pub(super) to: Option<Target>,
    pub(super) diff: Diff,
    /// Where its hunks were.
    pub(super) located: Vec<Located>,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Added,
    Updated,
    Deleted,
    Moved,
    Copied,
}

/// The files of one operation.
#[derive(Debug, Clone)]
pub(super) struct Targets {
    pub(super) source: Target,
    pub(super) to: Option<Target>,
}

/// What a patch does, one operation after the other.
pub(super) struct Plan<'a> {
    project: &'a Project,
    files: Files<'a>,
    /// The files that a diff takes from their paths, in whatever order its operations come.
    leaving: HashSet<PathBuf>,
    in_sequence: bool,
    pub(super) done: Vec<Done>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        ctx: &'a ToolContext,
        workspace: &'a dyn Workspace,
        project: &'a Project,
        patch: &Patch,
        targets: &[Targets],
    ) -> Self {
        let leaves = |(operation, targets): (&Operation, &Targets)| {
            let leaves = match &operation.action {
                Action::Add { .. } => false,
                Action::Delete { .. } => true,
                Action::Update(update) => update.to.is_some() && !update.copies,
            };
            leaves.then(|| targets.source.name.clone())
        };
        let leaving = patch.operations.iter().zip(targets).filter_map(leaves).collect();
        let files = Files::new(ctx, workspace);
        Self { project, files, leaving, in_sequence: patch.in_sequence, done: Vec::new() }
    }

    /// Does one operation.
    pub(super) async fn take(&mut self, patch: &Arc<Patch>, number: usize, targets: &Targets) -> Result<(), ToolError> {
        let Targets { source, to } = targets;
        match &patch.operations[number].action {
            Action::Add { content, executable } => self.add(source, content, *executable).await,
            Action::Delete { hunks } => self.delete(source, hunks).await,
            Action::Update(update) => self.change(patch, number, update, source, to.as_ref()).await,
        }
    }

    /// What is to be done for the files to be so, and what the session should know of them.
    pub(super) fn changes(&self) -> Vec<Change> {
        self.files.changes()
    }

    pub(super) fn warnings(&self) -> &[String] {
        &self.files.warnings
    }

    async fn add(&mut self, target: &Target, content: &str, executable: Option<bool>) -> Result<(), ToolError> {
        let name = self.project.relative(&target.place.path);
        let key = self.make_way(target, self.in_sequence).await?;
        let in_sequence = self.in_sequence;
        let file = self.files.file(&key);
        let old = file.now.take().filter(|_| in_sequence);
        let bytes = Bytes::copy_from_slice(content.as_bytes());
        let mode = with_executable(old.as_ref().and_then(|old| old.mode), executable);
        let origin = old.as_ref().and_then(|old| old.origin.clone());
        file.now = Some(Content { bytes: bytes.clone(), mode, origin });
        let diff = Diff::between(name, old.map_or_else(Bytes::new, |old| old.bytes), bytes).await;
        self.note(Kind::Added, target, None, diff, Vec::new());
        Ok(())
    }

    async fn delete(&mut self, target: &Target, hunks: &[Hunk]) -> Result<(), ToolError> {
        let path = &target.place.path;
        let name = self.project.relative(path);
        // What a link leads to stays.
        let key = if target.is_link() { target.name.clone() } else { target.place.real.clone() };
        let most = if hunks.is_empty() { MAX_SHOWN_BYTES as u64 } else { Original::MAX_BYTES };
        match self.files.load(&key, target, most).await {
            Ok(()) => {}
            Err(LoadError::Original(OriginalError::TooLong { .. })) if hunks.is_empty() => {
                self.files.load_unread(&key).await?;
            }
            Err(problem) => return Err(error::load("delete", path, problem)),
        }
        let content = self.files.source(&key, self.in_sequence, false);
        let Some(content) = content else { return Err(error::gone("delete", path)) };
        if !hunks.is_empty() {
            let delete = Update { hunks: hunks.to_vec(), ..Update::default() };
            let (stored, shown) = (content.bytes.clone(), name.clone());
            let left = blocking(move || update(&stored, &delete, &shown, &shown)).await?;
            let left = left.map_err(|problem| error::update(path, hunks, &problem))?;
            if !left.content.is_empty() {
                return Err(error::left_over(path, left.content.len()));
            }
        }
        let file = self.files.file(&key);
        let is_read = file.original.is_some() || matches!(file.before, Before::Absent);
        let diff = match is_read && std::str::from_utf8(&content.bytes).is_ok() {
            true => Diff::between(name, content.bytes, Bytes::new()).await,
            false => not_shown(&name, &content.bytes),
        };
        self.files.leave(&key, self.in_sequence);
        self.note(Kind::Deleted, target, None, diff, Vec::new());
        Ok(())
    }

    async fn change(
        &mut self,
        patch: &Arc<Patch>,
        number: usize,
        change: &Update,
        source: &Target,
        to: Option<&Target>,
    ) -> Result<(), ToolError> {
        let path = &source.place.path;
        let key = self.files.key(source);
        let loaded = self.files.load(&key, source, Original::MAX_BYTES).await;
        loaded.map_err(|problem| error::load("update", path, problem))?;
        // A move to the same file, whatever it is called, is a change of it.
        let to = to.filter(|to| self.files.key(to) != key);
        // A change in place is one of what is there; several compose, in a diff too.
        let content = self.files.source(&key, self.in_sequence || to.is_none(), change.copies);
        let Some(content) = content else { return Err(error::gone("update", path)) };
        let names = [path, to.map_or(path, |to| &to.place.path)].map(|path| self.project.relative(path));
        let updated = if change.hunks.is_empty() {
            None
        } else {
            let (stored, patch) = (content.bytes.clone(), patch.clone());
            let work = blocking(move || match &patch.operations[number].action {
                Action::Update(change) => Some(update(&stored, change, &names[0], &names[1])),
                Action::Add { .. } | Action::Delete { .. } => None,
            });
            work.await?.transpose().map_err(|problem| error::update(path, &change.hunks, &problem))?
        };
        let (bytes, diff, located) = match updated {
            Some(Updated { content, diff, located }) => (Bytes::from(content), diff, located),
            None => (content.bytes, Diff::default(), Vec::new()),
        };
        // A copy is a file of who made it.
        let origin = content.origin.filter(|_| !change.copies);
        let now = Content { bytes, mode: with_executable(content.mode, change.executable), origin };
        let Some(to) = to else {
            self.files.file(&key).now = Some(now);
            self.note(Kind::Updated, source, None, diff, located);
            return Ok(());
        };
        let to_key = self.make_way(to, self.in_sequence && !change.copies).await?;
        if !change.copies {
            self.leave(source, &key).await?;
        }
        self.files.file(&to_key).now = Some(now);
        let kind = if change.copies { Kind::Copied } else { Kind::Moved };
        self.note(kind, source, Some(to), diff, located);
        Ok(())
    }

    /// Sees to it that a file can be made here, or take the place of another.
    async fn make_way(&mut self, target: &Target, replaces: bool) -> Result<PathBuf, ToolError> {
        let path = &target.place.path;
        let key = self.files.key(target);
        if let Some(other) = self.files.in_the_way(&key) {
            return Err(error::in_the_way(path, &other));
        }
        let loaded = self.files.load(&key, target, Original::MAX_BYTES).await;
        loaded.map_err(|problem| error::load("write", path, problem))?;
        if replaces {
            return Ok(key);
        }
        // What a diff takes from here, before or after, is not in the way; something that it put here is.
        let leaves = self.leaving.contains(&target.name);
        match &self.files.file(&key).now {
            Some(now) if !(leaves && now.origin.as_ref() == Some(&key)) => Err(error::exists(path)),
            _ => Ok(key),
        }
    }

    /// Takes away the name that a file moved from: of a link, the link.
    async fn leave(&mut self, source: &Target, key: &Path) -> Result<(), ToolError> {
        if source.is_link() && key != source.name {
            self.files.load_unread(&source.name).await?;
            self.files.leave(&source.name, self.in_sequence);
        } else {
            self.files.leave(key, self.in_sequence);
        }
        Ok(())
    }

    fn note(&mut self, kind: Kind, source: &Target, to: Option<&Target>, diff: Diff, located: Vec<Located>) {
        self.done.push(Done { kind, source: source.clone(), to: to.cloned(), diff, located });
    }
}

/// A file's mode when the patch says whether it may be run: who may read it may then run it.
fn with_executable(mode: Option<u32>, executable: Option<bool>) -> Option<u32> {
    match (mode, executable) {
        (mode, None) => mode,
        (Some(mode), Some(true)) => Some(mode | (mode & 0o444) >> 2),
        (Some(mode), Some(false)) => Some(mode & !0o111),
        (None, Some(true)) => Some(0o755),
        (None, Some(false)) => None,
    }
}

fn not_shown(name: &str, content: &[u8]) -> Diff {
    let deletions = memchr::memchr_iter(b'\n', content).count();
    Diff { deletions, ..Diff::missing(format!("(no diff: {name} is too long, or not text)\n")) }
}

/// Runs what may take long where it may block.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ToolError> {
    spawn_blocking(work).await.map_err(|problem| ToolError::failed(format!("the patch was given up: {problem}")))
}
