//! Streams of events, taken whole, and what they hold.
#![allow(dead_code, reason = "no file of tests uses all of it")]

use serde_json::{Value, json};
use tool_core::wire::{Conversation, ModelTurn, Provider};

/// The turn that these events make.
pub(crate) fn stream(provider: Provider, events: &[Value]) -> ModelTurn {
    let mut conversation = Conversation::new(provider);
    let mut stream = conversation.stream();
    events.iter().for_each(|event| stream.push(event));
    conversation.finish(stream)
}

/// What is to be run: id, name, arguments.
pub(crate) fn calls(turn: &ModelTurn) -> Vec<(&str, &str, &str)> {
    turn.calls().map(|call| (call.id.as_str(), call.name.as_ref(), call.arguments.as_str())).collect()
}

/// What came in part: its ids.
pub(crate) fn cut_off(turn: &ModelTurn) -> Vec<&str> {
    turn.cut_off().map(|call| call.id.as_str()).collect()
}

/// One chunk of Chat Completions with these fragments.
pub(crate) fn chunk(fragments: Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": { "tool_calls": fragments }, "finish_reason": null }] })
}

/// The last chunk of Chat Completions.
pub(crate) fn end(reason: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

/// The events of one item of a response: its beginning, its pieces, its end.
pub(crate) fn item_events(index: u64, item: &Value, key: &str, pieces: &[&str]) -> (Value, Vec<Value>, Value) {
    let mut begun = item.clone();
    begun[key] = json!("");
    begun["status"] = json!("in_progress");
    let kind = if key == "input" { "custom_tool_call_input" } else { "function_call_arguments" };
    let delta = |piece: &&str| json!({ "type": format!("response.{kind}.delta"), "item_id": item["id"], "output_index": index, "delta": piece });
    (
        json!({ "type": "response.output_item.added", "output_index": index, "item": begun }),
        pieces.iter().map(delta).collect(),
        json!({ "type": "response.output_item.done", "output_index": index, "item": item }),
    )
}
