//! Gemini's `generateContent`.
//!
//! Calls are `functionCall` parts, results are `functionResponse` parts, all in one content of the user's, with
//! `response.output` or `response.error`. Often neither has an id: they belong together by their order and name. From
//! Gemini 3 on a response holds media (pictures, PDF and plain text); before, and for all else, they follow in a content
//! of their own.

mod partial;
mod stream;

use serde_json::{Map, Value, json};

use super::{
    format::{Answer, Assemble, Format, Found, Heard, Placement, Progress, Said, attached, id_of, items, member},
    media::{Media, Source},
    stop::{Stop, failure, first_said, is_malformed_call},
};

pub(super) struct Gemini;

/// Google's documented word for calls that no Gemini model made: 3 and later refuse a first call without a signature.
const FOREIGN_CALL: &str = "skip_thought_signature_validator";

impl Format for Gemini {
    fn read(&self, message: &Value) -> Option<Heard> {
        let feedback = message.get("promptFeedback");
        let (content, stop) = match message.get("candidates").and_then(Value::as_array).map(|all| all.first()) {
            Some(Some(first)) => (first.get("content").unwrap_or(&Value::Null), stop(first)),
            Some(None) => (&Value::Null, Stop::Unsaid),
            None if feedback.is_some() => (&Value::Null, Stop::Unsaid),
            None => (message.get("content").or_else(|| message.get("parts").map(|_| message))?, Stop::Unsaid),
        };
        let blocked = feedback.map(|feedback| member(feedback, "blockReason")).filter(|reason| !reason.is_empty());
        let stop = match (stop, blocked) {
            _ if let Some(said) = failure(message) => Stop::Failed(said),
            (Stop::Unsaid, Some(reason)) => Stop::Refused(reason.to_owned()),
            (stop, _) => stop,
        };
        let parts = returnable(items(content, "parts"));
        let calls = parts.iter().enumerate().filter_map(found).collect();
        let is_thought = |part: &&Value| part.get("thought").and_then(Value::as_bool).unwrap_or_default();
        let text = parts.iter().filter(|part| !is_thought(part)).map(|part| member(part, "text")).collect();
        let history = if parts.is_empty() { Vec::new() } else { vec![json!({ "role": "model", "parts": parts })] };
        Some(Heard { text, history, calls, stop })
    }

    fn settle(&self, site: &mut Value, said: &Said<'_>) {
        let Some(call) = site.as_object_mut() else { return };
        if !said.nameless {
            call.insert("id".into(), json!(said.id));
        }
        call.insert("name".into(), json!(said.name));
        // Said of a stream alone.
        call.remove("willContinue");
        call.remove("partialArgs");
        if call.get("args").is_some_and(|args| !args.is_object()) {
            call.insert("args".into(), Value::Object(said.arguments.clone()));
        }
    }

    fn say(&self, text: &str, calls: &[Said<'_>]) -> Vec<Value> {
        let text = (!text.is_empty()).then(|| json!({ "text": text }));
        let calls = calls.iter().enumerate().map(|(index, said)| {
            let mut call = named(said.nameless, &said.id, &said.name);
            call.insert("args".into(), Value::Object(said.arguments.clone()));
            let mut part = json!({ "functionCall": call });
            // Of parallel calls the first alone has one.
            let signature = said.signature.or((index == 0).then_some(FOREIGN_CALL));
            if let Some(signature) = signature {
                part["thoughtSignature"] = json!(signature);
            }
            part
        });
        let parts: Vec<Value> = text.into_iter().chain(calls).collect();
        if parts.is_empty() { Vec::new() } else { vec![json!({ "role": "model", "parts": parts })] }
    }

    fn tell(&self, text: &str) -> Vec<Value> {
        vec![json!({ "role": "user", "parts": [{ "text": text }] })]
    }

    fn answer(&self, answers: &[Answer<'_>], placement: Placement) -> Vec<Value> {
        let mut results = Vec::new();
        let mut behind = Vec::new();
        for answer in answers {
            let mut text = answer.text.clone().into_owned();
            let (mut inside, mut moved) = (Vec::new(), Vec::new());
            for attachment in answer.attachments {
                let media = Media::of(attachment);
                match part(&media) {
                    Some(part) if placement == Placement::Inline && is_taken_inside(&media) => inside.push(part),
                    Some(part) => moved.push(part),
                    None => {
                        text.push_str(if text.is_empty() { "" } else { "\n\n" });
                        text.push_str(&media.omitted());
                    }
                }
            }
            let mut response = named(answer.nameless, &answer.id, &answer.name);
            response.insert("response".into(), json!({ if answer.failed { "error" } else { "output" }: text }));
            if !inside.is_empty() {
                response.insert("parts".into(), Value::Array(inside));
            }
            results.push(json!({ "functionResponse": response }));
            if !moved.is_empty() {
                behind.push(json!({ "text": attached(answer) }));
                behind.extend(moved);
            }
        }
        let contents = [results, behind].into_iter().filter(|parts| !parts.is_empty());
        contents.map(|parts| json!({ "role": "user", "parts": parts })).collect()
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(stream::Assembler::default())
    }
}

/// The parts that are taken back: none that is empty, unless a signature is on it; and nothing where all of it is
/// thoughts, as when the model was cut off in them.
fn returnable(parts: &[Value]) -> Vec<Value> {
    let is_signed = |part: &Value| part.get("thoughtSignature").is_some_and(Value::is_string);
    let says_nothing = |part: &Value| {
        let says = |(key, value): (&String, &Value)| match key.as_str() {
            "text" => value.as_str() != Some(""),
            "thought" => false,
            _ => true,
        };
        !part.as_object().is_some_and(|members| members.iter().any(says))
    };
    let is_thought = |part: &Value| part.get("thought").is_some_and(|thought| thought == true);
    let kept: Vec<Value> = parts.iter().filter(|part| is_signed(part) || !says_nothing(part)).cloned().collect();
    if kept.iter().all(|part| is_thought(part) && !is_signed(part)) { Vec::new() } else { kept }
}

fn stop(candidate: &Value) -> Stop {
    let said = || first_said([member(candidate, "finishMessage"), member(candidate, "finishReason")]);
    match member(candidate, "finishReason") {
        "" => Stop::Unsaid,
        "STOP" => Stop::Completed,
        "MAX_TOKENS" => Stop::Limit,
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => Stop::Refused(said()),
        word if is_malformed_call(word) => Stop::MalformedCall(said()),
        other => Stop::Other(other.to_owned()),
    }
}

fn named(nameless: bool, id: &str, name: &str) -> Map<String, Value> {
    let mut members = Map::new();
    if !nameless {
        members.insert("id".into(), json!(id));
    }
    members.insert("name".into(), json!(name));
    members
}

fn found((index, part): (usize, &Value)) -> Option<Found> {
    let call = part.get("functionCall")?;
    Some(Found {
        at: format!("/0/parts/{index}/functionCall"),
        id: id_of(call, "id"),
        name: member(call, "name").to_owned(),
        arguments: call.get("args").cloned().unwrap_or_default(),
        progress: if call.get("willContinue").is_some_and(|goes_on| goes_on == true) {
            Progress::Open
        } else {
            Progress::Complete
        },
        signature: part.get("thoughtSignature").and_then(Value::as_str).map(str::to_owned),
        ..Found::default()
    })
}

fn is_taken_inside(media: &Media<'_>) -> bool {
    let kind =
        matches!(media.mime.as_str(), "image/png" | "image/jpeg" | "image/webp" | "application/pdf" | "text/plain");
    kind && matches!(media.source, Source::Inline(_))
}

fn part(media: &Media<'_>) -> Option<Value> {
    let kinds = ["image/", "audio/", "video/", "text/"];
    if !media.is_pdf() && !kinds.iter().any(|kind| media.mime.starts_with(kind)) {
        return None;
    }
    match media.source {
        Source::Inline(data) => Some(json!({ "inlineData": { "mimeType": media.mime, "data": data } })),
        Source::Address(url) => Some(json!({ "fileData": { "mimeType": media.mime, "fileUri": url } })),
        Source::Elsewhere => None,
    }
}
