//! The end of a call, as those who watch are told of it.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc,
    },
};

use futures_util::FutureExt;
use tool_core::{
    Attachment,
    event::{CallEvent, CallKey, CallState, Change, MOST_WAITING_BYTES, Observer},
    prelude::*,
    testing::Bench,
};

/// Do nothing.
#[tool(read_only, register = false)]
fn leaf() -> String {
    "leaf".to_owned()
}

#[tokio::test]
async fn a_state_is_made_of_an_end_whose_beginning_was_left_out() {
    let events: Arc<Mutex<Vec<CallEvent>>> = Arc::default();
    let record = events.clone();
    let bench = Bench::builder()
        .tool(LeafTool)
        .with(|executor| executor.inline_observer(move |event: &CallEvent| record.lock().unwrap().push(event.clone())));
    let bench = bench.build();
    for (id, tool) in [("1", "leaf"), ("2", "nowhere"), ("1", "nowhere")] {
        bench.executor().call(bench.session(), ToolCall::new(id, tool, "{}")).await;
    }
    let mut states = HashMap::new();
    let mut state = |id| {
        let ends = events.lock().unwrap().clone();
        let ends: Vec<_> = ends.into_iter().filter(|event| event.call_id.as_str() == id).collect();
        let mut seen = Vec::new();
        for event in ends.iter().filter(|event| !matches!(event.change, Change::Pending { .. })) {
            CallState::follow(&mut states, event);
            seen.push(states.get(&CallKey::new("session", id)).cloned());
        }
        seen
    };
    let failed = state("2");
    assert!(matches!(&failed[..], [Some(CallState::Error { call, .. })] if call.name == "nowhere"), "{failed:?}");
    // That a call runs is no state without its call; the second of one id takes the place of the first.
    let both = state("1");
    assert!(matches!(&both[..], [None, Some(CallState::Completed { .. }), Some(CallState::Error { .. })]), "{both:?}");
}

#[tokio::test]
async fn who_is_told_of_an_end_may_use_the_id_again() {
    type Other = (Executor, Session);
    let other: Arc<Mutex<Option<Other>>> = Arc::default();
    let again: Arc<Mutex<Option<String>>> = Arc::default();
    let (take, put) = (other.clone(), again.clone());
    let bench = Bench::builder().tool(LeafTool).with(|executor| {
        executor.inline_observer(move |event: &CallEvent| {
            let ended = matches!(event.change, Change::Completed(_));
            let other = if ended { take.lock().unwrap().take() } else { None };
            if let Some((executor, session)) = other {
                let outcome = executor.call(&session, ToolCall::new("1", "leaf", "{}")).now_or_never();
                *put.lock().unwrap() = outcome.map(tool_core::Outcome::into_text);
            }
        })
    });
    let bench = bench.build();
    *other.lock().unwrap() = Some((bench.executor().clone(), bench.session().clone()));
    bench.executor().call(bench.session(), ToolCall::new("1", "leaf", "{}")).await;
    assert_eq!(again.lock().unwrap().as_deref(), Some("leaf"));
}

/// Give or fail with much beside the text.
#[tool(read_only, register = false)]
fn much(
    /// In what.
    of: String,
) -> Result<ToolOutput, ToolError> {
    let much = "x".repeat(MOST_WAITING_BYTES);
    let mut output = ToolOutput::text("little");
    match &*of {
        "attachments" => output.attachments.push(Attachment::base64("image/png", much)),
        "metadata" => drop(output.metadata.insert("much".to_owned(), much.into())),
        "structured" => output.structured = Some(Box::new(much.into())),
        "error" => return Err(ToolError::failed(much)),
        _ => {}
    }
    Ok(output)
}

/// Stuck until it is let go, and counts what it is not told of.
struct Stuck {
    gate: Mutex<mpsc::Receiver<()>>,
    taken: Arc<AtomicBool>,
    left_out: Arc<Mutex<u64>>,
}

impl Observer for Stuck {
    fn observe(&self, _: &CallEvent) {
        self.taken.store(true, SeqCst);
        let _ = self.gate.lock().expect("nobody panics").recv();
    }

    fn lagged(&self, events: u64) {
        *self.left_out.lock().expect("nobody panics") += events;
    }
}

#[tokio::test]
async fn all_that_an_end_holds_counts_among_what_waits() {
    for (of, expected) in [("nothing", 0), ("attachments", 2), ("metadata", 2), ("structured", 2), ("error", 2)] {
        let (taken, left_out) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(0)));
        let (release, gate) = mpsc::channel();
        let stuck = Stuck { gate: Mutex::new(gate), taken: taken.clone(), left_out: left_out.clone() };
        let registry = Registry::builder().add(LeafTool).add(MuchTool).build().expect("two tools");
        let executor = Executor::builder(registry).observer(stuck).build().expect("nothing is missing");
        let session = Session::new("/");
        // What the observer is at work on does not count: the rest waits.
        executor.call(&session, ToolCall::new("1", "leaf", "{}")).await;
        while !taken.load(SeqCst) {
            tokio::task::yield_now().await;
        }
        executor.call(&session, ToolCall::new("2", "much", format!(r#"{{"of":"{of}"}}"#))).await;
        executor.call(&session, ToolCall::new("3", "leaf", "{}")).await;
        drop(release);
        executor.flush().await;
        // That the third call has come, and that it runs.
        assert_eq!(*left_out.lock().expect("nobody panics"), expected, "{of}");
    }
}
