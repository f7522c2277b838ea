//! MCP's `tools/call`, from a server's side.
//!
//! A call is a request (2024-11-05 to 2026-07-28), a result is its `result`: content blocks of any kind, the structured
//! result, and whether it failed. A structured result that is no object goes as `{"result": …}`, as its schema says
//! where the tools were declared in the same conversation. The envelope with the request's id is the transport's.
//!
//! A server that has types of its own for results makes them of [`content_block`] and [`structured_content`].

use serde_json::{Value, json};

use super::{
    format::{Answer, Assemble, Format, Found, Heard, Placement, Said, id_of},
    media::{Media, Source, text_part},
};
use crate::{output::Attachment, schema::envelope, tool::ToolSpec};

pub(super) struct Mcp;

/// An attachment as a content block: `image`, `audio`, `resource` or `resource_link`, and `text` for one that is nowhere
/// that a client could reach.
///
/// ```
/// use tool_core::{Attachment, wire::mcp::content_block};
/// let block = content_block(&Attachment::base64("image/png", "iVBORw0="));
/// assert_eq!(block, serde_json::json!({ "type": "image", "data": "iVBORw0=", "mimeType": "image/png" }));
/// ```
#[must_use]
pub fn content_block(attachment: &Attachment) -> Value {
    block(&Media::of(attachment))
}

/// A structured result as `structuredContent`, which is an object: as it is, or in an envelope where it is none, or the
/// tool's spec does not say that it always is one.
#[must_use]
pub fn structured_content(result: &Value, spec: Option<&ToolSpec>) -> Value {
    structured(result, spec.is_some_and(envelope::is_wrapped))
}

fn structured(result: &Value, is_wrapped: bool) -> Value {
    if result.is_object() && !is_wrapped { result.clone() } else { envelope::wrap(result) }
}

impl Format for Mcp {
    fn read(&self, message: &Value) -> Option<Heard> {
        let calls = match message {
            Value::Array(requests) => requests.iter().filter_map(found).collect(),
            request => vec![found(request)?],
        };
        Some(Heard { calls, ..Heard::default() })
    }

    fn settle(&self, _: &mut Value, _: &Said<'_>) {}

    fn say(&self, _: &str, _: &[Said<'_>]) -> Vec<Value> {
        Vec::new()
    }

    fn tell(&self, _: &str) -> Vec<Value> {
        Vec::new()
    }

    fn answer(&self, answers: &[Answer<'_>], _: Placement) -> Vec<Value> {
        let result = |answer: &Answer<'_>| {
            let text = (!answer.text.is_empty()).then(|| text_part("text", answer.text.as_ref()));
            let blocks = answer.attachments.iter().map(|attachment| block(&Media::of(attachment)));
            let content: Vec<Value> = text.into_iter().chain(blocks).collect();
            let mut result = json!({ "content": content });
            if let Some(value) = answer.structured {
                result["structuredContent"] = structured(value, answer.is_wrapped);
            }
            if answer.failed {
                result["isError"] = json!(true);
            }
            result
        };
        answers.iter().map(result).collect()
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(Requests::default())
    }
}

/// MCP streams no fragments: each message is a whole request.
#[derive(Default)]
struct Requests(Vec<Value>);

impl Assemble for Requests {
    fn push(&mut self, event: &Value) {
        self.0.push(event.clone());
    }

    fn finish(self: Box<Self>) -> (Value, bool) {
        (Value::Array(self.0), true)
    }
}

fn found(request: &Value) -> Option<Found> {
    let params = match request.get("method") {
        Some(method) => request.get("params").filter(|_| method == "tools/call")?,
        None => request,
    };
    Some(Found {
        id: id_of(request, "id"),
        name: params.get("name")?.as_str()?.to_owned(),
        arguments: params.get("arguments").cloned().unwrap_or_default(),
        ..Found::default()
    })
}

fn block(media: &Media<'_>) -> Value {
    let (mime, name) = (&media.mime, media.name());
    match media.source {
        Source::Inline(data) if mime.starts_with("image/") => {
            json!({ "type": "image", "data": data, "mimeType": mime })
        }
        Source::Inline(data) if mime.starts_with("audio/") => {
            json!({ "type": "audio", "data": data, "mimeType": mime })
        }
        Source::Inline(data) => {
            let mut resource = json!({ "uri": uri(name), "mimeType": mime });
            match media.text() {
                Some(text) => resource["text"] = json!(text),
                None => resource["blob"] = json!(data),
            }
            json!({ "type": "resource", "resource": resource })
        }
        Source::Address(url) => json!({ "type": "resource_link", "uri": url, "name": name, "mimeType": mime }),
        Source::Elsewhere => text_part("text", media.omitted()),
    }
}

/// An address for a file that has none: the name alone, with what an address cannot hold in percent signs.
fn uri(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let escaped =
        name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") });
    format!("attachment:///{}", escaped.collect::<String>())
}
