//! Empty directories in place of protected ones that are not there, for as long as a command runs: bubblewrap can only
//! protect what is there.
//!
//! Commands of several processes may need the same one. Each holds a lock on it (`flock`), and who can have it alone in the
//! end removes it: removed before, it would leave the others' commands without protection. A bit of its mode tells one from
//! a directory that somebody made for good, so that one that was left by a killed process goes with the next command.

use std::{
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, openat};

/// The sticky bit, which says nothing where only one user writes, and what the directories of others have.
const STICKY: u32 = 0o1000;
const MODE: u32 = STICKY | 0o755;

/// Those of one command. They go with the last that needs them.
#[derive(Debug, Default)]
pub(crate) struct StandIns(Vec<StandIn>);

#[derive(Debug)]
struct StandIn {
    path: PathBuf,
    held: File,
    /// Not on every file system; without, the first command to end removes it.
    is_locked: bool,
}

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
        loop {
            match DirBuilder::new().mode(MODE).create(path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Ok(()) | Err(_) => {}
            }
            if !path.symlink_metadata().is_ok_and(|found| found.is_dir() && found.mode() & STICKY != 0) {
                match path.symlink_metadata() {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    // It is there for good.
                    _ => return Ok(()),
                }
            }
            let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let held = match openat(CWD, path, flags, Mode::empty()).map_err(io::Error::from) {
                Ok(held) => File::from(held),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                // It is another user's, who removes it.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
                Err(error) => return Err(error),
            };
            // Who has it alone is about to remove it, and that takes no time.
            let is_locked = flock(&held, FlockOperation::LockShared).is_ok();
            let stand_in = StandIn { path: path.to_owned(), held, is_locked };
            if stand_in.is_there() {
                self.0.push(stand_in);
                return Ok(());
            }
        }
    }
}

impl StandIn {
    /// Whether it was not removed, by who had it last.
    fn is_there(&self) -> bool {
        let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let named = self.path.symlink_metadata().map(identity);
        named.is_ok_and(|named| self.held.metadata().is_ok_and(|held| identity(held) == named))
    }
}

impl Drop for StandIns {
    fn drop(&mut self) {
        for stand_in in self.0.drain(..) {
            let is_last = || flock(&stand_in.held, FlockOperation::NonBlockingLockExclusive).is_ok();
            if (!stand_in.is_locked || is_last()) && stand_in.is_there() {
                // One that somebody has put something into is theirs.
                let _ = fs::remove_dir(&stand_in.path);
            }
        }
    }
}
