//! A file as it is before it is changed.

use std::{io, path::Path};

use super::{Before, FileInfo, FileKind, Workspace};

/// A file as it is before it is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Original {
    /// What it was just before its bytes were read.
    pub info: FileInfo,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Why a file cannot be changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OriginalError {
    /// It is something else than a regular file.
    #[error("it is {0}")]
    Kind(FileKind),
    /// It is longer than a tool takes.
    #[error("it has {len} bytes, and at most {most} can be changed at once")]
    TooLong {
        /// Its length.
        len: u64,
        /// The longest that is taken.
        most: u64,
    },
    /// It says that it is empty, and is not.
    #[error("it is not a file of a disk, but a view of the kernel")]
    Unreal,
    /// It is not what it was a moment ago.
    #[error("it is being written by somebody else: try again")]
    Unsteady,
    /// The machine refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Original {
    /// The longest file that tools change: 256 MiB.
    pub const MAX_BYTES: u64 = 256 * 1024 * 1024;

    /// What is at a real path; `None` where nothing is. Nothing but regular files is opened, and no more than `most` bytes
    /// are read.
    ///
    /// # Errors
    /// When something is there that cannot be changed as a whole.
    pub async fn read(workspace: &dyn Workspace, real: &Path, most: u64) -> Result<Option<Self>, OriginalError> {
        let info = match workspace.stat(real).await {
            Ok(info) => info,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if info.kind != FileKind::File {
            return Err(OriginalError::Kind(info.kind));
        }
        if info.len > most {
            return Err(OriginalError::TooLong { len: info.len, most });
        }
        let bytes = workspace.read(real, most.saturating_add(1)).await?;
        match bytes.len() as u64 {
            len if len > most => Err(OriginalError::TooLong { len, most }),
            // Files of `/proc` do.
            1.. if info.len == 0 && workspace.stat(real).await?.len == 0 => Err(OriginalError::Unreal),
            // It shrank or grew under the reader.
            len if len != info.len => Err(OriginalError::Unsteady),
            _ => Ok(Some(Self { info, bytes })),
        }
    }

    /// What a [`Change`](super::Change) takes the file to be.
    #[must_use]
    pub fn before(original: Option<&Self>) -> Before {
        original.map_or(Before::Absent, |original| Before::File(original.info))
    }
}
