//! Sessions on record: written, read, answered from, and run again.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what is wrong by panicking")]

use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tool_core::{
    error::ErrorKind,
    event::CallEvent,
    permission::Reply,
    prelude::*,
    testing::{
        Bench, ManualClock, SharedBuffer,
        replay::{Recorder, Recording, RecordingError, Replay, Rerun},
    },
    tool::FnTool,
};

/// Write a file.
#[tool(register = false, permission = "edit", pattern = path)]
fn edit(path: &str) -> String {
    format!("wrote {path}")
}

/// Add two numbers.
#[tool(register = false)]
fn add(a: i64, b: i64) -> ToolOutput {
    ToolOutput::text((a + b).to_string()).title("sum").with("terms", 2)
}

/// Say how often this was called.
#[tool(register = false)]
fn count(#[inject] counter: &Counter) -> ToolOutput {
    let calls = counter.0.fetch_add(1, Ordering::SeqCst);
    ToolOutput::text(format!("line\nanother\n{calls}")).with("elapsed", calls)
}

/// Edit through another tool.
#[tool(register = false)]
async fn outer(path: String, ctx: &ToolContext) -> Result<String, ToolError> {
    let outcome = ctx.call_tool("edit", &json!({ "path": path }).to_string()).await;
    outcome.status().map(|bounded| format!("outer {}", bounded.output())).map_err(ToolError::clone)
}

#[derive(Clone, Default)]
struct Counter(Arc<AtomicU64>);

fn tools() -> Registry {
    Registry::builder().add(EditTool).add(AddTool).add(CountTool).add(OuterTool).build().unwrap()
}

fn script(ask: &tool_core::permission::Ask) -> Reply {
    match ask.request.patterns[0].as_str() {
        "a" => Reply::Once,
        "b" => Reply::Always,
        "c" => Reply::Reject { feedback: Some("not c".to_owned()) },
        _ => Reply::Unanswered { reason: "away".to_owned() },
    }
}

/// An approver from a function.
struct By(fn(&tool_core::permission::Ask) -> Reply);

#[tool_core::async_trait]
impl Approver for By {
    async fn approve(&self, ask: &tool_core::permission::Ask) -> Reply {
        (self.0)(ask)
    }
}

const CALLS: [(&str, &str); 10] = [
    ("add", r#"{"a":1,"b":2}"#),
    ("edit", r#"{"path":"a"}"#),
    ("edit", r#"{"path":"b"}"#),
    ("edit", r#"{"path":"b"}"#),
    ("edit", r#"{"path":"c"}"#),
    ("edit", r#"{"path":"d"}"#),
    ("count", "{}"),
    ("outer", r#"{"path":"a"}"#),
    ("add", r#"{"a":"x"}"#),
    ("nothing", "{}"),
];

/// Makes all of `CALLS` on record.
async fn record() -> (Vec<Outcome>, Vec<u8>) {
    let file = SharedBuffer::default();
    let recorder = Recorder::new(file.clone()).unwrap();
    let clock = ManualClock::default();
    let step = clock.clone();
    let executor = Executor::builder(tools())
        .approver(recorder.approvals(By(script)))
        .inline_observer(recorder.clone())
        .inline_observer(move |_: &CallEvent| step.advance(Duration::from_millis(5)))
        .state(Counter::default())
        .clock(clock)
        .build()
        .unwrap();
    let session = Session::builder("/").id("first").build();
    let mut outcomes = Vec::new();
    for (index, (tool, arguments)) in CALLS.into_iter().enumerate() {
        outcomes.push(executor.call(&session, ToolCall::new(format!("id{index}"), tool, arguments)).await);
    }
    recorder.finish().unwrap();
    (outcomes, file.contents())
}

use tool_core::Outcome;

#[tokio::test]
async fn calls_outcomes_answers_and_parents_are_on_record() {
    let (outcomes, bytes) = record().await;
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert_eq!(text.lines().next(), Some(r#"{"type":"recording","version":1}"#));
    let recording = Recording::read(bytes.as_slice()).unwrap();
    let made: Vec<_> = recording.calls().iter().filter(|call| call.parent.is_none()).collect();
    assert_eq!(made.len(), CALLS.len());
    for ((call, outcome), (tool, arguments)) in made.iter().zip(&outcomes).zip(CALLS) {
        assert_eq!(
            (call.call.name.as_ref(), call.call.arguments.as_str(), call.session.as_str()),
            (tool, arguments, "first")
        );
        let recorded = call.outcome.as_ref().unwrap();
        assert_eq!(json!(recorded), json!(outcome));
        // In milliseconds, and the clock here goes by five.
        assert_eq!(recorded.time(), outcome.time());
        assert_eq!(call.at, outcome.time().start);
    }
    let asks: Vec<_> = made.iter().map(|call| call.asks.len()).collect();
    assert_eq!(asks, [0, 1, 1, 0, 1, 1, 0, 0, 0, 0]);
    assert_eq!(made[4].asks[0].reply, Reply::Reject { feedback: Some("not c".to_owned()) });
    assert_eq!(made[2].asks[0].request.permission, "edit");
    let nested: Vec<_> = recording.calls().iter().filter(|call| call.parent.is_some()).collect();
    assert_eq!(nested.len(), 1);
    assert_eq!(nested[0].parent.as_ref().unwrap().as_str(), "id7");
    assert_eq!((nested[0].call.name.as_ref(), nested[0].asks.len()), ("edit", 1));
    assert_eq!(nested[0].outcome.as_ref().unwrap().output(), Some("wrote a"));
}

#[tokio::test]
async fn a_host_gets_the_recorded_answers_without_the_tools() {
    let (outcomes, bytes) = record().await;
    let recording = Recording::read(bytes.as_slice()).unwrap();
    let replay = Replay::new(&recording);
    let executor = replay.executor().unwrap();
    let session = Session::new("/");
    for (outcome, (tool, arguments)) in outcomes.iter().zip(CALLS) {
        let again = executor.call(&session, ToolCall::new("other", tool, format!(" {arguments} "))).await;
        assert_eq!(again.error().map(ToolError::kind), outcome.error().map(ToolError::kind));
        if outcome.error().is_none_or(|error| error.kind() != ErrorKind::UnknownTool) {
            assert_eq!(
                (again.text(), again.title(), again.metadata()),
                (outcome.text(), outcome.title(), outcome.metadata())
            );
        }
    }
    // The unknown tool is unknown to the executor itself, so its call is the one that is left.
    let left = replay.remaining();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].name, "nothing");
}

#[tokio::test]
async fn a_call_that_was_not_recorded_shows_the_nearest() {
    let (_, bytes) = record().await;
    let replay = Replay::new(&Recording::read(bytes.as_slice()).unwrap());
    let executor = Executor::builder(replay.registry_like(&tools())).build().unwrap();
    let registry = executor.registry();
    let spec = registry.get("add").unwrap().spec();
    assert_eq!(spec.input_schema, tools().get("add").unwrap().spec().input_schema);
    let call = |tool: &'static str, arguments: &'static str| {
        let (executor, call) = (executor.clone(), ToolCall::new("x", tool, arguments));
        async move { executor.call(&Session::new("/"), call).await }
    };
    let miss = call("add", r#"{"b":2,"a":7}"#).await;
    assert_eq!(miss.error().unwrap().kind(), ErrorKind::Fatal);
    assert!(miss.text().contains(r#"the nearest is add {"a":1,"b":2}"#), "{}", miss.text());
    assert!(miss.text().contains("/a: recorded 1, now 7") && !miss.text().contains("/b"), "{}", miss.text());

    assert_eq!(call("add", r#"{"b":2,"a":1}"#).await.output(), Some("3"));
    let once_more = call("add", r#"{"a":1,"b":2}"#).await.text();
    assert!(once_more.contains("recorded 1 times, and this is one more"), "{once_more}");
    assert_eq!(replay.misses().len(), 2);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| replay.assert_finished())).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.contains("not recorded: add") && text.contains("never called: count {}"), "{text}");
}

#[tokio::test]
async fn the_tools_still_do_what_they_did() {
    let (_, bytes) = record().await;
    let recording = Recording::read(bytes.as_slice()).unwrap();
    let executor = || Executor::builder(tools()).state(Counter::default());
    let report = Rerun::new(&recording).run(executor(), "/").await.unwrap();
    report.assert_same();
    assert_eq!(report.calls(), CALLS.len());

    let counted = Executor::builder(tools()).state(Counter(Arc::new(AtomicU64::new(9))));
    let report = Rerun::new(&recording).run(counted, "/").await.unwrap();
    let text = report.to_string();
    assert_eq!(report.changed().len(), 1, "{text}");
    assert!(text.contains("1 of 10 recorded calls end in something else\ncount {} (call id6)"), "{text}");
    assert!(text.contains("/output: differs from line 3 on\n    - 0\n    + 9"), "{text}");
    assert!(text.contains("/metadata/elapsed: recorded 0, now 9"), "{text}");
    let counted = Executor::builder(tools()).state(Counter(Arc::new(AtomicU64::new(9))));
    Rerun::new(&recording).ignore("/metadata/elapsed").ignore("/output").run(counted, "/").await.unwrap().assert_same();
}

#[tokio::test]
async fn a_tool_that_asks_for_something_else_is_told() {
    let (_, bytes) = record().await;
    let recording = Recording::read(bytes.as_slice()).unwrap();
    let other =
        FnTool::raw("edit", "Write.", json!({ "type": "object" }), |value: Value, ctx: ToolContext| async move {
            ctx.ask(PermissionRequest::new("write", [value["path"].as_str().unwrap_or_default()])).await?;
            Ok::<_, ToolError>("wrote".to_owned())
        });
    let tools = Registry::builder().add(other.unwrap()).add(AddTool).add(CountTool).add(OuterTool).build().unwrap();
    let report = Rerun::new(&recording).run(Executor::builder(tools).state(Counter::default()), "/").await.unwrap();
    let text = report.to_string();
    assert!(text.contains(r#"asked now, and not when it was recorded: write for ["a"]"#), "{text}");
    assert!(text.contains(r#"not asked any more: edit for ["a"]"#), "{text}");
}

#[tokio::test]
async fn secrets_are_taken_out_of_every_text() {
    let file = SharedBuffer::default();
    let recorder = Recorder::new(file.clone()).unwrap().redact(|text| *text = text.replace("s3cret", "***"));
    let executor = Executor::builder(tools())
        .approver(recorder.approvals(By(|_| Reply::Reject { feedback: Some("s3cret!".to_owned()) })))
        .inline_observer(recorder.clone())
        .state(Counter::default())
        .build()
        .unwrap();
    let session = Session::new("/");
    executor.call(&session, ToolCall::new("1", "edit", r#"{"path":"s3cret.txt"}"#)).await;
    executor.call(&session, ToolCall::new("2", "s3cret", r#"{"s3cret":"\"s3cret\""}"#)).await;
    recorder.finish().unwrap();
    let text = String::from_utf8(file.contents()).unwrap();
    assert!(text.contains("***.txt") && !text.contains("s3cret"), "{text}");
    assert_eq!(Recording::read(text.as_bytes()).unwrap().calls().len(), 2);
}

#[tokio::test]
async fn a_torn_last_line_is_left_out_and_taken_off() {
    let (_, bytes) = record().await;
    let whole = Recording::read(bytes.as_slice()).unwrap();
    for end in bytes.len() - 40..bytes.len() {
        let torn = Recording::read(&bytes[..end]).unwrap();
        assert_eq!(torn.calls().len(), whole.calls().len());
        assert!(torn.calls().last().unwrap().outcome.is_none());
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    std::fs::write(&path, &bytes[..bytes.len() - 10]).unwrap();
    for _ in 0..2 {
        let recorder = Recorder::append(&path).unwrap();
        let executor =
            Executor::builder(tools()).inline_observer(recorder.clone()).state(Counter::default()).build().unwrap();
        executor
            .call(&Session::builder("/").id("second").build(), ToolCall::new("id0", "add", r#"{"a":1,"b":1}"#))
            .await;
        recorder.finish().unwrap();
    }
    let recording = Recording::open(&path).unwrap();
    assert_eq!(recording.calls().len(), whole.calls().len() + 2);
    assert_eq!(recording.calls().last().unwrap().outcome.as_ref().unwrap().output(), Some("2"));
    // A file that has nothing but a torn first line is begun anew.
    std::fs::write(&path, "{\"type\":\"rec").unwrap();
    drop(Recorder::append(&path).unwrap());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"type\":\"recording\",\"version\":1}\n");
}

#[test]
fn what_is_no_recording_is_refused() {
    let read = |text: &str| Recording::read(text.as_bytes());
    let first = "{\"type\":\"recording\",\"version\":1}\n";
    for text in ["", "hello\n", "{\"type\":\"call\"}\n", "{}"] {
        assert!(matches!(read(text), Err(RecordingError::NoRecording(_))), "{text}");
    }
    let newer = read("{\"type\":\"recording\",\"version\":2}\n").unwrap_err();
    assert!(matches!(newer, RecordingError::Version(2)), "{newer}");
    assert!(matches!(read(&format!("{first}oops\n{first}")), Err(RecordingError::Line { line: 2, .. })));
    // Kinds of lines that are not known yet, and lines that were lost.
    let recording =
        read(&format!("{first}{{\"type\":\"later\",\"x\":1}}\n\n{{\"type\":\"lost\",\"events\":3}}\n")).unwrap();
    assert_eq!((recording.calls().len(), recording.lost()), (0, 3));
}

/// Takes the first line, and then nothing.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::Error::other("no space"));
        }
        self.0 -= 1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_recorder_that_cannot_write_breaks_no_call_and_says_so() {
    assert!(Recorder::new(Full(0)).is_err());
    let recorder = Recorder::new(Full(1)).unwrap();
    let observer = recorder.clone();
    let bench = Bench::builder().tool(AddTool).with(|executor| executor.inline_observer(observer)).build();
    assert_eq!(bench.call("add", r#"{"a":1,"b":2}"#).await.output(), Some("3"));
    assert_eq!(recorder.finish().unwrap_err().to_string(), "no space");
    assert!(recorder.finish().is_ok());
}
