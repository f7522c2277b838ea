//! The recorded calls again, with the real tools.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{
    differ::differences,
    read::{RecordedAsk, Recording},
};
use crate::{
    call::ToolCall,
    context::Session,
    executor::{BuildError, ExecutorBuilder},
    permission::{Approver, Ask, Reply},
};

/// Makes the calls of a recording again and compares what becomes of them, with the answers that were given then.
///
/// The model's calls are made one after another, in the order they came, in one session for each of the recorded ones;
/// nested calls are the tools' own affair. Ids and times do not count, nor the path of a spilled output.
pub struct Rerun<'r> {
    recording: &'r Recording,
    ignored: Vec<String>,
}

/// What the calls of a recording end in now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RerunReport {
    changed: Vec<Changed>,
    calls: usize,
}

/// One call that ends in something else.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Changed {
    /// The call.
    pub call: ToolCall,
    /// One line for each place of the outcome (as JSON) that differs, and for each question that was not asked before.
    pub differences: Vec<String>,
}

impl<'r> Rerun<'r> {
    /// Of this recording.
    #[must_use]
    pub fn new(recording: &'r Recording) -> Self {
        let ignored = ["/callId", "/time", "/metadata/outputPath"].map(str::to_owned).to_vec();
        Self { recording, ignored }
    }

    /// A place of the outcome, as a JSON pointer, that may differ, with all below it: `/metadata/elapsed`, `/output`.
    #[must_use]
    pub fn ignore(mut self, pointer: impl Into<String>) -> Self {
        self.ignored.push(pointer.into());
        self
    }

    /// Runs the calls. `executor` has the tools, their state and the rules; its approver is replaced by the recorded
    /// answers. `cwd` is the directory of every session.
    ///
    /// # Errors
    /// When there is no executor to be built.
    pub async fn run(self, executor: ExecutorBuilder, cwd: impl Into<PathBuf>) -> Result<RerunReport, BuildError> {
        let cwd = cwd.into();
        let script = Script::default();
        let executor = executor.approver(script.clone()).build()?;
        let mut sessions: HashMap<&str, Session> = HashMap::new();
        let mut report = RerunReport::default();
        for recorded in self.recording.outer() {
            let Some(outcome) = &recorded.outcome else { continue };
            let session = sessions
                .entry(&recorded.session)
                .or_insert_with(|| Session::builder(cwd.clone()).id(recorded.session.as_str()).build());
            script.begin(self.asks_of(recorded.call.id.as_str(), &recorded.session));
            let now = executor.call(session, recorded.call.clone()).await;
            let mut found = differences(&json!(outcome), &json!(now), &self.ignored);
            found.extend(script.end());
            report.calls += 1;
            if !found.is_empty() {
                report.changed.push(Changed { call: recorded.call.clone(), differences: found });
            }
        }
        Ok(report)
    }

    /// The questions of a call and of the calls it made.
    fn asks_of(&self, call: &str, session: &str) -> VecDeque<RecordedAsk> {
        let mut family = vec![call];
        let mut asks = VecDeque::new();
        for recorded in self.recording.calls().iter().filter(|recorded| recorded.session == session) {
            let is_child = recorded.parent.as_ref().is_some_and(|parent| family.contains(&parent.as_str()));
            if is_child {
                family.push(recorded.call.id.as_str());
            }
            if is_child || recorded.call.id.as_str() == call && recorded.parent.is_none() {
                asks.extend(recorded.asks.iter().cloned());
            }
        }
        asks
    }
}

impl RerunReport {
    /// The calls that end in something else.
    #[must_use]
    pub fn changed(&self) -> &[Changed] {
        &self.changed
    }

    /// How many calls were made.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.calls
    }

    /// Fails where a call ends in something else.
    ///
    /// # Panics
    /// Then; with every difference.
    #[track_caller]
    pub fn assert_same(&self) {
        assert!(self.changed.is_empty(), "{self}");
    }
}

impl fmt::Display for RerunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { changed, calls } = self;
        write!(f, "{} of {calls} recorded calls end in something else", changed.len())?;
        for Changed { call, differences } in changed {
            write!(f, "\n{} {} (call {})", call.name, call.arguments, call.id)?;
            for difference in differences {
                write!(f, "\n  {difference}")?;
            }
        }
        Ok(())
    }
}

/// Gives the recorded answers, each once.
#[derive(Clone, Default)]
struct Script(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    answers: VecDeque<RecordedAsk>,
    strays: Vec<String>,
}

impl Script {
    fn begin(&self, answers: VecDeque<RecordedAsk>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = State { answers, strays: Vec::new() };
    }

    /// The questions that were not recorded, and those that were recorded and not asked.
    fn end(&self) -> Vec<String> {
        let State { answers, strays } = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let unasked = answers.into_iter().map(|ask| {
            format!("not asked any more: {} for {}", ask.request.permission, Value::from(ask.request.patterns))
        });
        strays.into_iter().chain(unasked).collect()
    }
}

#[async_trait]
impl Approver for Script {
    async fn approve(&self, ask: &Ask) -> Reply {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let request = &ask.request;
        let is_same = |known: &RecordedAsk| {
            known.request.permission == request.permission && known.request.patterns == request.patterns
        };
        let known = state.answers.iter().position(is_same).and_then(|at| state.answers.remove(at));
        known.map_or_else(
            || {
                let what = format!("{} for {}", request.permission, Value::from(request.patterns.clone()));
                state.strays.push(format!("asked now, and not when it was recorded: {what}"));
                Reply::Unanswered { reason: "the recording has no answer".to_owned() }
            },
            |known| known.reply,
        )
    }
}
