//! The local machine as a workspace that has only what every workspace must have: no walk of its own, and nothing that
//! confines a command.

use std::{
    io,
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use core_tools::{
    LocalWorkspace, Workspace,
    workspace::{ByteStream, Command, Entry, FileInfo, FileLocks, Running},
};

#[derive(Default)]
pub(crate) struct Plain(LocalWorkspace);

#[async_trait]
impl Workspace for Plain {
    async fn stat(&self, path: &Path) -> io::Result<FileInfo> {
        self.0.stat(path).await
    }

    async fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.real_path(path).await
    }

    async fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.0.list(path).await
    }

    async fn open_at(&self, path: &Path, offset: u64) -> io::Result<ByteStream> {
        self.0.open_at(path, offset).await
    }

    fn locks(&self) -> &FileLocks {
        self.0.locks()
    }

    async fn spawn(&self, command: Command) -> io::Result<Running> {
        assert!(command.confinement.is_none(), "who does not confine is not asked to");
        self.0.spawn(command).await
    }

    fn home(&self) -> Option<PathBuf> {
        self.0.home()
    }
}
