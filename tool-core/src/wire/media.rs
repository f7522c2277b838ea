//! What an attachment is, as far as providers tell kinds apart, and the words for one that a provider cannot take.

use base64::Engine as _;
use serde_json::{Value, json};

use crate::output::Attachment;

/// An attachment taken apart.
pub(super) struct Media<'a> {
    pub(super) attachment: &'a Attachment,
    /// The media type without parameters, in lower case.
    pub(super) mime: String,
    pub(super) source: Source<'a>,
}

/// Where the bytes are.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    /// In base64, here.
    Inline(&'a str),
    /// At an address that the provider can fetch.
    Address(&'a str),
    /// Somewhere else: a file of this machine, a `data:` address in another encoding.
    Elsewhere,
}

impl<'a> Media<'a> {
    pub(super) fn of(attachment: &'a Attachment) -> Self {
        let mime = attachment.mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let url = attachment.url.as_str();
        let inline = url
            .strip_prefix("data:")
            .and_then(|data| data.split_once(','))
            .and_then(|(kind, data)| kind.ends_with(";base64").then_some(data));
        let source = match inline {
            Some(data) => Source::Inline(data),
            None if url.starts_with("https://") || url.starts_with("http://") => Source::Address(url),
            None => Source::Elsewhere,
        };
        Self { attachment, mime, source }
    }

    /// The four kinds of picture that every model with eyes takes.
    pub(super) fn is_picture(&self) -> bool {
        matches!(self.mime.as_str(), "image/png" | "image/jpeg" | "image/gif" | "image/webp")
    }

    pub(super) fn is_pdf(&self) -> bool {
        self.mime == "application/pdf"
    }

    /// The text of a text file that is here.
    pub(super) fn text(&self) -> Option<String> {
        let is_text = self.mime.starts_with("text/") || self.mime == "application/json";
        let Source::Inline(data) = self.source else { return None };
        let bytes = is_text.then(|| base64::engine::general_purpose::STANDARD.decode(data).ok()).flatten()?;
        String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
    }

    pub(super) fn name(&self) -> &'a str {
        self.attachment.filename.as_deref().unwrap_or("attachment")
    }

    /// What stands in its place where it cannot be given to the model.
    pub(super) fn omitted(&self) -> String {
        let (name, mime) = (self.name(), &self.mime);
        match self.source {
            Source::Address(url) => format!("[Attachment `{name}` ({mime}) cannot be shown here; it is at {url}]"),
            Source::Inline(_) | Source::Elsewhere => {
                format!("[Attachment `{name}` ({mime}) was left out: this provider takes no such media from a tool]")
            }
        }
    }
}

/// Text of a text file, with its name.
pub(super) fn named_text(media: &Media<'_>, text: &str) -> String {
    format!("[Attachment `{}`]\n{text}", media.name())
}

/// `{"type": kind, "text": …}`, which three providers use under different kinds.
pub(super) fn text_part(kind: &str, text: impl Into<String>) -> Value {
    json!({ "type": kind, "text": text.into() })
}
