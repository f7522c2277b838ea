//! The commands of a conversation that go on.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::time::Instant;

use crate::{process::Live, workspace::Place};

/// So many may be open (codex-rs).
const MOST: usize = 64;
/// So many of those that were used last are not ended for room (codex-rs).
const PROTECTED: usize = 8;
/// Numbers begin here and end before 100000 (codex-rs).
const FIRST: i32 = 1000;
const NUMBERS: i32 = 99_000;
/// Of a command, so many characters are shown where it is only named.
const SHOWN: usize = 60;

/// A command that may go on.
pub(super) struct Session {
    pub(super) command: String,
    pub(super) place: Place,
    pub(super) started: Instant,
    pub(super) live: Live,
}

impl Session {
    pub(super) fn new(command: &str, place: Place, live: Live) -> Self {
        Self { command: command.to_owned(), place, started: Instant::now(), live }
    }

    /// The command in few words.
    pub(super) fn label(&self) -> String {
        let line = self.command.lines().next().unwrap_or_default();
        match line.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None if line.len() < self.command.len() => format!("{line}…"),
            None => line.to_owned(),
        }
    }
}

/// Those of one conversation, in the order of their last use. Dropping it kills all.
#[derive(Default)]
pub(super) struct Sessions(Mutex<Vec<(i32, Arc<Session>)>>);

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, Vec<(i32, Arc<Session>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one in, under a number of its own. Says which was ended to make room, if one was.
    pub(super) fn add(&self, session: Arc<Session>) -> (i32, Option<String>) {
        let mut open = self.lock();
        let random = RandomState::new();
        let id = (0_u64..)
            .map(|attempt| FIRST + i32::try_from(random.hash_one(attempt) % NUMBERS.unsigned_abs() as u64).unwrap_or(0))
            .find(|id| open.iter().all(|(taken, _)| taken != id))
            .unwrap_or(FIRST);
        let ended = (open.len() >= MOST).then(|| {
            let old = &open[..open.len() - PROTECTED];
            // One that has ended has only its last words to lose.
            let at = old.iter().position(|(_, session)| session.live.end().is_some()).unwrap_or(0);
            open.remove(at)
        });
        open.push((id, session));
        drop(open);
        let told = ended.map(|(id, session)| {
            let label = session.label();
            match session.live.end() {
                Some(_) => format!("session {id} (`{label}`) had ended and was forgotten: at most {MOST} are kept"),
                None => {
                    session.live.kill();
                    format!("session {id} (`{label}`) was ended to make room: at most {MOST} may be open")
                }
            }
        });
        (id, told)
    }

    /// The one of this number, which is the last used from now on.
    pub(super) fn get(&self, id: i32) -> Option<Arc<Session>> {
        let mut open = self.lock();
        let at = open.iter().position(|(open, _)| *open == id)?;
        let found = open.remove(at);
        let session = found.1.clone();
        open.push(found);
        Some(session)
    }

    /// Forgets one.
    pub(super) fn remove(&self, id: i32) {
        self.lock().retain(|(open, _)| *open != id);
    }

    /// All, the last used first.
    pub(super) fn all(&self) -> Vec<(i32, Arc<Session>)> {
        self.lock().iter().rev().cloned().collect()
    }
}
