//! What a line says: a message, or the answer to what is none.

use std::borrow::Cow;

use rmcp::model::{
    CallToolRequest, CallToolRequestMethod, ClientJsonRpcMessage, ClientRequest, ConstString as _, ErrorCode,
    ErrorData, JsonRpcMessage, JsonRpcRequest, JsonRpcVersion2_0, RequestId, ServerJsonRpcMessage,
};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use super::weight;

/// A message, or the answer to what is none.
pub(super) fn parse(text: &[u8], values: usize) -> Result<ClientJsonRpcMessage, Box<ServerJsonRpcMessage>> {
    if values > weight::MOST {
        let most = weight::MOST;
        let message = format!("the line has {values} values, and was skipped: send at most {most} in one message");
        return Err(refusal(ErrorData::invalid_request(message, None), None));
    }
    if let Some(call) = call(text) {
        return Ok(call);
    }
    let fault = match serde_json::from_slice(text) {
        Ok(message) => return Ok(message),
        Err(fault) => fault,
    };
    let value: Value = match serde_json::from_slice(text) {
        Ok(value) => value,
        Err(syntax) => match without_lone_surrogates(text).map(|text| serde_json::from_slice(&text)) {
            Some(Ok(message)) => return Ok(message),
            _ => {
                let message = format!("the line is no JSON, and was skipped: {syntax}");
                return Err(refusal(ErrorData::new(ErrorCode::PARSE_ERROR, message, None), None));
            }
        },
    };
    let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let message = match value {
        Value::Array(_) => "batches are not taken: send each message on a line of its own".to_owned(),
        _ => format!("the line is no message of JSON-RPC 2.0, and was skipped: {fault}"),
    };
    Err(refusal(ErrorData::invalid_request(message, None), id))
}

/// A call of a tool, which most messages are. `rmcp` tries each kind of message and of request in turn until one fits,
/// which takes longer than all else that is done for a call.
fn call(text: &[u8]) -> Option<ClientJsonRpcMessage> {
    // What has other members is no request, or not surely one.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Envelope<'t> {
        #[serde(rename = "jsonrpc")]
        _version: JsonRpcVersion2_0,
        id: RequestId,
        #[serde(borrow)]
        method: Cow<'t, str>,
        #[serde(rename = "params")]
        _params: IgnoredAny,
    }
    let Envelope { id, method, .. } = serde_json::from_slice(text).ok()?;
    if method != CallToolRequestMethod::VALUE {
        return None;
    }
    let call: CallToolRequest = serde_json::from_slice(text).ok()?;
    Some(JsonRpcMessage::Request(JsonRpcRequest::new(id, ClientRequest::CallToolRequest(call))))
}

pub(super) fn refusal(error: ErrorData, id: Option<RequestId>) -> Box<ServerJsonRpcMessage> {
    Box::new(ServerJsonRpcMessage::error(error, id))
}

/// The text with a replacement character for each half of a surrogate pair without the other, which JavaScript writes and
/// which is no text; `None` where there is none.
fn without_lone_surrogates(text: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| {
        let digits = std::str::from_utf8(text.get(at..at + 6)?.strip_prefix(b"\\u")?).ok()?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut mended, mut at, mut is_mended) = (Vec::with_capacity(text.len()), 0, false);
    while at < text.len() {
        let length = match (text[at], unit(at), unit(at + 6)) {
            (b'\\', Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (b'\\', Some(0xd800..=0xdfff), _) => {
                mended.extend_from_slice(b"\\ufffd");
                is_mended = true;
                at += 6;
                continue;
            }
            (b'\\', _, _) => 2,
            _ => 1,
        };
        mended.extend_from_slice(&text[at..(at + length).min(text.len())]);
        at += length;
    }
    is_mended.then_some(mended)
}
