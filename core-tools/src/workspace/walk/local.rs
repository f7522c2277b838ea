//! A walk of the local machine, on `ignore`'s parallel walker.

use std::{
    fs,
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    sync::Arc,
    time::SystemTime,
};

use ignore::{DirEntry, WalkBuilder, WalkState};
use tokio::task::spawn_blocking;

use super::{Fault, Found, GIT, Source, Step, Stop, StopOnDrop, Visit, Visitor, Walk, is_repository_top};
use crate::workspace::{FileInfo, FileKind};

/// Goes through a tree. A future that is dropped ends the walk.
pub(in crate::workspace) async fn walk(walk: Walk, visit: Arc<dyn Visit>) -> io::Result<()> {
    let stop = Stop::default();
    let _guard = StopOnDrop(stop.clone());
    spawn_blocking(move || run(&walk, &*visit, &stop)).await.map_err(io::Error::other)
}

fn run(walk: &Walk, visit: &dyn Visit, stop: &Stop) {
    let counts = walk.ignore_files;
    let in_repository =
        counts && walk.root.ancestors().any(|folder| is_repository_top(|name| folder.join(name).exists()));
    let mut builder = WalkBuilder::new(&walk.root);
    builder
        .standard_filters(false)
        .parents(counts)
        .ignore(counts)
        .git_ignore(counts)
        .git_exclude(counts)
        .require_git(in_repository)
        .max_depth(walk.depth);
    builder.build_parallel().run(|| {
        let mut visitor = visit.visitor();
        Box::new(move |found| {
            if stop.is_set() {
                return WalkState::Quit;
            }
            match found {
                Ok(entry) => state(take(&entry, walk, &mut *visitor, stop)),
                Err(error) => {
                    faults(error, None, &mut *visitor);
                    WalkState::Continue
                }
            }
        })
    });
}

fn state(step: Step) -> WalkState {
    match step {
        Step::On => WalkState::Continue,
        Step::Past => WalkState::Skip,
        Step::Stop => WalkState::Quit,
    }
}

fn take(entry: &DirEntry, walk: &Walk, visitor: &mut dyn Visitor, stop: &Stop) -> Step {
    let Some(kind) = entry.file_type() else { return Step::On };
    let kind = FileKind::of(kind);
    let depth = entry.depth();
    if depth == 0 && kind == FileKind::Directory {
        return Step::On;
    }
    if walk.ignore_files && depth > 0 && entry.file_name() == GIT {
        return Step::Past;
    }
    visitor.visit(&Found { path: entry.path(), kind, depth, source: entry, stop })
}

impl Source for DirEntry {
    fn modified(&self) -> Option<SystemTime> {
        self.metadata().ok().and_then(|metadata| metadata.modified().ok())
    }

    /// Without waiting and without following a link: what has been put in the file's place since it was listed cannot
    /// hold up the walk, nor lead it elsewhere.
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
        Ok(Box::new(fs::File::options().read(true).custom_flags(flags.bits().cast_signed()).open(self.path())?))
    }
}

/// Faults of looking at files. What an ignore file has wrong in it is its author's, and counts as if it were not there.
fn faults(error: ignore::Error, path: Option<std::path::PathBuf>, visitor: &mut dyn Visitor) {
    match error {
        ignore::Error::WithPath { path, err } => faults(*err, Some(path), visitor),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => faults(*err, path, visitor),
        ignore::Error::Partial(errors) => errors.into_iter().for_each(|error| faults(error, path.clone(), visitor)),
        ignore::Error::Io(error) => visitor.fault(Fault { path, error }),
        _ => {}
    }
}

impl FileKind {
    /// Of what is itself looked at, no link followed.
    fn of(kind: fs::FileType) -> Self {
        if kind.is_symlink() { Self::Link } else { FileInfo::kind_of(kind) }
    }
}
