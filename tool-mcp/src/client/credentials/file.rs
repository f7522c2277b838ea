//! Credentials in a file of the user's.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CredentialKey, CredentialStore, Credentials};

/// The form of the file.
const VERSION: u32 = 1;
/// The largest file that is read or written, in bytes.
const MAX_FILE: usize = 4 * 1024 * 1024;
/// The most that is kept for one client at one server, in bytes: a server that gives more is not to fill the file.
const MAX_ENTRY: usize = 64 * 1024;
/// How long a change waits for that of another process.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it looks.
const EVERY: Duration = Duration::from_millis(10);

/// A file with credentials, for its owner alone (mode 0600). It is changed as a whole, by renaming; processes that change
/// it at the same time wait for each other, by a file beside it. It has at most 4 MiB, and 64 KiB for one client at one
/// server: what would make it larger is an error, and leaves it as it is.
///
/// ```
/// use tool_mcp::client::credentials::{CredentialFile, CredentialKey, CredentialStore, Credentials};
///
/// # let folder = tempfile::tempdir()?;
/// let file = CredentialFile::new(folder.path().join("mcp-credentials.json"));
/// let key = CredentialKey::new("https://mcp.example", "my-host");
/// file.save(&key, &Credentials::new("what the server gave".into()))?;
/// assert!(file.load(&key)?.is_some());
/// file.forget_server("https://mcp.example")?;
/// assert!(file.load(&key)?.is_none());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CredentialFile(PathBuf);

#[derive(Serialize, Deserialize)]
struct Content {
    version: u32,
    credentials: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    server: String,
    client: String,
    kept: Value,
}

impl Entry {
    fn is_of(&self, key: &CredentialKey) -> bool {
        self.server == key.server && self.client == key.client
    }
}

impl CredentialFile {
    /// A file, which need not be there yet; nor need its folder.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Forgets what is kept for a server, whoever the client. Says whether there was anything.
    ///
    /// # Errors
    /// When the file cannot be read or changed.
    pub fn forget_server(&self, server: &str) -> io::Result<bool> {
        self.without(|entry| entry.server == server)
    }

    fn without(&self, is_gone: impl Fn(&Entry) -> bool) -> io::Result<bool> {
        // A file that is not there is not made for that.
        if !self.0.try_exists()? {
            return Ok(false);
        }
        let _lock = self.lock()?;
        let mut content = self.read()?;
        let before = content.credentials.len();
        content.credentials.retain(|entry| !is_gone(entry));
        let has_changed = content.credentials.len() < before;
        if has_changed {
            self.write(&content)?;
        }
        Ok(has_changed)
    }

    fn read(&self) -> io::Result<Content> {
        let mut text = Vec::new();
        match File::open(&self.0) {
            Ok(file) => file.take(MAX_FILE as u64 + 1).read_to_end(&mut text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Content { version: VERSION, credentials: Vec::new() });
            }
            Err(error) => return Err(error),
        };
        if text.len() > MAX_FILE {
            return Err(too_large(format!(
                "it has more than {MAX_FILE} bytes, which no file of credentials has: take it away"
            )));
        }
        // What the parser says could have a piece of a token in it.
        let content = serde_json::from_slice::<Content>(&text).ok().filter(|content| content.version == VERSION);
        content.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is no file of credentials: take it away"))
    }

    fn write(&self, content: &Content) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(content)?;
        text.push(b'\n');
        // What could not be read again would be lost for all servers.
        if text.len() > MAX_FILE {
            return Err(too_large(format!(
                "it would have more than {MAX_FILE} bytes: forget servers that are not used"
            )));
        }
        let folder = self.folder();
        // A temporary file is its owner's alone.
        let mut fresh = tempfile::Builder::new().prefix(".mcp-credentials-").tempfile_in(folder)?;
        fresh.write_all(&text)?;
        fresh.as_file().sync_all()?;
        fresh.persist(&self.0)?;
        Ok(())
    }

    fn folder(&self) -> &Path {
        self.0.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// A file beside it, which stays, for the file itself is exchanged.
    fn beside(&self, ending: &str) -> io::Result<File> {
        let mut path = self.0.clone().into_os_string();
        path.push(ending);
        create_folder(self.folder())?;
        let mut options = fs::OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path)
    }

    /// Waits until nobody else changes it.
    fn lock(&self) -> io::Result<Option<File>> {
        let (file, end) = (self.beside(".lock")?, Instant::now() + PATIENCE);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(EVERY),
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "another process does not let go of it"));
                }
                // Not every file system has locks.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

impl CredentialStore for CredentialFile {
    fn load(&self, key: &CredentialKey) -> io::Result<Option<Credentials>> {
        let found = self.read()?.credentials.into_iter().find(|entry| entry.is_of(key));
        Ok(found.map(|entry| Credentials(entry.kept)))
    }

    fn save(&self, key: &CredentialKey, credentials: &Credentials) -> io::Result<()> {
        let (server, client, kept) = (key.server.clone(), key.client.clone(), credentials.to_value());
        let entry = Entry { server, client, kept };
        let length = serde_json::to_vec(&entry)?.len();
        if length > MAX_ENTRY {
            return Err(too_large(format!("a server gave {length} bytes, and at most {MAX_ENTRY} are kept for one")));
        }
        let _lock = self.lock()?;
        let mut content = self.read()?;
        content.credentials.retain(|entry| !entry.is_of(key));
        content.credentials.push(entry);
        self.write(&content)
    }

    fn forget(&self, key: &CredentialKey) -> io::Result<()> {
        self.without(|entry| entry.is_of(key)).map(drop)
    }

    fn try_guard(&self) -> io::Result<Option<Box<dyn Send>>> {
        let file = self.beside(".renewing")?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

fn too_large(fault: String) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, fault)
}

/// A new folder is its owner's alone; one that is there stays as it is.
fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
