//! A model that makes the same call over and over is asked about (opencode's `doom_loop`, which looks at one message
//! only and so seldom sees one; here the calls are counted across the turns of a session).

use serde_json::Value;

use crate::{
    call::Decoded,
    context::ToolContext,
    error::{Denial, ToolError},
    permission::{PermissionRequest, RequestKind},
};

/// So many identical calls in a row are asked about, and each one after them.
pub(super) const IDENTICAL: u32 = 3;

/// Asks whether a call may be made that was made `times - 1` times before.
pub(super) async fn ask(ctx: &ToolContext, times: u32, call: &Decoded) -> Result<(), ToolError> {
    let tool = ctx.tool().as_str();
    let input = match call.value() {
        Value::Null => call.arguments().into(),
        input => input,
    };
    let request = PermissionRequest::new("doom_loop", [tool]).always([tool]).kind(RequestKind::Boundary);
    let asked = ctx.ask(request.with("tool", tool).with("input", input).with("times", times)).await;
    asked.map_err(|error| match error {
        ToolError::Denied(denial) => {
            ToolError::Denied(Denial::Repeated { tool: ctx.tool().clone(), times, denial: Box::new(denial) })
        }
        other => other,
    })
}
