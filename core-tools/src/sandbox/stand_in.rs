//! Empty directories in place of protected ones that are not there, for as long as a command runs: bubblewrap can only
//! protect what is there.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// How many commands of this process need each.
static MADE: Mutex<Option<HashMap<PathBuf, usize>>> = Mutex::new(None);

fn made<T>(work: impl FnOnce(&mut HashMap<PathBuf, usize>) -> T) -> T {
    let mut made: MutexGuard<'_, _> = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    work(made.get_or_insert_default())
}

/// Those of one command. They go with the last that needs them.
#[derive(Debug, Default)]
pub(crate) struct StandIns(Vec<PathBuf>);

impl StandIns {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Makes one where nothing is.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn add(&mut self, path: &Path) -> io::Result<()> {
        made(|made| {
            match fs::create_dir(path) {
                Ok(()) => {}
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                // It is there for good, or another command's.
                Err(_) if !made.contains_key(path) => return Ok(()),
                Err(_) => {}
            }
            *made.entry(path.to_owned()).or_default() += 1;
            self.0.push(path.to_owned());
            Ok(())
        })
    }
}

impl Drop for StandIns {
    fn drop(&mut self) {
        if self.0.is_empty() {
            return;
        }
        made(|made| {
            for path in self.0.drain(..) {
                if let Some(count) = made.get_mut(&path) {
                    *count -= 1;
                    if *count == 0 {
                        made.remove(&path);
                        // One that somebody has put something into is theirs.
                        let _ = fs::remove_dir(&path);
                    }
                }
            }
        });
    }
}
