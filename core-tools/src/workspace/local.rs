//! The local machine.

use std::{
    fs, io,
    os::unix::{fs::PermissionsExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, LazyLock},
};

use async_trait::async_trait;
use bytes::Bytes;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::{io::AsyncWriteExt, net::unix::pipe, process::Child, task::spawn_blocking};

use super::{
    ByteStream, Command, Entry, Existing, Exit, FileInfo, FileKind, FileLocks, Process, Running, Stop, Visit, Walk,
    Workspace, local_files, real_path::real_path, walk::walk_local,
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
        // One pipe for both streams is what keeps their order. The child gets the only writers, for the builder that
        // holds ours is gone when this block ends.
        let (reader, errors, mut child) = {
            let (reader, writer) = io::pipe()?;
            let (errors, error_writer) = match command.errors_apart {
                true => io::pipe().map(|(reader, writer)| (Some(reader), writer))?,
                false => (None, writer.try_clone()?),
            };
            let mut child = tokio::process::Command::new(command.program);
            child.args(command.args).envs(command.env).current_dir(command.cwd);
            child.stdin(if command.input.is_empty() { Stdio::null() } else { Stdio::piped() });
            child.stdout(writer).stderr(error_writer).process_group(0).kill_on_drop(true);
            (reader, errors, child.spawn()?)
        };
        let input = child.stdin.take().map(|mut stdin| {
            // A child that reads nothing of it, or not all, may do so.
            let feed = tokio::spawn(async move { stdin.write_all(&command.input).await.unwrap_or_default() });
            AbortOnDrop(feed)
        });
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let process = Box::new(LocalProcess { child, group, _input: input });
        let output = pipe::Receiver::from_owned_fd(reader.into())?;
        let running = Running::new(Box::new(output), process);
        Ok(match errors {
            Some(errors) => running.errors(Box::new(pipe::Receiver::from_owned_fd(errors.into())?)),
            None => running,
        })
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

/// A child in a group of its own. `kill_on_drop` would end the child alone; this ends its children too.
struct LocalProcess {
    child: Child,
    /// The group's id; `None` once it is to be left alone.
    group: Option<Pid>,
    /// What writes its stdin; given up when the process is.
    _input: Option<AbortOnDrop>,
}

struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[async_trait]
impl Process for LocalProcess {
    async fn wait(&mut self) -> io::Result<Exit> {
        let status = self.child.wait().await?;
        Ok(Exit::new(status.code(), status.signal()))
    }

    fn stop(&mut self, how: Stop) {
        if let Some(group) = self.group {
            let signal = match how {
                Stop::Terminate => Signal::TERM,
                Stop::Kill => Signal::KILL,
            };
            // The one way to fail that can happen here is that nobody is left.
            let _ = kill_process_group(group, signal);
            if how == Stop::Terminate {
                // A process that was stopped hears of it only when it goes on.
                let _ = kill_process_group(group, Signal::CONT);
            }
        }
    }

    fn has_company(&self) -> bool {
        self.group.is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    fn release(mut self: Box<Self>) {
        self.group = None;
    }
}

impl Drop for LocalProcess {
    fn drop(&mut self) {
        self.stop(Stop::Kill);
    }
}
