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
//!
//! | to test | take |
//! |---|---|
//! | the function itself | [`context`], [`Bench::context`] |
//! | the tool, with everything between a model and it | [`Bench`] |
//! | what it asks leave for | [`BenchBuilder::replies`], [`BenchBuilder::approve`], [`Bench::asks`] |
//! | files | `Workspace` (with the feature `testing`, which brings `tempfile`) |
//! | times | [`ManualClock`] |
//! | that callers are not broken | [`assert_compatible`] |
//! | an agent loop without its tools, tools without their host | [`replay`] |

mod buffer;
mod clock;
pub mod compat;
pub mod replay;
#[cfg(feature = "testing")]
mod workspace;

use std::{
    any::Any,
    collections::VecDeque,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;

#[cfg(feature = "testing")]
pub use self::workspace::Workspace;
pub use self::{
    buffer::SharedBuffer,
    clock::ManualClock,
    compat::{Severity, Snapshot, assert_compatible},
};
use crate::{
    call::ToolCall,
    context::{Session, ToolContext},
    event::{CallEvent, Change, Clock},
    executor::{Executor, ExecutorBuilder, Outcome},
    permission::{Approver, Ask, Reply, Ruleset},
    registry::{IntoTool, Registry, RegistryBuilder},
    tool::ToolName,
};

/// Runs tools in a test: an executor with a scripted approver and a record of every event.
pub struct Bench {
    executor: Executor,
    session: Session,
    record: Record,
    calls: AtomicUsize,
    #[cfg(feature = "testing")]
    workspace: Option<Workspace>,
}

/// Puts a [`Bench`] together.
pub struct BenchBuilder {
    registry: RegistryBuilder,
    steps: Vec<Box<dyn FnOnce(ExecutorBuilder) -> ExecutorBuilder>>,
    replies: Vec<Reply>,
    approve: Option<Box<Approve>>,
    cwd: PathBuf,
    #[cfg(feature = "testing")]
    workspace: Option<Workspace>,
}

type Approve = dyn Fn(&Ask) -> Reply + Send + Sync;

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
        BenchBuilder {
            registry: Registry::builder(),
            steps: Vec::new(),
            replies: Vec::new(),
            approve: None,
            cwd: "/".into(),
            #[cfg(feature = "testing")]
            workspace: None,
        }
    }

    /// Makes one call; their ids are `call_1`, `call_2`, and so on.
    pub async fn call(&self, tool: &str, arguments: &str) -> Outcome {
        self.call_in(&self.session, tool, arguments).await
    }

    /// The same in another session.
    pub async fn call_in(&self, session: &Session, tool: &str, arguments: &str) -> Outcome {
        let id = format!("call_{}", self.calls.fetch_add(1, Ordering::Relaxed) + 1);
        self.executor.call(session, ToolCall::new(id, tool.to_owned(), arguments)).await
    }

    /// A session more, in the same directory: what is remembered for one is not for the other.
    #[must_use]
    pub fn another_session(&self, id: &str) -> Session {
        Session::builder(self.session.cwd()).id(id).build()
    }

    /// A context for calling an annotated function itself, as if `tool` ran: with this bench's state, approvals, record
    /// and directory. Its call has no end, and no tool need have that name.
    ///
    /// ```
    /// use tool_core::{permission::Reply, prelude::*, testing::Bench};
    ///
    /// /// Delete a file.
    /// #[tool(register = false)]
    /// async fn delete(/** Which. */ path: &str, ctx: &ToolContext) -> Result<String, ToolError> {
    ///     ctx.ask(PermissionRequest::new("delete", [path])).await?;
    ///     Ok(format!("deleted {path}"))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let bench = Bench::builder().replies([Reply::Once]).build();
    /// let ctx = bench.context("delete");
    /// assert_eq!(delete("a.txt", &ctx).await.unwrap(), "deleted a.txt");
    /// assert!(delete("b.txt", &ctx).await.is_err());
    /// # }
    /// ```
    ///
    /// # Panics
    /// When no tool can have that name.
    #[must_use]
    pub fn context(&self, tool: &str) -> ToolContext {
        let name = ToolName::new(tool).unwrap_or_else(|error| panic!("{error}"));
        let id = format!("call_{}", self.calls.fetch_add(1, Ordering::Relaxed) + 1);
        self.executor.context(&self.session, id.into(), name)
    }

    /// The folder that calls run in.
    ///
    /// # Panics
    /// When the bench was built without [`workspace`](BenchBuilder::workspace) and [`file`](BenchBuilder::file).
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        let Some(workspace) = &self.workspace else {
            panic!("this bench has no workspace; give it one with `.workspace(…)` or `.file(…)`");
        };
        workspace
    }

    /// Writes a file of the workspace.
    ///
    /// # Panics
    /// When there is no workspace, or it cannot be written.
    #[cfg(feature = "testing")]
    pub fn write(&self, path: impl AsRef<std::path::Path>, contents: impl AsRef<[u8]>) {
        self.workspace().write(path, contents);
    }

    /// Reads a text file of the workspace.
    ///
    /// # Panics
    /// When there is no workspace, or it cannot be read.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn read(&self, path: impl AsRef<std::path::Path>) -> String {
        self.workspace().read(path)
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

    /// Calls run in this folder, which is removed with the bench.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn workspace(mut self, workspace: Workspace) -> Self {
        self.cwd = workspace.path().to_owned();
        self.workspace = Some(workspace);
        self
    }

    /// Calls run in a folder of their own, which has this file.
    ///
    /// # Panics
    /// When it cannot be written.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn file(mut self, path: impl AsRef<std::path::Path>, contents: impl AsRef<[u8]>) -> Self {
        let workspace = self.workspace.take().unwrap_or_default();
        workspace.write(path, contents);
        self.workspace(workspace)
    }

    /// The time is what this clock says.
    #[must_use]
    pub fn clock(self, clock: impl Clock) -> Self {
        self.with(|executor| executor.clock(clock))
    }

    /// Answers what is asked, after [`replies`](Self::replies) are used up.
    ///
    /// ```
    /// use tool_core::{permission::Reply, prelude::*, testing::Bench};
    ///
    /// /// Write a file.
    /// #[tool(register = false, permission = "edit", pattern = path)]
    /// fn edit(/** Which. */ path: &str) -> String {
    ///     format!("wrote {path}")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let bench = Bench::builder()
    ///     .tool(EditTool)
    ///     .approve(|ask| match ask.request.patterns[0].ends_with(".txt") {
    ///         true => Reply::Once,
    ///         false => Reply::Reject { feedback: Some("texts only".to_owned()) },
    ///     })
    ///     .build();
    /// assert_eq!(bench.call("edit", r#"{"path":"a.txt"}"#).await.output(), Some("wrote a.txt"));
    /// assert!(bench.call("edit", r#"{"path":"a.rs"}"#).await.text().contains("texts only"));
    /// # }
    /// ```
    #[must_use]
    pub fn approve(mut self, approve: impl Fn(&Ask) -> Reply + Send + Sync + 'static) -> Self {
        self.approve = Some(Box::new(approve));
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
        let replies = Mutex::new(self.replies.into());
        let script = Script { replies, approve: self.approve, asks: record.asks.clone() };
        let registry = self.registry.build().unwrap_or_else(|error| panic!("{error}"));
        let executor = Executor::builder(registry).approver(script).inline_observer(move |event: &CallEvent| {
            events.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone());
        });
        let executor = self.steps.into_iter().fold(executor, |executor, step| step(executor));
        let executor = executor.build().unwrap_or_else(|error| panic!("{error}"));
        Bench {
            executor,
            session: Session::new(self.cwd),
            record,
            calls: AtomicUsize::new(0),
            #[cfg(feature = "testing")]
            workspace: self.workspace,
        }
    }
}

/// A context for calling an annotated function itself, where everything is allowed; [`Bench::context`] for more.
///
/// ```
/// use tool_core::{prelude::*, testing};
///
/// /// Where are we?
/// #[tool(register = false)]
/// fn whereami(ctx: &ToolContext) -> String {
///     ctx.cwd().display().to_string()
/// }
///
/// assert_eq!(whereami(&testing::context()), "/");
/// ```
#[must_use]
pub fn context() -> ToolContext {
    Bench::builder().with(|executor| executor.rules(Ruleset::allow_all())).build().context("test")
}

/// Runs a future to its end, for tests whose crate has no async runtime of its own.
///
/// # Panics
/// When the machine gives no thread to run it on.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap_or_else(|error| panic!("no runtime: {error}")).block_on(future)
}

/// Answers from a list, then by a rule.
struct Script {
    replies: Mutex<VecDeque<Reply>>,
    approve: Option<Box<Approve>>,
    asks: Arc<Mutex<Vec<Ask>>>,
}

#[async_trait]
impl Approver for Script {
    async fn approve(&self, ask: &Ask) -> Reply {
        self.asks.lock().unwrap_or_else(PoisonError::into_inner).push(ask.clone());
        let next = self.replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        next.or_else(|| self.approve.as_ref().map(|approve| approve(ask)))
            .unwrap_or_else(|| Reply::Unanswered { reason: "the test has no further reply".to_owned() })
    }
}
