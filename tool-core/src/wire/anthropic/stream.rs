//! `content_block_*` events, made into one message: thinking and its signature too, so that it can go back whole.

use serde_json::{Value, json};

use crate::wire::{
    format::{Assemble, append, member},
    stop::failure,
};

/// How many citations of one text are kept.
const CITATIONS: usize = 1000;

#[derive(Default)]
pub(super) struct Assembler {
    blocks: Vec<Streamed>,
    reason: String,
    /// What a refusal says of itself.
    details: Value,
    /// What an `error` event says.
    error: Option<String>,
    is_stopped: bool,
}

struct Streamed {
    index: Option<u64>,
    block: Value,
    /// What has come of a call's input.
    pieces: String,
    is_stopped: bool,
}

impl Assemble for Assembler {
    fn push(&mut self, event: &Value) {
        let index = event.get("index").and_then(Value::as_u64);
        match member(event, "type") {
            "content_block_start" => {
                let block = event.get("content_block").cloned().unwrap_or_else(|| json!({}));
                self.blocks.push(Streamed { index, block, pieces: String::new(), is_stopped: false });
            }
            "content_block_delta" => {
                if let (Some(held), Some(delta)) = (self.at(index), event.get("delta")) {
                    held.delta(delta);
                }
            }
            "content_block_stop" => {
                if let Some(held) = self.at(index) {
                    held.is_stopped = true;
                }
            }
            "message_delta" => {
                let delta = event.get("delta").unwrap_or(&Value::Null);
                let reason = member(delta, "stop_reason");
                if !reason.is_empty() {
                    reason.clone_into(&mut self.reason);
                }
                if let Some(details) = delta.get("stop_details") {
                    self.details = details.clone();
                }
            }
            "message_stop" => self.is_stopped = true,
            _ => self.error = self.error.take().or_else(|| failure(event)),
        }
    }

    fn finish(self: Box<Self>) -> (Value, bool) {
        let ended = self.is_stopped || !self.reason.is_empty() || self.error.is_some();
        let blocks: Vec<Value> = self.blocks.into_iter().filter_map(Streamed::whole).collect();
        let message = json!({
            "role": "assistant", "content": blocks, "stop_reason": self.reason, "stop_details": self.details,
            "error": self.error,
        });
        (message, ended)
    }
}

impl Assembler {
    /// The latest block of that index; without one, the latest block.
    fn at(&mut self, index: Option<u64>) -> Option<&mut Streamed> {
        self.blocks.iter_mut().rev().find(|held| index.is_none() || held.index == index)
    }
}

impl Streamed {
    fn delta(&mut self, delta: &Value) {
        let (kind, key) = match member(delta, "type") {
            "input_json_delta" => return append(&mut self.pieces, member(delta, "partial_json")),
            "text_delta" => ("text", "text"),
            "thinking_delta" => ("thinking", "thinking"),
            "signature_delta" => ("thinking", "signature"),
            "citations_delta" => return self.cite(delta.get("citation")),
            _ => return,
        };
        if member(&self.block, "type") != kind {
            return;
        }
        if let Some(block) = self.block.as_object_mut() {
            match block.entry(key).or_insert_with(|| json!("")) {
                Value::String(text) => append(text, member(delta, key)),
                other => *other = json!(member(delta, key)),
            }
        }
    }

    /// A citation of the text so far.
    fn cite(&mut self, citation: Option<&Value>) {
        let (Some(citation), Some(block)) = (citation, self.block.as_object_mut()) else { return };
        match block.entry("citations").or_insert(Value::Null) {
            Value::Array(known) if known.len() < CITATIONS => known.push(citation.clone()),
            Value::Array(_) => {}
            other => *other = json!([citation]),
        }
    }

    /// The block. Thinking that broke off has no signature, and is not taken back.
    fn whole(mut self) -> Option<Value> {
        let kind = member(&self.block, "type").to_owned();
        match kind.as_str() {
            "tool_use" => {}
            "server_tool_use" | "mcp_tool_use" if self.is_stopped => {}
            _ => return (self.is_stopped || kind == "text").then_some(self.block),
        }
        let came_with = self.block.get("input").and_then(Value::as_object).is_some_and(|input| !input.is_empty());
        let input = match serde_json::from_str::<Value>(&self.pieces) {
            Ok(input) if input.is_object() => input,
            // Servers that only resemble Anthropic send the input with the first event.
            _ if self.pieces.is_empty() && came_with => return Some(self.block),
            _ if self.pieces.is_empty() && self.is_stopped => json!({}),
            // As it came, broken or half: for the report of what is wrong with it.
            _ => Value::String(self.pieces),
        };
        if let Some(block) = self.block.as_object_mut() {
            block.insert("input".into(), input);
        }
        Some(self.block)
    }
}
