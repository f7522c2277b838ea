//! Reads a recording.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
    time::SystemTime,
};

use super::line::{Line, VERSION};
use crate::{
    call::{CallId, ToolCall},
    executor::Outcome,
    permission::{PermissionRequest, Reply},
};

/// A session that was written down by a [`Recorder`](super::Recorder).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    calls: Vec<RecordedCall>,
    lost: u64,
}

/// One call on record.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RecordedCall {
    /// The session's id.
    pub session: String,
    /// The call, under the name of the tool that took it.
    pub call: ToolCall,
    /// The call that made this one, where a tool made it.
    pub parent: Option<CallId>,
    /// When it came.
    pub at: SystemTime,
    /// What it asked leave for, in order.
    pub asks: Vec<RecordedAsk>,
    /// What became of it; `None` where the recording ends before the call did.
    pub outcome: Option<Outcome>,
}

/// One question on record.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RecordedAsk {
    /// What was asked for.
    pub request: PermissionRequest,
    /// The answer.
    pub reply: Reply,
}

/// Why something is no recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It does not begin as a recording does.
    #[error("expected a recording, whose first line is {{\"type\":\"recording\",\"version\":{VERSION}}}, got {0:?}")]
    NoRecording(String),
    /// It is of another version.
    #[error(
        "expected a recording of version {VERSION}, got version {0}: it was made by a newer tool-core; record anew"
    )]
    Version(u64),
    /// A line is broken, and not the last one.
    #[error("line {line} of the recording cannot be understood: {source}")]
    Line {
        /// Which, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl Recording {
    /// Reads a recording to its end.
    ///
    /// # Errors
    /// When it cannot be read, is no recording, is of another version, or has a broken line. A last line without a line
    /// break, which its writer did not live to end, is left out.
    pub fn read(from: impl io::Read) -> Result<Self, RecordingError> {
        let mut from = BufReader::new(from);
        let mut recording = Self::default();
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            from.read_until(b'\n', &mut bytes)?;
            if bytes.last() != Some(&b'\n') {
                if number == 1 {
                    return Err(RecordingError::NoRecording(start(&bytes)));
                }
                break;
            }
            if number > 1 && bytes.trim_ascii().is_empty() {
                continue;
            }
            match (number, serde_json::from_slice(&bytes)) {
                (_, Ok(Line::Recording { version: VERSION })) => {}
                (_, Ok(Line::Recording { version })) => return Err(RecordingError::Version(version)),
                (1, _) => return Err(RecordingError::NoRecording(start(&bytes))),
                (_, Ok(line)) => recording.take(line),
                (line, Err(source)) => return Err(RecordingError::Line { line, source }),
            }
        }
        Ok(recording)
    }

    /// Reads a recording from a file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        Self::read(File::open(path)?)
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Call { session, call_id, parent, tool, arguments, at } => {
                let call = ToolCall::new(call_id, tool, arguments);
                self.calls.push(RecordedCall { session, call, parent, at, asks: Vec::new(), outcome: None });
            }
            Line::Ask { session, call_id, permission, patterns, always, metadata, reply, .. } => {
                let mut request = PermissionRequest::new(permission, patterns).always(always);
                request.metadata = metadata;
                let asks = self.latest(|call| {
                    call.call.id == call_id
                        && session.as_ref().is_none_or(|session| call.session == *session)
                        && call.outcome.is_none()
                });
                if let Some(call) = asks {
                    call.asks.push(RecordedAsk { request, reply: reply.into() });
                }
            }
            Line::Outcome { session, parent, outcome, .. } => {
                let call = self.latest(|call| {
                    call.call.id == *outcome.call_id()
                        && call.session == session
                        && call.parent == parent
                        && call.outcome.is_none()
                });
                if let Some(call) = call {
                    call.outcome = Some(*outcome);
                }
            }
            Line::Lost { events } => self.lost += events,
            Line::Recording { .. } | Line::Unknown => {}
        }
    }

    /// Ids may be used again; what comes is meant for the latest that is not over.
    fn latest(&mut self, is_meant: impl Fn(&RecordedCall) -> bool) -> Option<&mut RecordedCall> {
        self.calls.iter_mut().rev().find(|call| is_meant(call))
    }

    /// Every call, in the order they came, nested ones among them.
    #[must_use]
    pub fn calls(&self) -> &[RecordedCall] {
        &self.calls
    }

    /// How many events were not recorded, for the recorder fell behind.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// The calls that a model made, not a tool.
    pub(super) fn outer(&self) -> impl Iterator<Item = &RecordedCall> {
        self.calls.iter().filter(|call| call.parent.is_none())
    }
}

fn start(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).trim_end().to_owned()
}
