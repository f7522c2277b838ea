//! The questions a session has open, and what it was allowed: one lock over both, so that no answer falls between them.
//!
//! In: questions as they are put, answers as they come. Out: for every question that another's answer settles, word to
//! the call that waits. Settled in the order they were put (opencode: a rejection rejects all others of the session; an
//! "always" answers those it covers).

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::oneshot;

use super::{Approval, Ask, remembered::Remembered};

/// A session's questions and approvals.
#[derive(Default)]
pub(crate) struct Desk {
    state: Mutex<State>,
    next: AtomicU64,
}

#[derive(Default)]
struct State {
    remembered: Remembered,
    /// In the order they were put.
    waiting: Vec<Waiting>,
}

struct Waiting {
    id: u64,
    ask: Arc<Ask>,
    open: Vec<Open>,
    settle: oneshot::Sender<Settled>,
}

/// A pattern that is open.
pub(super) struct Open {
    pub(super) pattern: String,
    /// Whether an approval for good answers it.
    pub(super) is_approvable: bool,
}

impl Open {
    fn is_covered(&self, permission: &str, remembered: &Remembered) -> bool {
        self.is_approvable && remembered.covers(permission, &self.pattern)
    }
}

/// How another question's answer settled one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settled {
    /// It is allowed by what was approved for good.
    Covered,
    /// It was rejected with another.
    Rejected,
}

/// A place among the open questions; given up when dropped.
pub(super) struct Ticket<'d> {
    desk: &'d Desk,
    id: u64,
    /// Comes when the question is settled otherwise. It never fails: the sender goes only with the ticket.
    pub(super) settled: oneshot::Receiver<Settled>,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn covers(&self, permission: &str, pattern: &str) -> bool {
        self.lock().remembered.covers(permission, pattern)
    }

    /// Opens a question for those patterns; `None` where they have all been allowed by now.
    pub(super) fn open(&self, ask: Arc<Ask>, mut open: Vec<Open>) -> Option<Ticket<'_>> {
        let mut state = self.lock();
        open.retain(|open| !open.is_covered(&ask.request.permission, &state.remembered));
        if open.is_empty() {
            return None;
        }
        let (settle, settled) = oneshot::channel();
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        state.waiting.push(Waiting { id, ask, open, settle });
        Some(Ticket { desk: self, id, settled })
    }

    /// Remembers approvals, and lets every question pass that they cover.
    pub(crate) fn remember(&self, approvals: impl IntoIterator<Item = Approval>) {
        let mut state = self.lock();
        let State { remembered, waiting } = &mut *state;
        for approval in approvals {
            remembered.add(approval);
        }
        let covered = |question: &mut Waiting| {
            question.open.iter().all(|open| open.is_covered(&question.ask.request.permission, remembered))
        };
        settle(waiting.extract_if(.., covered), Settled::Covered);
    }

    /// Rejects every other open question.
    pub(super) fn reject_others(&self, ticket: &Ticket<'_>) {
        let mut state = self.lock();
        settle(state.waiting.extract_if(.., |question| question.id != ticket.id), Settled::Rejected);
    }

    /// What was allowed "always".
    pub(crate) fn approvals(&self) -> Vec<Approval> {
        self.lock().remembered.list()
    }

    /// The open questions, in the order they were put.
    pub(crate) fn pending(&self) -> Vec<Arc<Ask>> {
        self.lock().waiting.iter().map(|question| question.ask.clone()).collect()
    }
}

fn settle(questions: impl Iterator<Item = Waiting>, how: Settled) {
    for question in questions {
        // Who waits may have gone this very moment.
        let _ = question.settle.send(how);
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.desk.lock().waiting.retain(|question| question.id != self.id);
    }
}
