//! What a patch makes of the files that are there: its operations one after the other, in memory. Nothing is written.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use tokio::task::spawn_blocking;
use tool_core::{ToolContext, ToolError};

use super::{
    error::{self, LoadError},
    locate::Located,
    patch::{Action, Hunk, Patch, Update},
    target::Target,
    unified_diff::of_whole,
    update::{Updated, update},
};
use crate::{
    text_file::Diff,
    workspace::{Before, Change, Original, OriginalError, Project, Seen, Workspace},
};

/// Of a longer file that goes or is replaced whole no diff is shown.
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

/// Files as they are after the operations so far.
pub(super) struct Plan<'a> {
    ctx: &'a ToolContext,
    workspace: &'a dyn Workspace,
    project: &'a Project,
    files: BTreeMap<PathBuf, File>,
    /// What the session should know of files that changed since it read them.
    pub(super) warnings: Vec<String>,
    pub(super) done: Vec<Done>,
}

struct File {
    before: Before,
    /// What was in it, where that was read.
    original: Option<Bytes>,
    /// What is in it now; `None`: it is not there, or not any more.
    now: Option<Content>,
    /// Another file it came from, and has not changed since.
    moved_from: Option<PathBuf>,
}

#[derive(Clone)]
struct Content {
    bytes: Bytes,
    mode: Option<u32>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(ctx: &'a ToolContext, workspace: &'a dyn Workspace, project: &'a Project) -> Self {
        Self { ctx, workspace, project, files: BTreeMap::new(), warnings: Vec::new(), done: Vec::new() }
    }

    /// Does one operation.
    pub(super) async fn take(&mut self, patch: &Arc<Patch>, number: usize, targets: &Targets) -> Result<(), ToolError> {
        let Targets { source, to } = targets;
        match &patch.operations[number].action {
            Action::Add { content, replaces, executable } => self.add(source, content, *replaces, *executable).await,
            Action::Delete { hunks } => self.delete(source, hunks).await,
            Action::Update(update) => self.change(patch, number, update, source, to.as_ref()).await,
        }
    }

    async fn add(
        &mut self,
        target: &Target,
        content: &str,
        replaces: bool,
        executable: Option<bool>,
    ) -> Result<(), ToolError> {
        let path = &target.place.path;
        let key = self.key(target);
        let name = self.project.relative(path);
        self.load(&key, target).await.map_err(|problem| error::load("write", path, problem))?;
        let file = self.file(&key);
        if file.now.is_some() && !replaces {
            return Err(error::exists(path));
        }
        let bytes = Bytes::copy_from_slice(content.as_bytes());
        let old = file.now.take();
        let mode = with_executable(old.as_ref().and_then(|old| old.mode), executable);
        let diff = match old {
            Some(old) => Diff::between(name, old.bytes, bytes.clone()).await,
            None if bytes.len() > MAX_SHOWN_BYTES => not_shown(&name, &bytes, true),
            None => of_whole(&name, &bytes, true),
        };
        let file = self.file(&key);
        file.now = Some(Content { bytes, mode });
        file.moved_from = None;
        self.note(Kind::Added, target, None, diff, Vec::new());
        Ok(())
    }

    async fn delete(&mut self, target: &Target, hunks: &[Hunk]) -> Result<(), ToolError> {
        let path = &target.place.path;
        let name = self.project.relative(path);
        // What a link leads to stays.
        let key = if target.is_link() { target.name.clone() } else { target.place.real.clone() };
        let most = if hunks.is_empty() { MAX_SHOWN_BYTES as u64 } else { Original::MAX_BYTES };
        match self.load_most(&key, target, most).await {
            Ok(()) => {}
            Err(LoadError::Original(OriginalError::TooLong { .. })) if hunks.is_empty() => {
                self.load_unread(&key).await?;
            }
            Err(problem) => return Err(error::load("delete", path, problem)),
        }
        let Some(content) = self.file(&key).now.clone() else { return Err(error::gone("delete", path)) };
        if !hunks.is_empty() {
            let delete = Update { hunks: hunks.to_vec(), ..Update::default() };
            let (stored, shown) = (content.bytes.clone(), name.clone());
            let left = blocking(move || update(&stored, &delete, &shown, &shown)).await?;
            let left = left.map_err(|problem| error::update(path, hunks, &problem))?;
            if !left.content.is_empty() {
                return Err(error::left_over(path, left.content.len()));
            }
        }
        let file = self.file(&key);
        let is_read = file.original.is_some() || matches!(file.before, Before::Absent);
        let diff =
            match is_read && content.bytes.len() <= MAX_SHOWN_BYTES && std::str::from_utf8(&content.bytes).is_ok() {
                true => of_whole(&name, &content.bytes, false),
                false => not_shown(&name, &content.bytes, false),
            };
        file.now = None;
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
        let key = self.key(source);
        self.load(&key, source).await.map_err(|problem| error::load("update", path, problem))?;
        let Some(content) = self.file(&key).now.clone() else { return Err(error::gone("update", path)) };
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
        let is_same = updated.is_none();
        let (bytes, diff, located) = match updated {
            Some(Updated { content, diff, located }) => (Bytes::from(content), diff, located),
            None => (content.bytes, Diff::default(), Vec::new()),
        };
        let now = Content { bytes, mode: with_executable(content.mode, change.executable) };
        // A move to the same file, whatever it is called, is a change of it.
        let to = to.map(|to| (to, self.key(to))).filter(|(_, to)| *to != key);
        let Some((to, to_key)) = to else {
            let file = self.file(&key);
            file.now = Some(now);
            if !is_same {
                file.moved_from = None;
            }
            self.note(Kind::Updated, source, None, diff, located);
            return Ok(());
        };
        self.load(&to_key, to).await.map_err(|problem| error::load("write", &to.place.path, problem))?;
        if change.copies && self.file(&to_key).now.is_some() {
            return Err(error::exists(&to.place.path));
        }
        let is_plain_move = is_same && change.executable.is_none() && !change.copies && !source.is_link();
        let is_original = matches!(self.file(&key).before, Before::File(_)) && self.file(&key).moved_from.is_none();
        let moved_from = (is_plain_move && is_original && self.is_untouched(&key)).then(|| key.clone());
        let file = self.file(&to_key);
        file.now = Some(now);
        file.moved_from = moved_from;
        if !change.copies {
            self.leave(source, &key).await?;
        }
        let kind = if change.copies { Kind::Copied } else { Kind::Moved };
        self.note(kind, source, Some(to), diff, located);
        Ok(())
    }

    /// Takes away the name that a file moved from: of a link, the link.
    async fn leave(&mut self, source: &Target, key: &Path) -> Result<(), ToolError> {
        if source.is_link() && key != source.name {
            self.load_unread(&source.name).await?;
            self.file(&source.name).now = None;
        } else {
            self.file(key).now = None;
        }
        Ok(())
    }

    fn note(&mut self, kind: Kind, source: &Target, to: Option<&Target>, diff: Diff, located: Vec<Located>) {
        self.done.push(Done { kind, source: source.clone(), to: to.cloned(), diff, located });
    }

    /// The path under which a target's content is kept: what a link leads to, unless the link was replaced or taken away
    /// by an operation before.
    fn key(&self, target: &Target) -> PathBuf {
        if self.files.contains_key(&target.name) { target.name.clone() } else { target.place.real.clone() }
    }

    fn file(&mut self, key: &Path) -> &mut File {
        self.files.entry(key.to_owned()).or_insert_with(|| File {
            before: Before::Absent,
            original: None,
            now: None,
            moved_from: None,
        })
    }

    fn is_untouched(&self, key: &Path) -> bool {
        let Some(file) = self.files.get(key) else { return false };
        let (Some(original), Some(now)) = (&file.original, &file.now) else { return false };
        original == &now.bytes && mode_of(file.before) == now.mode
    }

    async fn load(&mut self, key: &Path, target: &Target) -> Result<(), LoadError> {
        self.load_most(key, target, Original::MAX_BYTES).await
    }

    /// Reads a file, unless that was done, and holds it against what the session has read of it.
    async fn load_most(&mut self, key: &Path, target: &Target, most: u64) -> Result<(), LoadError> {
        if self.files.contains_key(key) {
            return Ok(());
        }
        let Some(original) = Original::read(self.workspace, key, most).await? else {
            self.file(key);
            return Ok(());
        };
        let Original { info, bytes, .. } = original;
        let warning = Seen::check(self.ctx, key, &target.place.path, &info, Some(&bytes));
        self.warnings.extend(warning.map_err(LoadError::Stale)?);
        let bytes = Bytes::from(bytes);
        let now = Some(Content { bytes: bytes.clone(), mode: info.mode });
        let file = File { before: Before::File(info), original: Some(bytes), now, moved_from: None };
        self.files.insert(key.to_owned(), file);
        Ok(())
    }

    /// Takes in a file of which only that it is there matters.
    async fn load_unread(&mut self, key: &Path) -> Result<(), ToolError> {
        if !self.files.contains_key(key) {
            let info = self.workspace.stat(key).await;
            let info = info.map_err(|problem| error::load("delete", key, problem.into()))?;
            let now = Some(Content { bytes: Bytes::new(), mode: info.mode });
            let file = File { before: Before::File(info), original: None, now, moved_from: None };
            self.files.insert(key.to_owned(), file);
        }
        Ok(())
    }

    /// What has to be done for files to be as they are now.
    pub(super) fn changes(&self) -> Vec<Change> {
        let source_of = |file: &File| file.moved_from.clone().filter(|from| self.is_gone(from));
        let moved: Vec<PathBuf> = self.files.values().filter_map(source_of).collect();
        let mut changes = Vec::new();
        for (path, file) in &self.files {
            match (&file.now, file.before) {
                (None, Before::File(before)) if !moved.contains(path) => {
                    changes.push(Change::Remove { path: path.clone(), before });
                }
                (None, _) => {}
                (Some(now), before) => {
                    if let Some(from) = source_of(file)
                        && let Some(Before::File(source)) = self.files.get(&from).map(|file| file.before)
                    {
                        let to = path.clone();
                        changes.push(Change::Move { from, to, before: source, replaced: before });
                        continue;
                    }
                    let mode = now.mode.filter(|mode| Some(*mode) != mode_of(before));
                    if mode.is_none() && file.original.as_ref() == Some(&now.bytes) {
                        continue;
                    }
                    let content = now.bytes.clone();
                    changes.push(Change::Write { path: path.clone(), content, before, mode });
                }
            }
        }
        changes
    }

    fn is_gone(&self, path: &Path) -> bool {
        self.files.get(path).is_some_and(|file| file.now.is_none())
    }
}

fn mode_of(before: Before) -> Option<u32> {
    match before {
        Before::File(info) => info.mode,
        Before::Absent => None,
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

fn not_shown(name: &str, content: &[u8], is_new: bool) -> Diff {
    let count = memchr::memchr_iter(b'\n', content).count();
    let (additions, deletions) = if is_new { (count, 0) } else { (0, count) };
    Diff { additions, deletions, ..Diff::missing(format!("(no diff: {name} is too long, or not text)\n")) }
}

/// Runs what may take long where it may block.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ToolError> {
    spawn_blocking(work).await.map_err(|problem| ToolError::failed(format!("the patch was given up: {problem}")))
}
