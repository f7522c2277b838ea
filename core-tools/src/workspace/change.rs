//! Changes of files: verified, staged, then made all or none.
//!
//! In: what is to become of which files, and what is known of them. Out: all of it done, or an error and nothing changed.
//! New content goes to a file beside its target, synced; then one file after the other is renamed into place. What a
//! rename would lose is kept under another name until all are done, so that a failure in the middle puts it back.

use std::{
    collections::HashSet,
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;

use super::{ActiveWorkspace, FileGuard, FileInfo, FileKind, Seen, Workspace, transaction::Transaction};

/// What is at a path before it is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// Nothing: if something is there when it comes to it, that is an error, and it stays.
    Absent,
    /// This file, with the content it has now.
    File(FileInfo),
}

/// One change. Paths are real ones, as [`Workspace::real_path`] gives them: a link at the end of one would be replaced
/// itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A file gets this content, or is made with it, together with the directories it is in. An old file's mode and owner
    /// stay.
    Write {
        /// The file.
        path: PathBuf,
        /// All that is in it afterwards.
        content: Bytes,
        /// What is there now.
        before: Before,
        /// Permission bits other than the old file's, or than a new one has by the umask.
        mode: Option<u32>,
    },
    /// A file goes.
    Remove {
        /// The file.
        path: PathBuf,
        /// What is there now.
        before: FileInfo,
    },
    /// A file gets another name, with all it has.
    Move {
        /// Its name.
        from: PathBuf,
        /// Its name afterwards. Missing directories are made.
        to: PathBuf,
        /// What is at `from` now.
        before: FileInfo,
        /// What is at `to` now, and goes.
        replaced: Before,
    },
}

impl Change {
    /// A file gets this content.
    #[must_use]
    pub fn write(path: impl Into<PathBuf>, content: impl Into<Bytes>, before: Before) -> Self {
        Self::Write { path: path.into(), content: content.into(), before, mode: None }
    }

    /// A file goes.
    #[must_use]
    pub fn remove(path: impl Into<PathBuf>, before: FileInfo) -> Self {
        Self::Remove { path: path.into(), before }
    }

    /// A file gets another name.
    #[must_use]
    pub fn rename(from: impl Into<PathBuf>, to: impl Into<PathBuf>, before: FileInfo, replaced: Before) -> Self {
        Self::Move { from: from.into(), to: to.into(), before, replaced }
    }

    /// With these permission bits, where it writes.
    #[must_use]
    pub fn mode(mut self, bits: u32) -> Self {
        if let Self::Write { mode, .. } = &mut self {
            *mode = Some(bits);
        }
        self
    }

    /// Whether everything it is about is as it says.
    pub(super) async fn verify(&self, workspace: &dyn Workspace) -> Result<(), ChangeError> {
        match self {
            Self::Write { path, before, .. } => expect(workspace, path, *before).await,
            Self::Remove { path, before } => expect(workspace, path, Before::File(*before)).await,
            Self::Move { from, to, before, replaced } => {
                expect(workspace, from, Before::File(*before)).await?;
                expect(workspace, to, *replaced).await
            }
        }
    }

    /// The files it changes: what has to be locked.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let (one, other) = match self {
            Self::Write { path, .. } | Self::Remove { path, .. } => (path, None),
            Self::Move { from, to, .. } => (from, Some(to)),
        };
        std::iter::once(one.as_path()).chain(other.map(PathBuf::as_path))
    }
}

/// Why nothing was changed, or in [`Torn`](Self::Torn), not all was put back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// What is there is not what was there when the change was made up.
    #[error("{} changed while this call was at work: {what}. Nothing was written. Read it again, then decide.", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// What is different.
        what: Difference,
    },
    /// Two changes of one file.
    #[error("{} is changed twice at once: make one change of the two", .0.display())]
    Twice(PathBuf),
    /// A file that is not locked by who wants to change it.
    #[error("{} is not locked by this call, and was not changed", .0.display())]
    NotLocked(PathBuf),
    /// The machine refused, and everything is as it was.
    #[error("Cannot {action} {}: {source}. Nothing was changed.", path.display())]
    Refused {
        /// What was tried, a verb.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the machine said.
        source: io::Error,
    },
    /// The machine refused in the middle of several changes, and then to put some of it back.
    #[error("{cause} But not all that was done before could be put back: {}", .left.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Torn {
        /// What failed first.
        cause: Box<ChangeError>,
        /// What is not as it was.
        left: Vec<Left>,
    },
    /// The work was given up: the host is shutting down.
    #[error("the change was given up: {0}")]
    GivenUp(String),
}

/// How a file differs from what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// It is gone.
    Gone,
    /// It was not there before.
    Appeared,
    /// It was written, or another took its place.
    Content,
    /// Something else than a file is there.
    Kind(FileKind),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("it is gone"),
            Self::Appeared => f.write_str("it was not there before"),
            Self::Content => f.write_str("its content is another"),
            Self::Kind(kind) => write!(f, "it is {kind} now"),
        }
    }
}

/// A file that could not be put back.
#[derive(Debug)]
#[non_exhaustive]
pub struct Left {
    /// The file.
    pub path: PathBuf,
    /// Where its old content is, if it had any.
    pub old: Option<PathBuf>,
    /// Why.
    pub error: io::Error,
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)?;
        match &self.old {
            Some(old) => write!(f, " (its old content is in {})", old.display()),
            None => Ok(()),
        }
    }
}

/// Makes all of the changes, or none. Everything is verified before anything is written: that each file is what the
/// change says it is, and may be written.
///
/// `guard` has to hold the locks of all files, and `seen` learns what they are now, so that the session's next change of
/// them is not taken for one over somebody else's. A caller that is cancelled stops waiting; the changes are made to
/// their end all the same, and the locks held until then.
///
/// # Errors
/// When nothing was changed, but for [`ChangeError::Torn`].
pub async fn apply_all(
    workspace: &ActiveWorkspace,
    seen: Arc<Seen>,
    guard: FileGuard,
    changes: Vec<Change>,
) -> Result<(), ChangeError> {
    let mut paths = HashSet::new();
    for path in changes.iter().flat_map(Change::paths) {
        if !guard.holds(path) {
            return Err(ChangeError::NotLocked(path.to_owned()));
        }
        if !paths.insert(path) {
            return Err(ChangeError::Twice(path.to_owned()));
        }
    }
    let workspace = workspace.clone();
    let work = tokio::spawn(async move {
        for change in &changes {
            change.verify(&*workspace).await?;
        }
        Transaction::new(&*workspace, &changes).make(&changes).await?;
        for change in changes {
            note(&*workspace, &seen, change).await;
        }
        drop(guard);
        Ok(())
    });
    work.await.unwrap_or_else(|error| Err(ChangeError::GivenUp(error.to_string())))
}

async fn expect(workspace: &dyn Workspace, path: &Path, before: Before) -> Result<(), ChangeError> {
    let now = match workspace.stat(path).await {
        Ok(info) => Some(info),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(source) => return Err(ChangeError::Refused { action: "look at", path: path.to_owned(), source }),
    };
    let what = match (before, now) {
        (Before::Absent, None) => return Ok(()),
        (Before::File(before), Some(now)) if now.is_same_content(&before) => return Ok(()),
        (_, Some(now)) if now.kind != FileKind::File => Difference::Kind(now.kind),
        (Before::Absent, Some(_)) => Difference::Appeared,
        (Before::File(_), None) => Difference::Gone,
        (Before::File(_), Some(_)) => Difference::Content,
    };
    Err(ChangeError::Changed { path: path.to_owned(), what })
}

async fn note(workspace: &dyn Workspace, seen: &Seen, change: Change) {
    match change {
        Change::Write { path, content, .. } => match workspace.stat(&path).await {
            Ok(info) => seen.note(&path, &info, Some(&content)),
            Err(_) => seen.forget(&path),
        },
        Change::Remove { path, .. } => seen.forget(&path),
        Change::Move { from, to, .. } => match workspace.stat(&to).await {
            Ok(info) => seen.moved(&from, &to, &info),
            Err(_) => seen.forget(&from),
        },
    }
}
