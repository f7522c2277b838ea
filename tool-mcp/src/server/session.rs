//! What lasts from one request of a client's to its next.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::broadcast, time::Instant};
use tokio_util::task::task_tracker::TaskTrackerToken;
use tool_core::Session;

use super::{logging::LogGate, shared::Changed, spills::Spills};

/// How many changes who announces them may be behind.
const BACKLOG: usize = 16;

/// How many resources one client may watch.
const MOST_WATCHED: usize = 1_000;
/// How many sessions clients may declare by key.
const MOST_DECLARED: usize = 1_000;
/// How long a declared session is kept that nobody uses.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// A client's session: its tools' own, and what the protocol keeps beside it.
pub(super) struct ClientSession {
    pub(super) session: Session,
    pub(super) spills: Spills,
    /// Whether it is one request's, and over with it.
    pub(super) is_passing: bool,
    state: Mutex<State>,
    changes: broadcast::Sender<Changed>,
    /// The server waits for it at its end.
    alive: TaskTrackerToken,
}

#[derive(Default)]
struct State {
    log: LogGate,
    watched: HashSet<String>,
}

impl ClientSession {
    pub(super) fn new(session: Session, is_passing: bool, alive: TaskTrackerToken) -> Self {
        let (spills, changes) = (Spills::default(), broadcast::Sender::new(BACKLOG));
        Self { session, spills, is_passing, state: Mutex::default(), changes, alive }
    }

    /// The same for one request that waits for none of the others.
    pub(super) fn beside(&self, id: String) -> Self {
        let (session, spills, changes) = (self.session.beside(id), self.spills.clone(), self.changes.clone());
        let alive = self.alive.clone();
        Self { session, spills, is_passing: false, state: Mutex::default(), changes, alive }
    }

    /// Says that something of the session's own has changed.
    pub(super) fn tell(&self, change: Changed) {
        // Nobody listens: that is fine.
        let _ = self.changes.send(change);
    }

    pub(super) fn changes(&self) -> broadcast::Receiver<Changed> {
        self.changes.subscribe()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn log(&self) -> LogGate {
        self.state().log
    }

    pub(super) fn set_log(&self, gate: LogGate) {
        self.state().log = gate;
    }

    /// Notes that the client wants to hear of a resource. Says whether there was room for it.
    pub(super) fn watch(&self, uri: String) -> bool {
        let mut state = self.state();
        let has_room = state.watched.len() < MOST_WATCHED || state.watched.contains(&uri);
        if has_room {
            state.watched.insert(uri);
        }
        has_room
    }

    pub(super) fn unwatch(&self, uri: &str) {
        self.state().watched.remove(uri);
    }

    pub(super) fn watches(&self, uri: &str) -> bool {
        self.state().watched.contains(uri)
    }
}

impl Drop for ClientSession {
    /// Whose client is gone runs no longer.
    fn drop(&mut self) {
        self.session.cancellation().cancel();
    }
}

/// The sessions that clients without connections declare: by a key of theirs, or all as one.
#[derive(Default)]
pub(super) struct Declared(Mutex<HashMap<Option<String>, Kept>>);

struct Kept {
    session: Arc<ClientSession>,
    used: Instant,
}

impl Declared {
    /// Forgets all; calls that run in one keep it.
    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The session of a key, made where there is none. Those that were not used for an hour go, and of more than 1,000
    /// the one whose use is longest ago; calls that run in one keep it.
    pub(super) fn get(&self, key: Option<&str>, make: impl FnOnce() -> ClientSession) -> Arc<ClientSession> {
        let now = Instant::now();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = key.map(str::to_owned);
        if let Some(kept) = all.get_mut(&key) {
            kept.used = now;
            return kept.session.clone();
        }
        all.retain(|_, kept| now.duration_since(kept.used) < KEPT || Arc::strong_count(&kept.session) > 1);
        if all.len() >= MOST_DECLARED {
            let oldest = all.iter().min_by_key(|(_, kept)| kept.used).map(|(key, _)| key.clone());
            oldest.and_then(|key| all.remove(&key));
        }
        let session = Arc::new(make());
        all.insert(key, Kept { session: session.clone(), used: now });
        session
    }
}
