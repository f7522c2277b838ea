//! One `tracing` span a call, with the attributes of OpenTelemetry's semantic conventions for generative AI
//! (`execute_tool`). Their keys are still in development there, and no promise of this crate.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tracing::{Span, field};

use super::outcome::Status;
use crate::{context::ToolContext, error::ErrorKind, registry::Registered};

/// What a preview of an output has at most (codex-rs's figures).
const PREVIEW_BYTES: usize = 2 * 1024;
const PREVIEW_LINES: usize = 64;

/// What a call's span tells beside names, ids and times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Telemetry {
    arguments: bool,
    result: bool,
}

impl Default for Telemetry {
    /// A preview of the result, and no argument values.
    fn default() -> Self {
        Self { arguments: false, result: true }
    }
}

impl Telemetry {
    /// Whether the arguments are told, up to 2 KiB and 64 lines. They may hold what nobody else should read.
    pub fn arguments(mut self, told: bool) -> Self {
        self.arguments = told;
        self
    }

    /// Whether the beginning of the result is told: up to 2 KiB and 64 lines.
    pub fn result(mut self, told: bool) -> Self {
        self.result = told;
        self
    }

    /// The span of a call. Costs next to nothing where nobody listens.
    pub(super) fn begin(self, ctx: &ToolContext, tool: Option<&Registered>, arguments: &str) -> CallSpan {
        let span = kept(|| {
            let span = tracing::info_span!(
                "execute_tool",
                otel.name = field::Empty,
                otel.kind = "internal",
                otel.status_code = field::Empty,
                error.r#type = field::Empty,
                gen_ai.operation.name = "execute_tool",
                gen_ai.conversation.id = &**ctx.session().id(),
                gen_ai.tool.name = ctx.tool().as_str(),
                gen_ai.tool.call.id = ctx.call_id().as_str(),
                gen_ai.tool.r#type = "function",
                gen_ai.tool.description = tool.map(|tool| preview(&tool.spec().description)),
                gen_ai.tool.call.arguments = field::Empty,
                gen_ai.tool.call.result = field::Empty,
            );
            if !span.is_disabled() {
                span.record("otel.name", format!("execute_tool {}", ctx.tool()));
                if self.arguments {
                    span.record("gen_ai.tool.call.arguments", preview(arguments));
                }
            }
            span
        });
        CallSpan { span: span.unwrap_or_else(Span::none), is_open: true }
    }

    /// Tells how the call ended.
    pub(super) fn end(self, mut ended: CallSpan, status: &Status) {
        ended.is_open = false;
        let span = &ended.span;
        if span.is_disabled() {
            return;
        }
        kept(|| match status {
            Ok(bounded) => {
                span.record("otel.status_code", "OK");
                if self.result {
                    span.record("gen_ai.tool.call.result", preview(bounded.output()));
                }
            }
            Err(error) => {
                failed(span, error.kind());
                if let Some(message) = error.panic_message() {
                    tracing::error!(parent: span, panic = message, "the tool panicked");
                }
            }
        });
    }
}

/// A call's span. A subscriber that panics breaks no call: the span is told less of it.
pub(super) struct CallSpan {
    span: Span,
    /// Whether its end is still to be told.
    is_open: bool,
}

impl Drop for CallSpan {
    fn drop(&mut self) {
        if self.span.is_disabled() {
            return;
        }
        kept(|| {
            // A call that was dropped, or given up for lost, has no other end.
            if self.is_open {
                failed(&self.span, ErrorKind::Cancelled);
            }
            // Closed here, which a subscriber hears of too.
            drop(std::mem::replace(&mut self.span, Span::none()));
        });
    }
}

fn failed(span: &Span, kind: ErrorKind) {
    span.record("otel.status_code", "ERROR");
    span.record("error.type", class(kind));
}

impl CallSpan {
    /// Does a piece of work within the span. It must not panic itself.
    pub(super) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        if self.span.is_disabled() {
            return work();
        }
        let entered = kept(|| self.span.enter());
        let done = work();
        kept(|| drop(entered));
        done
    }
}

/// What a subscriber makes, unless it panics.
fn kept<T>(told: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(told)).ok()
}

/// Few values, as the conventions want it.
fn class(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::InvalidArguments => "invalid_arguments",
        ErrorKind::UnknownTool => "unknown_tool",
        ErrorKind::Denied => "denied",
        ErrorKind::Cancelled => "cancelled",
        ErrorKind::TimedOut => "timeout",
        ErrorKind::Failed => "tool_error",
        ErrorKind::Panicked => "panic",
        ErrorKind::Fatal => "fatal",
    }
}

fn preview(text: &str) -> &str {
    let text = &text[..text.floor_char_boundary(PREVIEW_BYTES)];
    text.match_indices('\n').nth(PREVIEW_LINES - 1).map_or(text, |(end, _)| &text[..end])
}
