//! The files of a patch, as its operations so far leave them, and the changes that make them so.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use tool_core::{ToolContext, ToolError};

use super::{
    error::{self, LoadError},
    target::Target,
};
use crate::workspace::{Before, Change, Original, Seen, Workspace};

/// Another file's bits that let new content run with its owner's rights are not taken over.
const MODE: u32 = 0o1777;

/// Files by their real paths.
pub(super) struct Files<'a> {
    ctx: &'a ToolContext,
    workspace: &'a dyn Workspace,
    files: BTreeMap<PathBuf, File>,
    /// What the session should know of files that changed since it read them.
    pub(super) warnings: Vec<String>,
}

/// What was at a path, and what is there now.
pub(super) struct File {
    pub(super) before: Before,
    /// What was in it, where that was read.
    pub(super) original: Option<Bytes>,
    /// What is in it now; `None`: it is not there, or not any more.
    pub(super) now: Option<Content>,
    /// Whether what was there was deleted, or moved elsewhere.
    pub(super) has_left: bool,
}

/// What is in a file.
#[derive(Clone)]
pub(super) struct Content {
    pub(super) bytes: Bytes,
    pub(super) mode: Option<u32>,
    /// The file that was there before the patch, and that this is: at its own path, or moved.
    pub(super) origin: Option<PathBuf>,
}

impl File {
    const NONE: Self = Self { before: Before::Absent, original: None, now: None, has_left: false };

    /// What was there before the patch, as far as it was read.
    fn content_before(&self, path: &Path) -> Option<Content> {
        let Before::File(info) = self.before else { return None };
        let bytes = self.original.clone().unwrap_or_default();
        Some(Content { bytes, mode: info.mode, origin: Some(path.to_owned()) })
    }

    /// Whether what was there has made way for something else, and has not left by an operation yet.
    fn is_displaced(&self, path: &Path) -> bool {
        !self.has_left
            && matches!(self.before, Before::File(_))
            && self.now.as_ref().is_none_or(|now| now.origin.as_deref() != Some(path))
    }
}

impl<'a> Files<'a> {
    pub(super) fn new(ctx: &'a ToolContext, workspace: &'a dyn Workspace) -> Self {
        Self { ctx, workspace, files: BTreeMap::new(), warnings: Vec::new() }
    }

    /// The path under which a target's content is kept: what a link leads to, unless the link was replaced or taken away
    /// by an operation before.
    pub(super) fn key(&self, target: &Target) -> PathBuf {
        if self.files.contains_key(&target.name) { target.name.clone() } else { target.place.real.clone() }
    }

    /// A file; one that was not loaded is not there.
    pub(super) fn file(&mut self, key: &Path) -> &mut File {
        self.files.entry(key.to_owned()).or_insert(File::NONE)
    }

    /// What an operation finds at a path. Where the patch is about files as they were, a copy finds what was there, and
    /// so does a move where another operation has put something else in its place.
    pub(super) fn source(&mut self, key: &Path, in_sequence: bool, copies: bool) -> Option<Content> {
        let file = self.file(key);
        if !in_sequence && matches!(file.before, Before::File(_)) && (copies || file.is_displaced(key)) {
            return file.content_before(key).filter(|_| file.original.is_some());
        }
        file.now.clone()
    }

    /// Takes a source away from its path, where something else may be by now.
    pub(super) fn leave(&mut self, key: &Path, in_sequence: bool) {
        let file = self.file(key);
        if in_sequence || !file.is_displaced(key) {
            file.now = None;
        }
        file.has_left = true;
    }

    /// Reads a file, unless that was done, and holds it against what the session has read of it.
    pub(super) async fn load(&mut self, key: &Path, target: &Target, most: u64) -> Result<(), LoadError> {
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
        self.insert(key, Before::File(info), Some(Bytes::from(bytes)));
        Ok(())
    }

    /// Takes in a file of which only that it is there matters.
    pub(super) async fn load_unread(&mut self, key: &Path) -> Result<(), ToolError> {
        if !self.files.contains_key(key) {
            let info = self.workspace.stat(key).await;
            let info = info.map_err(|problem| error::load("delete", key, problem.into()))?;
            self.insert(key, Before::File(info), None);
        }
        Ok(())
    }

    fn insert(&mut self, key: &Path, before: Before, original: Option<Bytes>) {
        let mut file = File { before, original, ..File::NONE };
        file.now = file.content_before(key);
        self.files.insert(key.to_owned(), file);
    }

    /// A file of the patch that would have to be a directory for something to be made here, or something that is made
    /// below: neither can be in one go.
    pub(super) fn in_the_way(&self, key: &Path) -> Option<PathBuf> {
        let is_any = |file: &File| file.now.is_some() || matches!(file.before, Before::File(_));
        let above = key.ancestors().skip(1).find(|above| self.files.get(*above).is_some_and(is_any));
        let below = self.files.range(key.to_owned()..).take_while(|(path, _)| path.starts_with(key));
        let mut below = below.filter(|(path, file)| *path != key && is_any(file)).map(|(path, _)| path.as_path());
        above.or_else(|| below.next()).map(Path::to_owned)
    }

    /// What has to be done for files to be as they are now.
    pub(super) fn changes(&self) -> Vec<Change> {
        // What a link led to can be in two places; one of them is a copy.
        let moves: BTreeMap<&Path, &Path> =
            self.files.iter().filter_map(|(path, file)| Some((self.moved_from(path, file)?, path.as_path()))).collect();
        let mut changes = Vec::new();
        for (path, file) in &self.files {
            let Some(now) = &file.now else {
                if let Before::File(before) = file.before
                    && !moves.contains_key(path.as_path())
                {
                    changes.push(Change::remove(path, before));
                }
                continue;
            };
            if let Some(from) = self.moved_from(path, file)
                && moves.get(from) == Some(&path.as_path())
                && let Some(Before::File(source)) = self.files.get(from).map(|file| file.before)
            {
                changes.push(Change::rename(from, path, source, file.before));
                continue;
            }
            let other = now.origin.as_deref().filter(|origin| *origin != path);
            let is_same_mode = other.is_none() && now.mode == mode_of(file.before);
            if is_same_mode && file.original.as_ref() == Some(&now.bytes) {
                continue;
            }
            let mut change = Change::write(path, now.bytes.clone(), file.before);
            if let Some(mode) = now.mode.filter(|_| !is_same_mode) {
                change = change.mode(mode & MODE);
            }
            if let Some(other) = other {
                change = change.like(other);
            }
            changes.push(change);
        }
        changes
    }

    /// The file that this one was, where nothing but its name is another, so that it can be renamed.
    fn moved_from<'f>(&self, path: &Path, file: &'f File) -> Option<&'f Path> {
        let now = file.now.as_ref()?;
        let origin = now.origin.as_deref().filter(|origin| *origin != path)?;
        let source = self.files.get(origin)?;
        let is_same = source.original.as_ref() == Some(&now.bytes) && mode_of(source.before) == now.mode;
        (source.now.is_none() && is_same).then_some(origin)
    }
}

fn mode_of(before: Before) -> Option<u32> {
    match before {
        Before::File(info) => info.mode,
        Before::Absent => None,
    }
}
