//! The state that lasts across calls.

use std::{
    any::Any,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use tokio_util::sync::CancellationToken;

use super::{History, States};
use crate::{executor::Queue, permission::matches};

/// One conversation with one model: its working directory, its remembered approvals, what tools keep between calls.
///
/// Cloning gives the same session.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    id: Arc<str>,
    cwd: PathBuf,
    approvals: Approvals,
    queue: Queue,
    history: History,
    cancellation: CancellationToken,
    memory: Mutex<States>,
}

impl Session {
    /// A session in this directory. A relative path is taken from the root: a session has no other place to start.
    #[must_use]
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self::named("session", cwd)
    }

    /// The same with an id of its own, by which those who watch several sessions tell them apart; `session` otherwise.
    #[must_use]
    pub fn named(id: impl Into<Arc<str>>, cwd: impl Into<PathBuf>) -> Self {
        let cwd = Path::new("/").join(cwd.into());
        Self(Arc::new(Inner {
            id: id.into(),
            cwd,
            approvals: Approvals::default(),
            queue: Queue::default(),
            history: History::default(),
            cancellation: CancellationToken::new(),
            memory: Mutex::default(),
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

    /// The line that its calls stand in.
    pub(crate) fn queue(&self) -> &Queue {
        &self.0.queue
    }

    /// The calls before this one.
    pub(crate) fn history(&self) -> &History {
        &self.0.history
    }

    pub(crate) fn approvals(&self) -> &Approvals {
        &self.0.approvals
    }
}

/// What was allowed "always".
#[derive(Default)]
pub(crate) struct Approvals(Mutex<Vec<Approval>>);

struct Approval {
    permission: String,
    pattern: String,
    /// Whether `*` in the pattern is a wildcard.
    wild: bool,
}

impl Approvals {
    pub(crate) fn covers(&self, permission: &str, pattern: &str) -> bool {
        let approvals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        approvals
            .iter()
            .filter(|approval| approval.permission == permission)
            .any(|approval| approval.pattern == pattern || approval.wild && matches(&approval.pattern, pattern))
    }

    /// Remembers patterns with wildcards.
    pub(crate) fn remember(&self, permission: &str, patterns: Vec<String>) {
        self.push(permission, patterns, true);
    }

    /// Remembers patterns as they are.
    pub(crate) fn remember_exactly(&self, permission: &str, patterns: Vec<String>) {
        self.push(permission, patterns, false);
    }

    fn push(&self, permission: &str, patterns: Vec<String>, wild: bool) {
        let mut approvals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |pattern| Approval { permission: permission.to_owned(), pattern, wild };
        approvals.extend(patterns.into_iter().map(of));
    }
}
