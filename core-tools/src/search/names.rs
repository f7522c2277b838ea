//! Searching what files are called.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    newest::{Newest, Order, Rank},
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

/// Finds the first so many entries that are wanted, on the threads of the walk.
///
/// # Errors
/// When there can be no walk.
pub(crate) async fn search_names(
    workspace: Arc<dyn Workspace>,
    walk: Walk,
    order: Order,
    limit: usize,
    wanted: impl Fn(&Found<'_>) -> (bool, Step) + Send + Sync + 'static,
) -> io::Result<Names> {
    let gathered = Mutex::new((Newest::new(limit), Faults::default()));
    let searching = Arc::new(Searching { wanted: Box::new(wanted), order, limit, gathered });
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
    order: Order,
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
        let (is_wanted, step) = (self.searching.wanted)(found);
        if is_wanted {
            self.take(found.path(), found);
        }
        step
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.note_fault(&fault);
    }
}

impl Worker<'_> {
    fn take(&mut self, path: &Path, found: &Found<'_>) {
        let modified = match self.searching.order {
            Order::Newest => found.modified(),
            Order::Path => None,
        };
        if self.newest.admits(modified, path) {
            self.newest.insert(Rank { modified, path: path.to_owned() }, 1, found.kind());
        }
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
