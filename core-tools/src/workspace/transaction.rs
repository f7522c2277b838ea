//! Several changes made one after the other, and put back where one fails.

use std::{
    ffi::OsString,
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
};

use bytes::Bytes;

use super::{Before, Change, ChangeError, Existing, Left, Original, Workspace};

/// Who finds a file with this at the beginning of its name has found what an interrupted write left over.
pub const STAGED_PREFIX: &str = ".core-tools-";
/// The end of such a name.
pub const STAGED_SUFFIX: &str = ".tmp";

/// Changes on their way.
pub(super) struct Transaction<'a> {
    workspace: &'a dyn Workspace,
    /// Whether a failure can come after something was done: with one change of one step it cannot.
    keeps: bool,
    /// Files that are staged, and not in their place yet.
    staged: Vec<PathBuf>,
    /// What is done, in order.
    done: Vec<Undo>,
}

/// How something that was done is undone.
enum Undo {
    /// A file that was not there goes again.
    Remove(PathBuf),
    /// A directory that was not there goes again.
    RemoveDir(PathBuf),
    /// What is kept goes back to its place.
    PutBack { kept: PathBuf, path: PathBuf },
    /// A file that was moved goes back.
    MoveBack { from: PathBuf, to: PathBuf },
    /// Old content is written over the new.
    Overwrite { path: PathBuf, content: Bytes },
    /// The old permission bits.
    Mode { path: PathBuf, mode: u32 },
}

/// How a change is made, once everything that can be known before is.
enum Step<'c> {
    /// A staged file is renamed into place; if that cannot be, and there is an old file, it is written over.
    Put {
        staged: PathBuf,
        path: &'c Path,
        content: &'c Bytes,
        before: Before,
        mode: Option<u32>,
    },
    /// No file can be made beside it: it is written over where it stands.
    Overwrite {
        path: &'c Path,
        content: &'c Bytes,
        before: Before,
        mode: Option<u32>,
    },
    Remove {
        path: &'c Path,
    },
    Move {
        from: &'c Path,
        to: &'c Path,
        replaced: Before,
    },
}

impl<'a> Transaction<'a> {
    pub(super) fn new(workspace: &'a dyn Workspace, changes: &[Change]) -> Self {
        let keeps = !matches!(changes, [Change::Write { mode: None, .. } | Change::Remove { .. }]);
        Self { workspace, keeps, staged: Vec::new(), done: Vec::new() }
    }

    /// Makes all changes, or puts back what was done of them.
    pub(super) async fn make(mut self, changes: &[Change]) -> Result<(), ChangeError> {
        match self.try_all(changes).await {
            Ok(()) => {
                self.tidy().await;
                Ok(())
            }
            Err(cause) => Err(self.roll_back(cause).await),
        }
    }

    async fn try_all(&mut self, changes: &[Change]) -> Result<(), ChangeError> {
        let mut steps = Vec::with_capacity(changes.len());
        for change in changes {
            steps.push(self.stage(change).await?);
        }
        // Staging takes time, in which somebody else may have come.
        for change in changes {
            change.verify(self.workspace).await?;
        }
        for step in steps {
            self.take(step).await?;
        }
        Ok(())
    }

    async fn stage<'c>(&mut self, change: &'c Change) -> Result<Step<'c>, ChangeError> {
        match change {
            Change::Write { path, content, before, mode } => {
                let old = match before {
                    Before::File(_) => {
                        self.workspace.check_writable(path).await.map_err(refused("write", path))?;
                        Some(path.as_path())
                    }
                    Before::Absent => {
                        self.make_dirs(path).await?;
                        None
                    }
                };
                let staged = beside(path);
                match self.workspace.create(&staged, content.clone(), old).await {
                    Ok(()) => {
                        self.staged.push(staged.clone());
                        if let Some(mode) = mode {
                            self.workspace.set_mode(&staged, *mode).await.map_err(refused("write", path))?;
                        }
                        Ok(Step::Put { staged, path, content, before: *before, mode: *mode })
                    }
                    Err(error) if old.is_some() && cannot_replace(&error) => {
                        Ok(Step::Overwrite { path, content, before: *before, mode: *mode })
                    }
                    Err(error) => Err(refused("write", path)(error)),
                }
            }
            Change::Remove { path, .. } => Ok(Step::Remove { path }),
            Change::Move { from, to, replaced, .. } => {
                self.make_dirs(to).await?;
                Ok(Step::Move { from, to, replaced: *replaced })
            }
        }
    }

    async fn take(&mut self, step: Step<'_>) -> Result<(), ChangeError> {
        match step {
            Step::Put { staged, path, content, before, mode } => {
                let existing = self.make_room(path, before).await?;
                match self.workspace.rename(&staged, path, existing).await {
                    Ok(()) => {
                        self.staged.retain(|other| *other != staged);
                        if existing == Existing::Refuse {
                            self.done.push(Undo::Remove(path.to_owned()));
                        }
                        Ok(())
                    }
                    Err(error) if existing == Existing::Replace && cannot_replace(&error) => {
                        self.overwrite(path, content, before, mode).await
                    }
                    Err(error) => Err(refused("write", path)(error)),
                }
            }
            Step::Overwrite { path, content, before, mode } => self.overwrite(path, content, before, mode).await,
            Step::Remove { path } => {
                if self.keeps {
                    let kept = beside(path);
                    let renamed = self.workspace.rename(path, &kept, Existing::Refuse).await;
                    renamed.map_err(refused("remove", path))?;
                    self.done.push(Undo::PutBack { kept, path: path.to_owned() });
                    return Ok(());
                }
                self.workspace.remove(path).await.map_err(refused("remove", path))
            }
            Step::Move { from, to, replaced } => self.rename(from, to, replaced).await,
        }
    }

    async fn rename(&mut self, from: &Path, to: &Path, replaced: Before) -> Result<(), ChangeError> {
        let existing = self.make_room(to, replaced).await?;
        match self.workspace.rename(from, to, existing).await {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let copy = beside(to);
                self.copy(from, &copy).await.map_err(refused("move", from))?;
                self.staged.push(copy.clone());
                self.workspace.rename(&copy, to, existing).await.map_err(refused("move", from))?;
                self.staged.pop();
                if existing == Existing::Refuse {
                    self.done.push(Undo::Remove(to.to_owned()));
                }
                return self.workspace.remove(from).await.map_err(refused("move", from));
            }
            Err(error) => return Err(refused("move", from)(error)),
        }
        // Undone before what it replaced is put back.
        self.done.push(Undo::MoveBack { from: to.to_owned(), to: from.to_owned() });
        Ok(())
    }

    /// Keeps what a rename would replace.
    async fn make_room(&mut self, path: &Path, before: Before) -> Result<Existing, ChangeError> {
        let Before::File(_) = before else { return Ok(Existing::Refuse) };
        if self.keeps {
            let kept = beside(path);
            if self.workspace.link(path, &kept).await.is_err() {
                self.copy(path, &kept).await.map_err(refused("keep a copy of", path))?;
            }
            self.done.push(Undo::PutBack { kept, path: path.to_owned() });
        }
        Ok(Existing::Replace)
    }

    async fn copy(&self, from: &Path, to: &Path) -> io::Result<()> {
        let content = self.content(from).await?;
        self.workspace.create(to, content, Some(from)).await
    }

    /// All that is in a file that is to be kept.
    async fn content(&self, path: &Path) -> io::Result<Bytes> {
        let content = self.workspace.read(path, Original::MAX_BYTES + 1).await?;
        if content.len() as u64 > Original::MAX_BYTES {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too long for its old content to be kept"));
        }
        Ok(content.into())
    }

    async fn overwrite(
        &mut self,
        path: &Path,
        content: &Bytes,
        before: Before,
        mode: Option<u32>,
    ) -> Result<(), ChangeError> {
        // A link to the file would be written over with it, and there may be no room for a copy.
        if let Some(Undo::PutBack { path: last, kept }) = self.done.last()
            && last == path
        {
            let _ = self.workspace.remove(kept).await;
            self.done.pop();
        }
        let old = self.content(path).await.map_err(refused("write", path))?;
        self.done.push(Undo::Overwrite { path: path.to_owned(), content: old });
        self.workspace.overwrite(path, content.clone()).await.map_err(refused("write", path))?;
        if let Some(mode) = mode {
            if let Before::File(info) = before
                && let Some(mode) = info.mode
            {
                self.done.push(Undo::Mode { path: path.to_owned(), mode });
            }
            self.workspace.set_mode(path, mode).await.map_err(refused("set the mode of", path))?;
        }
        Ok(())
    }

    async fn make_dirs(&mut self, path: &Path) -> Result<(), ChangeError> {
        let Some(folder) = path.parent() else { return Ok(()) };
        let made = self.workspace.make_dirs(folder).await.map_err(refused("make the directory of", path))?;
        self.done.extend(made.into_iter().map(Undo::RemoveDir));
        Ok(())
    }

    /// Removes what was kept in case of failure.
    async fn tidy(self) {
        for staged in &self.staged {
            let _ = self.workspace.remove(staged).await;
        }
        for undo in &self.done {
            if let Undo::PutBack { kept, .. } = undo {
                let _ = self.workspace.remove(kept).await;
            }
        }
    }

    async fn roll_back(self, cause: ChangeError) -> ChangeError {
        let Self { workspace, staged, done, .. } = self;
        for staged in &staged {
            let _ = workspace.remove(staged).await;
        }
        let mut left = Vec::new();
        for undo in done.into_iter().rev() {
            let (path, old, undone) = match undo {
                Undo::Remove(path) => {
                    let undone = workspace.remove(&path).await;
                    (path, None, undone)
                }
                // Somebody else may have put something in it.
                Undo::RemoveDir(path) => {
                    let _ = workspace.remove_dir(&path).await;
                    continue;
                }
                Undo::PutBack { kept, path } => {
                    let undone = workspace.rename(&kept, &path, Existing::Replace).await;
                    if undone.is_ok() {
                        // Renaming one name of a file to another does nothing (POSIX), where nothing had been replaced.
                        let _ = workspace.remove(&kept).await;
                    }
                    (path, Some(kept), undone)
                }
                Undo::MoveBack { from, to } => {
                    let undone = workspace.rename(&from, &to, Existing::Refuse).await;
                    (to, Some(from), undone)
                }
                Undo::Overwrite { path, content } => {
                    let undone = workspace.overwrite(&path, content).await;
                    (path, None, undone)
                }
                Undo::Mode { path, mode } => {
                    let undone = workspace.set_mode(&path, mode).await;
                    (path, None, undone)
                }
            };
            if let Err(error) = undone {
                left.push(Left { path, old, error });
            }
        }
        if left.is_empty() { cause } else { ChangeError::Torn { cause: Box::new(cause), left } }
    }
}

/// A name beside a file that nobody has: told apart from content by its beginning and its end.
fn beside(path: &Path) -> PathBuf {
    let random = RandomState::new().hash_one(path);
    let mut name = OsString::from(STAGED_PREFIX);
    name.push(format!("{random:016x}{STAGED_SUFFIX}"));
    path.with_file_name(name)
}

/// Whether a file may still be written where it stands: its directory is closed, sticky or read-only, nobody can be given
/// a file like it, or it is mounted by itself, as containers do.
fn cannot_replace(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem | ResourceBusy)
}

fn refused<'p>(action: &'static str, path: &'p Path) -> impl FnOnce(io::Error) -> ChangeError + use<'p> {
    move |source| ChangeError::Refused { action, path: path.to_owned(), source }
}
