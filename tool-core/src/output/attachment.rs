//! Media beside a tool's text.

use serde::{Deserialize, Serialize};

/// A file given to the model beside the text (opencode's file part).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Attachment {
    /// Always `file`.
    #[serde(rename = "type")]
    kind: FileKind,
    /// The media type, e.g. `image/png`.
    pub mime: String,
    /// `data:<mime>;base64,…`, or an address that the provider can fetch.
    pub url: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FileKind {
    File,
}

impl Attachment {
    /// Media whose bytes are in base64 already.
    ///
    /// ```
    /// let image = tool_core::Attachment::base64("image/png", "iVBORw0=");
    /// assert_eq!(image.url, "data:image/png;base64,iVBORw0=");
    /// ```
    #[must_use]
    pub fn base64(mime: impl Into<String>, data: impl AsRef<str>) -> Self {
        let mime = mime.into();
        let url = format!("data:{mime};base64,{}", data.as_ref());
        Self { kind: FileKind::File, mime, url, filename: None }
    }

    /// Media at an address.
    #[must_use]
    pub fn url(mime: impl Into<String>, url: impl Into<String>) -> Self {
        Self { kind: FileKind::File, mime: mime.into(), url: url.into(), filename: None }
    }

    /// The same with a name.
    #[must_use]
    pub fn named(mut self, filename: impl Into<String>) -> Self {
        self.filename = Some(filename.into());
        self
    }
}
