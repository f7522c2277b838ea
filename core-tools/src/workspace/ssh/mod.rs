//! A machine that is reached by SSH.
//!
//! The system's own `ssh` connects, so that the user's configuration, agent, jump hosts and known hosts count, and an
//! operator can try what it does. One connection (`connection`, `connections`) carries files by SFTP (`sftp`, `files`,
//! `real_path`) and commands (`process`; in terminals, `terminal`), which share it by a control socket. (The crates that do this were no choice:
//! `openssh` sets its own policy for host keys, and those for SFTP take names as text, which disks do not.)

mod connection;
mod connections;
mod error;
mod files;
mod output;
mod process;
mod quote;
mod real_path;
mod settings;
mod sftp;
mod status;
mod terminal;

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use async_trait::async_trait;
use bytes::Bytes;

pub use self::error::SshError;
use self::{connection::Connection, connections::Connections, settings::Settings};
use super::{ByteStream, Command, Entry, Existing, FileInfo, FileLocks, Running, TerminalSize, Workspace};

/// A machine that is reached by SSH. It needs nothing but OpenSSH's `sftp` subsystem, a POSIX shell, and bash or
/// `setsid` to run commands; leave to have a terminal, and `stty`, for those that want one.
///
/// Connects by the system's `ssh` with the user's configuration, asks nobody anything, and never changes how host keys
/// are checked. A lost connection is an error of the calls that were under way and ends their commands there; the next
/// call connects again. Have one of these for a machine, and share it: the locks of files are its own.
///
/// What SFTP cannot tell is not there: a file's time has seconds, so a change of the same length within one is not
/// noticed, and access lists and further attributes of a file that is replaced are lost.
///
/// ```no_run
/// # use std::sync::Arc;
/// use core_tools::{Workspace, workspace::SshWorkspace};
/// # use tool_core::{Executor, Registry};
/// # async fn demo(registry: Registry) -> Result<(), Box<dyn std::error::Error>> {
/// let remote = SshWorkspace::connect("me@build.example.org").await?;
/// let executor = Executor::builder(registry).state::<Arc<dyn Workspace>>(Arc::new(remote)).build()?;
/// # Ok(())
/// # }
/// ```
pub struct SshWorkspace {
    connections: Connections,
    home: OnceLock<PathBuf>,
    locks: FileLocks,
}

/// How an [`SshWorkspace`] connects.
#[derive(Debug, Clone)]
#[must_use = "nothing is connected until `connect`"]
pub struct SshBuilder(Settings);

impl SshBuilder {
    /// The ssh program, instead of the `ssh` on the search path.
    pub fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.0.program = program.into();
        self
    }

    /// A configuration file instead of the user's and the system's, as for `ssh -F`.
    pub fn config(mut self, file: impl Into<PathBuf>) -> Self {
        self.0.config = Some(file.into());
        self
    }

    /// An option of ssh's configuration, stronger than what a file says of it: `Port=2222`, say.
    pub fn option(mut self, option: impl Into<String>) -> Self {
        self.0.options.push(option.into());
        self
    }

    /// Connects.
    ///
    /// # Errors
    /// When that fails, with what ssh says of it.
    pub async fn connect(self) -> Result<SshWorkspace, SshError> {
        let workspace =
            SshWorkspace { connections: Connections::new(self.0), home: OnceLock::new(), locks: FileLocks::default() };
        let connection = workspace.connections.first().await?;
        workspace.home.get_or_init(|| connection.home.clone());
        Ok(workspace)
    }
}

impl SshWorkspace {
    /// Connects to `[USER@]HOST`, a name of the user's configuration, or `ssh://[USER@]HOST[:PORT]`.
    ///
    /// # Errors
    /// When that fails, with what ssh says of it.
    pub async fn connect(destination: impl Into<String>) -> Result<Self, SshError> {
        Self::builder(destination).connect().await
    }

    /// The same with a say in how.
    pub fn builder(destination: impl Into<String>) -> SshBuilder {
        SshBuilder(Settings::new(destination.into()))
    }

    /// The destination, as it was given.
    #[must_use]
    pub fn host(&self) -> &str {
        self.connections.host()
    }

    async fn connection(&self) -> io::Result<Arc<Connection>> {
        Ok(self.connections.first().await?)
    }
}

impl fmt::Debug for SshWorkspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SshWorkspace").field("host", &self.host()).finish_non_exhaustive()
    }
}

#[async_trait]
impl Workspace for SshWorkspace {
    async fn stat(&self, path: &Path) -> io::Result<FileInfo> {
        files::stat(&self.connection().await?.sftp, path).await
    }

    async fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        real_path::real_path(&self.connection().await?.sftp, path).await
    }

    async fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        files::list(&self.connection().await?.sftp, path).await
    }

    async fn open_at(&self, path: &Path, offset: u64) -> io::Result<ByteStream> {
        files::open_at(&self.connection().await?.sftp, path, offset).await
    }

    async fn create(&self, path: &Path, content: Bytes, like: Option<&Path>) -> io::Result<()> {
        files::create(&self.connection().await?.sftp, path, &content, like).await
    }

    async fn overwrite(&self, path: &Path, content: Bytes) -> io::Result<()> {
        files::overwrite(&self.connection().await?.sftp, path, &content).await
    }

    async fn check_writable(&self, path: &Path) -> io::Result<()> {
        files::check_writable(&self.connection().await?.sftp, path).await
    }

    async fn rename(&self, from: &Path, to: &Path, existing: Existing) -> io::Result<()> {
        files::rename(&self.connection().await?.sftp, from, to, existing).await
    }

    async fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        files::link(&self.connection().await?.sftp, from, to).await
    }

    async fn remove(&self, path: &Path) -> io::Result<()> {
        files::remove(&self.connection().await?.sftp, path).await
    }

    async fn make_dirs(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        files::make_dirs(&self.connection().await?.sftp, path).await
    }

    async fn remove_dir(&self, path: &Path) -> io::Result<()> {
        files::remove_dir(&self.connection().await?.sftp, path).await
    }

    async fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        files::set_mode(&self.connection().await?.sftp, path, mode).await
    }

    fn locks(&self) -> &FileLocks {
        &self.locks
    }

    async fn spawn(&self, command: Command) -> io::Result<Running> {
        let (connection, room) = self.connections.with_room(1).await?;
        process::spawn(self.host(), &connection, room, command).await
    }

    async fn spawn_in_terminal(&self, command: Command, size: TerminalSize) -> io::Result<Running> {
        let (connection, room) = self.connections.with_room(terminal::SESSIONS).await?;
        terminal::spawn(self.host(), &connection, room, command, size).await
    }

    fn is_host(&self) -> bool {
        false
    }

    /// The user's home on that machine, as it was when the first connection was made.
    fn home(&self) -> Option<PathBuf> {
        self.home.get().cloned()
    }
}
