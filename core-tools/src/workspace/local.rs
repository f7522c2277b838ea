//! The local machine.

use std::{
    fs, io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use tokio::task::spawn_blocking;

use super::{
    ByteStream, Command, Entry, FileInfo, FileKind, Running, TerminalSize, Workspace, local_process,
    real_path::real_path,
};
use crate::text_file::replace;

/// How much of a file is read at once.
const READ_AHEAD: usize = 256 * 1024;

/// The machine the host runs on. File work goes on tokio's pool for blocking work.
#[derive(Debug, Clone, Default)]
pub struct LocalWorkspace {
    home: Option<PathBuf>,
}

impl LocalWorkspace {
    /// The local machine, with this directory for `~` instead of the user's own.
    #[must_use]
    pub fn with_home(home: impl Into<PathBuf>) -> Self {
        Self { home: Some(home.into()) }
    }
}

#[async_trait]
impl Workspace for LocalWorkspace {
    async fn stat(&self, path: &Path) -> io::Result<FileInfo> {
        blocking(path, |path| Ok(FileInfo::from(&fs::metadata(path)?))).await
    }

    async fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        blocking(path, real_path).await
    }

    async fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        blocking(path, |path| fs::read_dir(path)?.map(|entry| Ok(self::entry(&entry?))).collect()).await
    }

    async fn open(&self, path: &Path) -> io::Result<ByteStream> {
        let file = blocking(path, open_regular).await?;
        let mut file = tokio::fs::File::from_std(file);
        file.set_max_buf_size(READ_AHEAD);
        Ok(Box::new(file))
    }

    async fn replace(&self, path: &Path, content: Vec<u8>) -> io::Result<()> {
        blocking(path, move |path| replace(path, &content)).await
    }

    async fn spawn(&self, command: Command) -> io::Result<Running> {
        local_process::spawn(command)
    }

    async fn spawn_in_terminal(&self, command: Command, size: TerminalSize) -> io::Result<Running> {
        local_process::spawn_in_terminal(command, size)
    }

    /// The user's own home, unless another was given.
    fn home(&self) -> Option<PathBuf> {
        self.home.clone().or_else(std::env::home_dir)
    }
}

/// Runs file work where it may block.
async fn blocking<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let path = path.to_owned();
    spawn_blocking(move || work(&path)).await.map_err(io::Error::other)?
}

fn entry(entry: &fs::DirEntry) -> Entry {
    let kind = fs::metadata(entry.path()).map_or(FileKind::Other, |metadata| FileInfo::from(&metadata).kind);
    Entry::new(entry.file_name().to_string_lossy(), kind)
}

/// Looks before it opens, for opening alone can set a device going; opens without waiting, and looks again at what it
/// has got.
fn open_regular(path: &Path) -> io::Result<fs::File> {
    regular(&fs::metadata(path)?)?;
    let no_wait = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = fs::File::options().read(true).custom_flags(no_wait).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

fn regular(metadata: &fs::Metadata) -> io::Result<()> {
    match FileInfo::from(metadata).kind {
        FileKind::File => Ok(()),
        FileKind::Directory => Err(io::ErrorKind::IsADirectory.into()),
        kind => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {kind}"))),
    }
}
