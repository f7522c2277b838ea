//! What a running tool may use: ids, working directory, cancellation, permission, progress, state.
//!
//! Not here: anything of the process. A tool that wants the environment, a clock or a directory gets it from its host.

mod from_context;
mod session;
mod state;

use std::{
    any::Any,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use tokio_util::sync::CancellationToken;

pub(crate) use self::state::States;
pub use self::{
    from_context::{ContextError, FromContext, Owned, Shared, owned, shared},
    session::Session,
};
use crate::{
    call::CallId,
    error::ToolError,
    event::{Change, Clock, Observers, Progress},
    permission::{ApprovalSettings, Approver, Gate, PermissionRequest, Ruleset},
    tool::ToolName,
    truncate::{Limits, SpillStore},
};

/// What all calls of one executor share.
pub(crate) struct Host {
    pub(crate) states: States,
    pub(crate) rules: Ruleset,
    pub(crate) approvals: ApprovalSettings,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) observers: Observers,
    pub(crate) spills: Option<SpillStore>,
    pub(crate) clock: Arc<dyn Clock>,
}

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
    call_id: CallId,
    tool: ToolName,
    read_only: bool,
    limits: Limits,
    session: Session,
    turn: Option<CancellationToken>,
    cancellation: OnceLock<CancellationToken>,
    host: Arc<Host>,
}

impl ToolContext {
    pub(crate) fn new(
        host: Arc<Host>,
        session: Session,
        turn: Option<CancellationToken>,
        call_id: CallId,
        tool: ToolName,
        read_only: bool,
        limits: Limits,
    ) -> Self {
        let scope = Scope { call_id, tool, read_only, limits, session, turn, cancellation: OnceLock::new(), host };
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
        &self.scope.call_id
    }

    /// The call's id, at the call's end.
    pub(crate) fn into_call_id(self) -> CallId {
        Arc::try_unwrap(self.scope).map_or_else(|shared| shared.call_id.clone(), |scope| scope.call_id)
    }

    /// The name the tool is registered by.
    #[must_use]
    pub fn tool(&self) -> &ToolName {
        &self.scope.tool
    }

    /// The session the call belongs to.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.scope.session
    }

    /// The directory that relative paths are meant from; always absolute.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        self.scope.session.cwd()
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
        self.scope.limits
    }

    /// Where a tool keeps the whole of an output that it cuts itself; `None` where the host keeps none.
    #[must_use]
    pub fn spills(&self) -> Option<&SpillStore> {
        self.scope.host.spills.as_ref()
    }

    /// Cancelled when the call, its turn or its session is. A tool that stops on it may still return what it has.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        self.scope.cancellation.get_or_init(|| self.parent_cancellation().child_token())
    }

    pub(crate) fn parent_cancellation(&self) -> &CancellationToken {
        self.scope.turn.as_ref().unwrap_or_else(|| self.scope.session.cancellation())
    }

    /// Asks for leave, by the host's rules, then by its approver.
    ///
    /// # Errors
    /// [`ToolError::Denied`] where it is refused; [`ToolError::Cancelled`] when the call is cancelled meanwhile.
    pub async fn ask(&self, request: PermissionRequest) -> Result<(), ToolError> {
        self.gate().pass(request).await
    }

    pub(crate) fn gate(&self) -> Gate<'_> {
        Gate {
            rules: &self.scope.host.rules,
            session_rules: self.scope.session.rules(),
            settings: self.scope.host.approvals,
            desk: self.scope.session.desk(),
            approver: &*self.scope.host.approver,
            call_id: &self.scope.call_id,
            tool: &self.scope.tool,
            read_only: self.scope.read_only,
            cancellation: self.parent_cancellation(),
        }
    }

    /// Tells observers how far the call is: a title, facts, or output so far.
    pub fn progress(&self, progress: impl Into<Progress>) {
        self.report(|| Change::Progress(progress.into()));
    }

    pub(crate) fn report(&self, change: impl FnOnce() -> Change) {
        let host = &self.scope.host;
        if !host.observers.is_empty() {
            host.observers.tell(&self.scope.call_id, self.scope.tool.as_str(), host.clock.now(), change());
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
        known.or_else(|| self.scope.host.states.get()).or_else(|| {
            let is_token = std::any::TypeId::of::<T>() == std::any::TypeId::of::<CancellationToken>();
            is_token.then(|| (self.cancellation() as &dyn Any).downcast_ref()).flatten()
        })
    }
}

impl std::fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolContext")
            .field("call_id", &self.scope.call_id)
            .field("tool", &self.scope.tool)
            .field("cwd", &self.cwd())
            .finish_non_exhaustive()
    }
}
