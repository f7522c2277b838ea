//! Those who watch: in order, never in the way; and the states that are made of what they see.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, mpsc},
};

use tool_core::{
    event::{CallEvent, CallKey, CallState, Change, MOST_WAITING, MOST_WAITING_BYTES, Observer, Progress},
    permission::Ruleset,
    prelude::*,
    testing::Bench,
};

/// Counts, and tells each number.
#[tool(register = false)]
async fn count(
    /// How far.
    to: u32,
    ctx: &ToolContext,
) -> ToolOutput {
    for number in 1..=to {
        ctx.progress(Progress::title(format!("at {number}")).with("number", number));
    }
    ToolOutput::text("done").title("Counted").with("to", to)
}

fn executor(observer: impl Observer) -> Executor {
    let registry = Registry::builder().add(CountTool).build().expect("one tool");
    let executor = Executor::builder(registry).rules(Ruleset::allow_all()).observer(observer);
    executor.build().expect("nothing is missing")
}

fn call(id: &'static str, to: u32) -> ToolCall {
    ToolCall::new(id, "count", format!(r#"{{"to":{to}}}"#))
}

#[tokio::test]
async fn an_observer_that_hangs_delays_no_call() {
    let (release, blocked) = mpsc::channel::<()>();
    let blocked = Mutex::new(blocked);
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let record = seen.clone();
    let executor = executor(move |event: &CallEvent| {
        if record.lock().unwrap().is_empty() {
            let _ = blocked.lock().unwrap().recv();
        }
        record.lock().unwrap().push(event.call_id.to_string());
    });
    let session = Session::new("/");
    for id in ["1", "2", "3"] {
        assert_eq!(executor.call(&session, call(id, 0)).await.output(), Some("done"));
    }
    assert!(seen.lock().unwrap().is_empty());
    drop(release);
    executor.flush().await;
    assert_eq!(*seen.lock().unwrap(), ["1", "1", "1", "2", "2", "2", "3", "3", "3"]);
}

#[tokio::test]
async fn an_observer_that_panics_is_told_the_rest() {
    let seen: Arc<Mutex<u32>> = Arc::default();
    let count = seen.clone();
    let executor = executor(move |event: &CallEvent| {
        *count.lock().unwrap() += 1;
        assert!(!matches!(event.change, Change::Running), "its own fault");
    });
    assert!(executor.call(&Session::new("/"), call("1", 2)).await.output().is_some());
    executor.flush().await;
    assert_eq!(*seen.lock().unwrap(), 5);
}

struct Counting {
    gate: Mutex<mpsc::Receiver<()>>,
    told: Arc<Mutex<(u64, u64, u64)>>,
}

impl Observer for Counting {
    fn observe(&self, event: &CallEvent) {
        if matches!(event.change, Change::Pending { .. }) {
            let _ = self.gate.lock().expect("nobody panics").recv();
        }
        let mut told = self.told.lock().expect("nobody panics");
        match event.change {
            Change::Progress(_) => told.0 += 1,
            _ => told.1 += 1,
        }
    }

    fn lagged(&self, events: u64) {
        self.told.lock().expect("nobody panics").2 += events;
    }
}

#[tokio::test]
async fn what_waits_for_a_stuck_observer_is_bounded_and_the_end_of_a_call_is_not_lost() {
    let told = Arc::new(Mutex::new((0, 0, 0)));
    let (release, gate) = mpsc::channel::<()>();
    let executor = executor(Counting { gate: Mutex::new(gate), told: told.clone() });
    let many = u32::try_from(MOST_WAITING).unwrap();
    assert!(executor.call(&Session::new("/"), call("1", many)).await.output().is_some());
    drop(release);
    executor.flush().await;
    let (progress, transitions, left_out) = *told.lock().unwrap();
    assert_eq!(transitions, 3);
    assert!(left_out > 0 && progress < u64::from(many));
    assert_eq!(progress + left_out, u64::from(many));
}

#[tokio::test]
async fn a_broadcast_reaches_all_who_subscribed() {
    let (sender, mut one) = tokio::sync::broadcast::channel(16);
    let mut other = sender.subscribe();
    let registry = Registry::builder().add(CountTool).build().unwrap();
    let executor = Executor::builder(registry).broadcast(sender).build().unwrap();
    executor.call(&Session::builder("/").id("mine").build(), call("1", 1)).await;
    for receiver in [&mut one, &mut other] {
        let mut changes = Vec::new();
        while let Ok(event) = receiver.try_recv() {
            assert_eq!((&*event.session, event.call_id.as_str()), ("mine", "1"));
            changes.push(event.change.clone());
        }
        assert!(matches!(
            changes.as_slice(),
            [Change::Pending { .. }, Change::Running, Change::Progress(_), Change::Completed(_)]
        ));
    }
}

/// The states that a call goes through, each as it is read back from JSON.
async fn states(bench: &Bench, arguments: &str) -> Vec<CallState> {
    let events: Arc<Mutex<Vec<CallEvent>>> = Arc::default();
    let record = events.clone();
    let executor = Executor::builder(bench.executor().tools().clone())
        .inline_observer(move |event: &CallEvent| record.lock().expect("nobody panics").push(event.clone()))
        .build()
        .expect("nothing is missing");
    executor.call(&Session::new("/"), ToolCall::new("call_9", "Count", arguments)).await;
    let mut states = HashMap::new();
    let events = events.lock().expect("nobody panics").clone();
    let follow = |event: &CallEvent| {
        CallState::follow(&mut states, event);
        let state = &states[&CallKey::new("session", "call_9")];
        let text = serde_json::to_string(state).expect("a state is JSON");
        let back: CallState = serde_json::from_str(&text).expect("what was written can be read");
        assert_eq!(serde_json::to_value(&back).expect("JSON"), serde_json::to_value(state).expect("JSON"));
        back
    };
    events.iter().map(follow).collect()
}

#[tokio::test]
async fn states_are_stored_and_read_back() {
    let bench = Bench::new(CountTool);
    let states = states(&bench, r#"{"to":2}"#).await;
    let [CallState::Pending { call, start, .. }, CallState::Running { .. }, .., CallState::Completed { outcome, .. }] =
        states.as_slice()
    else {
        panic!("{states:?}")
    };
    assert_eq!(call.arguments, r#"{"to":2}"#);
    assert_eq!((outcome.output(), outcome.title()), (Some("done"), "Counted"));
    assert_eq!(outcome.metadata()["to"], 2);
    assert!(outcome.time().start <= *start + std::time::Duration::from_millis(1) && outcome.time().end >= *start);
    let CallState::Running { title, metadata, .. } = &states[3] else { panic!("{:?}", states[3]) };
    assert_eq!((title.as_str(), &metadata["number"]), ("at 2", &serde_json::json!(2)));
}

#[tokio::test]
async fn an_error_is_read_back_with_its_kind_and_words() {
    let states = states(&Bench::new(CountTool), r#"{"to":"many"}"#).await;
    let [CallState::Pending { .. }, CallState::Error { outcome, .. }] = states.as_slice() else { panic!("{states:?}") };
    let error = outcome.error().unwrap();
    assert_eq!(error.kind(), tool_core::ErrorKind::InvalidArguments);
    assert!(error.to_string().contains("`many`") || error.to_string().contains("\"many\""), "{error}");
    assert!(outcome.metadata()["mistakes"].is_array());
}

#[tokio::test]
async fn a_call_left_open_by_a_host_that_died_is_ended_as_cancelled() {
    let bench = Bench::new(CountTool);
    let mut states = states(&bench, r#"{"to":1}"#).await;
    let now = std::time::SystemTime::now();
    for state in &mut states {
        let was_open = state.outcome().is_none();
        state.abort(now);
        let outcome = state.outcome().expect("it has ended");
        assert_eq!(outcome.error().map(tool_core::ToolError::kind).is_some(), was_open);
        assert_eq!(outcome.call_id().as_str(), "call_9");
    }
}

/// Tell so many megabytes.
#[tool(read_only, register = false)]
async fn flood(
    /// How many.
    megabytes: usize,
    ctx: &ToolContext,
) {
    for _ in 0..megabytes {
        ctx.progress(Progress::text("x".repeat(1 << 20)));
    }
}

#[tokio::test]
async fn large_events_wait_for_a_stuck_observer_in_bounded_memory() {
    #[derive(Default)]
    struct Told {
        bytes: usize,
        ends: usize,
        left_out: u64,
    }
    struct Stuck(Mutex<mpsc::Receiver<()>>, Arc<Mutex<Told>>);
    impl Observer for Stuck {
        fn observe(&self, event: &CallEvent) {
            let _ = self.0.lock().expect("nobody panics").recv();
            let mut told = self.1.lock().expect("nobody panics");
            match &event.change {
                Change::Progress(progress) => told.bytes += progress.text.len(),
                Change::Completed(_) => told.ends += 1,
                _ => {}
            }
        }

        fn lagged(&self, events: u64) {
            self.1.lock().expect("nobody panics").left_out += events;
        }
    }
    let told: Arc<Mutex<Told>> = Arc::default();
    let (release, gate) = mpsc::channel::<()>();
    let registry = Registry::builder().add(FloodTool).build().expect("one tool");
    let executor = Executor::builder(registry).observer(Stuck(Mutex::new(gate), told.clone()));
    let executor = executor.build().expect("nothing is missing");
    let session = Session::new("/");
    for id in ["1", "2"] {
        let call = ToolCall::new(id, "flood", r#"{"megabytes":100}"#);
        assert!(executor.call(&session, call).await.output().is_some());
    }
    drop(release);
    executor.flush().await;
    let told = told.lock().expect("nobody panics");
    // What the observer had taken when it got stuck, and what waited.
    assert!(told.bytes <= MOST_WAITING_BYTES / 2 && told.bytes >= 1 << 20, "{} bytes", told.bytes);
    assert_eq!((told.bytes >> 20) + usize::try_from(told.left_out).expect("few"), 200);
    assert_eq!(told.ends, 2);
}

#[tokio::test]
async fn calls_of_two_sessions_with_one_id_have_a_state_each() {
    let states: Arc<Mutex<HashMap<CallKey, CallState>>> = Arc::default();
    let seen = states.clone();
    let executor = executor(move |event: &CallEvent| CallState::follow(&mut seen.lock().unwrap(), event));
    let sessions = ["one", "other"].map(|id| Session::builder("/").id(id).build());
    tokio::join!(executor.call(&sessions[0], call("1", 1)), executor.call(&sessions[1], call("1", 2)));
    executor.flush().await;
    let states = states.lock().unwrap();
    for (session, to) in [("one", 1), ("other", 2)] {
        let outcome = states[&CallKey::new(session, "1")].outcome().expect("it has ended");
        assert_eq!(outcome.metadata()["to"], to);
    }
}

/// Count through another.
#[tool(read_only, register = false)]
async fn relay(ctx: &ToolContext) -> String {
    ctx.call_tool("count", r#"{"to":0}"#).await.into_text()
}

#[tokio::test]
async fn a_stored_state_names_the_call_that_made_it() {
    let states: Arc<Mutex<HashMap<CallKey, CallState>>> = Arc::default();
    let seen = states.clone();
    let stored: Arc<Mutex<Vec<CallState>>> = Arc::default();
    let store = stored.clone();
    let bench = Bench::builder().tool(CountTool).tool(RelayTool).with(|executor| {
        executor.rules(Ruleset::allow_all()).inline_observer(move |event: &CallEvent| {
            let mut states = seen.lock().unwrap();
            CallState::follow(&mut states, event);
            let text = serde_json::to_string(&states[&event.key()]).expect("a state is JSON");
            store.lock().unwrap().push(serde_json::from_str(&text).expect("what was written can be read"));
        })
    });
    bench.build().call("relay", "{}").await;
    let stored = stored.lock().unwrap();
    let (nested, outer): (Vec<_>, Vec<_>) = stored.iter().partition(|state| state.call().id.as_str() == "call_1/1");
    assert_eq!((nested.len(), outer.len()), (3, 3));
    assert!(nested.iter().all(|state| state.parent().is_some_and(|parent| parent.as_str() == "call_1")));
    assert!(outer.iter().all(|state| state.parent().is_none()));
}

/// Nothing, as JSON.
#[tool(read_only, register = false)]
fn nothing() -> Json<Option<u32>> {
    Json(None)
}

#[tokio::test]
async fn a_structured_null_is_not_nothing() {
    let outcome = Bench::new(NothingTool).call("nothing", "{}").await;
    let structured = |outcome: &tool_core::Outcome| outcome.status().expect("it completed").structured().cloned();
    assert_eq!(structured(&outcome), Some(serde_json::Value::Null));
    let text = serde_json::to_string(&outcome).expect("an outcome is JSON");
    let back: tool_core::Outcome = serde_json::from_str(&text).expect("what was written can be read");
    assert_eq!(structured(&back), Some(serde_json::Value::Null));
    let plain = Bench::new(CountTool).call("count", r#"{"to":0}"#).await;
    let text = serde_json::to_string(&plain).expect("an outcome is JSON");
    assert_eq!(structured(&serde_json::from_str(&text).expect("what was written can be read")), None);
}
