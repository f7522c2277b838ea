//! The local machine.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::task::spawn_blocking;

use super::{
    ByteStream, Command, Entry, Existing, FileInfo, FileKind, FileLocks, Roots, Running, TerminalSize, Visit, Walk,
    Workspace, local_files, local_process, real_path::real_path, walk::walk_local,
};

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

    async fn roots(&self, cwd: &Path) -> Roots {
        let looked = blocking(cwd, |cwd| {
            let worktree = cwd.ancestors().find(|folder| fs::metadata(folder.join(".git")).is_ok()).unwrap_or(cwd);
            let real = |path: &Path| real_path(path).unwrap_or_else(|_| path.to_owned());
            let real_cwd = real(cwd);
            let real_worktree = if worktree == cwd { real_cwd.clone() } else { real(worktree) };
            Ok(Roots { worktree: worktree.to_owned(), real_cwd, real_worktree })
        });
        let unknown = |_| Roots { worktree: cwd.to_owned(), real_cwd: cwd.to_owned(), real_worktree: cwd.to_owned() };
        looked.await.unwrap_or_else(unknown)
    }

    async fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        blocking(path, |path| fs::read_dir(path)?.map(|entry| Ok(self::entry(&entry?))).collect()).await
    }

    async fn open_at(&self, path: &Path, offset: u64) -> io::Result<ByteStream> {
        let file = blocking(path, move |path| local_files::open_at(path, offset)).await?;
        let mut file = tokio::fs::File::from_std(file);
        file.set_max_buf_size(READ_AHEAD);
        Ok(Box::new(file))
    }

    async fn walk(self: Arc<Self>, walk: Walk, visit: Arc<dyn Visit>) -> io::Result<()> {
        walk_local(walk, visit).await
    }

    async fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        blocking(path, move |path| local_files::read(path, most)).await
    }

    async fn create(&self, path: &Path, content: Bytes, like: Option<&Path>) -> io::Result<()> {
        let like = like.map(Path::to_owned);
        blocking(path, move |path| local_files::create(path, &content, like.as_deref())).await
    }

    async fn overwrite(&self, path: &Path, content: Bytes) -> io::Result<()> {
        blocking(path, move |path| local_files::overwrite(path, &content)).await
    }

    async fn check_writable(&self, path: &Path) -> io::Result<()> {
        blocking(path, |path| local_files::open_writable(path).map(drop)).await
    }

    async fn rename(&self, from: &Path, to: &Path, existing: Existing) -> io::Result<()> {
        let to = to.to_owned();
        blocking(from, move |from| local_files::rename(from, &to, existing)).await
    }

    async fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let to = to.to_owned();
        blocking(from, move |from| fs::hard_link(from, to)).await
    }

    async fn remove(&self, path: &Path) -> io::Result<()> {
        blocking(path, local_files::remove).await
    }

    async fn make_dirs(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        blocking(path, local_files::make_dirs).await
    }

    async fn remove_dir(&self, path: &Path) -> io::Result<()> {
        blocking(path, |path| fs::remove_dir(path)).await
    }

    async fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        blocking(path, move |path| fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o7777))).await
    }

    /// The disk is the same for all of the process, and so are its locks.
    fn locks(&self) -> &FileLocks {
        static LOCKS: LazyLock<FileLocks> = LazyLock::new(FileLocks::default);
        &LOCKS
    }

    async fn spawn(&self, command: Command) -> io::Result<Running> {
        local_process::spawn(command)
    }

    async fn spawn_in_terminal(&self, command: Command, size: TerminalSize) -> io::Result<Running> {
        local_process::spawn_in_terminal(command, size)
    }

    fn confines(&self) -> bool {
        true
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
    let found = Entry::new(entry.file_name(), kind);
    if entry.file_type().is_ok_and(|kind| kind.is_symlink()) { found.link() } else { found }
}
