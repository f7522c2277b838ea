//! Writes a session down while it runs.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use serde_json::Value;

use super::line::{Line, VERSION};
use crate::{
    event::{CallEvent, Change, Observer},
    permission::{Approver, Ask, Reply},
};

/// Writes what passes through an executor to a file or any other [`Write`]; see [`replay`](super) for an example.
///
/// It watches calls as an [`Observer`], and approvals as an [`Approver`] in front of the host's own
/// ([`approvals`](Self::approvals)). Each line is flushed. Cloning gives the same recorder. Where a line cannot be
/// written, calls go on, and [`finish`](Self::finish) says so.
#[derive(Clone)]
pub struct Recorder(Arc<Inner>);

struct Inner {
    writer: Mutex<Writer>,
    redact: Option<Box<Redact>>,
}

type Redact = dyn Fn(&mut String) + Send + Sync;

struct Writer {
    to: Box<dyn Write + Send>,
    fault: Option<io::Error>,
}

impl Recorder {
    /// Begins a recording.
    ///
    /// # Errors
    /// When its first line cannot be written.
    pub fn new(to: impl Write + Send + 'static) -> io::Result<Self> {
        let recorder = Self::over(Box::new(to));
        recorder.write(&Line::Recording { version: VERSION });
        recorder.finish()?;
        Ok(recorder)
    }

    /// Goes on with the recording in a file, or begins one there. A last line that was torn is taken off.
    ///
    /// # Errors
    /// When the file cannot be opened, read or written.
    pub fn append(path: impl AsRef<Path>) -> io::Result<Self> {
        let mut file = File::options().read(true).append(true).create(true).open(path)?;
        let end = whole(&mut file)?;
        if end == 0 {
            file.set_len(0)?;
            return Self::new(file);
        }
        file.set_len(end)?;
        Ok(Self::over(Box::new(file)))
    }

    fn over(to: Box<dyn Write + Send>) -> Self {
        let writer = Mutex::new(Writer { to, fault: None });
        Self(Arc::new(Inner { writer, redact: None }))
    }

    /// Changes every text before it is written, to take secrets out: arguments (which are one text of JSON), outputs,
    /// metadata, patterns. Ids, kinds and the names of members stay as they are.
    ///
    /// Given before the recorder is cloned. What is changed in arguments is not found again by [`Replay`](super::Replay)
    /// under the real ones.
    ///
    /// # Panics
    /// When the recorder is in use already: what it wrote so far was not redacted.
    #[must_use]
    pub fn redact(mut self, change: impl Fn(&mut String) + Send + Sync + 'static) -> Self {
        let Some(inner) = Arc::get_mut(&mut self.0) else {
            panic!("a recorder is told what to redact before it is cloned");
        };
        inner.redact = Some(Box::new(change));
        self
    }

    /// An approver that asks `approver`, and writes down what was asked and answered.
    pub fn approvals<A: Approver>(&self, approver: A) -> RecordedApprovals<A> {
        RecordedApprovals { recorder: self.clone(), approver }
    }

    /// Whether everything so far was written. Where the recorder was given as
    /// [`observer`](crate::executor::ExecutorBuilder::observer), wait for
    /// [`Executor::flush`](crate::Executor::flush) first.
    ///
    /// # Errors
    /// The first line that could not be written; told once.
    pub fn finish(&self) -> io::Result<()> {
        self.0.writer.lock().unwrap_or_else(PoisonError::into_inner).fault.take().map_or(Ok(()), Err)
    }

    fn write(&self, line: &Line) {
        let text = serde_json::to_value(line).map(|mut line| {
            if let Some(change) = &self.0.redact {
                redact(&mut line, &**change);
            }
            format!("{line}\n")
        });
        let mut writer = self.0.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // One write a line, so that two processes that append do not mix theirs.
        let written = text
            .map_err(io::Error::from)
            .and_then(|text| writer.to.write_all(text.as_bytes()))
            .and_then(|()| writer.to.flush());
        if let Err(fault) = written {
            writer.fault.get_or_insert(fault);
        }
    }
}

/// The length of the file up to its last line break, which is where the last whole line ends.
fn whole(file: &mut File) -> io::Result<u64> {
    const BLOCK: u64 = 8 * 1024;
    let mut end = file.metadata()?.len();
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        file.seek(SeekFrom::Start(start))?;
        let mut block = Vec::new();
        Read::by_ref(file).take(end - start).read_to_end(&mut block)?;
        if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + u64::try_from(at).unwrap_or_default() + 1);
        }
        end = start;
    }
    Ok(0)
}

/// What the format itself needs.
const STRUCTURE: [&str; 7] = ["type", "kind", "status", "session", "callId", "parent", "permission"];

fn redact(value: &mut Value, change: &Redact) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, change)),
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                if !STRUCTURE.contains(&name.as_str()) || !member.is_string() {
                    redact(member, change);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl Observer for Recorder {
    fn observe(&self, event: &CallEvent) {
        let (session, parent, at) = (event.session.to_string(), event.parent.clone(), event.at);
        match &event.change {
            Change::Pending { arguments } => {
                let (call_id, tool, arguments) = (event.call_id.clone(), event.tool.clone(), arguments.to_string());
                self.write(&Line::Call { session, call_id, parent, tool, arguments, at });
            }
            Change::Completed(outcome) | Change::Error(outcome) => {
                self.write(&Line::Outcome { session, parent, at, outcome: Box::new(outcome.as_ref().clone()) });
            }
            Change::Running | Change::Progress(_) => {}
        }
    }

    fn lagged(&self, events: u64) {
        self.write(&Line::Lost { events });
    }
}

/// An approver whose answers are recorded: [`Recorder::approvals`].
pub struct RecordedApprovals<A> {
    recorder: Recorder,
    approver: A,
}

#[async_trait]
impl<A: Approver> Approver for RecordedApprovals<A> {
    async fn approve(&self, ask: &Ask) -> Reply {
        let reply = self.approver.approve(ask).await;
        self.recorder.write(&Line::ask(ask, reply.clone()));
        reply
    }
}
