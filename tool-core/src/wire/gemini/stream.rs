//! Chunks of `streamGenerateContent`, made into one response. Calls mostly come whole; where they come in parts, the
//! first part has the name, the last no `willContinue`.

use serde_json::{Value, json};

use super::partial;
use crate::wire::{
    format::{append, items, member},
    stop::failure,
};

#[derive(Default)]
pub(super) struct Assembler {
    parts: Vec<Value>,
    /// The part whose call goes on.
    open: Option<usize>,
    /// Whether a value of that call could not be put in its place.
    is_broken: bool,
    reason: String,
    /// What the provider says of the reason.
    message: String,
    /// Why the prompt was refused.
    feedback: Value,
    /// What the provider says of its failure.
    error: Option<String>,
}

impl crate::wire::format::Assemble for Assembler {
    fn push(&mut self, event: &Value) {
        if let Some(feedback) = event.get("promptFeedback") {
            self.feedback = feedback.clone();
        }
        self.error = self.error.take().or_else(|| failure(event));
        let Some(candidate) = items(event, "candidates").first() else { return };
        let reason = member(candidate, "finishReason");
        if !reason.is_empty() {
            reason.clone_into(&mut self.reason);
            member(candidate, "finishMessage").clone_into(&mut self.message);
        }
        for part in candidate.get("content").map(|content| items(content, "parts")).unwrap_or_default() {
            self.part(part);
        }
    }

    fn finish(self: Box<Self>) -> (Value, bool) {
        let ended = !self.reason.is_empty() || self.error.is_some();
        let content = json!({ "role": "model", "parts": self.parts });
        let candidate = json!({ "content": content, "finishReason": self.reason, "finishMessage": self.message });
        (json!({ "candidates": [candidate], "promptFeedback": self.feedback, "error": self.error }), ended)
    }
}

impl Assembler {
    fn part(&mut self, part: &Value) {
        match part.get("functionCall") {
            Some(call) => self.call(part, call),
            None if !self.goes_on(part) => self.parts.push(part.clone()),
            None => {}
        }
    }

    /// Adds text to the text before it, of the same kind and without a signature between.
    fn goes_on(&mut self, part: &Value) -> bool {
        let plain = |part: &Value| {
            part.as_object().is_some_and(|members| members.keys().all(|key| key == "text" || key == "thought"))
        };
        let Some(last) = self.parts.last_mut() else { return false };
        if !plain(last) || !plain(part) || last.get("thought") != part.get("thought") {
            return false;
        }
        match last.get_mut("text") {
            Some(Value::String(text)) => append(text, member(part, "text")),
            _ => return false,
        }
        true
    }

    fn call(&mut self, part: &Value, call: &Value) {
        // Another name or id begins another call: the open one then stays incomplete.
        let at = self.open.filter(|at| self.belongs(*at, call)).unwrap_or_else(|| {
            self.parts.push(json!({ "functionCall": {} }));
            self.is_broken = false;
            self.parts.len() - 1
        });
        let goes_on = call.get("willContinue").and_then(Value::as_bool).unwrap_or_default();
        if let Some(held) = self.parts[at].as_object_mut() {
            let beside = part.as_object().into_iter().flatten().filter(|(key, _)| *key != "functionCall");
            held.extend(beside.map(|(key, value)| (key.clone(), value.clone())));
        }
        let Some(held) = self.parts[at].get_mut("functionCall").and_then(Value::as_object_mut) else { return };
        let mut args = held.remove("args").unwrap_or_default();
        for (key, value) in call.as_object().into_iter().flatten() {
            match (key.as_str(), value) {
                ("args", Value::Object(members)) if args.is_object() => {
                    args.as_object_mut().into_iter().for_each(|args| args.extend(members.clone()));
                }
                ("args", whole) => args = whole.clone(),
                ("partialArgs", partials) => {
                    let mut partials = partials.as_array().into_iter().flatten();
                    self.is_broken |= partials.any(|partial| partial::put(&mut args, partial).is_err());
                }
                ("willContinue", _) => {}
                (_, value) => drop(held.insert(key.clone(), value.clone())),
            }
        }
        if !args.is_null() {
            held.insert("args".into(), args);
        }
        // A call with a value that could not be placed is never complete.
        held.insert("willContinue".into(), json!(goes_on || self.is_broken));
        self.open = goes_on.then_some(at);
    }

    fn belongs(&self, at: usize, call: &Value) -> bool {
        let held = self.parts[at].get("functionCall").unwrap_or(&Value::Null);
        let same = |key: &str| member(call, key).is_empty() || member(call, key) == member(held, key);
        same("id") && same("name")
    }
}
