//! A machine that is nowhere: files in memory.

mod tree;

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;

use self::tree::{Access, Node, Tree};
use super::{ByteStream, Command, Entry, Existing, FileInfo, FileKind, FileLocks, Owner, Running, Workspace};

/// Files in memory, that behave as those of the local machine do for a user who is not root: for tests, and for hosts
/// whose agents work on what is on no disk. It runs no processes.
///
/// Its time is its own: every change comes a millisecond after the one before, from the Unix epoch on, so that the same
/// steps give the same times.
///
/// ```
/// use core_tools::workspace::{MemoryWorkspace, Workspace};
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let workspace = MemoryWorkspace::new().file("/project/a.txt", "text");
/// assert_eq!(workspace.read("/project/a.txt".as_ref(), 10).await?, b"text");
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryWorkspace {
    tree: Mutex<Tree>,
    locks: FileLocks,
    home: Option<PathBuf>,
}

impl MemoryWorkspace {
    /// An empty machine.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With a home directory.
    #[must_use]
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// With room for so many bytes of content in all.
    #[must_use]
    pub fn capacity(self, bytes: u64) -> Self {
        self.tree().capacity = Some(bytes);
        self
    }

    /// With a file, in the place of what is there, and the directories it is in.
    #[must_use]
    pub fn file(self, path: impl AsRef<Path>, content: impl Into<Bytes>) -> Self {
        self.put(path, Node::File(content.into()))
    }

    /// With an empty directory, and those it is in.
    #[must_use]
    pub fn directory(self, path: impl AsRef<Path>) -> Self {
        self.put(path, Node::Directory(Default::default()))
    }

    /// With a link, that leads to what need not exist.
    #[must_use]
    pub fn symlink(self, path: impl AsRef<Path>, target: impl Into<PathBuf>) -> Self {
        self.put(path, Node::Link(target.into()))
    }

    /// With something that is neither a file nor a directory.
    #[must_use]
    pub fn special(self, path: impl AsRef<Path>, kind: FileKind) -> Self {
        self.put(path, Node::Special(kind))
    }

    fn put(self, path: impl AsRef<Path>, node: Node) -> Self {
        self.tree().put(path.as_ref(), node);
        self
    }

    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn content(&self, path: &Path) -> io::Result<Bytes> {
        let tree = self.tree();
        let id = tree.find(path)?;
        tree.check(id, Access::Read)?;
        tree.content(id).cloned()
    }
}

#[async_trait]
impl Workspace for MemoryWorkspace {
    async fn stat(&self, path: &Path) -> io::Result<FileInfo> {
        let tree = self.tree();
        Ok(tree.info(tree.find(path)?))
    }

    async fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.tree().real_path(path)
    }

    async fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let tree = self.tree();
        let folder = tree.find(path)?;
        tree.check(folder, Access::Read)?;
        let names = tree.entries(folder)?;
        let kind =
            |name: &std::ffi::OsString| tree.find(&path.join(name)).map_or(FileKind::Other, |id| tree.info(id).kind);
        let entry = |(name, id): (&std::ffi::OsString, &u64)| {
            let entry = Entry::new(name, kind(name));
            if tree.is_link(*id) { entry.link() } else { entry }
        };
        Ok(names.iter().map(entry).collect())
    }

    async fn open_at(&self, path: &Path, offset: u64) -> io::Result<ByteStream> {
        let content = self.content(path)?;
        let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(content.len());
        Ok(Box::new(io::Cursor::new(content.slice(offset..))))
    }

    async fn create(&self, path: &Path, content: Bytes, like: Option<&Path>) -> io::Result<()> {
        let mut tree = self.tree();
        let like = like.map(|like| tree.find(like)).transpose()?;
        tree.reserve(content.len() as u64)?;
        let id = tree.make(path, Node::File(content))?;
        if let Some(like) = like {
            let mode = tree.info(like).mode.unwrap_or_default();
            tree.set_mode(id, mode & 0o1777);
        }
        Ok(())
    }

    async fn overwrite(&self, path: &Path, content: Bytes) -> io::Result<()> {
        let mut tree = self.tree();
        let id = tree.find(path)?;
        tree.check(id, Access::Write)?;
        let old = tree.content(id)?.len() as u64;
        tree.reserve((content.len() as u64).saturating_sub(old))?;
        tree.fill(id, content);
        Ok(())
    }

    async fn check_writable(&self, path: &Path) -> io::Result<()> {
        let tree = self.tree();
        let id = tree.find(path)?;
        tree.content(id)?;
        tree.check(id, Access::Write)
    }

    async fn rename(&self, from: &Path, to: &Path, existing: Existing) -> io::Result<()> {
        self.tree().rename(from, to, existing)
    }

    async fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut tree = self.tree();
        let id = tree.find(from)?;
        tree.content(id)?;
        tree.give_name(to, id)
    }

    async fn remove(&self, path: &Path) -> io::Result<()> {
        self.tree().remove(path, false)
    }

    async fn make_dirs(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        let mut tree = self.tree();
        let mut made: Vec<PathBuf> = Vec::new();
        let mut folders: Vec<&Path> = path.ancestors().take_while(|folder| tree.find(folder).is_err()).collect();
        folders.reverse();
        for folder in folders {
            if let Err(error) = tree.make(folder, Node::Directory(Default::default())) {
                for folder in made.iter().rev() {
                    tree.remove(folder, true)?;
                }
                return Err(error);
            }
            made.push(folder.to_owned());
        }
        let id = tree.find(path)?;
        tree.entries(id)?;
        Ok(made)
    }

    async fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.tree().remove(path, true)
    }

    async fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        let mut tree = self.tree();
        let id = tree.find(path)?;
        tree.set_mode(id, mode & 0o7777);
        Ok(())
    }

    fn locks(&self) -> &FileLocks {
        &self.locks
    }

    async fn spawn(&self, _: Command) -> io::Result<Running> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this workspace is in memory, and runs no processes"))
    }

    fn home(&self) -> Option<PathBuf> {
        self.home.clone()
    }
}

/// Everything in memory belongs to one user.
const OWNER: Owner = Owner { user: 1000, group: 1000 };
