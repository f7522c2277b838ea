//! The line that the calls of one session stand in: parallel calls share, the others run alone, in the order in which
//! they came (codex-rs: one fair read-write lock a turn).
//!
//! A place is taken when a call comes and entered when it may run, so that an answer that one call waits for delays
//! only those that must come after it. A call that a tool makes goes before all that have not started; the call that
//! made it does not count as running meanwhile; when that one has ended it goes on at once, beside whatever runs then.
//!
//! Each step costs about the same however many stand in line: who waits is found without a look at who does not.
//!
//! No two calls in line have one id.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    hash::{BuildHasher, BuildHasherDefault, Hasher},
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use foldhash::quality::RandomState;

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
    /// Calls of the model.
    calls: Row,
    /// Calls that tools made.
    nested: Row,
    running: usize,
    /// With so many running, none of those that wait may enter.
    widest: usize,
}

/// Calls in the order in which they came.
#[derive(Default)]
struct Row {
    entries: VecDeque<Entry>,
    /// Those of them that run alone.
    alone: VecDeque<u64>,
    /// Those of them that wait to be woken.
    waiting: BTreeMap<u64, Waiting>,
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
    alone: bool,
    /// The calls that run alone among those whose tools made this one, directly or not.
    above: Vec<u64>,
    /// Once it has entered: how many calls of its own it waits for. It is running while there are none.
    children: Option<usize>,
}

struct Waiting {
    waker: Waker,
    /// It may enter when fewer than so many run.
    most: usize,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place behind all others; for a call that a tool makes, before all that have not entered. `None` where a
    /// call of this id stands in line.
    pub(crate) fn reserve(&self, call: &CallId, concurrency: Concurrency, parent: Option<Place>) -> Option<Place> {
        let digest = self.digests.hash_one(call.as_str());
        let mut line = self.lock();
        if !line.ids.insert(digest) {
            return None;
        }
        let place = Place { id: line.next, nested: parent.is_some() };
        line.next += 1;
        let above = parent.map_or_else(Vec::new, |parent| line.alone_from(parent));
        let row = line.row_mut(place);
        let alone = concurrency == Concurrency::Exclusive;
        row.entries.push_back(Entry { id: place.id, digest, alone, above, children: None });
        if alone {
            row.alone.push_back(place.id);
        }
        Some(place)
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
        let waiting = Waiting { waker: task.waker().clone(), most: most.max(1) };
        line.widest = line.widest.max(waiting.most);
        line.row_mut(place).waiting.insert(place.id, waiting);
        Poll::Pending
    }

    /// Gives the place up, at whatever stage.
    pub(crate) fn leave(&self, place: Place) {
        let mut line = self.lock();
        let Some(entry) = line.row_mut(place).remove(place.id) else { return };
        line.ids.remove(&entry.digest);
        line.running -= usize::from(entry.children == Some(0));
        line.wake();
    }

    /// The call at this place waits for one that it makes. `false` where it has not entered, or has left: then it does
    /// not count as running anyhow, and is not to be resumed.
    pub(crate) fn suspend(&self, place: Place) -> bool {
        let mut line = self.lock();
        let Some(children) = line.row_mut(place).children(place.id) else { return false };
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
        if let Some(children) = line.row_mut(place).children(place.id) {
            *children -= 1;
            line.running += usize::from(*children == 0);
        }
    }
}

impl Row {
    fn position(&self, id: u64) -> Option<usize> {
        match self.entries.front() {
            Some(first) if first.id == id => Some(0),
            _ => self.entries.binary_search_by_key(&id, |entry| entry.id).ok(),
        }
    }

    fn find(&self, id: u64) -> Option<&Entry> {
        self.entries.get(self.position(id)?)
    }

    /// Of a call that has entered.
    fn children(&mut self, id: u64) -> Option<&mut usize> {
        let at = self.position(id)?;
        self.entries.get_mut(at)?.children.as_mut()
    }

    fn remove(&mut self, id: u64) -> Option<Entry> {
        let entry = self.entries.remove(self.position(id)?)?;
        if entry.children.is_none() {
            self.waiting.remove(&id);
        }
        if entry.alone
            && let Ok(at) = self.alone.binary_search(&id)
        {
            self.alone.remove(at);
        }
        Some(entry)
    }
}

impl Line {
    fn row(&self, place: Place) -> &Row {
        if place.nested { &self.nested } else { &self.calls }
    }

    fn row_mut(&mut self, place: Place) -> &mut Row {
        if place.nested { &mut self.nested } else { &mut self.calls }
    }

    /// The calls that run alone from this one upwards.
    fn alone_from(&self, place: Place) -> Vec<u64> {
        let Some(entry) = self.row(place).find(place.id) else { return Vec::new() };
        entry.above.iter().copied().chain(entry.alone.then_some(entry.id)).collect()
    }

    /// A place that is not in line, or not any more, is always let in.
    fn try_enter(&mut self, place: Place, most: usize) -> bool {
        let Some(at) = self.row(place).position(place.id) else { return true };
        if self.running >= most.max(1) || !self.may_enter(place, &self.row(place).entries[at]) {
            return false;
        }
        let row = self.row_mut(place);
        row.entries[at].children = Some(0);
        if !row.waiting.is_empty() {
            row.waiting.remove(&place.id);
        }
        self.running += 1;
        true
    }

    fn may_enter(&self, place: Place, entry: &Entry) -> bool {
        match (place.nested, entry.alone) {
            (false, false) => {
                self.nested.alone.is_empty() && self.calls.alone.front().is_none_or(|first| *first > entry.id)
            }
            (false, true) => {
                let is_first = self.calls.entries.front().is_some_and(|first| first.id == entry.id);
                is_first && self.running == 0 && self.nested.entries.is_empty()
            }
            (true, alone) => (!alone || self.running == 0) && !self.is_blocked(entry),
        }
    }

    /// Whether a call that a tool or a hook made has to wait for one that runs alone and did not make it: one that has
    /// entered, or a nested one that stands before it. It does not wait for one that has not entered and itself waits
    /// for a call above this one.
    fn is_blocked(&self, entry: &Entry) -> bool {
        let first = self.calls.entries.front().filter(|first| first.alone && first.children.is_some());
        let nested = self.nested.alone.iter().filter(|id| **id != entry.id).filter_map(|id| self.nested.find(*id));
        first.into_iter().chain(nested).filter(|other| !entry.above.contains(&other.id)).any(|other| {
            let waits_for_it = || entry.above.iter().any(|above| !other.above.contains(above));
            other.children.is_some() || other.id < entry.id && !waits_for_it()
        })
    }

    /// Wakes those that may enter now. One that is woken and goes away instead wakes the next by leaving.
    fn wake(&mut self) {
        if self.nested.waiting.is_empty() && self.calls.waiting.is_empty() {
            self.widest = 0;
            return;
        }
        // Of the model's calls none may pass one that is to run alone.
        let last = self.calls.alone.front().copied().unwrap_or(u64::MAX);
        let calls = self.calls.waiting.range(..=last).map(|(id, waiting)| (Place { id: *id, nested: false }, waiting));
        let nested = self.nested.waiting.iter().map(|(id, waiting)| (Place { id: *id, nested: true }, waiting));
        let mut taken = self.running;
        for (place, waiting) in nested.chain(calls) {
            if taken >= self.widest || !place.nested && !self.nested.alone.is_empty() {
                break;
            }
            let may_enter = || self.row(place).find(place.id).is_some_and(|entry| self.may_enter(place, entry));
            if taken < waiting.most && may_enter() {
                waiting.waker.wake_by_ref();
                taken += 1;
            }
        }
    }
}
