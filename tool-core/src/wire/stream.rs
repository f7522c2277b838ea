//! A streamed response.

use std::fmt;

use serde_json::Value;

use super::{Provider, format::Assemble};

/// A streamed response, taken event by event as JSON: the `data` of each server-sent event, but for OpenAI's closing
/// `[DONE]`.
///
/// Fragments of arguments may be cut anywhere; calls may be mixed. Events that say nothing of text or calls are passed
/// over.
///
/// ```
/// use serde_json::json;
/// use tool_core::wire::{Conversation, Provider};
/// let mut conversation = Conversation::new(Provider::OpenAiChat);
/// let mut stream = conversation.stream();
/// for event in [
///     json!({ "choices": [{ "delta": { "tool_calls": [
///         { "index": 0, "id": "call_1", "type": "function", "function": { "name": "now", "arguments": "" } },
///     ] } }] }),
///     json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "function": { "arguments": "{\"zo" } }] } }] }),
///     json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "function": { "arguments": "ne\":1}" } }] } }] }),
///     json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] }),
/// ] {
///     stream.push(&event);
/// }
/// let turn = conversation.finish(stream);
/// assert_eq!(turn.calls().next().map(|call| call.arguments.as_str()), Some(r#"{"zone":1}"#));
/// ```
pub struct TurnStream {
    provider: Provider,
    assembler: Box<dyn Assemble>,
}

impl TurnStream {
    pub(super) fn new(provider: Provider) -> Self {
        Self { provider, assembler: provider.format().stream() }
    }

    /// Takes the next event.
    pub fn push(&mut self, event: &Value) {
        self.assembler.push(event);
    }

    pub(super) fn finish(self) -> (Value, bool) {
        self.assembler.finish()
    }
}

impl fmt::Debug for TurnStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnStream").field("provider", &self.provider).finish_non_exhaustive()
    }
}
