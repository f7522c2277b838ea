//! Recorded outcomes in the place of tools.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::{differ::differences, read::Recording};
use crate::{
    call::ToolCall,
    context::ToolContext,
    error::ToolError,
    executor::{BuildError, Executor, Outcome},
    output::ToolOutput,
    permission::PermissionRequest,
    registry::{Found, Registry, RegistryBuilder},
    suggest::nearest,
    tool::{Annotations, Invocation, Tool, ToolName, ToolPolicy, ToolResult, ToolSpec},
    validation::InvalidArguments,
};

/// Answers calls from a recording, so that a host's agent loop is tested without its tools.
///
/// A call gets the outcome of the first recorded call of the same tool with the same arguments (as JSON: the order of
/// members and white space do not count) that was not given yet. A call that was not recorded ends in an error of the
/// kind `fatal`, which shows the nearest one that was, and what differs; [`misses`](Self::misses) has them all. Nothing
/// runs and nothing is asked; calls that a recorded tool made are part of its answer.
///
/// Cloning gives the same replay.
#[derive(Clone)]
pub struct Replay(Arc<Inner>);

struct Inner {
    calls: Vec<Answer>,
    state: Mutex<State>,
}

struct Answer {
    call: ToolCall,
    arguments: Value,
    outcome: Outcome,
}

#[derive(Default)]
struct State {
    given: HashSet<usize>,
    misses: Vec<String>,
}

impl Replay {
    /// Plays a recording back. Calls that had not ended are left out.
    #[must_use]
    pub fn new(recording: &Recording) -> Self {
        let calls = recording.outer().filter_map(|recorded| {
            let call = recorded.call.clone();
            Some(Answer { arguments: canonical(&call.arguments), call, outcome: recorded.outcome.clone()? })
        });
        Self(Arc::new(Inner { calls: calls.collect(), state: Mutex::default() }))
    }

    /// An executor of every recorded tool, whose schemas take any object. For a host that tells a model of its tools,
    /// take [`registry_like`](Self::registry_like).
    ///
    /// # Errors
    /// Never, as far as is known: the stand-ins need no state and have no schema to break.
    pub fn executor(&self) -> Result<Executor, BuildError> {
        Executor::builder(self.registry()).build()
    }

    /// A stand-in for every recorded tool. Names that no tool can have are left out: they are unknown now as then.
    #[must_use]
    pub fn registry(&self) -> Registry {
        let names: HashSet<&str> = self.0.calls.iter().map(|answer| answer.call.name.as_ref()).collect();
        let is_known =
            |answer: &&Answer| answer.outcome.error().is_none_or(|error| error.kind() != crate::ErrorKind::UnknownTool);
        let known: HashSet<&str> =
            self.0.calls.iter().filter(is_known).map(|answer| answer.call.name.as_ref()).collect();
        let stand_ins = names.into_iter().filter(|name| known.contains(name)).filter_map(|name| {
            let name = ToolName::new(name).ok()?;
            let mut spec = ToolSpec::new(name, "Recorded.", json!({ "type": "object" }));
            spec.annotations = Annotations::new(true, false, false, false);
            Some(self.stand_in(spec))
        });
        collect(stand_ins)
    }

    /// A stand-in for each of these tools, with its name, description and schemas. The arguments are not validated: what
    /// was refused then is refused by the recording. Deferred tools are deferred, and shown once a recorded search has
    /// found them.
    #[must_use]
    pub fn registry_like(&self, tools: &Registry) -> Registry {
        let all = collect(tools.iter().map(|tool| StandIn {
            finds: tool.is_generated(),
            ..self.stand_in(ToolSpec { output_schema: None, ..tool.spec().clone() })
        }));
        let deferred = tools.iter().filter(|tool| tool.is_deferred());
        let all = deferred.fold(Registry::builder().extend(&all), |all, tool| all.defer(tool.name().as_str()));
        built(all)
    }

    fn stand_in(&self, spec: ToolSpec) -> StandIn {
        StandIn { spec, policy: ToolPolicy::default(), replay: self.clone(), finds: false }
    }

    /// The recorded calls that nobody made, in order.
    #[must_use]
    pub fn remaining(&self) -> Vec<ToolCall> {
        let state = self.lock();
        let calls = self.0.calls.iter().enumerate().filter(|(index, _)| !state.given.contains(index));
        calls.map(|(_, answer)| answer.call.clone()).collect()
    }

    /// Every call that was made and not recorded, in words.
    #[must_use]
    pub fn misses(&self) -> Vec<String> {
        self.lock().misses.clone()
    }

    /// Fails where a call was not recorded, or a recorded one not made.
    ///
    /// # Panics
    /// Then; with all of them.
    #[track_caller]
    pub fn assert_finished(&self) {
        let made = self.remaining().into_iter().map(|call| format!("never called: {} {}", call.name, call.arguments));
        let faults: Vec<_> = self.misses().into_iter().chain(made).collect();
        assert!(faults.is_empty(), "the calls are not those of the recording:\n{}", faults.join("\n"));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, tool: &str, arguments: &str) -> Result<Outcome, ToolError> {
        let wanted = canonical(arguments);
        let mut state = self.lock();
        let of_tool = |answer: &Answer| answer.call.name == tool;
        let found = self
            .0
            .calls
            .iter()
            .enumerate()
            .find(|(index, answer)| of_tool(answer) && answer.arguments == wanted && !state.given.contains(index));
        if let Some((index, answer)) = found {
            state.given.insert(index);
            return Ok(answer.outcome.clone());
        }
        let miss = self.miss(tool, arguments, &wanted);
        state.misses.push(miss.clone());
        Err(ToolError::fatal(miss))
    }

    fn miss(&self, tool: &str, arguments: &str, wanted: &Value) -> String {
        let calls = || self.0.calls.iter().filter(|answer| answer.call.name == tool);
        let times = calls().filter(|answer| answer.arguments == *wanted).count();
        let called = format!("not recorded: {tool} {arguments}");
        if times > 0 {
            return format!("{called}; it was recorded {times} times, and this is one more");
        }
        let near = calls()
            .map(|answer| (differences(&answer.arguments, wanted, &[]), answer))
            .min_by_key(|(all, _)| all.len());
        match near {
            Some((differences, answer)) => {
                let differences: Vec<_> = differences.iter().map(|line| format!("\n  {line}")).collect();
                format!("{called}; the nearest is {tool} {}{}", answer.call.arguments, differences.concat())
            }
            None => {
                let near = nearest(tool, self.0.calls.iter().map(|answer| answer.call.name.as_ref()));
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                format!("{called}; no call of `{tool}` was recorded{near}")
            }
        }
    }
}

fn collect(tools: impl Iterator<Item = StandIn>) -> Registry {
    built(tools.fold(Registry::builder(), RegistryBuilder::add))
}

fn built(registry: RegistryBuilder) -> Registry {
    registry.build().unwrap_or_else(|error| unreachable!("one name each: {error}"))
}

/// Arguments as a value, whose members are compared without their order; text that is no JSON as it is.
fn canonical(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(value) => value,
        Err(_) if arguments.trim().is_empty() => json!({}),
        Err(_) => arguments.into(),
    }
}

/// A tool that has only its recorded answers.
struct StandIn {
    spec: ToolSpec,
    policy: ToolPolicy,
    replay: Replay,
    /// Whether what it answers is found from then on: it stands for `tool_search`.
    finds: bool,
}

impl Tool for StandIn {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn policy(&self) -> &ToolPolicy {
        &self.policy
    }

    fn bind(&self, arguments: &str) -> Result<Box<dyn Invocation>, InvalidArguments> {
        let (arguments, replay) = (arguments.to_owned(), self.replay.clone());
        Ok(Box::new(Recorded { arguments, replay, finds: self.finds }))
    }
}

struct Recorded {
    arguments: String,
    replay: Replay,
    finds: bool,
}

impl Invocation for Recorded {
    fn permission(&self, _: &ToolContext) -> Option<PermissionRequest> {
        None
    }

    fn run<'c>(self: Box<Self>, ctx: &'c ToolContext) -> BoxFuture<'c, ToolResult> {
        let outcome = self.replay.answer(ctx.tool().as_str(), &self.arguments);
        let result = outcome.and_then(|outcome| match outcome.status() {
            Ok(bounded) => {
                if self.finds {
                    let metadata = bounded.metadata();
                    let names = metadata.get("tools").and_then(Value::as_array).into_iter().flatten();
                    let names = names.filter_map(|name| ToolName::new(name.as_str()?).ok());
                    Found::add(ctx.session(), names);
                }
                let mut output = ToolOutput::text(bounded.output()).title(bounded.title());
                // `truncated` is among them: what was cut then is not cut again.
                output.metadata = bounded.metadata();
                output.attachments = bounded.attachments().to_vec();
                output.structured = bounded.structured().cloned().map(Box::new);
                output.note = bounded.note().map(Into::into);
                Ok(output)
            }
            Err(error) => Err(error.clone()),
        });
        Box::pin(std::future::ready(result))
    }
}
