//! Those who watch. They never steer: a slow one delays no call, and a panicking one breaks none.

use std::{
    collections::VecDeque,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use serde_json::{Map, Value};
use tokio::sync::{broadcast, oneshot};

use super::{CallEvent, Change};
use crate::{error::ToolError, output::ToolOutput};

/// Watches calls.
///
/// A call that has the id of another one that has not ended is not among them: it is not run, its outcome is
/// [`ToolError::RepeatedId`](crate::ToolError::RepeatedId), and no event tells of it, for who watches knows calls by their
/// ids and would take it for the other one.
pub trait Observer: Send + Sync + 'static {
    /// Takes one step in.
    fn observe(&self, event: &CallEvent);

    /// So many events were left out, for there were too many waiting, or too large ones: progress first, then that a call
    /// has come or runs. How a call has ended is never left out. See [`MOST_WAITING`] and [`MOST_WAITING_BYTES`].
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

/// How many events may wait for one observer. From a quarter of it on, progress is left out; from all of it on, everything
/// but how calls end.
pub const MOST_WAITING: usize = 65_536;

/// How large the events may be together that wait for one observer, in bytes: their texts, attachments, metadata and other
/// values, whatever the room they take beside. Beyond a quarter of it, progress is left out; beyond all of it, everything but how calls end. What an
/// observer is at work on does not count.
pub const MOST_WAITING_BYTES: usize = 64 * 1024 * 1024;

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
    /// How large the events among them are together.
    bytes: usize,
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
        // How much of the room it may not enter, where it may be left out.
        let (share, size) = match &item {
            Item::Event(event) if event.change.is_end() => (None, size(&event.change)),
            Item::Event(event) if matches!(event.change, Change::Progress(_)) => (Some(4), size(&event.change)),
            Item::Event(event) => (Some(1), size(&event.change)),
            Item::LeftOut(_) | Item::Flush(_) => (None, 0),
        };
        let is_full = |share| {
            waiting.items.len() >= MOST_WAITING / share
                || waiting.bytes.saturating_add(size) > MOST_WAITING_BYTES / share
        };
        // Who waits for nothing takes an event of any size.
        if !waiting.items.is_empty() && share.is_some_and(is_full) {
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
        waiting.bytes = waiting.bytes.saturating_add(size);
        drop(waiting);
        self.line.changed.notify_one();
    }
}

/// How many bytes an event's own texts take.
fn size(change: &Change) -> usize {
    match change {
        Change::Pending { arguments } => arguments.len(),
        Change::Running => 0,
        Change::Progress(progress) => {
            let title = progress.title.as_ref().map_or(0, String::len);
            progress.text.len() + title + size_of_members(&progress.metadata)
        }
        Change::Completed(outcome) | Change::Error(outcome) => match outcome.status() {
            Ok(bounded) => size_of_output(bounded.whole()),
            Err(error) => size_of_error(error),
        },
    }
}

fn size_of_output(output: &ToolOutput) -> usize {
    let attachments = output.attachments.iter().map(|attachment| {
        attachment.mime.len() + attachment.url.len() + attachment.filename.as_ref().map_or(0, String::len)
    });
    let structured = output.structured.as_deref().map_or(0, size_of_value);
    let beside = attachments.sum::<usize>() + size_of_members(&output.metadata) + structured;
    output.output.len() + output.title.len() + beside
}

/// As much as its words take, and what is kept of one that was stored.
fn size_of_error(error: &ToolError) -> usize {
    struct Length(usize);
    impl fmt::Write for Length {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }
    let mut length = Length(0);
    // Counting never fails.
    let _ = fmt::Write::write_fmt(&mut length, format_args!("{error}"));
    let stored = match error {
        ToolError::Recorded(recorded) => size_of_members(&recorded.metadata),
        _ => 0,
    };
    length.0 + stored
}

fn size_of_members(members: &Map<String, Value>) -> usize {
    members.iter().map(|(name, value)| name.len() + size_of_value(value)).sum()
}

fn size_of_value(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| size_of::<Value>() + size_of_value(item)).sum(),
        Value::Object(members) => size_of_members(members),
        Value::Null | Value::Bool(_) | Value::Number(_) => size_of::<Value>(),
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
            let mut waiting = waited.unwrap_or_else(PoisonError::into_inner);
            waiting.bytes = 0;
            std::mem::take(&mut waiting.items)
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
