//! One reader-and-writer of a file at a time.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tool_core::{ToolContext, ToolError};

use super::Workspace;

/// A lock for each file of a workspace, by its real path: who changes a file holds its lock from reading the old content
/// to having written the new. First come, first served.
///
/// A workspace has one of these, for all calls of all sessions of a process. Other processes, and other names of a file
/// by hard links, are not kept out. (pi's queue does the same; codex has none.)
#[derive(Debug, Clone, Default)]
pub struct FileLocks(Arc<Mutex<HashMap<PathBuf, Weak<AsyncMutex<()>>>>>);

/// Locks files for a call, which may be given up while it waits.
pub(crate) async fn lock(
    ctx: &ToolContext,
    workspace: &dyn Workspace,
    paths: impl IntoIterator<Item = PathBuf>,
) -> Result<FileGuard, ToolError> {
    let guard = ctx.cancellation().run_until_cancelled(workspace.locks().lock(paths)).await;
    // Both can come at once.
    guard.filter(|_| !ctx.cancellation().is_cancelled()).ok_or(ToolError::Cancelled)
}

/// Locks that are held, until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct FileGuard {
    held: Vec<(PathBuf, OwnedMutexGuard<()>)>,
    locks: FileLocks,
}

impl FileLocks {
    /// Locks all of these files. They are taken in the order of their names, so that two calls that want some of the
    /// same cannot wait for each other for ever. A dropped future has locked nothing.
    pub async fn lock(&self, paths: impl IntoIterator<Item = PathBuf>) -> FileGuard {
        let mut paths: Vec<PathBuf> = paths.into_iter().collect();
        paths.sort();
        paths.dedup();
        let mut guard = FileGuard { held: Vec::with_capacity(paths.len()), locks: self.clone() };
        for path in paths {
            let waiting = Waiting { lock: Some(self.of(&path)), path, locks: self };
            guard.held.push(waiting.get().await);
        }
        guard
    }

    /// How many files are locked or waited for.
    #[must_use]
    pub fn len(&self) -> usize {
        self.table().len()
    }

    /// Whether no file is locked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn of(&self, path: &Path) -> Arc<AsyncMutex<()>> {
        let mut table = self.table();
        if let Some(lock) = table.get(path).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::new(AsyncMutex::new(()));
        table.insert(path.to_owned(), Arc::downgrade(&lock));
        lock
    }

    /// Lets go of one hold on a lock, and forgets the lock if that was the last.
    fn release(&self, path: &Path, hold: impl Sized) {
        let mut table = self.table();
        drop(hold);
        if table.get(path).is_some_and(|lock| lock.strong_count() == 0) {
            table.remove(path);
        }
    }

    fn table(&self) -> MutexGuard<'_, HashMap<PathBuf, Weak<AsyncMutex<()>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileGuard {
    /// Whether a file is locked by it.
    #[must_use]
    pub fn holds(&self, path: &Path) -> bool {
        self.held.binary_search_by(|(held, _)| held.as_path().cmp(path)).is_ok()
    }
}

impl Drop for FileGuard {
    fn drop(&mut self) {
        for (path, held) in self.held.drain(..) {
            self.locks.release(&path, held);
        }
    }
}

/// Somebody in line for a lock, who may give up.
struct Waiting<'a> {
    path: PathBuf,
    lock: Option<Arc<AsyncMutex<()>>>,
    locks: &'a FileLocks,
}

impl Waiting<'_> {
    async fn get(mut self) -> (PathBuf, OwnedMutexGuard<()>) {
        let lock = self.lock.clone().unwrap_or_default();
        let held = lock.lock_owned().await;
        self.lock = None;
        (std::mem::take(&mut self.path), held)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(lock) = self.lock.take() {
            self.locks.release(&self.path, lock);
        }
    }
}
