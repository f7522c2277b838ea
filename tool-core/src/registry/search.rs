//! `tool_search`: how a model finds tools that it is not shown from the start.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Registered, bm25::Index};
use crate::{
    context::{Session, ToolContext},
    error::ToolError,
    output::ToolOutput,
    tool::{Annotations, FnTool, Tool, ToolName, ToolSpec},
};

/// The name of the tool that finds deferred tools (codex-rs).
pub const TOOL_SEARCH: &str = "tool_search";

const DESCRIPTION: &str = "Find tools that are not listed yet. Gives the tools whose names, descriptions and parameters \
    fit the query best; they can be called from then on, like any other.";

/// What a search asks for; names and default are codex-rs's.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// What the tool should do, in a few words, or a part of its name.
    query: String,
    /// At most so many tools.
    #[serde(default = "eight")]
    #[schemars(range(min = 1, max = 50))]
    limit: u8,
}

fn eight() -> u8 {
    8
}

/// A tool as the model is told of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Hit<'a> {
    name: &'a ToolName,
    description: &'a str,
    input_schema: &'a Value,
}

/// The deferred tools that a session has found; lives in its [`memory`](Session::memory).
#[derive(Default)]
pub(super) struct Found(Mutex<BTreeSet<ToolName>>);

impl Found {
    pub(super) fn of(session: &Session) -> BTreeSet<ToolName> {
        session.memory::<Self>().0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add(session: &Session, names: impl Iterator<Item = ToolName>) {
        session.memory::<Self>().0.lock().unwrap_or_else(PoisonError::into_inner).extend(names);
    }
}

/// The tool over these deferred tools, which are in the order of their names. They are read when first searched.
pub(super) fn tool_search(deferred: Vec<Arc<Registered>>) -> Arc<dyn Tool> {
    let (deferred, index) = (Arc::new(deferred), Arc::new(OnceLock::new()));
    let tool = FnTool::typed(ToolName::checked(TOOL_SEARCH), DESCRIPTION, move |query: Query, ctx: ToolContext| {
        let (deferred, index) = (deferred.clone(), index.clone());
        async move {
            let index = index.get_or_init(|| Index::new(deferred.iter().map(|tool| text(tool.spec()))));
            find(&deferred, index, &query, &ctx)
        }
    });
    Arc::new(tool.annotations(Annotations::new(true, false, true, false)))
}

fn find(
    deferred: &[Arc<Registered>],
    index: &Index,
    query: &Query,
    ctx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    if query.query.trim().is_empty() {
        // codex-rs answers with an empty list, and the model does not learn what was wrong.
        return Err(ToolError::failed("the query is empty: say in a few words what the tool should do"));
    }
    // A model is not told of what it may not use.
    let rules = ctx.host().rules_in(ctx.session());
    let ranked = index.search(&query.query).into_iter().filter_map(|at| deferred.get(at));
    let hits: Vec<&Arc<Registered>> =
        ranked.filter(|tool| !tool.is_disabled(&rules)).take(query.limit.into()).collect();
    if hits.is_empty() {
        let many = deferred.len();
        return Ok(ToolOutput::text(format!(
            "No tool fits this query. There are {many} that can be found: try other words, the name of a service, or of what the tool works on."
        ))
        .title("0 tools")
        .with("tools", Vec::<String>::new()));
    }
    Found::add(ctx.session(), hits.iter().map(|tool| tool.name().clone()));
    let list: Vec<Hit<'_>> = hits
        .iter()
        .map(|tool| {
            let ToolSpec { name, description, input_schema, .. } = tool.spec();
            Hit { name, description, input_schema }
        })
        .collect();
    let names: Vec<&str> = hits.iter().map(|tool| tool.name().as_str()).collect();
    Ok(ToolOutput::text(serde_json::to_string(&list).map_err(ToolError::from_error)?)
        .title(format!("{} tools", hits.len()))
        .with("tools", names))
}

/// What a tool is found by: its name, its descriptions, and the names and descriptions of its parameters.
fn text(spec: &ToolSpec) -> String {
    let mut text = format!("{} {} {}", spec.name, spec.title.as_deref().unwrap_or_default(), spec.description);
    let properties = spec.input_schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
        // Writing to a text cannot fail.
        let _ = write!(text, " {name} {description}");
    }
    text
}
