//! OpenAI's Responses.
//!
//! Calls are items of the response, `function_call` and `custom_tool_call`; results are items of the next request, with
//! text, images and files. A failure is said in the text.

mod stream;

use serde_json::{Value, json};

use super::{
    format::{
        Answer, Assemble, Format, Found, Heard, NO_OUTPUT, Placement, Progress, Said, attached, id_of, items, member,
        settle_text,
    },
    freeform,
    media::{Media, Source, text_part},
    stop::{Stop, failure, first_said},
};

pub(super) struct OpenAiResponses;

impl Format for OpenAiResponses {
    fn read(&self, message: &Value) -> Option<Heard> {
        let mut output = match message {
            Value::Array(items) => items.clone(),
            message if message.get("output").is_some_and(Value::is_array) => items(message, "output").to_vec(),
            message if message.get("type").is_some_and(Value::is_string) => vec![message.clone()],
            _ => return None,
        };
        // Reasoning is taken back with what came of it alone.
        let is_reasoning = |item: &Value| member(item, "type") == "reasoning";
        let end = output.iter().rposition(|item| !is_reasoning(item)).map_or(0, |last| last + 1);
        output.truncate(end);
        let calls = output.iter().enumerate().filter_map(found).collect();
        let parts =
            || output.iter().filter(|item| member(item, "type") == "message").flat_map(|item| items(item, "content"));
        let said = |kind: &'static str, key: &'static str| -> String {
            parts().filter(|part| member(part, "type") == kind).map(|part| member(part, key)).collect()
        };
        let (text, refusal) = (said("output_text", "text"), said("refusal", "refusal"));
        let stop = stop(message, refusal);
        Some(Heard { text, history: output, calls, stop })
    }

    fn settle(&self, site: &mut Value, said: &Said<'_>) {
        let Some(call) = site.as_object_mut() else { return };
        call.insert("call_id".into(), json!(said.id));
        settle_text(call, said);
    }

    fn say(&self, text: &str, calls: &[Said<'_>]) -> Vec<Value> {
        let message = (!text.is_empty()).then(|| json!({ "type": "message", "role": "assistant", "content": text }));
        message.into_iter().chain(calls.iter().map(called)).collect()
    }

    fn tell(&self, text: &str) -> Vec<Value> {
        vec![json!({ "type": "message", "role": "user", "content": text })]
    }

    fn answer(&self, answers: &[Answer<'_>], placement: Placement) -> Vec<Value> {
        let mut results = Vec::new();
        let mut media = Vec::new();
        for answer in answers {
            let mut parts = vec![text_part("input_text", answer.worded())];
            parts.extend(answer.attachments.iter().map(|attachment| part(&Media::of(attachment))));
            if parts.len() > 1 && parts[0]["text"] == NO_OUTPUT {
                parts.remove(0);
            }
            let is_text = |part: &Value| member(part, "type") == "input_text";
            if placement == Placement::Behind {
                let (texts, moved): (Vec<Value>, Vec<Value>) = parts.into_iter().partition(is_text);
                parts = texts;
                if !moved.is_empty() {
                    media.push(text_part("input_text", attached(answer)));
                    media.extend(moved);
                }
            }
            let output = match parts.as_slice() {
                [] => json!(NO_OUTPUT),
                [only] if is_text(only) => only["text"].clone(),
                _ => Value::Array(parts),
            };
            let kind = if answer.freeform { "custom_tool_call_output" } else { "function_call_output" };
            results.push(json!({ "type": kind, "call_id": answer.id, "output": output }));
        }
        if !media.is_empty() {
            results.push(json!({ "type": "message", "role": "user", "content": media }));
        }
        results
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(stream::Assembler::default())
    }
}

fn stop(response: &Value, refusal: String) -> Stop {
    let reason = response.get("incomplete_details").map(|details| member(details, "reason")).unwrap_or_default();
    match member(response, "status") {
        "incomplete" if reason == "content_filter" => Stop::Refused(first_said([&refusal, reason])),
        "incomplete" => Stop::Limit,
        failed @ ("failed" | "cancelled") => Stop::Failed(failure(response).unwrap_or_else(|| failed.to_owned())),
        _ if !refusal.is_empty() => Stop::Refused(refusal),
        // An item has a status as well, of its own.
        "" => Stop::Unsaid,
        _ if response.get("output").is_none() => Stop::Unsaid,
        "completed" => Stop::Completed,
        other => Stop::Other(other.to_owned()),
    }
}

fn found((index, item): (usize, &Value)) -> Option<Found> {
    let (freeform, arguments) = match member(item, "type") {
        "function_call" => (false, "arguments"),
        "custom_tool_call" => (true, "input"),
        _ => return None,
    };
    Some(Found {
        at: format!("/{index}"),
        id: id_of(item, "call_id").or_else(|| id_of(item, "id")),
        name: member(item, "name").to_owned(),
        arguments: item.get(arguments).cloned().unwrap_or_default(),
        freeform,
        progress: match member(item, "status") {
            "in_progress" | "incomplete" => Progress::Open,
            "completed" => Progress::Complete,
            _ => Progress::Unsaid,
        },
        ..Found::default()
    })
}

fn called(said: &Said<'_>) -> Value {
    let (id, name) = (&said.id, &said.name);
    if said.freeform {
        let input = freeform::text(&said.call.arguments);
        return json!({ "type": "custom_tool_call", "call_id": id, "name": name, "input": input });
    }
    let arguments = Value::Object(said.arguments.clone()).to_string();
    json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments })
}

fn part(media: &Media<'_>) -> Value {
    let url = &media.attachment.url;
    match media.source {
        Source::Inline(_) | Source::Address(_) if media.is_picture() => {
            json!({ "type": "input_image", "image_url": url, "detail": "auto" })
        }
        Source::Inline(_) if is_file(&media.mime) => {
            json!({ "type": "input_file", "filename": media.name(), "file_data": url })
        }
        Source::Address(_) if is_file(&media.mime) => json!({ "type": "input_file", "file_url": url }),
        Source::Inline(_) | Source::Address(_) | Source::Elsewhere => text_part("input_text", media.omitted()),
    }
}

/// Documents: what is no picture, no sound and no film.
fn is_file(mime: &str) -> bool {
    mime.starts_with("text/") || (mime.starts_with("application/") && mime != "application/octet-stream")
}
