//! Images and PDFs, known by their first bytes.
//!
//! opencode trusts the extension where the bytes say nothing, so that a text file or a damaged image by the name of
//! `.png` breaks the conversation; here only the bytes count. It also has no limit of size.

use base64::{Engine, engine::general_purpose::STANDARD};
use tool_core::Attachment;

/// The largest file that is attached: about what providers take in one request once it is in base64.
pub(super) const MAX_BYTES: u64 = 20 * 1024 * 1024;

/// A kind of media that models can look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Media {
    mime: &'static str,
}

impl Media {
    /// What a file's beginning says it is.
    pub(super) fn of(sample: &[u8]) -> Option<Self> {
        let mime = infer::get(sample)?.mime_type();
        let sure = match mime {
            "image/png" | "image/jpeg" | "image/webp" => true,
            // Three letters and four are too few: a text may begin with them.
            "image/gif" => sample.starts_with(b"GIF87a") || sample.starts_with(b"GIF89a"),
            "application/pdf" => sample.starts_with(b"%PDF-"),
            _ => false,
        };
        sure.then_some(Self { mime })
    }

    /// What the model is told.
    pub(super) fn message(self) -> &'static str {
        if self.mime == "application/pdf" { "PDF read successfully" } else { "Image read successfully" }
    }

    /// What the model gets.
    pub(super) fn attachment(self, bytes: &[u8]) -> Attachment {
        Attachment::base64(self.mime, STANDARD.encode(bytes))
    }
}
