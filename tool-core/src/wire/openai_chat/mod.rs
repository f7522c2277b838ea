//! OpenAI's Chat Completions, and the many servers that speak it.
//!
//! Calls are `tool_calls` of an assistant message, results are messages of the role `tool`, which hold text alone:
//! media follow in a user message, and a failure is said in the text.

mod content;
mod others;
mod stream;

use serde_json::{Value, json};

use super::{
    format::{
        Answer, Assemble, Format, Found, Heard, NO_OUTPUT, Placement, Said, attached, id_of, items, member, settle_text,
    },
    media::{Media, Source, named_text, text_part},
    stop::{Stop, failure, is_malformed_call},
};

pub(super) struct OpenAiChat;

impl Format for OpenAiChat {
    fn read(&self, message: &Value) -> Option<Heard> {
        let choice = message.get("choices").and_then(Value::as_array).map(|choices| choices.first());
        let failed = choice.and_then(|choice| failure(message).or_else(|| failure(choice?))).map(Stop::Failed);
        let (message, reason) = match choice {
            Some(Some(choice)) => (choice.get("message")?, member(choice, "finish_reason")),
            Some(None) => return Some(Heard { stop: failed.unwrap_or_default(), ..Heard::default() }),
            None => (message, ""),
        };
        let is_message = ["role", "content", "tool_calls", "refusal"].iter().any(|key| message.get(key).is_some());
        let mut held = message.as_object().filter(|_| is_message)?.clone();
        let calls: Vec<Found> = items(message, "tool_calls").iter().enumerate().map(found).collect();
        if calls.is_empty() {
            // `null` and `[]` come, but are not taken back.
            held.remove("tool_calls");
        }
        held.entry("role").or_insert_with(|| json!("assistant"));
        let content = message.get("content").unwrap_or(&Value::Null);
        let text = content::text(content);
        let refusal =
            held.remove("refusal").and_then(|refusal| refusal.as_str().map(str::to_owned)).unwrap_or_default();
        let says_nothing = calls.is_empty() && content::says_nothing(content) && refusal.is_empty();
        if !refusal.is_empty() && calls.is_empty() && text.is_empty() {
            // A message without content is not taken back.
            held.insert("content".into(), json!([{ "type": "refusal", "refusal": refusal }]));
        }
        let stop = failed.unwrap_or_else(|| stop(reason, refusal));
        let history = if says_nothing { Vec::new() } else { vec![Value::Object(held)] };
        Some(Heard { text, history, calls, stop })
    }

    fn settle(&self, site: &mut Value, said: &Said<'_>) {
        let Some(call) = site.as_object_mut() else { return };
        call.insert("id".into(), json!(said.id));
        let kind = if said.freeform { "custom" } else { "function" };
        call.entry("type").or_insert_with(|| json!(kind));
        let function = call.entry(kind).or_insert(Value::Null);
        if !function.is_object() {
            *function = json!({});
        }
        function.as_object_mut().into_iter().for_each(|function| settle_text(function, said));
    }

    fn say(&self, text: &str, calls: &[Said<'_>]) -> Vec<Value> {
        let content = if text.is_empty() { Value::Null } else { json!(text) };
        match (calls, text) {
            ([], "") => Vec::new(),
            ([], text) => vec![json!({ "role": "assistant", "content": text })],
            (calls, _) => {
                let calls: Vec<Value> = calls.iter().map(called).collect();
                vec![json!({ "role": "assistant", "content": content, "tool_calls": calls })]
            }
        }
    }

    fn tell(&self, text: &str) -> Vec<Value> {
        vec![json!({ "role": "user", "content": text })]
    }

    fn answer(&self, answers: &[Answer<'_>], _: Placement) -> Vec<Value> {
        let mut messages = Vec::new();
        let mut media = Vec::new();
        for answer in answers {
            // Everything a text can say stays with the result.
            let mut texts = vec![answer.worded()];
            let mut parts = Vec::new();
            for attachment in answer.attachments {
                match part(&Media::of(attachment)) {
                    Ok(part) => parts.push(part),
                    Err(text) => texts.push(text),
                }
            }
            if texts[0] == NO_OUTPUT && texts.len() + parts.len() > 1 {
                texts[0] = "(the result is attached)".to_owned();
            }
            messages.push(json!({ "role": "tool", "tool_call_id": answer.id, "content": texts.join("\n\n") }));
            if !parts.is_empty() {
                media.push(text_part("text", attached(answer)));
                media.extend(parts);
            }
        }
        if !media.is_empty() {
            messages.push(json!({ "role": "user", "content": media }));
        }
        messages
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(stream::Assembler::default())
    }
}

/// Why it stopped: OpenAI's words, and those of other servers.
fn stop(reason: &str, refusal: String) -> Stop {
    let word = || reason.to_owned();
    match reason {
        _ if !refusal.is_empty() => Stop::Refused(refusal),
        "" => Stop::Unsaid,
        // Together's, and those of Hugging Face's server.
        "stop" | "tool_calls" | "function_call" | "eos" | "eos_token" | "stop_sequence" => Stop::Completed,
        // Mistral's and Z.ai's.
        "length" | "model_length" | "model_context_window_exceeded" => Stop::Limit,
        // Z.ai's.
        "content_filter" | "sensitive" => Stop::Refused(word()),
        // Mistral's and OpenRouter's, vLLM's and SGLang's, Z.ai's, DeepSeek's.
        "error" | "abort" | "network_error" | "insufficient_system_resource" => Stop::Failed(word()),
        malformed if is_malformed_call(malformed) => Stop::MalformedCall(word()),
        _ => Stop::Other(word()),
    }
}

fn found((index, call): (usize, &Value)) -> Found {
    let custom = call.get("custom");
    let function = custom.or_else(|| call.get("function")).unwrap_or(&Value::Null);
    let arguments = function.get(if custom.is_some() { "input" } else { "arguments" });
    Found {
        at: format!("/0/tool_calls/{index}"),
        id: id_of(call, "id"),
        name: member(function, "name").to_owned(),
        arguments: arguments.cloned().unwrap_or_default(),
        freeform: custom.is_some(),
        ..Found::default()
    }
}

/// Freeform tools are declared as functions here, so a call from elsewhere is one as well.
fn called(said: &Said<'_>) -> Value {
    let arguments = Value::Object(said.arguments.clone()).to_string();
    json!({ "id": said.id, "type": "function", "function": { "name": said.name, "arguments": arguments } })
}

/// A part of a user message, or a text in its place.
fn part(media: &Media<'_>) -> Result<Value, String> {
    let url = &media.attachment.url;
    if let Some(text) = media.text() {
        return Err(named_text(media, &text));
    }
    match media.source {
        Source::Inline(_) | Source::Address(_) if media.is_picture() => {
            Ok(json!({ "type": "image_url", "image_url": { "url": url } }))
        }
        Source::Inline(_) if media.is_pdf() => {
            Ok(json!({ "type": "file", "file": { "filename": media.name(), "file_data": url } }))
        }
        Source::Inline(data) => match audio(&media.mime) {
            Some(format) => Ok(json!({ "type": "input_audio", "input_audio": { "data": data, "format": format } })),
            None => Err(media.omitted()),
        },
        Source::Address(_) | Source::Elsewhere => Err(media.omitted()),
    }
}

fn audio(mime: &str) -> Option<&'static str> {
    match mime {
        "audio/wav" | "audio/x-wav" | "audio/wave" => Some("wav"),
        "audio/mpeg" | "audio/mp3" => Some("mp3"),
        _ => None,
    }
}
