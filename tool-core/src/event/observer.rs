//! Those who watch. They never steer: a slow one delays no call, and a panicking one breaks none.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{broadcast, oneshot};

use super::{CallEvent, Change};

/// Watches calls.
pub trait Observer: Send + Sync + 'static {
    /// Takes one step in.
    fn observe(&self, event: &CallEvent);

    /// So many events were left out, for there were too many waiting: progress first, transitions only after
    /// [`MOST_WAITING`] of them.
    fn lagged(&self, events: u64) {
        let _ = events;
    }
}

impl<F: Fn(&CallEvent) + Send + Sync + 'static> Observer for F {
    fn observe(&self, event: &CallEvent) {
        self(event);
    }
}

impl Observer for Arc<dyn Observer> {
    fn observe(&self, event: &CallEvent) {
        (**self).observe(event);
    }

    fn lagged(&self, events: u64) {
        (**self).lagged(events);
    }
}

/// How many events wait for one observer at most. From a quarter of it on, progress is left out.
pub const MOST_WAITING: usize = 65_536;

/// All who watch.
#[derive(Clone, Default)]
pub(crate) struct Observers {
    inline: Vec<Arc<dyn Observer>>,
    queues: Vec<Arc<Queue>>,
    channels: Vec<broadcast::Sender<Arc<CallEvent>>>,
}

impl Observers {
    pub(crate) fn inline(&mut self, observer: Arc<dyn Observer>) {
        self.inline.push(observer);
    }

    pub(crate) fn detached(&mut self, observer: Arc<dyn Observer>) {
        self.queues.push(Arc::new(Queue { observer, line: Arc::default() }));
    }

    pub(crate) fn channel(&mut self, sender: broadcast::Sender<Arc<CallEvent>>) {
        self.channels.push(sender);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.inline.is_empty() && self.queues.is_empty() && self.channels.is_empty()
    }

    pub(crate) fn tell(&self, event: CallEvent) {
        for observer in &self.inline {
            // The default hook has printed the panic; the call goes on.
            let _ = catch_unwind(AssertUnwindSafe(|| observer.observe(&event)));
        }
        if self.queues.is_empty() && self.channels.is_empty() {
            return;
        }
        let event = Arc::new(event);
        for queue in &self.queues {
            queue.push(Item::Event(event.clone()));
        }
        for channel in &self.channels {
            // Nobody may be listening just now.
            let _ = channel.send(event.clone());
        }
    }

    /// Waits until every observer has taken in what was told so far.
    pub(crate) async fn flush(&self) {
        for queue in &self.queues {
            let (done, wait) = oneshot::channel();
            queue.push(Item::Flush(done));
            // An observer whose thread could not be started has nothing to wait for.
            let _ = wait.await;
        }
    }
}

/// The events that wait for one observer, which takes them on a thread of its own.
struct Queue {
    observer: Arc<dyn Observer>,
    line: Arc<Line>,
}

#[derive(Default)]
struct Line {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    items: VecDeque<Item>,
    /// Whether a thread takes them.
    served: bool,
    closed: bool,
}

enum Item {
    Event(Arc<CallEvent>),
    LeftOut(u64),
    Flush(oneshot::Sender<()>),
}

impl Line {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn push(&self, item: Item) {
        let mut waiting = self.line.lock();
        let most = match &item {
            Item::Event(event) if matches!(event.change, Change::Progress(_)) => MOST_WAITING / 4,
            Item::Event(_) => MOST_WAITING,
            Item::LeftOut(_) | Item::Flush(_) => usize::MAX,
        };
        if waiting.items.len() >= most {
            match waiting.items.back_mut() {
                Some(Item::LeftOut(events)) => *events += 1,
                _ => waiting.items.push_back(Item::LeftOut(1)),
            }
            return;
        }
        if !waiting.served {
            let (observer, line) = (self.observer.clone(), self.line.clone());
            let thread = std::thread::Builder::new().name("tool-observer".to_owned());
            waiting.served = thread.spawn(move || serve(&*observer, &line)).is_ok();
            if !waiting.served {
                return;
            }
        }
        waiting.items.push_back(item);
        drop(waiting);
        self.line.changed.notify_one();
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.line.lock().closed = true;
        self.line.changed.notify_one();
    }
}

fn serve(observer: &dyn Observer, line: &Line) {
    loop {
        let items = {
            let idle = |waiting: &mut Waiting| waiting.items.is_empty() && !waiting.closed;
            let waited = line.changed.wait_while(line.lock(), idle);
            std::mem::take(&mut waited.unwrap_or_else(PoisonError::into_inner).items)
        };
        // Closed, and nothing left to tell.
        if items.is_empty() {
            return;
        }
        for item in items {
            let _ = catch_unwind(AssertUnwindSafe(|| match item {
                Item::Event(event) => observer.observe(&event),
                Item::LeftOut(events) => observer.lagged(events),
                Item::Flush(done) => drop(done.send(())),
            }));
        }
    }
}
