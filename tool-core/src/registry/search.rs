//! `tool_search`: how a model finds tools that it is not shown from the start.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Registered, bm25::Index};
use crate::{
    context::{Session, ToolContext},
    error::ToolError,
    output::ToolOutput,
    tool::{Annotations, Audience, FnTool, Tool, ToolName, ToolSpec},
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

/// The deferred tools that a session has found, and for whom; lives in its [`memory`](Session::memory).
#[derive(Default)]
pub(crate) struct Found(Mutex<State>);

#[derive(Default)]
struct State {
    names: BTreeSet<ToolName>,
    audience: Audience,
}

impl Found {
    /// What was found so far. From now on, what is found is described for this audience.
    pub(super) fn of(session: &Session, audience: &Audience) -> BTreeSet<ToolName> {
        let memory = session.memory::<Self>();
        let mut state = memory.lock();
        if state.audience != *audience {
            state.audience = audience.clone();
        }
        state.names.clone()
    }

    pub(crate) fn add(session: &Session, names: impl Iterator<Item = ToolName>) {
        session.memory::<Self>().lock().names.extend(names);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tool over these deferred tools, which are in the order of their names. They are read when first searched.
pub(super) fn tool_search(deferred: Vec<Arc<Registered>>) -> Arc<dyn Tool> {
    let (deferred, index) = (Arc::new(deferred), Arc::new(OnceLock::new()));
    let tool = FnTool::typed(ToolName::checked(TOOL_SEARCH), DESCRIPTION, move |query: Query, ctx: ToolContext| {
        let (deferred, index) = (deferred.clone(), index.clone());
        async move {
            let index = index.get_or_init(|| Index::new(deferred.iter().map(|tool| text(tool.spec()))));
            find(&deferred, index, &query, &ctx).await
        }
    });
    Arc::new(tool.annotations(Annotations::new(true, false, true, false)))
}

async fn find(
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
    let ranked: Vec<&Arc<Registered>> = ranked.filter(|tool| !tool.is_disabled(&rules)).collect();
    let specs = described(&ranked, query.limit.into(), ctx.session()).await;
    if specs.is_empty() {
        let many = deferred.len();
        return Ok(ToolOutput::text(format!(
            "No tool fits this query. There are {many} that can be found: try other words, the name of a service, or of what the tool works on."
        ))
        .title("0 tools")
        .with("tools", Vec::<String>::new()));
    }
    Found::add(ctx.session(), specs.iter().map(|spec| spec.name.clone()));
    let hits =
        specs.iter().map(|ToolSpec { name, description, input_schema, .. }| Hit { name, description, input_schema });
    let list: Vec<Hit<'_>> = hits.collect();
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    Ok(ToolOutput::text(serde_json::to_string(&list).map_err(ToolError::from_error)?)
        .title(format!("{} tools", specs.len()))
        .with("tools", names))
}

/// The first of these tools that do not withhold themselves, as the session's model sees them.
async fn described(ranked: &[&Arc<Registered>], most: usize, session: &Session) -> Vec<ToolSpec> {
    let audience = session.memory::<Found>().lock().audience.clone();
    let mut specs = Vec::new();
    for some in ranked.chunks(most.max(1)) {
        let asked = join_all(some.iter().map(|tool| tool.offered_spec(&audience))).await;
        specs.extend(asked.into_iter().flatten().take(most - specs.len()));
        if specs.len() == most {
            break;
        }
    }
    specs
}

/// What a tool is found by: its name, its descriptions, and the names and descriptions of its parameters, however deep.
fn text(spec: &ToolSpec) -> String {
    let mut words = vec![spec.name.as_str(), spec.title.as_deref().unwrap_or_default(), &spec.description];
    let mut left = vec![&spec.input_schema];
    while let Some(schema) = left.pop() {
        match schema {
            Value::Array(schemas) => left.extend(schemas.iter().rev()),
            Value::Object(keywords) => {
                for (keyword, value) in keywords.iter().rev() {
                    match (keyword.as_str(), value) {
                        ("description" | "title", Value::String(text)) => words.push(text),
                        ("properties" | "patternProperties", Value::Object(members)) => {
                            words.extend(members.keys().map(String::as_str));
                            left.extend(members.values().rev());
                        }
                        ("$defs" | "definitions" | "dependentSchemas", Value::Object(members)) => {
                            left.extend(members.values().rev());
                        }
                        // Values, not schemas.
                        ("default" | "examples" | "example" | "enum" | "const" | "required", _) => {}
                        (_, nested) => left.push(nested),
                    }
                }
            }
            _ => {}
        }
    }
    words.join(" ")
}
