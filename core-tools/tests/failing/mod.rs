//! A workspace of which one step fails.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicI64, Ordering::SeqCst},
    },
};

use async_trait::async_trait;
use bytes::Bytes;
use core_tools::{
    Workspace,
    workspace::{ByteStream, Command, Entry, Existing, FileInfo, FileLocks, Running},
};

/// Another workspace, but for one step that changes something.
pub(crate) struct Failing<W> {
    inner: W,
    left: AtomicI64,
    failed: AtomicBool,
    shrinks: AtomicBool,
    meddled: Mutex<Option<PathBuf>>,
}

impl<W> Failing<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self {
            inner,
            left: AtomicI64::new(i64::MAX),
            failed: AtomicBool::new(false),
            shrinks: AtomicBool::new(false),
            meddled: Mutex::default(),
        }
    }

    /// The step after so many fails.
    pub(crate) fn fail_at(&self, steps: i64) {
        self.left.store(steps, SeqCst);
    }

    /// From now on files have lost their content when they are read.
    pub(crate) fn shrink(&self) {
        self.shrinks.store(true, SeqCst);
    }

    /// When the next file is made, somebody else writes this one.
    pub(crate) fn meddle(&self, path: &Path) {
        *self.meddled.lock().expect("nobody panics with it") = Some(path.to_owned());
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(SeqCst)
    }

    fn step(&self) -> io::Result<()> {
        if self.left.fetch_sub(1, SeqCst) != 0 {
            return Ok(());
        }
        self.failed.store(true, SeqCst);
        Err(io::Error::other("the disk broke"))
    }
}

#[async_trait]
impl<W: Workspace> Workspace for Failing<W> {
    async fn stat(&self, path: &Path) -> io::Result<FileInfo> {
        self.inner.stat(path).await
    }
    async fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.inner.real_path(path).await
    }
    async fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.inner.list(path).await
    }
    async fn open_at(&self, path: &Path, offset: u64) -> io::Result<ByteStream> {
        if self.shrinks.load(SeqCst) {
            return Ok(Box::new(tokio::io::empty()));
        }
        self.inner.open_at(path, offset).await
    }
    async fn create(&self, path: &Path, content: Bytes, like: Option<&Path>) -> io::Result<()> {
        self.step()?;
        let meddled = self.meddled.lock().expect("nobody panics with it").take();
        if let Some(meddled) = meddled {
            self.inner.overwrite(&meddled, "meddled".into()).await?;
        }
        self.inner.create(path, content, like).await
    }
    async fn overwrite(&self, path: &Path, content: Bytes) -> io::Result<()> {
        self.step()?;
        self.inner.overwrite(path, content).await
    }
    async fn check_writable(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        self.inner.check_writable(path).await
    }
    async fn rename(&self, from: &Path, to: &Path, existing: Existing) -> io::Result<()> {
        self.step()?;
        self.inner.rename(from, to, existing).await
    }
    async fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        self.inner.link(from, to).await
    }
    async fn remove(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        self.inner.remove(path).await
    }
    async fn make_dirs(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.step()?;
        self.inner.make_dirs(path).await
    }
    async fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        self.inner.remove_dir(path).await
    }
    async fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.step()?;
        self.inner.set_mode(path, mode).await
    }
    fn locks(&self) -> &FileLocks {
        self.inner.locks()
    }
    async fn spawn(&self, command: Command) -> io::Result<Running> {
        self.inner.spawn(command).await
    }
    fn home(&self) -> Option<PathBuf> {
        self.inner.home()
    }
}
