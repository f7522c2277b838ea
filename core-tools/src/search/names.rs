//! Searching what files are called.

use std::{
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    newest::{Newest, Rank},
    report::Faults,
};
use crate::workspace::{Fault, FileKind, Found, Step, Visit, Visitor, Walk, Workspace};

/// What was found.
#[derive(Debug)]
pub(crate) struct Names {
    /// The paths, and what is there, in order.
    pub(crate) paths: Vec<(PathBuf, FileKind)>,
    /// Whether there are more.
    pub(crate) more: bool,
    pub(crate) faults: Faults,
}

/// Whether an entry is wanted, and where the walk goes from it.
type Wanted = dyn Fn(&Found<'_>) -> (bool, Step) + Send + Sync;

/// Finds the first so many entries that are wanted, by path, on the threads of the walk. Once there are enough, a
/// directory that comes after all of them is not gone into.
///
/// # Errors
/// When there can be no walk.
pub(crate) async fn search_names(
    workspace: Arc<dyn Workspace>,
    walk: Walk,
    limit: usize,
    wanted: impl Fn(&Found<'_>) -> (bool, Step) + Send + Sync + 'static,
) -> io::Result<Names> {
    let gathered = Mutex::new((Newest::new(limit), Faults::default()));
    let searching = Arc::new(Searching { wanted: Box::new(wanted), limit, gathered });
    workspace.walk(walk, searching.clone()).await?;
    let mut gathered = searching.gathered.lock().unwrap_or_else(PoisonError::into_inner);
    let newest = std::mem::replace(&mut gathered.0, Newest::new(0));
    let faults = std::mem::take(&mut gathered.1);
    let more = newest.is_full();
    let paths = newest.into_sorted().take(limit).map(|(rank, kind)| (rank.path, kind)).collect();
    Ok(Names { paths, more, faults })
}

struct Searching {
    wanted: Box<Wanted>,
    limit: usize,
    gathered: Mutex<(Newest<FileKind>, Faults)>,
}

impl Visit for Searching {
    fn visitor(&self) -> Box<dyn Visitor + '_> {
        Box::new(Worker { searching: self, newest: Newest::new(self.limit), faults: Faults::default() })
    }
}

struct Worker<'a> {
    searching: &'a Searching,
    newest: Newest<FileKind>,
    faults: Faults,
}

impl Visitor for Worker<'_> {
    fn visit(&mut self, found: &Found<'_>) -> Step {
        let path = found.path();
        let admits = self.newest.admits(None, path);
        if found.kind() == FileKind::Directory && !admits {
            return Step::Past;
        }
        let (is_wanted, step) = (self.searching.wanted)(found);
        if is_wanted && admits {
            self.newest.insert(Rank { modified: None, path: path.to_owned() }, 1, found.kind());
        }
        step
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.note_fault(&fault);
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let newest = std::mem::replace(&mut self.newest, Newest::new(0));
        let faults = std::mem::take(&mut self.faults);
        let mut gathered = self.searching.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        gathered.0.absorb(newest);
        gathered.1.absorb(faults);
    }
}
