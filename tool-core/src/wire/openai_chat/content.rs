//! What a message says: one text, or a list of parts, as Mistral's models that think send it.

use serde_json::Value;

use crate::{
    call::MAX_ARGUMENT_BYTES,
    wire::{
        format::{append, items, member},
        media::text_part,
    },
};

/// The text of a content, without what was thought.
pub(super) fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(|part| member(part, "text")).collect(),
        _ => String::new(),
    }
}

/// Whether a content has nothing for a user: no text, and no part but text and thoughts.
pub(super) fn says_nothing(content: &Value) -> bool {
    let is_other = |part: &Value| !matches!(member(part, "type"), "" | "text" | THINKING);
    text(content).is_empty() && !content.as_array().is_some_and(|parts| parts.iter().any(is_other))
}

/// A part of Mistral's: a list of parts that were thought.
const THINKING: &str = "thinking";

/// A content that is streamed, as texts, as parts, or as both in turn.
#[derive(Default)]
pub(super) struct Content {
    parts: Vec<Value>,
    /// How many bytes of JSON the parts but plain text had: more than a call's arguments may have is not kept.
    bytes: usize,
}

impl Content {
    /// Takes what a chunk has.
    pub(super) fn take(&mut self, content: &Value) {
        match content {
            Value::String(piece) => self.part(&text_part("text", piece.as_str())),
            Value::Array(parts) => parts.iter().for_each(|part| self.part(part)),
            _ => {}
        }
    }

    fn part(&mut self, part: &Value) {
        let is_kept = if is_plain(part) {
            !member(part, "text").is_empty()
        } else {
            self.bytes = self.bytes.saturating_add(part.to_string().len());
            self.bytes <= MAX_ARGUMENT_BYTES
        };
        if is_kept {
            push(&mut self.parts, part);
        }
    }

    /// The content: a text where that is all of it.
    pub(super) fn whole(mut self) -> Value {
        match self.parts.as_mut_slice() {
            [] => Value::Null,
            [only] if is_plain(only) => only["text"].take(),
            _ => Value::Array(self.parts),
        }
    }
}

/// Adds a part, or goes on with the last one, where both are text or both are thoughts.
fn push(parts: &mut Vec<Value>, part: &Value) {
    match parts.last_mut() {
        Some(last) if is_plain(last) && is_plain(part) => {
            if let Value::String(text) = &mut last["text"] {
                append(text, member(part, "text"));
            }
        }
        Some(last) if is_thought(last) && is_thought(part) => {
            if let Value::Array(thoughts) = &mut last[THINKING] {
                items(part, THINKING).iter().for_each(|thought| push(thoughts, thought));
            }
        }
        _ => parts.push(part.clone()),
    }
}

/// A text and nothing else.
fn is_plain(part: &Value) -> bool {
    member(part, "type") == "text"
        && part.get("text").is_some_and(Value::is_string)
        && part.as_object().is_some_and(|members| members.len() == 2)
}

fn is_thought(part: &Value) -> bool {
    member(part, "type") == THINKING && part.get(THINKING).is_some_and(Value::is_array)
}
