//! The state that lasts across calls.

use std::{
    any::Any,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use tokio_util::sync::CancellationToken;

use super::{History, States};
use crate::{
    executor::Queue,
    permission::{Approval, Ask, Desk, Ruleset},
};

/// One conversation with one model: its working directory, its remembered approvals, what tools keep between calls.
///
/// Cloning gives the same session.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    id: Arc<str>,
    cwd: PathBuf,
    rules: Ruleset,
    desk: Arc<Desk>,
    queue: Queue,
    history: History,
    cancellation: CancellationToken,
    memory: Arc<Mutex<States>>,
}

/// Puts a [`Session`] together.
#[must_use]
pub struct SessionBuilder {
    id: Arc<str>,
    cwd: PathBuf,
    rules: Ruleset,
}

impl SessionBuilder {
    /// An id, by which those who watch several sessions tell them apart; `session` unless set.
    pub fn id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.id = id.into();
        self
    }

    /// Rules of its own, which come after the executor's and so win over them, denials too: what an operator or an
    /// agent's definition says for this session alone.
    pub fn rules(mut self, rules: Ruleset) -> Self {
        self.rules = rules;
        self
    }

    /// The session.
    #[must_use]
    pub fn build(self) -> Session {
        Session(Arc::new(Inner {
            id: self.id,
            cwd: Path::new("/").join(self.cwd),
            rules: self.rules,
            desk: Arc::default(),
            queue: Queue::default(),
            history: History::default(),
            cancellation: CancellationToken::new(),
            memory: Arc::default(),
        }))
    }
}

impl Session {
    /// A session in this directory. A relative path is taken from the root: a session has no other place to start.
    #[must_use]
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self::builder(cwd).build()
    }

    /// A session with an id or rules of its own.
    ///
    /// ```
    /// use tool_core::{Session, permission::Ruleset};
    /// let reviewer = Session::builder("/project").id("review").rules(Ruleset::new().deny("edit", "*")).build();
    /// assert_eq!(&**reviewer.id(), "review");
    /// ```
    pub fn builder(cwd: impl Into<PathBuf>) -> SessionBuilder {
        SessionBuilder { id: "session".into(), cwd: cwd.into(), rules: Ruleset::new() }
    }

    /// A session with another id that goes on beside this one: directory, rules, approvals and what tools remember are
    /// the same; its calls stand in a line of their own, repeat only each other, and are cancelled on their own. For hosts
    /// whose clients' requests belong together and do not wait for one another.
    ///
    /// ```
    /// use tool_core::{Session, permission::Approval};
    /// let session = Session::new("/project");
    /// let other = session.beside("other");
    /// session.approve([Approval { permission: "bash".into(), pattern: "cargo *".into(), exact: false }]);
    /// assert_eq!(other.approvals(), session.approvals());
    /// other.cancellation().cancel();
    /// assert!(!session.cancellation().is_cancelled());
    /// ```
    #[must_use]
    pub fn beside(&self, id: impl Into<Arc<str>>) -> Self {
        let Inner { cwd, rules, desk, memory, .. } = &*self.0;
        Self(Arc::new(Inner {
            id: id.into(),
            cwd: cwd.clone(),
            rules: rules.clone(),
            desk: desk.clone(),
            queue: Queue::default(),
            history: History::default(),
            cancellation: CancellationToken::new(),
            memory: memory.clone(),
        }))
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &Arc<str> {
        &self.0.id
    }

    /// The directory that relative paths are meant from.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        &self.0.cwd
    }

    /// Cancelling it ends every call of the session, running and waiting.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        &self.0.cancellation
    }

    /// A value that a tool keeps for the session, one of each type, made when it is first wanted.
    #[must_use]
    pub fn memory<T: Any + Send + Sync + Default>(&self) -> Arc<T> {
        self.0.memory.lock().unwrap_or_else(PoisonError::into_inner).get_or_default()
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The line that its calls stand in.
    pub(crate) fn queue(&self) -> &Queue {
        &self.0.queue
    }

    /// The calls before this one.
    pub(crate) fn history(&self) -> &History {
        &self.0.history
    }

    /// The session's own rules.
    #[must_use]
    pub fn rules(&self) -> &Ruleset {
        &self.0.rules
    }

    /// What was allowed "always" so far, by permission and pattern: store it to resume the session later.
    ///
    /// ```
    /// use tool_core::{Session, permission::Approval};
    /// let session = Session::new("/project");
    /// session.approve([Approval { permission: "bash".into(), pattern: "cargo *".into(), exact: false }]);
    ///
    /// let stored = serde_json::to_string(&session.approvals())?;
    /// let resumed = Session::new("/project");
    /// resumed.approve(serde_json::from_str::<Vec<Approval>>(&stored)?);
    /// assert_eq!(resumed.approvals(), session.approvals());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn approvals(&self) -> Vec<Approval> {
        self.0.desk.approvals()
    }

    /// Allows these for the session, as if "always" had been answered: what was stored of it, or what a person allows
    /// unasked. Open questions that they cover pass. No rule that denies is overridden.
    pub fn approve(&self, approvals: impl IntoIterator<Item = Approval>) {
        self.0.desk.remember(approvals);
    }

    /// The questions that wait for an answer, in the order they were put.
    #[must_use]
    pub fn pending(&self) -> Vec<Arc<Ask>> {
        self.0.desk.pending()
    }

    pub(crate) fn desk(&self) -> &Desk {
        &self.0.desk
    }
}
