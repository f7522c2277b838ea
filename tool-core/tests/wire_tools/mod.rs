//! The tools whose messages the providers' own types are asked about, and what becomes of their calls.

use std::time::UNIX_EPOCH;

use serde_json::json;
use tool_core::{
    Attachment, Outcome, ToolError, ToolOutput,
    executor::CallTime,
    prelude::*,
    wire::{Conversation, ModelTurn},
};

/// Add two numbers.
#[tool(register = false, read_only, title = "Add")]
fn add(
    /** One. */
    a: i64,
    /** Other. */
    b: Option<i64>,
) -> Json<i64> {
    Json(a + b.unwrap_or_default())
}

/// Search.
#[tool(register = false, grammar(lark = "start: /.+/"))]
fn search(
    /** What for. */
    query: &str,
) -> String {
    query.to_owned()
}

pub(crate) fn registry() -> Registry {
    Registry::builder().add(AddTool).add(SearchTool).build().expect("two names")
}

/// Declares the tools, so that the conversation knows which take plain text.
pub(crate) fn declared(mut conversation: Conversation) -> Conversation {
    assert_eq!(conversation.declarations(registry().specs()).left_out, []);
    conversation
}

/// Every kind of media, here and elsewhere.
fn media() -> ToolOutput {
    ToolOutput::text("Done.")
        .attach(Attachment::base64("image/png", "iVBORw0KGgo=").named("a.png"))
        .attach(Attachment::base64("application/pdf", "JVBERi0=").named("b.pdf"))
        .attach(Attachment::base64("text/csv", "YSxiCg==").named("c d.csv"))
        .attach(Attachment::base64("audio/wav", "UklGRg==").named("d.wav"))
        .attach(Attachment::base64("video/mp4", "AAAA").named("e.mp4"))
        .attach(Attachment::base64("application/zip", "UEsDBA==").named("f.zip"))
        .attach(Attachment::url("image/jpeg", "https://example.org/g.jpg"))
        .attach(Attachment::url("application/pdf", "https://example.org/h.pdf"))
        .attach(Attachment::url("image/png", "file:///tmp/i.png"))
}

/// A result with media and a structured one, a failure, and results that say nothing.
pub(crate) fn outcomes(turn: &ModelTurn) -> Vec<Outcome> {
    let now = CallTime { start: UNIX_EPOCH, end: UNIX_EPOCH };
    let mut structured = media();
    structured.structured = Some(Box::new(json!({ "n": 1 })));
    let end = |(index, call): (usize, &_)| match index {
        0 => Outcome::completed(call, structured.clone(), now),
        1 => Outcome::failed(call, ToolError::failed("disk on fire"), now),
        _ => Outcome::completed(call, ToolOutput::default(), now),
    };
    turn.calls().enumerate().map(end).collect()
}
