//! `tools/call`: a request becomes a call of the executor's, and its outcome the result.

use std::{path::Path, sync::Arc};

use rmcp::model::{CallToolResult, ErrorData, JsonObject};
use tool_core::{Outcome, ToolCall, registry::TOOL_SEARCH};

use super::{
    content,
    exchange::Exchange,
    session::ClientSession,
    shared::{Changed, Shared},
    spills::Spill,
};

pub(super) async fn call(
    shared: &Shared,
    session: &ClientSession,
    exchange: &Arc<Exchange>,
    name: &str,
    arguments: Option<&JsonObject>,
) -> Result<CallToolResult, ErrorData> {
    let entered = shared.exchanges.enter(exchange.clone());
    let arguments = arguments.map_or_else(|| Ok("{}".to_owned()), serde_json::to_string);
    let arguments = arguments.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let call = ToolCall::new(entered.id(), name.to_owned(), arguments);
    let outcome = shared.executor.call_until(&session.session, call, exchange.turn().clone()).await;
    drop(entered);
    let spill = spilled(shared, session, &outcome);
    if spill.is_some() {
        session.tell(Changed::Resources);
    }
    if outcome.tool() == TOOL_SEARCH && outcome.error().is_none() {
        // What it has found is among the session's tools from now on.
        session.tell(Changed::Tools);
    }
    let is_structured = outcome.status().is_ok_and(|bounded| bounded.structured().is_some());
    let registry = is_structured.then(|| shared.executor.registry());
    let spec = registry.as_ref().and_then(|registry| registry.get(outcome.tool())).map(|tool| tool.spec());
    content::result(outcome, spec, spill.as_ref(), exchange.version())
}

/// Makes the whole of an output that was cut readable for the client.
fn spilled(shared: &Shared, session: &ClientSession, outcome: &Outcome) -> Option<Spill> {
    let bounded = outcome.status().ok().filter(|bounded| bounded.truncated())?;
    let directory = shared.spills.as_ref()?.directory();
    let path = bounded.output_path().map(Path::to_owned).or_else(|| {
        let path = outcome.metadata().get("outputPath")?.as_str()?.to_owned();
        Some(path.into())
    })?;
    let spill = session.spills.add(directory, outcome.tool(), &path)?;
    if session.is_passing {
        shared.passed.put(spill.clone());
    }
    Some(spill)
}
