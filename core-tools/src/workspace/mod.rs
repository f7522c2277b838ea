//! The machine that tools work on: files, folders, processes.
//!
//! In: absolute paths. Out: what is there. Every tool goes through [`Workspace`], so that a remote machine, a container
//! or a test double can stand in for the local one without a tool changing. Not here: what a tool makes of it.

mod active;
mod external;
mod files;
mod follow;
mod local;
mod place;
mod process;
mod real_path;
mod resolve;

use std::{
    io,
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use tokio::io::AsyncRead;

pub use self::{
    active::ActiveWorkspace,
    external::ask_external,
    files::{Entry, FileInfo, FileKind},
    local::LocalWorkspace,
    place::{Place, Project},
    process::{Command, Exit, Process, Running, Stop},
    resolve::{BadPath, resolve},
};
pub(crate) use self::{
    external::outside,
    follow::{End, Sink, follow},
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

    /// The entries of a directory, in no order. The kind of a link is that of what it leads to.
    ///
    /// # Errors
    /// When it is no directory, or may not be listed.
    async fn list(&self, path: &Path) -> io::Result<Vec<Entry>>;

    /// The bytes of a regular file, from its beginning.
    ///
    /// # Errors
    /// When it cannot be read, or is anything else than a regular file: a pipe or a device could wait for ever.
    async fn open(&self, path: &Path) -> io::Result<ByteStream>;

    /// Puts a file in place in one step: who reads it sees the old content or the new, never a part. Its mode and owner
    /// stay, and missing parent directories are made. The path is a real one, as [`real_path`](Self::real_path) gives it:
    /// a link at its end would be replaced itself.
    ///
    /// # Errors
    /// When the file or its directory cannot be written; the old content is there then.
    async fn replace(&self, path: &Path, content: Vec<u8>) -> io::Result<()>;

    /// Starts a process, in a group of its own, with what the command gives it to read, and nothing else.
    ///
    /// # Errors
    /// When it cannot be started.
    async fn spawn(&self, command: Command) -> io::Result<Running>;

    /// The home directory that `~` stands for, if there is one.
    fn home(&self) -> Option<PathBuf>;
}
