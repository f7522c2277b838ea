//! The machine that tools work on: files, folders, processes.
//!
//! In: absolute paths. Out: what is there. Every tool goes through [`Workspace`], so that a remote machine, a container
//! or a test double can stand in for the local one without a tool changing. Not here: what a tool makes of it.

mod active;
mod alike;
mod change;
mod environment;
mod external;
mod files;
mod follow;
mod interruptible;
mod keyboard;
mod leader;
mod local;
mod local_files;
mod local_process;
mod locks;
mod mark;
mod memory;
mod missing;
mod original;
mod place;
mod process;
mod reading;
mod real_path;
mod resolve;
mod seen;
#[cfg(target_os = "linux")]
mod spawned;
mod ssh;
mod transaction;
mod tree;
mod walk;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt};

pub use self::{
    active::ActiveWorkspace,
    change::{Before, Change, ChangeError, Difference, Left, apply_all},
    environment::{EnvironmentPolicy, Inherit},
    external::ask_external,
    files::{Entry, FileInfo, FileKind, Identity, Owner},
    local::LocalWorkspace,
    locks::{FileGuard, FileLocks},
    memory::MemoryWorkspace,
    original::{Original, OriginalError},
    place::{Place, Project, Roots},
    process::{Background, Command, Exit, Process, Running, Stop, Terminal, TerminalSize},
    resolve::{BadPath, resolve},
    seen::{Changed, Seen, Stale},
    ssh::{SshBuilder, SshError, SshWorkspace},
    transaction::{STAGED_PREFIX, STAGED_SUFFIX},
    walk::{Content, Fault, Found, Step, Visit, Visitor, Walk},
};
pub(crate) use self::{
    alike::Alike,
    external::outside,
    follow::{End, Sink, follow},
    locks::lock,
    missing::{is_missing, suggestions},
    reading::place_to_read,
    real_path::follow_links,
    transaction::is_staged,
};

/// A stream of bytes from a file or a process.
pub type ByteStream = Box<dyn AsyncRead + Send + Unpin>;

/// A machine with files and processes.
///
/// Register another one than the local machine as state of the executor: an `Arc<dyn Workspace>`. Paths are absolute
/// paths on that machine. No method may block the thread it is polled on.
#[async_trait]
pub trait Workspace: Send + Sync + 'static {
    /// What is at a path; links are followed.
    ///
    /// # Errors
    /// When there is nothing, or it may not be looked at.
    async fn stat(&self, path: &Path) -> io::Result<FileInfo>;

    /// The path with all links followed, those of its last part too. Parts that do not exist are kept as they are, so
    /// that a file to be made has a real path as well: a link that leads to nothing leads to what it names.
    ///
    /// # Errors
    /// When a part may not be looked at, or links go round in a circle.
    async fn real_path(&self, path: &Path) -> io::Result<PathBuf>;

    /// The git top level of a directory, and where both really are. Every command asks this; a workspace that can tell it in
    /// one step should.
    async fn roots(&self, cwd: &Path) -> Roots {
        let mut worktree = cwd;
        for folder in cwd.ancestors() {
            if self.stat(&folder.join(".git")).await.is_ok() {
                worktree = folder;
                break;
            }
        }
        let real_cwd = self.real_path(cwd).await.unwrap_or_else(|_| cwd.to_owned());
        let real_worktree = match worktree == cwd {
            true => real_cwd.clone(),
            false => self.real_path(worktree).await.unwrap_or_else(|_| worktree.to_owned()),
        };
        Roots { worktree: worktree.to_owned(), real_cwd, real_worktree }
    }

    /// The entries of a directory, in no order. The kind of a link is that of what it leads to.
    ///
    /// # Errors
    /// When it is no directory, or may not be listed.
    async fn list(&self, path: &Path) -> io::Result<Vec<Entry>>;

    /// The bytes of a regular file, from its beginning.
    ///
    /// # Errors
    /// As of [`open_at`](Self::open_at).
    async fn open(&self, path: &Path) -> io::Result<ByteStream> {
        self.open_at(path, 0).await
    }

    /// Goes through a tree of files, links not followed. The walk ends when the future is dropped. By default it goes by
    /// [`list`](Self::list) and [`open`](Self::open), one entry at a time; a workspace that has a faster way takes that.
    ///
    /// # Errors
    /// When there can be no walk at all. What cannot be looked at on the way is told to the visitors.
    async fn walk(self: Arc<Self>, walk: Walk, visit: Arc<dyn Visit>) -> io::Result<()> {
        walk::walk_listed(self, walk, visit).await
    }

    /// The bytes of a regular file, from this one on; none where it is shorter.
    ///
    /// # Errors
    /// When it cannot be read, or is anything else than a regular file: a pipe or a device could wait for ever.
    async fn open_at(&self, path: &Path, offset: u64) -> io::Result<ByteStream>;

    /// The first `most` bytes of a regular file, or all of them.
    ///
    /// # Errors
    /// As of [`open_at`](Self::open_at).
    async fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open(path).await?.take(most).read_to_end(&mut bytes).await?;
        Ok(bytes)
    }

    // What follows changes files, one small step each; `apply_all` puts them together. A workspace that cannot be written
    // has none of it. Paths are real ones: links at their ends are not followed.

    /// Makes a file that is not there yet, with this content, and syncs it. It gets the mode, the owner and the further
    /// attributes of the file `like`, except for the bits that would let it run with another's rights; without one, the
    /// mode 0666 less the umask. Nothing is left of it where that fails.
    ///
    /// # Errors
    /// When there is something already, it may not be made, cannot be given to that owner, or there is no room.
    async fn create(&self, path: &Path, content: Bytes, like: Option<&Path>) -> io::Result<()> {
        let _ = (path, content, like);
        unsupported()
    }

    /// Writes a file where it stands, and syncs it. Not in one step, so only where no other file can take its place; but a
    /// full disk changes nothing.
    ///
    /// # Errors
    /// When it is no regular file, may not be written, or there is no room.
    async fn overwrite(&self, path: &Path, content: Bytes) -> io::Result<()> {
        let _ = (path, content);
        unsupported()
    }

    /// Whether a file is a regular one that may be written. Nothing is changed.
    ///
    /// # Errors
    /// When it is not: its directory's leave to replace it is not to be used to get round that.
    async fn check_writable(&self, path: &Path) -> io::Result<()> {
        let _ = path;
        unsupported()
    }

    /// Gives a file another name in one step, for good: the directories are synced.
    ///
    /// # Errors
    /// When it may not have it; when that name is taken and not to be replaced; when it is on another device.
    async fn rename(&self, from: &Path, to: &Path, existing: Existing) -> io::Result<()> {
        let _ = (from, to, existing);
        unsupported()
    }

    /// Gives a file one more name.
    ///
    /// # Errors
    /// When it may not have it, or the workspace has no such thing.
    async fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let _ = (from, to);
        unsupported()
    }

    /// Removes a file, or a link, for good: the directory is synced.
    ///
    /// # Errors
    /// When it may not be removed, or is a directory.
    async fn remove(&self, path: &Path) -> io::Result<()> {
        let _ = path;
        unsupported()
    }

    /// Makes a directory and those it is in, as far as they are missing, for good, and says which were, the outermost
    /// first.
    ///
    /// # Errors
    /// When one cannot be made; those that were are gone again.
    async fn make_dirs(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        let _ = path;
        unsupported()
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// When it is not empty, or may not be removed.
    async fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let _ = path;
        unsupported()
    }

    /// Sets a file's permission bits.
    ///
    /// # Errors
    /// When it is somebody else's.
    async fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        let _ = (path, mode);
        unsupported()
    }

    /// The locks of this workspace's files: the same for everything in this process that works on the same files.
    fn locks(&self) -> &FileLocks;

    /// Starts a process, in a group of its own, with what the command gives it to read, and nothing else.
    ///
    /// # Errors
    /// When it cannot be started.
    async fn spawn(&self, command: Command) -> io::Result<Running>;

    /// The same in a terminal of its own, which is its stdin, stdout and stderr: what it asks a person is asked there, and
    /// what is typed comes through [`Running::terminal`].
    ///
    /// # Errors
    /// When it cannot be started, or the workspace has no terminals.
    async fn spawn_in_terminal(&self, command: Command, size: TerminalSize) -> io::Result<Running> {
        let _ = (command, size);
        Err(io::Error::new(io::ErrorKind::Unsupported, "commands cannot have a terminal on this machine"))
    }

    /// Whether commands that come with a confinement are started confined by it. One that does not say so is never
    /// given such a command.
    fn confines(&self) -> bool {
        false
    }

    /// Whether its files are those of the machine that the host runs on, so that a file the host writes, such as the whole
    /// of a long output, can be read here.
    fn is_host(&self) -> bool {
        true
    }

    /// The home directory that `~` stands for, if there is one.
    fn home(&self) -> Option<PathBuf>;
}

/// What a rename does where its new name is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// What is there goes.
    Replace,
    /// What is there stays, and it is an error.
    Refuse,
}

fn unsupported<T>() -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this workspace cannot be written"))
}
