//! Members that this crate does not know, kept as they are streamed: what a server sends with a message or a call it
//! may want back, as Gemini its thoughts' signatures (`extra_content`) and others their `reasoning_details`.

use serde_json::{Map, Value};

use crate::{call::MAX_ARGUMENT_BYTES, wire::format::append};

/// How deep objects are merged.
const DEPTH: usize = 16;

/// Unknown members, merged from every chunk that had some.
#[derive(Default)]
pub(super) struct Others {
    members: Map<String, Value>,
    /// How many bytes of JSON went in: more than a call's arguments may have is not kept.
    bytes: usize,
}

impl Others {
    /// Takes what a chunk has beside the known members. Lists go on; of anything else the latest counts, but for
    /// `reasoning`, which comes in pieces.
    pub(super) fn take(&mut self, chunk: &Value, known: &[&str]) {
        let members = chunk.as_object().into_iter().flatten();
        for (key, value) in members.filter(|(key, value)| !known.contains(&key.as_str()) && !value.is_null()) {
            self.bytes = self.bytes.saturating_add(value.to_string().len());
            if self.bytes > MAX_ARGUMENT_BYTES {
                return;
            }
            match (self.members.get_mut(key), value) {
                (Some(Value::String(text)), Value::String(piece)) if key == "reasoning" => append(text, piece),
                (Some(held), value) => merge(held, value, DEPTH),
                (None, value) => drop(self.members.insert(key.clone(), value.clone())),
            }
        }
    }

    /// Adds them to what they came with.
    pub(super) fn add_to(&self, whole: &mut Value) {
        if let Some(whole) = whole.as_object_mut() {
            whole.extend(self.members.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
    }
}

fn merge(held: &mut Value, more: &Value, depth: usize) {
    match (held, more) {
        (Value::Object(held), Value::Object(more)) if depth > 0 => {
            for (key, value) in more {
                match held.get_mut(key) {
                    Some(known) => merge(known, value, depth - 1),
                    None => drop(held.insert(key.clone(), value.clone())),
                }
            }
        }
        (Value::Array(held), Value::Array(more)) => held.extend(more.iter().cloned()),
        (held, more) => *held = more.clone(),
    }
}
