//! The state of a call, as a user interface shows it and a host stores it.

use std::time::SystemTime;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{CallEvent, CallKey, Change, clock::millis};
use crate::{
    call::{CallId, ToolCall},
    error::ToolError,
    executor::{CallTime, Outcome},
    output::Metadata,
};

/// Where a call is: `pending`, then `running`, then `completed` or `error` (opencode's states, with their times).
///
/// Made of the events of one call; serialises to JSON and reads back, so that a host can store it and go on later.
///
/// ```
/// use std::{collections::HashMap, sync::{Arc, Mutex}};
/// use tool_core::{event::{CallEvent, CallKey, CallState}, prelude::*};
///
/// /// Add two numbers.
/// #[tool]
/// fn add(/** One. */ a: i64, /** Other. */ b: i64) -> String {
///     (a + b).to_string()
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let states: Arc<Mutex<HashMap<CallKey, CallState>>> = Arc::default();
/// let seen = states.clone();
/// let registry = Registry::builder().add(AddTool).build()?;
/// let executor = Executor::builder(registry)
///     .observer(move |event: &CallEvent| CallState::follow(&mut seen.lock().unwrap(), event))
///     .build()?;
/// let session = Session::builder("/").id("today").build();
/// executor.call(&session, ToolCall::new("call_1", "add", r#"{"a":2,"b":3}"#)).await;
/// executor.flush().await;
/// let stored = serde_json::to_string(&states.lock().unwrap()[&CallKey::new("today", "call_1")])?;
/// let state: CallState = serde_json::from_str(&stored)?;
/// assert_eq!(state.outcome().and_then(|outcome| outcome.output()), Some("5"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum CallState {
    /// The call has come, and is being checked.
    Pending {
        /// The call.
        call: ToolCall,
        /// The call that made this one, where a tool made it.
        parent: Option<CallId>,
        /// When it came.
        start: SystemTime,
    },
    /// The tool runs.
    Running {
        /// The call.
        call: ToolCall,
        /// The call that made this one, where a tool made it.
        parent: Option<CallId>,
        /// When the call came.
        start: SystemTime,
        /// When the tool began to run.
        started: SystemTime,
        /// The latest title.
        title: String,
        /// What the tool has told of itself so far; a later value replaces an earlier one of the same key.
        metadata: Metadata,
    },
    /// The tool is done.
    Completed {
        /// The call.
        call: ToolCall,
        /// The call that made this one, where a tool made it.
        parent: Option<CallId>,
        /// What came of it.
        outcome: Outcome,
    },
    /// The call failed.
    Error {
        /// The call.
        call: ToolCall,
        /// The call that made this one, where a tool made it.
        parent: Option<CallId>,
        /// What came of it.
        outcome: Outcome,
    },
}

impl CallState {
    /// The state that an event tells by itself: that a call has come, or how it has ended; `None` for any other event.
    /// From its end alone a call has no arguments.
    #[must_use]
    pub fn begin(event: &CallEvent) -> Option<Self> {
        let call = |arguments: &str| ToolCall::new(event.call_id.clone(), event.tool.clone(), arguments);
        let parent = event.parent.clone();
        match &event.change {
            Change::Pending { arguments } => Some(Self::Pending { call: call(arguments), parent, start: event.at }),
            Change::Completed(outcome) | Change::Error(outcome) => {
                Some(Self::ended(call(""), parent, outcome.as_ref().clone()))
            }
            Change::Running | Change::Progress(_) => None,
        }
    }

    fn ended(call: ToolCall, parent: Option<CallId>, outcome: Outcome) -> Self {
        match outcome.error() {
            None => Self::Completed { call, parent, outcome },
            Some(_) => Self::Error { call, parent, outcome },
        }
    }

    /// Goes on to what the next event of the same call says. An ended call stays as it is.
    pub fn apply(&mut self, event: &CallEvent) {
        match (&mut *self, &event.change) {
            (Self::Pending { call, parent, start }, Change::Running) => {
                let (call, parent, start) = (call.clone(), parent.take(), *start);
                let (title, metadata) = (String::new(), Metadata::new());
                *self = Self::Running { call, parent, start, started: event.at, title, metadata };
            }
            (Self::Running { title, metadata, .. }, Change::Progress(progress)) => {
                if let Some(new) = &progress.title {
                    title.clone_from(new);
                }
                metadata.extend(progress.metadata.clone());
            }
            (
                Self::Pending { call, parent, .. } | Self::Running { call, parent, .. },
                Change::Completed(outcome) | Change::Error(outcome),
            ) => {
                *self = Self::ended(call.clone(), parent.take(), outcome.as_ref().clone());
            }
            _ => {}
        }
    }

    /// Keeps the states of many calls, also of several sessions. A call whose id was used before begins anew. An end counts
    /// also where an [`Observer`](super::Observer) was too slow to be told the beginning.
    pub fn follow<S: std::hash::BuildHasher>(
        states: &mut std::collections::HashMap<CallKey, Self, S>,
        event: &CallEvent,
    ) {
        // Of a call that has ended comes no other end: it is one's whose id was used before.
        let is_of_known = |state: &Self| match event.change {
            Change::Pending { .. } => false,
            Change::Completed(_) | Change::Error(_) => state.outcome().is_none(),
            Change::Running | Change::Progress(_) => true,
        };
        match states.get_mut(&event.key()) {
            Some(state) if is_of_known(state) => state.apply(event),
            _ => {
                if let Some(state) = Self::begin(event) {
                    states.insert(event.key(), state);
                }
            }
        }
    }

    /// The call.
    #[must_use]
    pub fn call(&self) -> &ToolCall {
        match self {
            Self::Pending { call, .. }
            | Self::Running { call, .. }
            | Self::Completed { call, .. }
            | Self::Error { call, .. } => call,
        }
    }

    /// The call that made this one, where a tool made it.
    #[must_use]
    pub fn parent(&self) -> Option<&CallId> {
        match self {
            Self::Pending { parent, .. }
            | Self::Running { parent, .. }
            | Self::Completed { parent, .. }
            | Self::Error { parent, .. } => parent.as_ref(),
        }
    }

    /// What came of the call, if it has ended.
    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        match self {
            Self::Completed { outcome, .. } | Self::Error { outcome, .. } => Some(outcome),
            Self::Pending { .. } | Self::Running { .. } => None,
        }
    }

    /// Ends a call that a stored state left open, as cancelled: what ran it is gone. Every call that a model made has
    /// to be answered, or the provider refuses the conversation.
    pub fn abort(&mut self, now: SystemTime) {
        if let Self::Pending { call, parent, start } | Self::Running { call, parent, start, .. } = self {
            let time = CallTime { start: *start, end: now };
            let outcome = Outcome::failed(call, ToolError::Cancelled, time);
            *self = Self::Error { call: call.clone(), parent: parent.take(), outcome };
        }
    }
}

/// How a state is written: one flat object, whose `status` says which it is.
#[derive(Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Written {
    Pending {
        call_id: CallId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<CallId>,
        tool: String,
        arguments: String,
        #[serde(with = "millis")]
        start: SystemTime,
    },
    Running {
        call_id: CallId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<CallId>,
        tool: String,
        arguments: String,
        #[serde(with = "millis")]
        start: SystemTime,
        #[serde(with = "millis")]
        started: SystemTime,
        title: String,
        metadata: Metadata,
    },
    Completed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<CallId>,
        tool: String,
        arguments: String,
        outcome: Outcome,
    },
    Error {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<CallId>,
        tool: String,
        arguments: String,
        outcome: Outcome,
    },
}

impl Serialize for CallState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ToolCall { id, name, arguments } = self.call().clone();
        let (call_id, parent, tool) = (id, self.parent().cloned(), name.into_owned());
        let written = match self {
            Self::Pending { start, .. } => Written::Pending { call_id, parent, tool, arguments, start: *start },
            Self::Running { start, started, title, metadata, .. } => Written::Running {
                call_id,
                parent,
                tool,
                arguments,
                start: *start,
                started: *started,
                title: title.clone(),
                metadata: metadata.clone(),
            },
            Self::Completed { outcome, .. } => Written::Completed { parent, tool, arguments, outcome: outcome.clone() },
            Self::Error { outcome, .. } => Written::Error { parent, tool, arguments, outcome: outcome.clone() },
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CallState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let of = |outcome: &Outcome, tool, arguments| ToolCall::new(outcome.call_id().clone(), tool, arguments);
        Ok(match Written::deserialize(deserializer)? {
            Written::Pending { call_id, parent, tool, arguments, start } => {
                Self::Pending { call: ToolCall::new(call_id, tool, arguments), parent, start }
            }
            Written::Running { call_id, parent, tool, arguments, start, started, title, metadata } => {
                let call = ToolCall::new(call_id, tool, arguments);
                Self::Running { call, parent, start, started, title, metadata }
            }
            Written::Completed { parent, tool, arguments, outcome } => {
                Self::Completed { call: of(&outcome, tool, arguments), parent, outcome }
            }
            Written::Error { parent, tool, arguments, outcome } => {
                Self::Error { call: of(&outcome, tool, arguments), parent, outcome }
            }
        })
    }
}
