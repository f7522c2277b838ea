//! Why a model stopped.

use serde_json::Value;

use super::format::member;

/// Why a model stopped where it did, in one vocabulary for all providers.
///
/// ```
/// use serde_json::json;
/// use tool_core::wire::{Conversation, Provider, Stop};
/// let turn = Conversation::new(Provider::Gemini).read(&json!({ "candidates": [{
///     "finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "Malformed function call: print(now())",
/// }] }))?;
/// assert_eq!(turn.stop(), &Stop::MalformedCall("Malformed function call: print(now())".to_owned()));
/// assert!(!turn.is_final(), "its results tell the model what to mend");
/// # Ok::<(), tool_core::wire::NotAMessage>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Nothing says why: the turn was made of stored calls, or of a message without its response.
    #[default]
    Unsaid,
    /// It meant to: it is done, or waits for the results of its calls.
    Completed,
    /// At a limit: of tokens in the answer, or of the context.
    Limit,
    /// It would not answer, or a filter would not let it: what it said instead, or the provider's word for the reason.
    Refused(String),
    /// It made a call that the provider itself could not read (Gemini's `MALFORMED_FUNCTION_CALL` and
    /// `UNEXPECTED_TOOL_CALL`): what the provider says of it. The turn's results tell the model to make it again.
    MalformedCall(String),
    /// In the middle of a turn that the provider works on itself (Anthropic's `pause_turn`): the next request with the
    /// turn's message lets it go on.
    Paused,
    /// The stream broke off.
    Broken,
    /// The provider failed: its message, or its word for it. What came before is in the turn.
    Failed(String),
    /// Another reason: the provider's word for it. As nobody knows what it means, a call that is not whole is not run.
    Other(String),
}

impl Stop {
    /// Whether the last call may be only the beginning of one.
    pub(super) fn cuts_off(&self) -> bool {
        matches!(self, Self::Limit | Self::Refused(_) | Self::Broken | Self::Failed(_) | Self::Other(_))
    }

    /// Whether the model is to be asked again, though it made no call.
    pub(super) fn goes_on(&self) -> bool {
        matches!(self, Self::MalformedCall(_) | Self::Paused)
    }
}

/// Whether a word is Gemini's for a call that could not be read; behind OpenAI's form it stands at the end of a longer
/// one (`function_call_filter: MALFORMED_FUNCTION_CALL`).
pub(super) fn is_malformed_call(word: &str) -> bool {
    let words = ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"];
    let last = word.rsplit([':', ' ']).next().unwrap_or_default();
    words.iter().any(|known| known.eq_ignore_ascii_case(last))
}

/// What a response or an event says of its provider's failure, in its `error`: an object with a message, or a text.
pub(super) fn failure(holder: &Value) -> Option<String> {
    match holder.get("error")? {
        Value::String(said) if !said.trim().is_empty() => Some(said.clone()),
        error @ Value::Object(members) if !members.is_empty() => {
            Some(first_said([member(error, "message"), member(error, "type"), member(error, "status"), "error"]))
        }
        _ => None,
    }
}

/// The first of some texts that says something.
pub(super) fn first_said<const N: usize>(texts: [&str; N]) -> String {
    texts.into_iter().find(|text| !text.trim().is_empty()).unwrap_or_default().to_owned()
}
