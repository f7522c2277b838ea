//! What is there to be replaced.

use bytes::Bytes;
use tool_core::ToolError;

use super::failed;
use crate::{
    text_file::{Encoding, TextFile, has_bom, strip_bom},
    workspace::{Before, FileInfo, Original, OriginalError, Place, Workspace},
};

/// Of a longer file only the beginning is looked at.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// As much of it: a byte order mark.
const HEAD: u64 = 4;

/// What is there to be replaced: a regular file, or nothing.
pub(super) enum Old {
    Nothing,
    /// Text, or something else.
    File {
        info: FileInfo,
        bytes: Bytes,
        text: Option<TextFile>,
    },
    /// A file that is too long to be compared.
    Long {
        info: FileInfo,
        encoding: Encoding,
        marked: bool,
    },
}

impl Old {
    pub(super) async fn look(workspace: &dyn Workspace, place: &Place) -> Result<Self, ToolError> {
        let found = Original::read(workspace, &place.real, MAX_BYTES).await;
        if matches!(found, Ok(Some(_)) | Err(OriginalError::TooLong { .. })) {
            // Nobody is to be asked about what cannot be done.
            workspace.check_writable(&place.real).await.map_err(|error| failed(&place.path, &error))?;
        }
        match found {
            Ok(None) => Ok(Self::Nothing),
            Ok(Some(Original { info, bytes })) => {
                let text = TextFile::decode(bytes.clone()).ok();
                Ok(Self::File { info, bytes: bytes.into(), text })
            }
            Err(OriginalError::TooLong { .. }) => {
                let fail = |error| failed(&place.path, &error);
                let info = workspace.stat(&place.real).await.map_err(fail)?;
                let head = workspace.read(&place.real, HEAD).await.map_err(fail)?;
                let head = TextFile::decode(head).unwrap_or_default();
                Ok(Self::Long { info, encoding: head.encoding(), marked: head.is_marked() })
            }
            Err(OriginalError::Io(error)) => Err(failed(&place.path, &error)),
            Err(error @ OriginalError::Kind(_)) => Err(ToolError::failed(format!(
                "Cannot write {}: {error}. Give the path of a regular file, or of one to be made.",
                place.path.display()
            ))),
            Err(error) => Err(ToolError::failed(format!("Cannot write {}: {error}", place.path.display()))),
        }
    }

    pub(super) fn info(&self) -> Option<&FileInfo> {
        match self {
            Self::Nothing => None,
            Self::File { info, .. } | Self::Long { info, .. } => Some(info),
        }
    }

    pub(super) fn before(&self) -> Before {
        self.info().map_or(Before::Absent, |info| Before::File(*info))
    }

    /// Its bytes, where all were read.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::File { bytes, .. } => Some(bytes),
            Self::Nothing | Self::Long { .. } => None,
        }
    }

    /// Its text; empty where there is nothing, and `None` where it cannot be shown.
    pub(super) fn text(&self) -> Option<Bytes> {
        match self {
            Self::Nothing => Some(Bytes::new()),
            Self::File { text, .. } => text.as_ref().map(|text| Bytes::copy_from_slice(text.bytes())),
            Self::Long { .. } => None,
        }
    }

    /// New content, stored as the old one was: in UTF-16 where that was, with a byte order mark where either has one.
    pub(super) fn encode(&self, content: &str) -> Vec<u8> {
        let (encoding, marked) = match self {
            Self::File { text: Some(text), .. } => (text.encoding(), text.is_marked()),
            Self::Long { encoding, marked, .. } => (*encoding, *marked),
            Self::Nothing | Self::File { text: None, .. } => (Encoding::Utf8, false),
        };
        let marked = marked || has_bom(content.as_bytes());
        TextFile::empty(encoding, marked).encode(strip_bom(content).into())
    }
}
