//! What every provider's module does, and what passes between them and the conversation.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{Provider, Stop, anthropic, freeform, gemini, mcp, openai_chat, openai_responses};
use crate::{
    call::{MAX_ARGUMENT_BYTES, ToolCall},
    output::Attachment,
};

/// One provider's messages.
pub(super) trait Format: Sync {
    /// What a response or a message says; `None` where it is neither.
    fn read(&self, message: &Value) -> Option<Heard>;

    /// Puts the id, the name and the arguments of a call that was heard into the form that the provider takes back. `site` is
    /// where [`Found::at`] points.
    fn settle(&self, site: &mut Value, said: &Said<'_>);

    /// The assistant's message, made anew.
    fn say(&self, text: &str, calls: &[Said<'_>]) -> Vec<Value>;

    /// What a user says, where no result can say it.
    fn tell(&self, text: &str) -> Vec<Value>;

    /// The results, in order.
    fn answer(&self, answers: &[Answer<'_>], placement: Placement) -> Vec<Value>;

    /// An assembler of streamed events.
    fn stream(&self) -> Box<dyn Assemble>;
}

/// Makes one message of streamed events.
pub(super) trait Assemble: Send {
    /// Takes the next event; one that says nothing of interest is passed over.
    fn push(&mut self, event: &Value);

    /// The message, and whether the stream came to its end.
    fn finish(self: Box<Self>) -> (Value, bool);
}

impl Provider {
    pub(super) fn format(self) -> &'static dyn Format {
        match self {
            Self::OpenAiChat => &openai_chat::OpenAiChat,
            Self::OpenAiResponses => &openai_responses::OpenAiResponses,
            Self::Anthropic => &anthropic::Anthropic,
            Self::Gemini => &gemini::Gemini,
            Self::Mcp => &mcp::Mcp,
        }
    }
}

/// A message taken apart.
#[derive(Default)]
pub(super) struct Heard {
    /// What the model said beside its calls.
    pub(super) text: String,
    /// The message as it goes into the next request.
    pub(super) history: Vec<Value>,
    pub(super) calls: Vec<Found>,
    /// Why it ended.
    pub(super) stop: Stop,
}

/// A call in a message.
#[derive(Default)]
pub(super) struct Found {
    /// A JSON pointer into [`Heard::history`].
    pub(super) at: String,
    pub(super) id: Option<String>,
    pub(super) name: String,
    /// As they came: an object, a text, or nothing.
    pub(super) arguments: Value,
    /// Plain text in place of arguments.
    pub(super) freeform: bool,
    pub(super) progress: Progress,
    /// Gemini's `thoughtSignature`.
    pub(super) signature: Option<String>,
}

/// What a provider says of how much of a call came.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Progress {
    #[default]
    Unsaid,
    /// More of it was to come.
    Open,
    /// All of it.
    Complete,
}

/// A call to be written.
pub(super) struct Said<'a> {
    /// The id to send.
    pub(super) id: String,
    /// Whether the model gave it none.
    pub(super) nameless: bool,
    /// The name to send.
    pub(super) name: Cow<'a, str>,
    pub(super) call: &'a ToolCall,
    /// The arguments as an object, whatever the model wrote.
    pub(super) arguments: Map<String, Value>,
    pub(super) freeform: bool,
    pub(super) signature: Option<&'a str>,
}

/// A result to be written.
pub(super) struct Answer<'a> {
    pub(super) id: String,
    pub(super) nameless: bool,
    /// The name that the call is sent with.
    pub(super) name: Cow<'a, str>,
    pub(super) freeform: bool,
    pub(super) text: Cow<'a, str>,
    pub(super) failed: bool,
    pub(super) attachments: &'a [Attachment],
    pub(super) structured: Option<&'a Value>,
    /// Whether the structured result goes in an envelope, where results are objects.
    pub(super) is_wrapped: bool,
}

/// Where media go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placement {
    /// Into the result, where the provider takes them there.
    Inline,
    /// Into a user message behind the results.
    Behind,
}

/// What a result says that has nothing to say: Anthropic refuses empty texts, and models take an empty result for a
/// mistake.
pub(super) const NO_OUTPUT: &str = "(no output)";

/// Introduces media that stand in a message of their own (opencode's way).
pub(super) fn attached(answer: &Answer<'_>) -> String {
    format!("Attached media from the result of `{}`:", answer.name)
}

impl Answer<'_> {
    /// The text, where a failure can be told from a success by the text alone.
    pub(super) fn worded(&self) -> String {
        match (self.failed, self.text.trim().is_empty()) {
            (true, _) => format!("Error: {}", self.text),
            (false, true) => NO_OUTPUT.to_owned(),
            (false, false) => self.text.clone().into_owned(),
        }
    }

    /// The text, where a failure is marked otherwise.
    pub(super) fn spoken(&self) -> &str {
        if self.text.trim().is_empty() { NO_OUTPUT } else { &self.text }
    }
}

/// Appends a streamed piece. What is longer than any executor takes is not kept: the call then fails for its size.
pub(super) fn append(text: &mut String, piece: &str) {
    if text.len() <= MAX_ARGUMENT_BYTES {
        text.push_str(piece);
    }
}

/// The text of a member; empty where there is none.
pub(super) fn member<'a>(object: &'a Value, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The id under a key, if it is one.
pub(super) fn id_of(object: &Value, key: &str) -> Option<String> {
    match object.get(key) {
        Some(Value::String(id)) if !id.is_empty() => Some(id.clone()),
        Some(Value::Number(id)) => Some(id.to_string()),
        _ => None,
    }
}

/// The items of an array member; none where there is none.
pub(super) fn items<'a>(object: &'a Value, key: &str) -> &'a [Value] {
    object.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The name and the arguments of a call, for providers that write arguments as text. What cannot go back is replaced.
pub(super) fn settle_text(call: &mut Map<String, Value>, said: &Said<'_>) {
    call.insert("name".into(), said.name.as_ref().into());
    if said.freeform {
        if !call.get("input").is_some_and(Value::is_string) {
            call.insert("input".into(), freeform::text(&said.call.arguments).into());
        }
        return;
    }
    let reads =
        |held: &Value| held.as_str().is_some_and(|text| serde_json::from_str::<Map<String, Value>>(text).is_ok());
    if !call.get("arguments").is_some_and(reads) {
        call.insert("arguments".into(), Value::Object(said.arguments.clone()).to_string().into());
    }
}
