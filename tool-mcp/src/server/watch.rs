//! Follows calls, and tells their clients what becomes of them.

use rmcp::model::ServerNotification;
use serde_json::json;
use tool_core::event::{CallEvent, Change};

use super::{
    exchange::Exchanges,
    logging::{self, LogLevel},
};

/// Whose log messages the server's own are.
const LOGGER: &str = "tools";

/// Tells progress, and at the level `debug` each step of a call.
pub(super) fn follow(exchanges: &Exchanges, event: &CallEvent) {
    // That a call has come is no news to who made it; what it is told of the rest costs a look.
    if matches!(event.change, Change::Pending { .. }) {
        return;
    }
    let Some(exchange) = exchanges.of(&event.call_id) else { return };
    if let Change::Progress(report) = &event.change {
        exchange.progress(|meter| meter.read(report));
        return;
    }
    exchange.log(|gate| if gate.lets_notes_pass() { note(event) } else { None });
}

fn note(event: &CallEvent) -> Option<ServerNotification> {
    let (tool, call) = (&event.tool, event.call_id.as_str());
    let data = match &event.change {
        Change::Running => json!({ "tool": tool, "call": call, "state": "running" }),
        Change::Completed(outcome) => {
            json!({ "tool": tool, "call": call, "state": "completed", "title": outcome.title() })
        }
        Change::Error(outcome) => {
            let kind = outcome.error().map(|error| json!(error.kind()));
            json!({ "tool": tool, "call": call, "state": "error", "kind": kind })
        }
        _ => return None,
    };
    Some(logging::message(LogLevel::Debug, LOGGER, data))
}
