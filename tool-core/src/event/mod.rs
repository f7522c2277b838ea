//! What becomes of a call, told to those who watch. Observers never steer, and a panicking one breaks nothing.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::SystemTime,
};

use crate::{
    call::CallId,
    error::{ErrorKind, ToolError},
    output::Metadata,
};

/// Tells the time. Hosts and tests can give their own.
pub trait Clock: Send + Sync + 'static {
    /// The present.
    fn now(&self) -> SystemTime;
}

/// The machine's clock, read exactly.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// The machine's clock as of its last tick: 1 to 10 ms ago on Linux, exact elsewhere. The default, for it costs an
/// eighth of an exact reading, and there are two a call.
#[derive(Debug, Clone, Copy, Default)]
pub struct TickClock;

impl Clock for TickClock {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn now(&self) -> SystemTime {
        let tick = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
        match (u64::try_from(tick.tv_sec), u32::try_from(tick.tv_nsec)) {
            (Ok(seconds), Ok(nanoseconds)) => SystemTime::UNIX_EPOCH + std::time::Duration::new(seconds, nanoseconds),
            _ => SystemTime::now(),
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// One step in the life of a call: `pending`, then `running`, then `completed` or `error` (opencode's states).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CallEvent {
    /// The call.
    pub call_id: CallId,
    /// The tool's name; as the model wrote it, where there is no such tool.
    pub tool: String,
    /// When.
    pub at: SystemTime,
    /// What changed.
    pub change: Change,
}

/// What changed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// The call has come, and is being checked.
    Pending,
    /// The tool has started.
    Running,
    /// The tool says how far it is.
    Progress(Progress),
    /// The tool is done.
    Completed {
        /// The final title.
        title: String,
    },
    /// The call failed.
    Error {
        /// How.
        kind: ErrorKind,
        /// What the model is told.
        message: String,
    },
}

impl From<&ToolError> for Change {
    fn from(error: &ToolError) -> Self {
        Self::Error { kind: error.kind(), message: error.to_string() }
    }
}

/// How far a call is.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// A new title.
    pub title: Option<String>,
    /// New facts for people and user interfaces.
    pub metadata: Metadata,
    /// Output that has come since the last report.
    pub text: String,
}

impl Progress {
    /// More output.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A new title.
    #[must_use]
    pub fn title(title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..Self::default() }
    }

    /// The same with one more fact. What cannot be JSON becomes `null`.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl serde::Serialize) -> Self {
        self.metadata.insert(key.into(), serde_json::to_value(value).unwrap_or_default());
        self
    }
}

impl<T: Into<String>> From<T> for Progress {
    fn from(title: T) -> Self {
        Self::title(title)
    }
}

/// Watches calls. It is called where the call runs, so it should return at once; send on what takes time.
pub trait Observer: Send + Sync + 'static {
    /// Takes one step in.
    fn observe(&self, event: &CallEvent);
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
}

/// All who watch.
#[derive(Clone, Default)]
pub(crate) struct Observers(Vec<Arc<dyn Observer>>);

impl Observers {
    pub(crate) fn push(&mut self, observer: Arc<dyn Observer>) {
        self.0.push(observer);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn tell(&self, call_id: &CallId, tool: &str, at: SystemTime, change: Change) {
        let event = CallEvent { call_id: call_id.clone(), tool: tool.to_owned(), at, change };
        for observer in &self.0 {
            // The default hook has printed the panic; the call goes on.
            let _ = catch_unwind(AssertUnwindSafe(|| observer.observe(&event)));
        }
    }
}
