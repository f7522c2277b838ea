//! Who is measured. Every subject takes the same JSON text and gives the same text back.

mod floor;
mod llm_tool;
mod ours;
mod rig;
mod rmcp;
mod tools_rs;

use std::{future::Future, pin::Pin};

use tokio::runtime::Runtime;

use crate::payload::Case;

/// Runs a number of calls and gives the last one's answer.
type Calls = Box<dyn Fn(usize) -> Pin<Box<dyn Future<Output = String>>>>;

/// One library at one kind of call.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) case: Case,
    calls: Calls,
}

impl Subject {
    /// `calls` makes the future of many calls, so that nothing of the measuring stands between them.
    fn new<F: Future<Output = String> + 'static>(
        name: &'static str,
        case: Case,
        calls: impl Fn(usize) -> F + 'static,
    ) -> Self {
        Self { name, case, calls: Box::new(move |count| Box::pin(calls(count))) }
    }

    /// `add/floor`.
    pub(crate) fn id(&self) -> String {
        format!("{}/{}", self.case, self.name)
    }

    /// Runs so many calls.
    pub(crate) fn run(&self, runtime: &Runtime, count: usize) -> String {
        runtime.block_on((self.calls)(count))
    }
}

/// Runs an asynchronous block so many times, and tells it the turn; the last answer is the result.
macro_rules! repeat {
    ($count:expr, $turn:ident, $call:expr) => {{
        let mut answer = String::new();
        for $turn in 0..$count {
            answer = std::hint::black_box($call);
        }
        answer
    }};
}
use repeat;

/// All, in the order of the table.
pub(crate) fn all(runtime: &Runtime) -> Vec<Subject> {
    let mut all = Vec::new();
    all.extend(floor::subjects());
    all.extend(ours::subjects());
    all.extend(tools_rs::subjects());
    all.extend(llm_tool::subjects());
    all.extend(rmcp::subjects(runtime));
    all.extend(rig::subjects());
    all
}
