//! Chunks with `delta.tool_calls`, made into one response.
//!
//! By the book each fragment has an `index`, and the first of a call its id and name. Servers that only resemble OpenAI
//! leave the index out, give all calls the same one, repeat id and name in every chunk, send the name in pieces, or
//! arguments as an object.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{content::Content, others::Others};
use crate::wire::{
    format::{Assemble, append, id_of, items, member},
    stop::{failure, first_said},
};

#[derive(Default)]
pub(super) struct Assembler {
    content: Content,
    refusal: String,
    /// DeepSeek and Kimi want it back beside the calls that came of it.
    reasoning: String,
    /// What else came of the message.
    others: Others,
    reason: String,
    /// What the server says of its failure.
    error: Option<String>,
    calls: Vec<Streamed>,
}

#[derive(Default)]
struct Streamed {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
    is_custom: bool,
    /// What else came of the call: the signature of its thought, from Gemini's compatible endpoint.
    others: Others,
}

impl Assemble for Assembler {
    fn push(&mut self, event: &Value) {
        // vLLM's and Mistral's failures are the event itself.
        let is_error = || (member(event, "object") == "error").then(|| first_said([member(event, "message"), "error"]));
        self.error = self.error.take().or_else(|| failure(event)).or_else(is_error);
        // Of several choices the first counts; their chunks come mixed.
        let is_first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or_default() == 0;
        let Some(choice) = items(event, "choices").iter().find(is_first) else { return };
        self.error = self.error.take().or_else(|| failure(choice));
        let reason = member(choice, "finish_reason");
        if !reason.is_empty() {
            reason.clone_into(&mut self.reason);
        }
        // Some servers end a stream with the whole message, which stands for all that came before.
        let delta = match (choice.get("delta"), choice.get("message")) {
            (Some(delta), _) => delta,
            (None, Some(message)) => {
                let (reason, error) = (std::mem::take(&mut self.reason), self.error.take());
                *self = Self { reason, error, ..Self::default() };
                message
            }
            (None, None) => return,
        };
        append(&mut self.reasoning, member(delta, "reasoning_content"));
        self.content.take(delta.get("content").unwrap_or(&Value::Null));
        append(&mut self.refusal, member(delta, "refusal"));
        self.others.take(delta, &["role", "content", "refusal", "reasoning_content", "tool_calls", "function_call"]);
        for fragment in items(delta, "tool_calls") {
            self.fragment(fragment);
        }
    }

    fn finish(self: Box<Self>) -> (Value, bool) {
        let calls: Vec<Value> = self.calls.iter().map(Streamed::whole).collect();
        let mut message = json!({ "role": "assistant", "content": self.content.whole() });
        if !self.reasoning.is_empty() {
            message["reasoning_content"] = json!(self.reasoning);
        }
        if !self.refusal.is_empty() {
            message["refusal"] = json!(self.refusal);
        }
        if !calls.is_empty() {
            message["tool_calls"] = Value::Array(calls);
        }
        self.others.add_to(&mut message);
        let ended = !self.reason.is_empty() || self.error.is_some();
        let choice = json!({ "message": message, "finish_reason": self.reason });
        (json!({ "choices": [choice], "error": self.error }), ended)
    }
}

impl Assembler {
    fn fragment(&mut self, fragment: &Value) {
        let custom = fragment.get("custom");
        let function = custom.or_else(|| fragment.get("function")).unwrap_or(&Value::Null);
        let (id, name) = (id_of(fragment, "id"), member(function, "name"));
        let arguments = match function.get(if custom.is_some() { "input" } else { "arguments" }) {
            Some(Value::String(piece)) => Cow::Borrowed(piece.as_str()),
            Some(Value::Null) | None => Cow::Borrowed(""),
            Some(whole) => Cow::Owned(whole.to_string()),
        };
        let index = fragment.get("index").and_then(Value::as_u64);
        let at = self.place(index, id.as_deref(), name, &arguments);
        let call = &mut self.calls[at];
        call.is_custom |= custom.is_some();
        call.id = call.id.take().or(id);
        call.others.take(fragment, &["index", "id", "type", "function", "custom"]);
        call.named(name);
        append(&mut call.arguments, &arguments);
    }

    /// The call that a fragment belongs to; a new one where it belongs to none.
    fn place(&mut self, index: Option<u64>, id: Option<&str>, name: &str, arguments: &str) -> usize {
        let same_index = |call: &Streamed| index.is_none() || call.index == index;
        let same_call = |call: &Streamed| match (id, &call.id) {
            // A call begins with its name: an id that changes behind it means nothing.
            (Some(id), Some(known)) if !name.is_empty() => id == known,
            (Some(_), _) => true,
            // Without an id, a name behind closed arguments begins the next call, unless it is only repeated.
            (None, _) => name.is_empty() || (name == call.name && arguments.is_empty()) || !call.is_closed(),
        };
        let known = self.calls.iter().rposition(|call| same_index(call) && id.is_some() && call.id.as_deref() == id);
        // Else the latest of that index: where a server gives all calls the same one, the others are done.
        let latest = || self.calls.iter().rposition(same_index).filter(|at| same_call(&self.calls[*at]));
        known.or_else(latest).unwrap_or_else(|| {
            self.calls.push(Streamed { index, ..Streamed::default() });
            self.calls.len() - 1
        })
    }
}

impl Streamed {
    /// Takes a name, a piece of it, or the same name once more.
    fn named(&mut self, name: &str) {
        if name.starts_with(&self.name) {
            name.clone_into(&mut self.name);
        } else {
            self.name.push_str(name);
        }
    }

    /// Whether nothing can follow: the arguments are a whole object.
    fn is_closed(&self) -> bool {
        self.arguments.trim_end().ends_with('}')
            && serde_json::from_str::<serde_json::Map<String, Value>>(&self.arguments).is_ok()
    }

    fn whole(&self) -> Value {
        let (kind, value) = if self.is_custom {
            ("custom", json!({ "name": self.name, "input": self.arguments }))
        } else {
            ("function", json!({ "name": self.name, "arguments": self.arguments }))
        };
        let mut call = json!({ "id": self.id, "type": kind });
        call[kind] = value;
        self.others.add_to(&mut call);
        call
    }
}
