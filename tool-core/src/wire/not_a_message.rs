//! What is said of JSON that is no message of the provider it should be of.

use serde_json::Value;

use super::Provider;

/// A message that is not one of the provider's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, got {got}; check which provider this came from, and whether it is an error response")]
pub struct NotAMessage {
    expected: &'static str,
    got: String,
}

impl NotAMessage {
    pub(super) fn new(provider: Provider, message: &Value) -> Self {
        let expected = match provider {
            Provider::OpenAiChat => "a Chat Completions response with `choices`, or its message",
            Provider::OpenAiResponses => "a response with `output`, or its items",
            Provider::Anthropic => "a message with `content`, or its blocks",
            Provider::Gemini => "a response with `candidates`, or a content with `parts`",
            Provider::Mcp => "a `tools/call` request, or its params",
        };
        let got = match message {
            Value::Object(members) if members.is_empty() => "an empty object".to_owned(),
            Value::Object(members) => {
                let keys: Vec<&str> = members.keys().take(8).map(|key| &key[..key.floor_char_boundary(40)]).collect();
                format!("an object with {}", keys.join(", "))
            }
            Value::Array(_) => "an array".to_owned(),
            Value::String(_) => "a text".to_owned(),
            Value::Null | Value::Bool(_) | Value::Number(_) => message.to_string(),
        };
        Self { expected, got }
    }
}
