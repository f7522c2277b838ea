//! The line that the calls of one session stand in: parallel calls share, the others run alone, in the order in which
//! they came (codex-rs: one fair read-write lock a turn).
//!
//! A place is taken when a call comes and entered when it may run, so that an answer that one call waits for delays
//! only those that must come after it. A call that a tool makes goes before all that have not started; the call that
//! made it does not count as running meanwhile; when that one has ended it goes on at once, beside whatever runs then.
//!
//! No two calls in line have one id.

use std::{
    collections::{HashSet, VecDeque},
    hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use crate::{call::CallId, tool::Concurrency};

/// The line. One a session.
#[derive(Default)]
pub(crate) struct Queue {
    line: Mutex<Line>,
    /// What digests of ids are made with: a model cannot choose two ids of one digest.
    digests: RandomState,
}

/// A place in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    id: u64,
    /// Whether a tool made the call.
    nested: bool,
}

impl Place {
    /// Of a call that does not stand in line: nobody waits for it, and it for nobody.
    pub(crate) const NONE: Self = Self { id: u64::MAX, nested: false };
}

#[derive(Default)]
struct Line {
    next: u64,
    /// Digests of the ids of all that stand in line.
    ids: HashSet<u64, BuildHasherDefault<Digest>>,
    /// Calls of the model, in order.
    calls: VecDeque<Entry>,
    /// Those of them that run alone.
    alone: VecDeque<u64>,
    /// Calls that tools made, in order.
    nested: VecDeque<Entry>,
    /// How many of the model's calls have entered, running or not.
    entered: usize,
    running: usize,
    /// How many wait to be woken.
    waiting: usize,
}

/// A digest is its own hash.
#[derive(Default)]
struct Digest(u64);

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, digest: u64) {
        self.0 = digest;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

struct Entry {
    id: u64,
    /// Of the call's id.
    digest: u64,
    /// The place of the call whose tool made this one.
    parent: Option<Place>,
    alone: bool,
    stage: Stage,
}

enum Stage {
    Reserved,
    /// May enter when fewer than so many run.
    Waiting(Waker, usize),
    /// Running while it has no calls of its own.
    Entered {
        children: usize,
    },
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place behind all others; for a call that a tool makes, before all that have not entered. `None` where a
    /// call of this id stands in line.
    pub(crate) fn reserve(&self, call: &CallId, concurrency: Concurrency, parent: Option<Place>) -> Option<Place> {
        let nested = parent.is_some();
        let digest = self.digests.hash_one(call.as_str());
        let mut line = self.lock();
        if !line.ids.insert(digest) {
            return None;
        }
        let id = line.next;
        line.next += 1;
        let alone = concurrency == Concurrency::Exclusive;
        let entry = Entry { id, digest, parent, alone, stage: Stage::Reserved };
        if nested {
            line.nested.push_back(entry);
        } else {
            line.calls.push_back(entry);
            if alone {
                line.alone.push_back(id);
            }
        }
        Some(Place { id, nested })
    }

    /// Whether the call at this place, or one whose tool made it, runs alone.
    pub(crate) fn is_alone(&self, place: Place) -> bool {
        let line = self.lock();
        let entries =
            std::iter::successors(line.find(place), |entry| entry.parent.and_then(|parent| line.find(parent)));
        entries.into_iter().any(|entry| entry.alone)
    }

    /// Enters if that can be done at once, with at most `most` running.
    pub(crate) fn try_enter(&self, place: Place, most: usize) -> bool {
        self.lock().try_enter(place, most)
    }

    /// Enters when the call may run.
    pub(crate) async fn enter(&self, place: Place, most: usize) {
        std::future::poll_fn(|task| self.poll_enter(place, most, task)).await;
    }

    fn poll_enter(&self, place: Place, most: usize, task: &Context<'_>) -> Poll<()> {
        let mut line = self.lock();
        if line.try_enter(place, most) {
            return Poll::Ready(());
        }
        if let Some(entry) = line.entry(place) {
            let before = std::mem::replace(&mut entry.stage, Stage::Waiting(task.waker().clone(), most.max(1)));
            line.waiting += usize::from(matches!(before, Stage::Reserved));
        }
        Poll::Pending
    }

    /// Gives the place up, at whatever stage.
    pub(crate) fn leave(&self, place: Place) {
        let mut line = self.lock();
        let entries = if place.nested { &mut line.nested } else { &mut line.calls };
        let Some(entry) = position(entries, place.id).and_then(|at| entries.remove(at)) else { return };
        line.ids.remove(&entry.digest);
        match entry.stage {
            Stage::Reserved => {}
            Stage::Waiting(..) => line.waiting -= 1,
            Stage::Entered { children } => {
                line.running -= usize::from(children == 0);
                line.entered -= usize::from(!place.nested);
            }
        }
        if entry.alone && !place.nested {
            line.alone.retain(|id| *id != place.id);
        }
        line.wake();
    }

    /// The call at this place waits for one that it makes. `false` where it has not entered, or has left: then it does
    /// not count as running anyhow, and is not to be resumed.
    pub(crate) fn suspend(&self, place: Place) -> bool {
        let mut line = self.lock();
        let Some(Entry { stage: Stage::Entered { children }, .. }) = line.entry(place) else { return false };
        *children += 1;
        if *children == 1 {
            line.running -= 1;
            line.wake();
        }
        true
    }

    /// A call that it made, and was suspended for, has ended.
    pub(crate) fn resume(&self, place: Place) {
        let mut line = self.lock();
        if let Some(Entry { stage: Stage::Entered { children }, .. }) = line.entry(place) {
            *children -= 1;
            line.running += usize::from(*children == 0);
        }
    }
}

fn position(entries: &VecDeque<Entry>, id: u64) -> Option<usize> {
    match entries.front() {
        Some(first) if first.id == id => Some(0),
        _ => entries.binary_search_by_key(&id, |entry| entry.id).ok(),
    }
}

impl Line {
    fn entry(&mut self, place: Place) -> Option<&mut Entry> {
        let entries = if place.nested { &mut self.nested } else { &mut self.calls };
        position(entries, place.id).and_then(|at| entries.get_mut(at))
    }

    fn try_enter(&mut self, place: Place, most: usize) -> bool {
        let Some(alone) = self.entry(place).map(|entry| entry.alone) else { return true };
        if self.running >= most.max(1) || !self.may_enter(place, alone) {
            return false;
        }
        if let Some(entry) = self.entry(place) {
            let before = std::mem::replace(&mut entry.stage, Stage::Entered { children: 0 });
            self.waiting -= usize::from(matches!(before, Stage::Waiting(..)));
        }
        self.running += 1;
        self.entered += usize::from(!place.nested);
        true
    }

    fn may_enter(&self, place: Place, alone: bool) -> bool {
        match (place.nested, alone) {
            (false, false) => {
                self.alone.front().is_none_or(|first| *first > place.id) && !self.nested.iter().any(|entry| entry.alone)
            }
            (false, true) => {
                let is_first = self.calls.front().is_some_and(|entry| entry.id == place.id);
                is_first && self.entered == 0 && self.running == 0 && self.nested.is_empty()
            }
            (true, alone) => (!alone || self.running == 0) && !self.is_blocked(place),
        }
    }

    /// Whether a call that a tool made has to wait for another such call that runs alone: one that has entered, or that
    /// stands before it. Never for one that it was made by; and below a call that runs alone, for none that waits, for
    /// that one waits for it.
    fn is_blocked(&self, place: Place) -> bool {
        let mut ancestors = Vec::new();
        let mut is_below_alone = false;
        let mut next = self.find(place).and_then(|entry| entry.parent);
        while let Some(parent) = next {
            ancestors.push(parent.id);
            let entry = self.find(parent);
            is_below_alone |= entry.is_some_and(|entry| entry.alone);
            next = entry.and_then(|entry| entry.parent);
        }
        self.nested.iter().filter(|entry| entry.alone && entry.id != place.id).any(|entry| {
            let has_entered = matches!(entry.stage, Stage::Entered { .. });
            !ancestors.contains(&entry.id) && (has_entered || entry.id < place.id && !is_below_alone)
        })
    }

    fn find(&self, place: Place) -> Option<&Entry> {
        let entries = if place.nested { &self.nested } else { &self.calls };
        position(entries, place.id).and_then(|at| entries.get(at))
    }

    /// Wakes those that may run now. One that is woken and goes away instead wakes the next by leaving.
    fn wake(&self) {
        let (mut woken, mut left) = (0, self.waiting);
        // Nobody that the model called passes one that is to run alone; what tools called may, see `is_blocked`.
        let calls = self.calls.iter().scan(false, |is_closed, entry| {
            let shown = !*is_closed;
            *is_closed |= entry.alone && !matches!(entry.stage, Stage::Entered { .. });
            shown.then_some(entry)
        });
        for entry in self.nested.iter().chain(calls) {
            if left == 0 {
                break;
            }
            if let Stage::Waiting(waker, most) = &entry.stage {
                left -= 1;
                if self.running + woken < *most {
                    waker.wake_by_ref();
                    woken += usize::from(!entry.alone);
                }
            }
        }
    }
}
