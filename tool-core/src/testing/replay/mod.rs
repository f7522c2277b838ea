//! Sessions on record, and played back as fixtures of tests.
//!
//! [`Recorder`] writes what passes through an executor, one JSON object a line. [`Recording`] reads it again, and plays
//! it back both ways: [`Replay`] answers a host's calls without the tools, so that an agent loop is tested alone;
//! [`Rerun`] makes the recorded calls again with the real tools, and tells where they now end otherwise.
//!
//! ```
//! use tool_core::{prelude::*, testing::{SharedBuffer, replay::{Recorder, Recording, Replay, Rerun}}};
//!
//! /// Add two numbers.
//! #[tool(register = false)]
//! fn add(/** One. */ a: i64, /** Other. */ b: i64) -> String {
//!     (a + b).to_string()
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tools = Registry::builder().add(AddTool).build()?;
//! let session = Session::new("/");
//!
//! let file = SharedBuffer::default();
//! let recorder = Recorder::new(file.clone())?;
//! let executor = Executor::builder(tools.clone()).inline_observer(recorder.clone()).build()?;
//! executor.call(&session, ToolCall::new("1", "add", r#"{"a":2,"b":3}"#)).await;
//! recorder.finish()?;
//!
//! // The host's loop, without the tools: the same call gets the same answer.
//! let recording = Recording::read(file.contents().as_slice())?;
//! let replay = Replay::new(&recording);
//! let outcome = replay.executor()?.call(&session, ToolCall::new("x", "add", r#"{"b":3,"a":2}"#)).await;
//! assert_eq!(outcome.output(), Some("5"));
//!
//! // The tools, without the host: they still do what they did.
//! Rerun::new(&recording).run(Executor::builder(tools), "/").await?.assert_same();
//! # Ok(()) }
//! ```
//!
//! # The format
//! JSON Lines in UTF-8. The first line says what it is; times are Unix milliseconds.
//!
//! | `type` | members |
//! |---|---|
//! | `recording` | `version`: 1 |
//! | `call` | `session`, `callId`, `parent` (of a nested call), `tool`, `arguments` (JSON text), `at` |
//! | `ask` | `session` (not in the first recordings), `callId`, `tool`, `permission`, `patterns`, `always`, `metadata`, `reply`: `{"kind": "once" \| "always" \| "reject" \| "unanswered", "feedback", "reason"}` |
//! | `outcome` | `session`, `parent`, `at`, `outcome`: as [`Outcome`](crate::Outcome) is written |
//! | `lost` | `events`: so many were not recorded, for the recorder fell behind |
//!
//! A line of another `type` is left out by readers of this version; another `version` is refused. A last line without
//! its line break was torn when its writer ended, and is left out too.

mod differ;
mod line;
mod read;
mod record;
mod rerun;
mod stand_in;

pub use self::{
    read::{RecordedAsk, RecordedCall, Recording, RecordingError},
    record::{RecordedApprovals, Recorder},
    rerun::{Changed, Rerun, RerunReport},
    stand_in::Replay,
};
