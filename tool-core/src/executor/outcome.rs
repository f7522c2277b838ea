//! What became of a call.

use std::{borrow::Cow, time::SystemTime};

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};
use serde_json::json;

use crate::{
    call::{CallId, ToolCall},
    context::{Called, ToolContext},
    error::{ErrorKind, Recorded, ToolError},
    event::millis,
    output::{Attachment, Metadata, ToolOutput},
    tool::ToolName,
    truncate::Bounded,
    validation::Mended,
};

/// When a call began and ended; written as milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTime {
    /// When it came.
    #[serde(with = "millis")]
    pub start: SystemTime,
    /// When it ended.
    #[serde(with = "millis")]
    pub end: SystemTime,
}

/// How a call ended: with an output that fits its limits, or with an error.
pub type Status = Result<Bounded, ToolError>;

/// What became of a call. Serialises to the object that the command line prints.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    call_id: CallId,
    requested: Cow<'static, str>,
    tool: Option<ToolName>,
    status: Status,
    detached: bool,
    time: CallTime,
    mended: Option<Box<Mended>>,
}

impl Outcome {
    #[inline]
    pub(super) fn of(ctx: &ToolContext, requested: Cow<'static, str>, status: Status) -> Self {
        let time = CallTime { start: ctx.start(), end: ctx.now() };
        let is_unknown = matches!(ctx.called(), Called::Unknown(_));
        let (call_id, tool) = (ctx.call_id().clone(), (!is_unknown).then(|| ctx.tool().clone()));
        Self { call_id, requested, tool, status, detached: ctx.is_detached(), time, mended: ctx.mended() }
    }

    /// Without an executor.
    fn bare(call: &ToolCall, status: Status, time: CallTime) -> Self {
        let (call_id, requested) = (call.id.clone(), call.name.clone());
        Self { call_id, requested, tool: None, status, detached: false, time, mended: None }
    }

    /// The outcome of a call that no executor ran: one that a host answers itself.
    #[must_use]
    pub fn completed(call: &ToolCall, output: ToolOutput, time: CallTime) -> Self {
        Self::bare(call, Ok(Bounded::as_it_is(output)), time)
    }

    /// The same, for a call that failed: one that was not run because the turn was aborted, or a line that is no call.
    #[must_use]
    pub fn failed(call: &ToolCall, error: ToolError, time: CallTime) -> Self {
        Self::bare(call, Err(error), time)
    }

    /// The call.
    #[must_use]
    pub fn call_id(&self) -> &CallId {
        &self.call_id
    }

    /// The tool that ran; the name that was called, where there is no such tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        self.tool.as_ref().map_or(&self.requested, ToolName::as_str)
    }

    /// How it ended.
    ///
    /// # Errors
    /// The error it ended with.
    pub fn status(&self) -> Result<&Bounded, &ToolError> {
        self.status.as_ref()
    }

    /// The output, if it completed.
    #[must_use]
    pub fn output(&self) -> Option<&str> {
        self.status.as_ref().ok().map(Bounded::output)
    }

    /// One line for a user interface; empty where it failed or has none.
    #[must_use]
    pub fn title(&self) -> &str {
        self.status.as_ref().map_or("", Bounded::title)
    }

    /// The error, if it failed.
    #[must_use]
    pub fn error(&self) -> Option<&ToolError> {
        self.status.as_ref().err()
    }

    /// How it ended, without a copy.
    ///
    /// # Errors
    /// The error it ended with.
    pub fn into_result(self) -> Status {
        self.status
    }

    /// Whether the call was cancelled and its tool went on all the same: it was let go of, and may still be at work.
    #[must_use]
    pub fn is_detached(&self) -> bool {
        self.detached
    }

    /// What the model is told: the output and the note behind it, or the error's words.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.status {
            Ok(bounded) => bounded.text().into_owned(),
            Err(error) => error.to_string(),
        }
    }

    /// The same without a copy.
    #[must_use]
    pub fn into_text(self) -> String {
        match self.status {
            Ok(bounded) => bounded.into_text(),
            Err(error) => error.to_string(),
        }
    }

    /// When it began and ended.
    #[must_use]
    pub fn time(&self) -> CallTime {
        self.time
    }

    /// The tool's metadata and the executor's: `truncated` and `outputPath`; `requestedTool`, where the name was
    /// mended; `repairs` and `coerced`, where the arguments were (see [`Mended`]); `mistakes`, where they did not fit,
    /// and `moreMistakes`, how many there are beyond those listed; `detached`, where the tool is still at work.
    #[must_use]
    pub fn metadata(&self) -> Metadata {
        let mut metadata = match &self.status {
            Ok(bounded) => bounded.metadata(),
            Err(ToolError::InvalidArguments(invalid)) => {
                let mut metadata = Metadata::new();
                metadata.insert("mistakes".into(), json!(invalid.report.mistakes()));
                if invalid.report.more() > 0 {
                    metadata.insert("moreMistakes".into(), invalid.report.more().into());
                }
                if !invalid.report.repairs().is_empty() {
                    metadata.insert("repairs".into(), json!(invalid.report.repairs()));
                }
                metadata
            }
            Err(ToolError::Recorded(recorded)) => recorded.metadata.clone(),
            Err(_) => Metadata::new(),
        };
        if self.detached {
            metadata.insert("detached".into(), true.into());
        }
        if let Some(mended) = &self.mended
            && let Ok(serde_json::Value::Object(mended)) = serde_json::to_value(mended)
        {
            metadata.extend(mended);
        }
        if self.tool() != self.requested {
            metadata.insert("requestedTool".into(), self.requested.as_ref().into());
        }
        metadata
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("callId", &self.call_id)?;
        map.serialize_entry("tool", self.tool())?;
        match &self.status {
            Ok(bounded) => {
                map.serialize_entry("status", "completed")?;
                map.serialize_entry("title", bounded.title())?;
                map.serialize_entry("output", bounded.output())?;
                map.serialize_entry("metadata", &self.metadata())?;
                map.serialize_entry("attachments", bounded.attachments())?;
                if let Some(structured) = bounded.structured() {
                    map.serialize_entry("structured", structured)?;
                }
                if let Some(note) = bounded.note() {
                    map.serialize_entry("note", note)?;
                }
            }
            Err(error) => {
                map.serialize_entry("status", "error")?;
                map.serialize_entry("error", &json!({ "kind": error.kind(), "message": error.to_string() }))?;
                map.serialize_entry("metadata", &self.metadata())?;
            }
        }
        map.serialize_entry("time", &self.time)?;
        map.end()
    }
}

/// An outcome as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    call_id: CallId,
    tool: String,
    #[serde(flatten)]
    status: WrittenStatus,
    #[serde(default)]
    metadata: Metadata,
    time: CallTime,
}

#[derive(Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
enum WrittenStatus {
    Completed {
        #[serde(default)]
        title: String,
        output: String,
        #[serde(default)]
        attachments: Vec<Attachment>,
        #[serde(default, deserialize_with = "present")]
        structured: Option<Box<serde_json::Value>>,
        #[serde(default)]
        note: Option<Box<str>>,
    },
    Error {
        error: WrittenError,
    },
}

#[derive(Deserialize)]
struct WrittenError {
    kind: ErrorKind,
    message: String,
}

/// A member that is there, be it `null`: that is a value, and no member is none.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<serde_json::Value>>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

impl<'de> Deserialize<'de> for Outcome {
    /// Reads what was written. An error comes back as [`ToolError::Recorded`]: its kind and its words.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Written { call_id, tool, status, metadata, time } = Written::deserialize(deserializer)?;
        let detached = metadata.get("detached").and_then(serde_json::Value::as_bool).unwrap_or_default();
        let status = match status {
            WrittenStatus::Completed { title, output, attachments, structured, note } => {
                Ok(Bounded::as_it_is(ToolOutput { title, output, metadata, attachments, structured, note }))
            }
            WrittenStatus::Error { error: WrittenError { kind, message } } => {
                Err(ToolError::Recorded(Box::new(Recorded { kind, message, metadata })))
            }
        };
        Ok(Self { call_id, requested: tool.into(), tool: None, status, detached, time, mended: None })
    }
}
