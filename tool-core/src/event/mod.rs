//! What becomes of a call, told to those who watch. Observers never steer, and a panicking one breaks nothing.

mod clock;
mod observer;
mod state;

use std::{sync::Arc, time::SystemTime};

use serde::{Deserialize, Serialize};

pub(crate) use self::{clock::millis, observer::Observers};
pub use self::{
    clock::{Clock, SystemClock, TickClock},
    observer::{MOST_WAITING, MOST_WAITING_BYTES, Observer},
    state::CallState,
};
use crate::{call::CallId, executor::Outcome, output::Metadata};

/// One step in the life of a call: `pending`, then `running`, then `completed` or `error` (opencode's states).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CallEvent {
    /// The session's id.
    pub session: Arc<str>,
    /// The call.
    pub call_id: CallId,
    /// The call that made this one, where a tool made it.
    pub parent: Option<CallId>,
    /// The tool's name; as the model wrote it, where there is no such tool.
    pub tool: String,
    /// When.
    pub at: SystemTime,
    /// What changed.
    pub change: Change,
}

impl CallEvent {
    /// Which call it is of.
    #[must_use]
    pub fn key(&self) -> CallKey {
        CallKey { session: self.session.clone(), call_id: self.call_id.clone() }
    }
}

/// Which call, of all that an executor runs: an id is one call's among those of a session that have not ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CallKey {
    /// The session's id.
    pub session: Arc<str>,
    /// The call's id.
    pub call_id: CallId,
}

impl CallKey {
    /// The call of this id in a session of that one.
    #[must_use]
    pub fn new(session: impl Into<Arc<str>>, call_id: impl Into<CallId>) -> Self {
        Self { session: session.into(), call_id: call_id.into() }
    }
}

/// What changed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// The call has come, and is being checked.
    Pending {
        /// The arguments as the model wrote them.
        arguments: Arc<str>,
    },
    /// The tool has started.
    Running,
    /// The tool says how far it is.
    Progress(Progress),
    /// The tool is done.
    Completed(Arc<Outcome>),
    /// The call failed.
    Error(Arc<Outcome>),
}

impl Change {
    /// Whether the call has ended with it.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self, Self::Completed(_) | Self::Error(_))
    }
}

impl From<Arc<Outcome>> for Change {
    fn from(outcome: Arc<Outcome>) -> Self {
        if outcome.error().is_some() { Self::Error(outcome) } else { Self::Completed(outcome) }
    }
}

/// How far a call is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Progress {
    /// A new title.
    pub title: Option<String>,
    /// New facts for people and user interfaces.
    pub metadata: Metadata,
    /// Output that has come since the last report.
    pub text: String,
}

impl Progress {
    /// More output.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A new title.
    #[must_use]
    pub fn title(title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..Self::default() }
    }

    /// The same with one more fact. What cannot be JSON becomes `null`.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl serde::Serialize) -> Self {
        self.metadata.insert(key.into(), serde_json::to_value(value).unwrap_or_default());
        self
    }
}

impl<T: Into<String>> From<T> for Progress {
    fn from(title: T) -> Self {
        Self::title(title)
    }
}
