//! What a running tool may use: ids, working directory, cancellation, permission, progress, state.
//!
//! Not here: anything of the process. A tool that wants the environment, a clock or a directory gets it from its host.

mod from_context;
mod history;
mod host;
mod pause;
mod session;
mod state;

use std::{
    any::Any,
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock, Weak,
        atomic::{
            AtomicBool, AtomicU32,
            Ordering::{AcqRel, Acquire, Relaxed},
        },
    },
    time::{Duration, SystemTime},
};

use tokio_util::sync::CancellationToken;

use self::pause::Stopwatch;
pub use self::{
    from_context::{ContextError, FromContext, Owned, Shared, owned, shared},
    session::{Session, SessionBuilder},
};
pub(crate) use self::{history::History, host::Host, pause::Pause, state::States};
use crate::{
    call::CallId,
    error::ToolError,
    event::{CallEvent, Change, Progress},
    executor::{Order, Outcome, Place},
    permission::{Action, Gate, PermissionRequest},
    tool::ToolName,
    truncate::{Limits, SpillStore},
    validation::Mended,
};

/// What a running tool may use; take it as `ctx: &ToolContext`. Cloning is cheap.
#[derive(Clone)]
pub struct ToolContext {
    scope: Arc<Scope>,
    /// Values of its own that a tool was bound to.
    bound: Option<Arc<Bound>>,
}

/// A value a tool was bound to, and the ones before it.
struct Bound {
    value: Arc<dyn Any + Send + Sync>,
    others: Option<Arc<Bound>>,
}

/// What belongs to one call.
struct Scope {
    call: Call,
    cancellation: OnceLock<CancellationToken>,
    /// How many calls its tool has made; for a call of the model, those below it as well.
    nested: AtomicU32,
    nested_below: AtomicU32,
    mended: OnceLock<Box<Mended>>,
    stopwatch: OnceLock<Box<Stopwatch>>,
    ended: AtomicBool,
    /// What those who watch were told of its end, where more than one may answer for it.
    told: OnceLock<Arc<Outcome>>,
    detached: AtomicBool,
}

/// The name that a call came by.
pub(crate) enum Called {
    /// Its tool's own.
    Exactly,
    /// One that its tool alone could be meant by.
    Nearly(Box<str>),
    /// One that no tool has.
    Unknown(Box<str>),
}

/// A call that may have ended. Holds nothing of it.
#[derive(Clone)]
pub(crate) struct WeakContext(Weak<Scope>);

impl WeakContext {
    /// Its context, while it runs.
    pub(crate) fn running(&self) -> Option<ToolContext> {
        let ctx = ToolContext { scope: self.0.upgrade()?, bound: None };
        (!ctx.has_ended()).then_some(ctx)
    }
}

/// What is known of a call when it comes.
pub(crate) struct Call {
    pub(crate) id: CallId,
    pub(crate) parent: Option<ToolContext>,
    /// The tool's name; for a call of none, the nearest thing to what it was called.
    pub(crate) tool: ToolName,
    pub(crate) called: Called,
    pub(crate) order: Order,
    pub(crate) read_only: bool,
    pub(crate) limits: Limits,
    pub(crate) timeout: Option<Duration>,
    pub(crate) place: Place,
    pub(crate) start: SystemTime,
    pub(crate) session: Session,
    pub(crate) turn: Option<CancellationToken>,
    pub(crate) host: Arc<Host>,
}

impl ToolContext {
    pub(crate) fn new(call: Call) -> Self {
        let scope = Scope {
            call,
            cancellation: OnceLock::new(),
            nested: AtomicU32::new(0),
            nested_below: AtomicU32::new(0),
            mended: OnceLock::new(),
            stopwatch: OnceLock::new(),
            ended: AtomicBool::new(false),
            told: OnceLock::new(),
            detached: AtomicBool::new(false),
        };
        Self { scope: Arc::new(scope), bound: None }
    }

    /// The same context with a value that is found before the host's own of that type.
    pub(crate) fn with_state(&self, state: Arc<dyn Any + Send + Sync>) -> Self {
        let bound = Bound { value: state, others: self.bound.clone() };
        Self { scope: self.scope.clone(), bound: Some(Arc::new(bound)) }
    }

    /// The call's id.
    #[must_use]
    pub fn call_id(&self) -> &CallId {
        &self.scope.call.id
    }

    /// The name the tool is registered by. For a call of a tool that there is not, which only a
    /// [`Hook`](crate::executor::Hook) gets to see: the name as it was called, made into one that a tool could have.
    #[must_use]
    pub fn tool(&self) -> &ToolName {
        &self.scope.call.tool
    }

    /// The session the call belongs to.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.scope.call.session
    }

    /// The directory that relative paths are meant from; always absolute.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        self.scope.call.session.cwd()
    }

    /// A path as the model gave it, made absolute; `.` and `..` are settled in the text, links are not followed.
    #[must_use]
    pub fn resolve(&self, path: impl AsRef<Path>) -> PathBuf {
        let mut resolved = PathBuf::new();
        for part in self.cwd().join(path).components() {
            match part {
                std::path::Component::CurDir => {}
                std::path::Component::ParentDir => {
                    resolved.pop();
                }
                part => resolved.push(part),
            }
        }
        resolved
    }

    /// How much output the model will get of this call; a tool that cuts its own output goes by it.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.scope.call.limits
    }

    /// Where a tool keeps the whole of an output that it cuts itself; `None` where the host keeps none.
    #[must_use]
    pub fn spills(&self) -> Option<&SpillStore> {
        self.scope.call.host.spills.as_ref()
    }

    /// Cancelled when the call, its turn or its session is. A tool that stops on it may still return what it has.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        self.scope.cancellation.get_or_init(|| self.parent_cancellation().child_token())
    }

    /// Says that the same call again would be no repetition: it waited for something that goes on meanwhile, as a look at
    /// a process that runs does. Such calls in a row never come to need the `doom_loop` permission
    /// ([`ExecutorBuilder::doom_loop`](crate::executor::ExecutorBuilder::doom_loop)).
    pub fn expect_repetition(&self) {
        if self.parent().is_none() {
            self.session().history().forgive(self.tool());
        }
    }

    pub(crate) fn parent_cancellation(&self) -> &CancellationToken {
        self.scope.call.turn.as_ref().unwrap_or_else(|| self.scope.call.session.cancellation())
    }

    /// Asks for leave, by the host's rules, then by its approver. The call's timeout, and that of a call whose tool made
    /// it, does not run while an approver thinks.
    ///
    /// # Errors
    /// [`ToolError::Denied`] where it is refused; [`ToolError::Cancelled`] when the call is cancelled meanwhile;
    /// [`ToolError::Failed`] where the context was kept after its call had ended.
    pub async fn ask(&self, request: PermissionRequest) -> Result<(), ToolError> {
        if let Some(over) = self.over() {
            return Err(over);
        }
        self.gate().pass(request).await
    }

    /// Whether the rules refuse a pattern of a permission, without asking anybody: for a tool that comes upon things by
    /// itself, and leaves out what no rule lets it show. What a person would have to be asked for is not refused.
    #[must_use]
    pub fn denies(&self, permission: &str, pattern: &str) -> bool {
        self.gate().find(permission, pattern) == Some(Action::Deny)
    }

    pub(crate) fn gate(&self) -> Gate<'_> {
        Gate {
            rules: &self.scope.call.host.rules,
            session_rules: self.scope.call.session.rules(),
            settings: self.scope.call.host.approvals,
            desk: self.scope.call.session.desk(),
            approver: &*self.scope.call.host.approver,
            session: self.scope.call.session.id(),
            call_id: &self.scope.call.id,
            tool: &self.scope.call.tool,
            read_only: self.scope.call.read_only,
            cancellation: self.parent_cancellation(),
            ctx: self,
        }
    }

    /// What is asked for by a context that was kept after its call had ended.
    pub(crate) fn over(&self) -> Option<ToolError> {
        if !self.has_ended() {
            return None;
        }
        if self.parent_cancellation().is_cancelled() {
            return Some(ToolError::Cancelled);
        }
        Some(ToolError::failed(format!(
            "The call `{}` has ended: its context can ask for nothing and call no tool any more. Let the tool wait for \
             what it starts, or make calls that outlive it with `Executor::call`.",
            self.call_id()
        )))
    }

    /// Stops the call's clock, while the result lives.
    pub(crate) fn pause(&self) -> Pause<'_> {
        Pause::new(self)
    }

    fn stopwatch(&self) -> &Stopwatch {
        self.scope.stopwatch.get_or_init(Box::default)
    }

    /// Ends when the call has run for so long from now on, the time left out in which somebody was asked.
    pub(crate) async fn elapse(&self, limit: Duration) {
        self.stopwatch().elapse(limit).await;
    }

    /// Tells observers how far the call is: a title, facts, or output so far. Nothing is told once the call has ended.
    pub fn progress(&self, progress: impl Into<Progress>) {
        // What is let go of may go on, but nobody follows it any more.
        if !self.has_ended() {
            self.report(|| Change::Progress(progress.into()));
        }
    }

    /// The context of the call whose tool made this one.
    #[must_use]
    pub fn parent(&self) -> Option<&Self> {
        self.scope.call.parent.as_ref()
    }

    /// How deep the call is: 0 for one that the model made.
    pub(crate) fn depth(&self) -> u32 {
        std::iter::successors(self.parent(), |ctx| ctx.parent()).map(|_| 1).sum()
    }

    /// Counts a call that the tool makes: its number among this call's own, and how many there are below the model's.
    pub(crate) fn count_nested(&self) -> (u32, u32) {
        let root = std::iter::successors(Some(self), |ctx| ctx.parent()).last().unwrap_or(self);
        let number = self.scope.nested.fetch_add(1, Relaxed) + 1;
        (number, root.scope.nested_below.fetch_add(1, Relaxed).saturating_add(1))
    }

    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.scope.call.host
    }

    pub(crate) fn place(&self) -> Place {
        self.scope.call.place
    }

    pub(crate) fn order(&self) -> &Order {
        &self.scope.call.order
    }

    pub(crate) fn called(&self) -> &Called {
        &self.scope.call.called
    }

    /// A handle that does not keep it.
    pub(crate) fn downgrade(&self) -> WeakContext {
        WeakContext(Arc::downgrade(&self.scope))
    }

    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.scope.call.timeout
    }

    pub(crate) fn start(&self) -> SystemTime {
        self.scope.call.start
    }

    /// Notes that the tool goes on although nobody waits for it.
    pub(crate) fn detach(&self) {
        self.scope.detached.store(true, Relaxed);
    }

    pub(crate) fn is_detached(&self) -> bool {
        self.scope.detached.load(Relaxed)
    }

    /// Notes what was done to the arguments before they fitted.
    pub(crate) fn note_mended(&self, mended: Mended) {
        let _ = self.scope.mended.set(Box::new(mended));
    }

    pub(crate) fn mended(&self) -> Option<Box<Mended>> {
        self.scope.mended.get().cloned()
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.scope.ended.load(Acquire)
    }

    /// Notes that the call has ended. Says whether that is news.
    pub(crate) fn end(&self) -> bool {
        !self.scope.ended.swap(true, AcqRel)
    }

    /// Notes how the call has ended, unless that is known. Gives what is known, and whether it is still to be told.
    pub(crate) fn conclude(&self, outcome: Arc<Outcome>) -> (Arc<Outcome>, bool) {
        let told = &self.scope.told;
        // With one handle there is nobody else who could answer for it. One that has ended untold is told of nowhere.
        if Arc::strong_count(&self.scope) == 1 || self.has_ended() && told.get().is_none() {
            return (outcome, self.end());
        }
        let outcome = told.get_or_init(|| outcome).clone();
        (outcome, self.end())
    }

    pub(crate) fn is_observed(&self) -> bool {
        !self.scope.call.host.observers.is_empty()
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.scope.call.host.now()
    }

    pub(crate) fn report(&self, change: impl FnOnce() -> Change) {
        let host = &self.scope.call.host;
        if self.is_observed() {
            host.observers.tell(CallEvent {
                session: self.session().id().clone(),
                call_id: self.scope.call.id.clone(),
                parent: self.parent().map(|parent| parent.call_id().clone()),
                tool: match &self.scope.call.called {
                    Called::Unknown(name) => name.to_string(),
                    Called::Exactly | Called::Nearly(_) => self.scope.call.tool.to_string(),
                },
                at: host.now(),
                change: change(),
            });
        }
    }

    /// A value the host registered, by its type. The context itself and the call's [`CancellationToken`] can be had
    /// in the same way.
    #[must_use]
    pub fn state<T: Any + Send + Sync>(&self) -> Option<&T> {
        let bound = std::iter::successors(self.bound.as_deref(), |bound| bound.others.as_deref());
        let known = (self as &dyn Any)
            .downcast_ref()
            .or_else(|| bound.map(|bound| &*bound.value as &dyn Any).find_map(<dyn Any>::downcast_ref));
        known.or_else(|| self.scope.call.host.states.get()).or_else(|| {
            let is_token = std::any::TypeId::of::<T>() == std::any::TypeId::of::<CancellationToken>();
            is_token.then(|| (self.cancellation() as &dyn Any).downcast_ref()).flatten()
        })
    }
}

impl std::fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolContext")
            .field("call_id", &self.scope.call.id)
            .field("tool", &self.scope.call.tool)
            .field("cwd", &self.cwd())
            .finish_non_exhaustive()
    }
}
