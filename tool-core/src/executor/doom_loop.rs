//! A model that makes the same call over and over is asked about (opencode's `doom_loop`, which looks at one message
//! only and so seldom sees one; here the calls are counted across the turns of a session).

use serde_json::Value;

use crate::{
    call::object_text,
    context::ToolContext,
    error::{Denial, ToolError},
    permission::{PermissionRequest, RequestKind},
    validation::excerpt_of,
};

/// So many identical calls in a row are asked about, and each one after them.
pub(super) const IDENTICAL: u32 = 3;

/// What is shown of arguments to who is asked: their value, their text where they have none, or the beginning of one
/// that is longer than a call's may be.
pub(super) fn written(arguments: &str, most: usize) -> Value {
    if arguments.len() > most {
        return excerpt_of(arguments, 200).into();
    }
    let object = object_text(arguments).ok();
    object.and_then(|object| serde_json::from_str(&object.text).ok()).unwrap_or_else(|| arguments.into())
}

/// Asks whether a call may be made that was made `times - 1` times before, or be told its mistake once more.
pub(super) async fn ask(ctx: &ToolContext, times: u32, input: Value) -> Result<(), ToolError> {
    let tool = ctx.tool().as_str();
    let request = PermissionRequest::new("doom_loop", [tool]).always([tool]).kind(RequestKind::Boundary);
    let asked = ctx.ask(request.with("tool", tool).with("input", input).with("times", times)).await;
    asked.map_err(|error| match error {
        ToolError::Denied(denial) => {
            ToolError::Denied(Denial::Repeated { tool: ctx.tool().clone(), times, denial: Box::new(denial) })
        }
        other => other,
    })
}
