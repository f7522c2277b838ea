//! Anthropic's Messages.
//!
//! Calls are `tool_use` blocks of the assistant's message, results are `tool_result` blocks, all in one user message
//! and before anything else in it. A result holds text, images and documents; a failure is marked, and then holds text
//! alone.

mod stream;

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{
    format::{Answer, Assemble, Format, Found, Heard, Placement, Said, attached, id_of, member},
    media::{Media, Source, text_part},
    stop::{Stop, failure, first_said},
};

pub(super) struct Anthropic;

impl Format for Anthropic {
    fn read(&self, message: &Value) -> Option<Heard> {
        let blocks = match message {
            Value::Array(blocks) => blocks.clone(),
            message => match message.get("content")? {
                Value::String(text) => vec![text_part("text", text)],
                Value::Array(blocks) => blocks.clone(),
                _ => return None,
            },
        };
        let reason = message.get("stop_reason").and_then(Value::as_str);
        let blocks = returnable(blocks, reason);
        let calls =
            blocks.iter().enumerate().filter(|(_, block)| member(block, "type") == "tool_use").map(found).collect();
        let text =
            blocks.iter().filter(|block| member(block, "type") == "text").map(|block| member(block, "text")).collect();
        let history =
            if blocks.is_empty() { Vec::new() } else { vec![json!({ "role": "assistant", "content": blocks })] };
        let stop = match reason {
            _ if let Some(said) = failure(message) => Stop::Failed(said),
            None | Some("") => Stop::Unsaid,
            Some("end_turn" | "tool_use" | "stop_sequence") => Stop::Completed,
            Some("max_tokens" | "model_context_window_exceeded") => Stop::Limit,
            Some("refusal") => {
                let details = message.get("stop_details").unwrap_or(&Value::Null);
                Stop::Refused(first_said([member(details, "explanation"), "refusal"]))
            }
            Some(PAUSE) => Stop::Paused,
            Some(other) => Stop::Other(other.to_owned()),
        };
        Some(Heard { text, history, calls, stop })
    }

    fn settle(&self, site: &mut Value, said: &Said<'_>) {
        let Some(call) = site.as_object_mut() else { return };
        call.insert("id".into(), json!(said.id));
        call.insert("name".into(), json!(said.name));
        if !call.get("input").is_some_and(Value::is_object) {
            call.insert("input".into(), Value::Object(said.arguments.clone()));
        }
    }

    fn say(&self, text: &str, calls: &[Said<'_>]) -> Vec<Value> {
        let text = (!text.trim().is_empty()).then(|| text_part("text", text));
        let calls = calls
            .iter()
            .map(|said| json!({ "type": "tool_use", "id": said.id, "name": said.name, "input": said.arguments }));
        let blocks: Vec<Value> = text.into_iter().chain(calls).collect();
        if blocks.is_empty() { Vec::new() } else { vec![json!({ "role": "assistant", "content": blocks })] }
    }

    fn tell(&self, text: &str) -> Vec<Value> {
        vec![json!({ "role": "user", "content": [text_part("text", text)] })]
    }

    fn answer(&self, answers: &[Answer<'_>], placement: Placement) -> Vec<Value> {
        let mut results = Vec::new();
        let mut media = Vec::new();
        for answer in answers {
            let blocks: Vec<Value> =
                answer.attachments.iter().map(|attachment| block(&Media::of(attachment))).collect();
            let is_text = |block: &Value| member(block, "type") == "text";
            let (mut inside, mut moved) = (blocks, Vec::new());
            if placement == Placement::Behind {
                (inside, moved) = inside.into_iter().partition(is_text);
            }
            let content = if inside.is_empty() {
                json!(answer.spoken())
            } else {
                let text = (!answer.text.trim().is_empty()).then(|| text_part("text", answer.spoken()));
                text.into_iter().chain(inside).collect()
            };
            let mut result = json!({ "type": "tool_result", "tool_use_id": answer.id, "content": content });
            if answer.failed {
                result["is_error"] = json!(true);
            }
            results.push(result);
            if !moved.is_empty() {
                media.push(text_part("text", attached(answer)));
                media.extend(moved);
            }
        }
        results.extend(media);
        if results.is_empty() { Vec::new() } else { vec![json!({ "role": "user", "content": results })] }
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(stream::Assembler::default())
    }
}

/// Stops in the middle of a turn that goes on with the next request.
const PAUSE: &str = "pause_turn";

/// The blocks that are taken back: no empty text; no call of a tool of Anthropic's own without its result, unless that
/// is still to come; and no thinking in the end, behind which nothing came.
fn returnable(mut blocks: Vec<Value>, reason: Option<&str>) -> Vec<Value> {
    let awaits_results = matches!(reason, None | Some(PAUSE | "tool_use"));
    if !awaits_results {
        let names = |block: &Value| {
            let caller = block.get("caller").map(|caller| member(caller, "tool_id")).unwrap_or_default();
            [member(block, "tool_use_id"), caller].map(str::to_owned)
        };
        let answered: HashSet<String> = blocks.iter().flat_map(names).collect();
        let is_server_call = |block: &Value| matches!(member(block, "type"), "server_tool_use" | "mcp_tool_use");
        blocks.retain(|block| !is_server_call(block) || answered.contains(member(block, "id")));
    }
    blocks.retain(|block| member(block, "type") != "text" || !member(block, "text").trim().is_empty());
    let is_thinking = |block: &Value| matches!(member(block, "type"), "thinking" | "redacted_thinking");
    let end = blocks.iter().rposition(|block| !is_thinking(block)).map_or(0, |last| last + 1);
    blocks.truncate(end);
    blocks
}

fn found((index, block): (usize, &Value)) -> Found {
    Found {
        at: format!("/0/content/{index}"),
        id: id_of(block, "id"),
        name: member(block, "name").to_owned(),
        arguments: block.get("input").cloned().unwrap_or_default(),
        ..Found::default()
    }
}

fn block(media: &Media<'_>) -> Value {
    if let Some(text) = media.text() {
        let source = json!({ "type": "text", "media_type": "text/plain", "data": text });
        return json!({ "type": "document", "source": source, "title": media.name() });
    }
    let source = match media.source {
        Source::Inline(data) => json!({ "type": "base64", "media_type": media.mime, "data": data }),
        Source::Address(url) => json!({ "type": "url", "url": url }),
        Source::Elsewhere => return text_part("text", media.omitted()),
    };
    if media.is_picture() {
        json!({ "type": "image", "source": source })
    } else if media.is_pdf() {
        json!({ "type": "document", "source": source, "title": media.name() })
    } else {
        text_part("text", media.omitted())
    }
}
