//! `response.*` events, made into one response.
//!
//! An item is complete when `response.output_item.done` says so, or the `done` event of its arguments; what only began
//! is kept with the status `incomplete`.

use serde_json::{Value, json};

use crate::wire::{
    format::{Assemble, append, member},
    stop::{failure, first_said},
};

#[derive(Default)]
pub(super) struct Assembler {
    items: Vec<Streamed>,
    /// The response that the last event holds.
    response: Option<Value>,
}

struct Streamed {
    index: Option<u64>,
    item: Value,
    /// What has come of the arguments, or of the text.
    pieces: String,
    is_done: bool,
}

impl Assemble for Assembler {
    fn push(&mut self, event: &Value) {
        match member(event, "type") {
            "response.output_item.added" => {
                self.add(event);
            }
            "response.output_item.done" => {
                let at = self.place(event).unwrap_or_else(|| self.add(event));
                if let Some(item) = event.get("item") {
                    self.items[at].item = item.clone();
                    self.items[at].is_done = true;
                }
            }
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                if let Some(at) = self.place(event) {
                    append(&mut self.items[at].pieces, member(event, "delta"));
                }
            }
            "response.function_call_arguments.done" => self.close(event, "arguments"),
            "response.custom_tool_call_input.done" => self.close(event, "input"),
            "response.completed" => self.end(event, "completed"),
            "response.incomplete" => self.end(event, "incomplete"),
            "response.failed" => self.end(event, "failed"),
            kind @ ("error" | "") => {
                let flat = || first_said([member(event, "message"), member(event, "code"), kind]);
                if let Some(said) = failure(event).or_else(|| (kind == "error").then(flat)) {
                    self.response = Some(json!({ "status": "failed", "error": said }));
                }
            }
            _ => {}
        }
    }

    fn finish(self: Box<Self>) -> (Value, bool) {
        let ended = self.response.is_some();
        let mut response = self.response.unwrap_or_else(|| json!({}));
        let mut items = self.items;
        items.sort_by_key(|streamed| streamed.index.unwrap_or(u64::MAX));
        let items: Vec<Value> = items.into_iter().filter_map(Streamed::whole).collect();
        // Some servers send no items, some no output in the end.
        if !items.is_empty() || !response["output"].is_array() {
            response["output"] = Value::Array(items);
        }
        (response, ended)
    }
}

impl Assembler {
    fn add(&mut self, event: &Value) -> usize {
        let item = event.get("item").cloned().unwrap_or_else(|| json!({}));
        let index = event.get("output_index").and_then(Value::as_u64);
        self.items.push(Streamed { index, item, pieces: String::new(), is_done: false });
        self.items.len() - 1
    }

    /// The item that an event speaks of: by its id, by its place, else the latest.
    fn place(&self, event: &Value) -> Option<usize> {
        let id = match event.get("item_id").and_then(Value::as_str) {
            Some(id) => id,
            None => event.get("item").map(|item| member(item, "id")).unwrap_or_default(),
        };
        let index = event.get("output_index").and_then(Value::as_u64);
        let by_id = || self.items.iter().rposition(|held| !id.is_empty() && member(&held.item, "id") == id);
        match index {
            Some(_) => self.items.iter().rposition(|held| held.index == index).or_else(by_id),
            None if id.is_empty() => self.items.len().checked_sub(1).filter(|last| !self.items[*last].is_done),
            None => by_id(),
        }
    }

    /// The end, with the response: some servers leave its status to the event's name.
    fn end(&mut self, event: &Value, status: &str) {
        let mut response = event.get("response").filter(|response| response.is_object()).cloned().unwrap_or(json!({}));
        if member(&response, "status").is_empty() {
            response["status"] = json!(status);
        }
        self.response = Some(response);
    }

    fn close(&mut self, event: &Value, key: &str) {
        let Some(at) = self.place(event) else { return };
        let held = &mut self.items[at];
        if let Some(text) = event.get(key).and_then(Value::as_str) {
            text.clone_into(&mut held.pieces);
        }
        if !held.is_done
            && let Some(item) = held.item.as_object_mut()
        {
            item.insert(key.to_owned(), json!(held.pieces));
            item.insert("status".into(), json!("completed"));
            held.is_done = true;
        }
    }
}

impl Streamed {
    /// The item; of one that only began, what can go into a request: a call, but no half message.
    fn whole(mut self) -> Option<Value> {
        if self.is_done {
            return Some(self.item);
        }
        let key = match member(&self.item, "type") {
            "function_call" => "arguments",
            "custom_tool_call" => "input",
            _ => return None,
        };
        let item = self.item.as_object_mut()?;
        item.insert(key.to_owned(), json!(self.pieces));
        item.insert("status".into(), json!("incomplete"));
        Some(self.item)
    }
}
