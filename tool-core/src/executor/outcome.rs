//! What became of a call.

use std::{
    borrow::Cow,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::json;

use crate::{call::CallId, error::ToolError, output::Metadata, tool::ToolName, truncate::Bounded, validation::Mended};

/// When a call began and ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallTime {
    /// When it came.
    pub start: SystemTime,
    /// When it ended.
    pub end: SystemTime,
}

impl Serialize for CallTime {
    /// As milliseconds since 1970.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let milliseconds = |at: SystemTime| {
            let elapsed = at.duration_since(UNIX_EPOCH).unwrap_or_default();
            u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
        };
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("start", &milliseconds(self.start))?;
        map.serialize_entry("end", &milliseconds(self.end))?;
        map.end()
    }
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
    time: CallTime,
    mended: Option<Box<Mended>>,
}

impl Outcome {
    pub(super) fn new(
        call_id: CallId,
        requested: Cow<'static, str>,
        tool: Option<ToolName>,
        status: Status,
        time: CallTime,
    ) -> Self {
        Self { call_id, requested, tool, status, time, mended: None }
    }

    /// The same with what was done to the arguments before they fitted.
    pub(super) fn mended(mut self, mended: Option<Box<Mended>>) -> Self {
        self.mended = mended;
        self
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

    /// The error, if it failed.
    #[must_use]
    pub fn error(&self) -> Option<&ToolError> {
        self.status.as_ref().err()
    }

    /// What the model is told: the output, or the error's words.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.status {
            Ok(bounded) => bounded.output().to_owned(),
            Err(error) => error.to_string(),
        }
    }

    /// The same without a copy.
    #[must_use]
    pub fn into_text(self) -> String {
        match self.status {
            Ok(bounded) => bounded.into_output(),
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
    /// and `moreMistakes`, how many there are beyond those listed.
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
            Err(_) => Metadata::new(),
        };
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
