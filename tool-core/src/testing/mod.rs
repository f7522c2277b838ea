//! What a tool author tests with: calls without a model, approvals by script, events on record.
//!
//! ```
//! use tool_core::{prelude::*, testing::Bench};
//!
//! /// Say hello.
//! #[tool]
//! fn hello(/** Whom to. */ name: &str) -> String {
//!     format!("Hello, {name}!")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let bench = Bench::new(HelloTool);
//! assert_eq!(bench.call("hello", r#"{"name":"Ada"}"#).await.output(), Some("Hello, Ada!"));
//! # }
//! ```

pub mod compat;

use std::{
    any::Any,
    collections::VecDeque,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;

pub use self::compat::{Severity, Snapshot, assert_compatible};
use crate::{
    call::ToolCall,
    context::Session,
    event::{CallEvent, Change},
    executor::{Executor, ExecutorBuilder, Outcome},
    permission::{Approver, Ask, Reply, Ruleset},
    registry::{IntoTool, Registry, RegistryBuilder},
};

/// Runs tools in a test: an executor with a scripted approver and a record of every event.
pub struct Bench {
    executor: Executor,
    session: Session,
    record: Record,
}

/// Puts a [`Bench`] together.
pub struct BenchBuilder {
    registry: RegistryBuilder,
    steps: Vec<Box<dyn FnOnce(ExecutorBuilder) -> ExecutorBuilder>>,
    replies: Vec<Reply>,
    cwd: PathBuf,
}

#[derive(Clone, Default)]
struct Record {
    events: Arc<Mutex<Vec<CallEvent>>>,
    asks: Arc<Mutex<Vec<Ask>>>,
}

impl Bench {
    /// A bench with one tool, where everything is allowed.
    ///
    /// # Panics
    /// When the tool cannot be used.
    #[must_use]
    pub fn new<Kind>(tool: impl IntoTool<Kind>) -> Self {
        Self::builder().tool(tool).with(|executor| executor.rules(Ruleset::allow_all())).build()
    }

    /// Begins a bench where nothing is allowed but what replies and rules say.
    #[must_use]
    pub fn builder() -> BenchBuilder {
        BenchBuilder { registry: Registry::builder(), steps: Vec::new(), replies: Vec::new(), cwd: "/".into() }
    }

    /// Makes one call.
    pub async fn call(&self, tool: &str, arguments: &str) -> Outcome {
        self.executor.call(&self.session, ToolCall::new("call_1", tool.to_owned(), arguments)).await
    }

    /// The session of all calls.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The executor.
    #[must_use]
    pub fn executor(&self) -> &Executor {
        &self.executor
    }

    /// Every change so far, in order.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        let events = self.record.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.iter().map(|event| event.change.clone()).collect()
    }

    /// Everything that was asked so far, in order.
    #[must_use]
    pub fn asks(&self) -> Vec<Ask> {
        self.record.asks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl BenchBuilder {
    /// Adds a tool.
    #[must_use]
    pub fn tool<Kind>(mut self, tool: impl IntoTool<Kind>) -> Self {
        self.registry = self.registry.add(tool);
        self
    }

    /// Registers a state value.
    #[must_use]
    pub fn state<T: Any + Send + Sync>(self, value: T) -> Self {
        self.with(|executor| executor.state(value))
    }

    /// Calls run in this directory.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// The answers to what is asked, in order; after the last, nobody answers.
    #[must_use]
    pub fn replies(mut self, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.replies.extend(replies);
        self
    }

    /// Anything else that an executor can be told.
    #[must_use]
    pub fn with(mut self, step: impl FnOnce(ExecutorBuilder) -> ExecutorBuilder + 'static) -> Self {
        self.steps.push(Box::new(step));
        self
    }

    /// The bench.
    ///
    /// # Panics
    /// When the tools cannot be used: a name twice, a state value missing.
    #[must_use]
    pub fn build(self) -> Bench {
        let record = Record::default();
        let events = record.events.clone();
        let script = Script { replies: Mutex::new(self.replies.into()), asks: record.asks.clone() };
        let registry = self.registry.build().unwrap_or_else(|error| panic!("{error}"));
        let executor = Executor::builder(registry).approver(script).inline_observer(move |event: &CallEvent| {
            events.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone());
        });
        let executor = self.steps.into_iter().fold(executor, |executor, step| step(executor));
        let executor = executor.build().unwrap_or_else(|error| panic!("{error}"));
        Bench { executor, session: Session::new(self.cwd), record }
    }
}

/// Runs a future to its end, for tests whose crate has no async runtime of its own.
///
/// # Panics
/// When the machine gives no thread to run it on.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap_or_else(|error| panic!("no runtime: {error}")).block_on(future)
}

/// Answers from a list.
struct Script {
    replies: Mutex<VecDeque<Reply>>,
    asks: Arc<Mutex<Vec<Ask>>>,
}

#[async_trait]
impl Approver for Script {
    async fn approve(&self, ask: &Ask) -> Reply {
        self.asks.lock().unwrap_or_else(PoisonError::into_inner).push(ask.clone());
        let next = self.replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        next.unwrap_or_else(|| Reply::Unanswered { reason: "the test has no further reply".to_owned() })
    }
}
