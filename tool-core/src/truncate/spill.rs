//! Whole outputs kept on disk, for a week.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// How long a spilled output is kept: 7 days (opencode).
pub const RETENTION: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A folder of whole outputs.
///
/// Files are named `tool_…`, ascending in time, and readable by their owner only. The folder is made when the first
/// output is written.
#[derive(Debug, Clone)]
pub struct SpillStore {
    directory: PathBuf,
    /// Tells apart two spills of one process in one millisecond.
    counter: Arc<AtomicU64>,
}

/// A whole output on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spilled {
    /// The file.
    pub path: PathBuf,
    /// How many lines it has.
    pub lines: usize,
}

/// A spill being written, for outputs that come bit by bit.
#[derive(Debug)]
pub struct Spill {
    file: File,
    path: PathBuf,
}

impl SpillStore {
    /// Spills go to `tool-output` in this folder (opencode's name for it).
    #[must_use]
    pub fn new(parent: impl AsRef<Path>) -> Self {
        Self { directory: parent.as_ref().join("tool-output"), counter: Arc::default() }
    }

    /// The folder the files are in.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Writes a whole output.
    ///
    /// # Errors
    /// When the folder or the file cannot be written; nothing is left behind then.
    pub fn write(&self, text: &str) -> io::Result<Spilled> {
        const CHUNK: usize = 1 << 16;
        let mut spill = self.create()?;
        let mut breaks = 0;
        for chunk in text.as_bytes().chunks(CHUNK) {
            if let Err(error) = spill.file.write_all(chunk) {
                spill.discard();
                return Err(error);
            }
            breaks += chunk.iter().filter(|byte| **byte == b'\n').count();
        }
        let lines = breaks + usize::from(!text.is_empty() && !text.ends_with('\n'));
        Ok(Spilled { path: spill.path, lines })
    }

    /// Begins a spill.
    ///
    /// # Errors
    /// When the folder or the file cannot be made.
    pub fn create(&self) -> io::Result<Spill> {
        fs::create_dir_all(&self.directory)?;
        loop {
            let path = self.directory.join(self.name());
            match options().open(&path) {
                Ok(file) => return Ok(Spill { file, path }),
                // Another process took the name in the same instant.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Deletes spills older than [`RETENTION`]. Files that are not spills stay. A folder that does not exist is clean.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn sweep(&self, now: SystemTime) -> io::Result<usize> {
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(error),
        };
        let mut removed = 0;
        for entry in entries.flatten() {
            let is_spill = entry.file_name().to_string_lossy().starts_with("tool_");
            let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|at| now.duration_since(at).ok());
            if is_spill && age.is_some_and(|age| age > RETENTION) && fs::remove_file(entry.path()).is_ok() {
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Twelve hex digits of the time, then what makes it unlike any other.
    fn name(&self) -> String {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let count = self.counter.fetch_add(1, Ordering::Relaxed);
        format!("tool_{:012x}{:08x}{:04x}{count:x}", elapsed.as_millis(), elapsed.subsec_nanos(), std::process::id())
    }
}

fn options() -> fs::OpenOptions {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

impl Spill {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes what was written.
    pub fn discard(self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Write for Spill {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
