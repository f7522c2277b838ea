//! What is at a path.

use std::{
    ffi::OsString,
    fmt,
    fs::{FileType, Metadata},
    os::unix::fs::{FileTypeExt, MetadataExt},
    time::SystemTime,
};

/// What something on a disk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A device, block or character.
    Device,
    /// A symbolic link, where links are not followed: in a walk.
    Link,
    /// Something else; a link that leads to nothing, in a listing.
    Other,
}

impl fmt::Display for FileKind {
    /// With its article, as it is told to a model.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "a regular file",
            Self::Directory => "a directory",
            Self::Fifo => "a named pipe (FIFO)",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Link => "a symbolic link",
            Self::Other => "not a regular file",
        })
    }
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileInfo {
    /// What it is.
    pub kind: FileKind,
    /// Its length in bytes; means something for regular files only.
    pub len: u64,
    /// When it was last written, where that is known.
    pub modified: Option<SystemTime>,
    /// Its permission bits, `0o7777` at most, where the workspace has such.
    pub mode: Option<u32>,
    /// Whose it is, where that is known.
    pub owner: Option<Owner>,
    /// Which file it is, whatever it is called, where that is known.
    pub identity: Option<Identity>,
}

/// Whose a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Owner {
    /// The user's number.
    pub user: u32,
    /// The group's number.
    pub group: u32,
}

/// Which file something is: two names of one file have one identity, and a file that takes another's place has another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The device it is on.
    pub device: u64,
    /// Its number there.
    pub file: u64,
}

impl FileInfo {
    /// Facts as another workspace than the local one has them.
    #[must_use]
    pub fn new(kind: FileKind, len: u64, modified: Option<SystemTime>) -> Self {
        Self { kind, len, modified, mode: None, owner: None, identity: None }
    }

    /// With permission bits.
    #[must_use]
    pub fn mode(self, mode: u32) -> Self {
        Self { mode: Some(mode), ..self }
    }

    /// With an owner.
    #[must_use]
    pub fn owner(self, owner: Owner) -> Self {
        Self { owner: Some(owner), ..self }
    }

    /// With an identity.
    #[must_use]
    pub fn identity(self, identity: Identity) -> Self {
        Self { identity: Some(identity), ..self }
    }

    /// Whether the content is still what it was when `earlier` was asked for, as far as that can be told without reading:
    /// same file, same length, same time.
    #[must_use]
    pub fn is_same_content(&self, earlier: &Self) -> bool {
        (self.kind, self.len, self.modified, self.identity)
            == (earlier.kind, earlier.len, earlier.modified, earlier.identity)
    }

    /// What the local machine says that something is.
    pub(super) fn kind_of(kind: FileType) -> FileKind {
        if kind.is_file() {
            FileKind::File
        } else if kind.is_dir() {
            FileKind::Directory
        } else if kind.is_fifo() {
            FileKind::Fifo
        } else if kind.is_socket() {
            FileKind::Socket
        } else if kind.is_block_device() || kind.is_char_device() {
            FileKind::Device
        } else {
            FileKind::Other
        }
    }
}

impl From<&Metadata> for FileInfo {
    fn from(metadata: &Metadata) -> Self {
        Self {
            kind: Self::kind_of(metadata.file_type()),
            len: metadata.len(),
            modified: metadata.modified().ok(),
            mode: Some(metadata.mode() & 0o7777),
            owner: Some(Owner { user: metadata.uid(), group: metadata.gid() }),
            identity: Some(Identity { device: metadata.dev(), file: metadata.ino() }),
        }
    }
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its name, which need not be UTF-8.
    pub name: OsString,
    /// What it is, or what the link leads to.
    pub kind: FileKind,
    /// Whether it is a symbolic link.
    pub is_link: bool,
}

impl Entry {
    /// An entry.
    #[must_use]
    pub fn new(name: impl Into<OsString>, kind: FileKind) -> Self {
        Self { name: name.into(), kind, is_link: false }
    }

    /// The same, reached by a symbolic link of that name.
    #[must_use]
    pub fn link(mut self) -> Self {
        self.is_link = true;
        self
    }

    /// Its name as it is shown: bytes that are not UTF-8 as U+FFFD.
    #[must_use]
    pub fn shown(&self) -> String {
        self.name.to_string_lossy().into_owned()
    }
}
