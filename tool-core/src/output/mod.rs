//! What a tool returns, and how a function's return value becomes that.
//!
//! Not here: cutting it to size (`truncate`), and what a provider makes of it (`wire`).

mod attachment;
mod into;
mod metadata;
mod promise;
mod typed;

use serde::Serialize;
use serde_json::Value;

pub(crate) use self::promise::Promise;
pub use self::{
    attachment::Attachment,
    into::{IntoToolError, IntoToolOutput, Json, Returns, Structured, returns},
    metadata::Metadata,
    typed::{MetadataError, Output},
};

/// What a tool returns (opencode's result: title, output, metadata, attachments).
///
/// ```
/// use tool_core::ToolOutput;
/// let output = ToolOutput::text("2 files").title("src").with("count", 2);
/// assert_eq!(output.metadata["count"], 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToolOutput {
    /// One line for a user interface.
    pub title: String,
    /// What the model sees.
    pub output: String,
    /// For people and user interfaces. A tool that sets `truncated` here has cut its output itself, and the executor
    /// leaves it as it is.
    pub metadata: Metadata,
    /// Media given to the model beside the text.
    pub attachments: Vec<Attachment>,
    /// The result as JSON, for tools with an output schema (MCP's `structuredContent`).
    pub structured: Option<Box<Value>>,
    /// What the model is told behind the output and that is no part of it: how a command ended, what was kept from it. A
    /// few lines at most, for it is never cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Box<str>>,
}

impl ToolOutput {
    /// Just text.
    #[must_use]
    pub fn text(output: impl Into<String>) -> Self {
        Self { output: output.into(), ..Self::default() }
    }

    /// The same with a title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The same with one more fact for people and user interfaces. What cannot be JSON becomes `null`.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Serialize) -> Self {
        self.metadata.insert(key.into(), serde_json::to_value(value).unwrap_or(Value::Null));
        self
    }

    /// The same with something to be told behind the output; what is empty is not.
    ///
    /// ```
    /// use tool_core::ToolOutput;
    /// let output = ToolOutput::text("no such file\n").note("exit code 2");
    /// assert_eq!(output.output, "no such file\n");
    /// assert_eq!(output.note.as_deref(), Some("exit code 2"));
    /// ```
    #[must_use]
    pub fn note(mut self, note: impl Into<Box<str>>) -> Self {
        self.note = Some(note.into()).filter(|note| !note.is_empty());
        self
    }

    /// The same with an attachment.
    #[must_use]
    pub fn attach(mut self, attachment: Attachment) -> Self {
        self.attachments.push(attachment);
        self
    }
}
