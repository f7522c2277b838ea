//! A folder for one test.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A temporary folder with files laid out in it. It is removed when it is dropped, also by a panic.
///
/// ```
/// use tool_core::testing::Workspace;
/// let workspace = Workspace::new();
/// workspace.write("src/main.rs", "fn main() {}\n");
/// assert_eq!(workspace.read("src/main.rs"), "fn main() {}\n");
/// assert!(workspace.path().is_absolute());
/// ```
#[derive(Debug)]
pub struct Workspace {
    folder: tempfile::TempDir,
    /// Without symlinks, so that what a tool resolves is found below it.
    path: PathBuf,
}

impl Workspace {
    /// An empty folder.
    ///
    /// # Panics
    /// When the machine gives none.
    #[must_use]
    pub fn new() -> Self {
        let made = tempfile::tempdir().and_then(|folder| Ok((folder.path().canonicalize()?, folder)));
        let (path, folder) = made.unwrap_or_else(|error| panic!("no temporary folder: {error}"));
        Self { folder, path }
    }

    /// Where it is: absolute, without symlinks.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file, and the folders it is in.
    ///
    /// # Panics
    /// When it cannot be written, or would not be in the workspace.
    pub fn write(&self, path: impl AsRef<Path>, contents: impl AsRef<[u8]>) {
        let path = self.within(path.as_ref());
        let parent = path.parent().unwrap_or(&self.path);
        let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, contents));
        written.unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    }

    /// Reads a text file.
    ///
    /// # Panics
    /// When it cannot be read, is no UTF-8, or is not in the workspace.
    #[must_use]
    pub fn read(&self, path: impl AsRef<Path>) -> String {
        let path = self.within(path.as_ref());
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
    }

    /// Whether there is such a file or folder.
    #[must_use]
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.within(path.as_ref()).exists()
    }

    fn within(&self, path: &Path) -> PathBuf {
        let climbs = path.components().any(|part| part == std::path::Component::ParentDir);
        let is_within = path.is_relative() || path.starts_with(self.folder.path()) || path.starts_with(&self.path);
        assert!(is_within && !climbs, "expected a path in the workspace, got {}", path.display());
        self.path.join(path)
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}
