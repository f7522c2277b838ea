//! Going through a tree of files.
//!
//! In: where, how deep, and whether ignore files count. Out: each entry once, to a visitor, which decides whether the
//! walk goes into a directory and when it ends. The local machine is gone through on several threads (`local`); any
//! other workspace by what it lists and opens (`listed`, with the rules of `rules`). Both come upon the same entries.

mod listed;
mod local;
mod rules;

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};

pub(super) use self::{listed::walk as walk_listed, local::walk as walk_local};
use super::FileKind;

/// The name of what is never gone into where ignore files count.
const GIT: &str = ".git";

/// What is to be gone through.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Walk {
    /// Where it begins: a real path, as [`Workspace::real_path`](super::Workspace::real_path) gives it. A file is
    /// visited by itself.
    pub root: PathBuf,
    /// How deep it goes: 1 for what is in the root, without end by default.
    pub depth: Option<usize>,
    /// Whether ignore files count (they do by default): what `.ignore`, `.gitignore` and `.git/info/exclude` name is
    /// left out, and `.git` always. They count from the root up to the top of its repository; where there is no
    /// repository, `.gitignore` counts too, in all folders above. The user's own ignore file does not: what a tool finds
    /// does not hang on who runs it. Hidden files are visited.
    pub ignore_files: bool,
}

impl Walk {
    /// All below a directory that no ignore file names.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), depth: None, ignore_files: true }
    }

    /// Goes no deeper than this.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.depth = Some(depth);
        self
    }

    /// Takes no notice of ignore files, and comes upon `.git` as upon anything else.
    #[must_use]
    pub fn all(mut self) -> Self {
        self.ignore_files = false;
        self
    }
}

/// Where a walk goes from an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// On: into it, where it is a directory.
    On,
    /// Past it: not into the directory.
    Past,
    /// Nowhere: the walk ends, on its other threads too, as soon as they come to their next entry.
    Stop,
}

/// Who a walk comes to, on one of its threads.
pub trait Visitor: Send {
    /// Takes an entry; the root only where it is a file. Runs where it may block.
    fn visit(&mut self, found: &Found<'_>) -> Step;

    /// Takes note of what could not be looked at; the walk goes on.
    fn fault(&mut self, fault: Fault);
}

/// Makes a [`Visitor`] for each thread of a walk. What they find they hand over when they are dropped, at the latest.
pub trait Visit: Send + Sync + 'static {
    /// A visitor for one thread.
    fn visitor(&self) -> Box<dyn Visitor + '_>;
}

/// What a walk could not look at.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fault {
    /// Where, as far as it is known.
    pub path: Option<PathBuf>,
    /// Why.
    pub error: io::Error,
}

/// An entry that a walk has come upon.
pub struct Found<'a> {
    path: &'a Path,
    kind: FileKind,
    depth: usize,
    source: &'a dyn Source,
    stop: &'a Stop,
}

/// What more can be had of an entry.
trait Source {
    fn modified(&self) -> Option<SystemTime>;
    fn open(&self) -> io::Result<Box<dyn Read + Send>>;
}

impl Found<'_> {
    /// Its path, below the root as that was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.path
    }

    /// What it is; a link is a [`FileKind::Link`], whatever it leads to.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// How many steps it is below the root; 0 for a root that is a file.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// When it was last written, where that is known. Asked for each time.
    #[must_use]
    pub fn modified(&self) -> Option<SystemTime> {
        self.source.modified()
    }

    /// The content of a regular file. Reading fails once the walk is given up, so that nobody waits for the end of a
    /// large file.
    ///
    /// # Errors
    /// When it cannot be opened, or is anything else than a regular file.
    pub fn open(&self) -> io::Result<Content> {
        if self.kind != FileKind::File {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {}", self.kind)));
        }
        Ok(Content { source: self.source.open()?, stop: self.stop.clone(), failed: None })
    }
}

/// The content of a file, from its beginning.
pub struct Content {
    source: Box<dyn Read + Send>,
    stop: Stop,
    failed: Option<io::ErrorKind>,
}

impl Content {
    /// Whether a read has failed, and how: what reads through somebody else's code sees its own errors apart from that
    /// code's.
    #[must_use]
    pub fn failed(&self) -> Option<io::ErrorKind> {
        self.failed
    }
}

impl Read for Content {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read =
            if self.stop.is_set() { Err(io::Error::other("the walk was given up")) } else { self.source.read(buffer) };
        if let Err(error) = &read
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.failed = Some(error.kind());
        }
        read
    }
}

/// Tells the threads of a walk that nobody waits for it any more.
#[derive(Clone, Default)]
struct Stop(Arc<AtomicBool>);

impl Stop {
    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Ends the walk of a future that is dropped.
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Whether ignore files are those of a repository: then they count up to its top only.
fn is_repository_top(has: impl Fn(&str) -> bool) -> bool {
    // As git has it, and as Jujutsu does, whose repositories have git's ignore files.
    has(GIT) || has(".jj")
}
