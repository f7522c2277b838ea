//! What a model said and asked for in one message.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;

use super::{Provider, Stop, call_id::Place};
use crate::call::{CallId, ToolCall};

/// What a model said and asked for in one message, its calls in the order it made them.
///
/// A conversation tells turns from each other that say the same, and a turn's clones are that turn: it is sent with the
/// same ids each time.
///
/// [`Conversation::read`](super::Conversation::read) makes one of a response, and `finish` one of a stream. A host that
/// stores calls makes one of them again with [`ModelTurn::new`].
#[derive(Debug, Clone)]
pub struct ModelTurn {
    pub(super) identity: Identity,
    pub(super) text: String,
    pub(super) calls: Vec<ModelCall>,
    pub(super) stop: Stop,
    pub(super) heard: Option<HeardFrom>,
}

/// Turns that say the same are equal.
impl PartialEq for ModelTurn {
    fn eq(&self, other: &Self) -> bool {
        let Self { identity: _, text, calls, stop, heard } = self;
        (text, calls, stop, heard) == (&other.text, &other.calls, &other.stop, &other.heard)
    }
}

/// Which turn it is, whatever it says.
#[derive(Debug, Clone, Default)]
pub(super) struct Identity(Arc<()>);

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// One call of a turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ModelCall {
    pub(super) call: ToolCall,
    /// How many calls of the turn before it have the same id: only in a turn that came from elsewhere.
    pub(super) occurrence: u64,
    /// Where it stands in the message it came in.
    pub(super) at: Option<String>,
    /// Whether the model gave it no id.
    pub(super) nameless: bool,
    pub(super) freeform: bool,
    pub(super) cut: bool,
    pub(super) signature: Option<String>,
}

/// The message that a turn came in, as it goes into the next request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeardFrom {
    pub(super) provider: Provider,
    pub(super) history: Vec<Value>,
}

impl ModelCall {
    /// Where it is in a turn, which is its own.
    pub(super) fn place<'t>(&self, turn: &'t ModelTurn) -> Place<'t> {
        Place { turn: &turn.identity, occurrence: self.occurrence }
    }
}

impl ModelTurn {
    /// A turn of calls that came from elsewhere: a store, or another provider's client.
    ///
    /// Calls with the same id are sent with ids that differ, each with its own result: the outcomes of calls with one
    /// id belong to them by the name of their tool, and in order where that is the same. To a provider that wants ids
    /// unique in the whole conversation so are calls of two turns with the same id. A history that is written again
    /// from stored calls therefore gets a new [`Conversation`](super::Conversation), which gives it the ids it had.
    #[must_use]
    pub fn new(text: impl Into<String>, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        let mut known: HashMap<CallId, u64> = HashMap::new();
        let calls = calls.into_iter().map(|call| {
            let next = known.entry(call.id.clone()).or_default();
            let occurrence = *next;
            *next += 1;
            ModelCall { call, occurrence, at: None, nameless: false, freeform: false, cut: false, signature: None }
        });
        let (identity, calls) = (Identity::default(), calls.collect());
        Self { identity, text: text.into(), calls, stop: Stop::Unsaid, heard: None }
    }

    /// What the model said beside its calls.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The calls to run. Those that were cut off are not among them.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls.iter().filter(|call| !call.cut).map(|call| &call.call)
    }

    /// Calls of which only the beginning came: the stream broke, or the model reached its limit. They must not be run;
    /// their results say so.
    pub fn cut_off(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls.iter().filter(|call| call.cut).map(|call| &call.call)
    }

    /// Why the model stopped. A turn that ends at a limit, in a refusal or with a failure has said less than it meant
    /// to, and looks no different otherwise.
    #[must_use]
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Whether the model waits for nothing: no result, no word about a [call that could not be
    /// read](Stop::MalformedCall), no leave [to go on](Stop::Paused). A host still limits how often it asks.
    #[must_use]
    pub fn is_final(&self) -> bool {
        self.calls.is_empty() && !self.stop.goes_on()
    }
}
