//! Whole outputs that were cut for the model, as resources of the session that made them.

use std::{
    collections::{HashMap, VecDeque},
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use uuid::Uuid;

/// How many outputs a session's client can read, the latest.
const MOST: usize = 1_000;
/// How large an output may be that is read whole, in bytes.
const LARGEST: u64 = 32 * 1024 * 1024;
/// What their addresses begin with.
pub(super) const SCHEME: &str = "spill:///";

/// The outputs that one session has spilled. Only they can be read: an address is made up for each, and leads to no other
/// file. Cloning gives the same ones.
#[derive(Default, Clone)]
pub(super) struct Spills(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    files: HashMap<String, Spill>,
    order: VecDeque<String>,
}

/// One output.
#[derive(Clone)]
pub(super) struct Spill {
    pub(super) uri: String,
    pub(super) name: String,
    pub(super) tool: String,
    pub(super) bytes: u64,
    path: PathBuf,
}

impl Spills {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes an output readable, if it is a file right in the folder of spills; tools name their own.
    pub(super) fn add(&self, directory: &Path, tool: &str, path: &Path) -> Option<Spill> {
        let name = path.file_name()?.to_str()?;
        if path.parent() != Some(directory) {
            return None;
        }
        let facts = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
        // Nobody guesses it.
        let uri = format!("{SCHEME}{}", Uuid::new_v4().simple());
        let (name, tool) = (name.to_owned(), tool.to_owned());
        let spill = Spill { uri, name, tool, bytes: facts.len(), path: path.to_owned() };
        self.put(spill.clone());
        Some(spill)
    }

    /// Makes an output readable here too.
    pub(super) fn put(&self, spill: Spill) {
        let mut known = self.lock();
        known.order.push_back(spill.uri.clone());
        known.files.insert(spill.uri.clone(), spill);
        if known.order.len() > MOST
            && let Some(oldest) = known.order.pop_front()
        {
            known.files.remove(&oldest);
        }
    }

    /// All, the oldest first.
    pub(super) fn list(&self) -> Vec<Spill> {
        let known = self.lock();
        known.order.iter().filter_map(|uri| known.files.get(uri).cloned()).collect()
    }

    pub(super) fn get(&self, uri: &str) -> Option<Spill> {
        self.lock().files.get(uri).cloned()
    }
}

impl Spill {
    /// The whole output.
    ///
    /// # Errors
    /// When it is gone, or larger than is read at once.
    pub(super) async fn read(self) -> io::Result<Vec<u8>> {
        tokio::task::spawn_blocking(move || {
            // What was put in its place is not read: a link to elsewhere, a pipe that nobody writes to.
            if !self.path.symlink_metadata()?.is_file() {
                return Err(io::Error::other("it is not the file that was kept any more"));
            }
            let mut bytes = Vec::new();
            File::open(&self.path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
            if u64::try_from(bytes.len()).is_ok_and(|read| read > LARGEST) {
                let most = LARGEST / (1024 * 1024);
                return Err(io::Error::other(format!(
                    "it has more than {most} MiB, which is too much at once; have a tool read the part that is needed of {}",
                    self.path.display()
                )));
            }
            Ok(bytes)
        })
        .await
        .map_err(io::Error::other)?
    }
}
