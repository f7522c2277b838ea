//! The stages of a call: who may, what stops it, and how it ends.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use serde_json::json;
use tool_core::{
    error::ErrorKind,
    event::{Change, Clock, Progress},
    permission::Reply,
    prelude::*,
    testing::Bench,
    tool::FnTool,
};

/// Write a file.
#[tool(register = false, permission = "edit", pattern = path)]
fn edit(path: &str) -> String {
    format!("wrote {path}")
}

/// Waits.
#[tool(register = false, timeout = "50ms")]
async fn wait(milliseconds: u64) -> String {
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    "waited".to_owned()
}

/// Panics.
#[tool(register = false)]
fn explode(softly: bool) -> Result<(), String> {
    if softly { Err("soft".to_owned()) } else { panic!("secret: {}", 42) }
}

/// Panics after waiting.
#[tool(register = false)]
async fn explode_later() {
    tokio::task::yield_now().await;
    panic!("after waiting");
}

/// Blocks its thread.
#[tool(register = false, blocking)]
fn block(name: &str, ctx: &ToolContext) -> Result<String, ToolError> {
    if name == "panic" {
        panic!("on the pool");
    }
    Ok(format!("{name} {:?}", ctx.cwd()))
}

/// Runs until it is cancelled.
#[tool(register = false)]
async fn endless(gives: bool, token: &CancellationToken, dropped: &Dropped) -> String {
    let _guard = Guard(dropped.0.clone());
    if gives {
        token.cancelled().await;
        return "so far".to_owned();
    }
    std::future::pending().await
}

#[derive(Clone, Default)]
struct Dropped(Arc<AtomicBool>);

struct Guard(Arc<AtomicBool>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn kind(outcome: &tool_core::Outcome) -> Option<ErrorKind> {
    outcome.error().map(ToolError::kind)
}

#[tokio::test]
async fn panics_are_caught_and_told_without_internals() {
    let bench = Bench::builder().tool(ExplodeTool).tool(ExplodeLaterTool).tool(BlockTool).build();
    for (tool, arguments, message) in [
        ("explode", r#"{"softly":false}"#, "secret: 42"),
        ("explode_later", "{}", "after waiting"),
        ("block", r#"{"name":"panic"}"#, "on the pool"),
    ] {
        let outcome = bench.call(tool, arguments).await;
        assert_eq!(kind(&outcome), Some(ErrorKind::Panicked), "{tool}");
        assert_eq!(outcome.error().and_then(ToolError::panic_message), Some(message));
        assert!(!outcome.text().contains(message), "{}", outcome.text());
    }
    assert_eq!(bench.call("explode", r#"{"softly":true}"#).await.text(), "soft");
    assert_eq!(bench.call("block", r#"{"name":"x"}"#).await.output(), Some("x \"/\""));
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_stopped() {
    let bench = Bench::new(WaitTool);
    assert_eq!(bench.call("wait", r#"{"milliseconds":0}"#).await.output(), Some("waited"));
    let outcome = bench.call("wait", r#"{"milliseconds":60000}"#).await;
    assert_eq!(kind(&outcome), Some(ErrorKind::TimedOut));
    assert!(outcome.text().contains("stopped after 50ms"), "{}", outcome.text());
}

#[tokio::test]
async fn cancelling_ends_a_call_and_keeps_what_it_gives() {
    for (gives, output) in [(true, Some("so far")), (false, None)] {
        let dropped = Dropped::default();
        let bench = Bench::builder().tool(EndlessTool).state(dropped.clone()).build();
        let arguments = json!({ "gives": gives }).to_string();
        let token = bench.session().cancellation().clone();
        let (outcome, ()) = tokio::join!(bench.call("endless", &arguments), async {
            tokio::task::yield_now().await;
            token.cancel();
        });
        assert_eq!(outcome.output(), output);
        assert!(dropped.0.load(Ordering::SeqCst));
        // A cancelled session starts nothing more.
        assert_eq!(kind(&bench.call("endless", &arguments).await), Some(ErrorKind::Cancelled));
    }
}

#[tokio::test]
async fn one_turn_can_be_cancelled_alone() {
    let dropped = Dropped::default();
    let bench = Bench::builder().tool(EndlessTool).state(dropped.clone()).build();
    let turn = bench.session().cancellation().child_token();
    let call = ToolCall::new("1", "endless", r#"{"gives":true}"#);
    let (outcome, ()) = tokio::join!(bench.executor().call_until(bench.session(), call, turn.clone()), async {
        tokio::task::yield_now().await;
        turn.cancel();
    });
    assert_eq!(outcome.output(), Some("so far"));
    assert!(!bench.session().cancellation().is_cancelled());
}

#[tokio::test]
async fn names_are_mended_when_one_tool_alone_can_be_meant() {
    let bench = Bench::builder().tool(ExplodeLaterTool).tool(WaitTool).build();
    for (name, arguments) in
        [("Wait", r#"{"milliseconds":0}"#), ("WAIT", r#"{"milliseconds":1}"#), ("wait_", "{\"milliseconds\":2}")]
    {
        let outcome = bench.call(name, arguments).await;
        assert_eq!((outcome.tool(), outcome.output()), ("wait", Some("waited")), "{name}");
        assert_eq!(outcome.metadata()["requestedTool"], *name);
    }
    assert_eq!(bench.call("ExplodeLater", "{}").await.tool(), "explode_later");
    let unknown = bench.call("wiat", "{}").await;
    assert_eq!(kind(&unknown), Some(ErrorKind::UnknownTool));
    assert_eq!(unknown.tool(), "wiat");
    assert_eq!(
        unknown.text(),
        "There is no tool named `wiat`. Did you mean `wait`? Available tools: explode_later, wait."
    );
    assert_eq!(kind(&bench.call("", "{}").await), Some(ErrorKind::UnknownTool));
}

#[tokio::test]
async fn a_missing_state_is_found_when_the_executor_is_built() {
    let registry = Registry::builder().add(EndlessTool).add(WaitTool).build().unwrap();
    let error = Executor::builder(registry).build().err().unwrap();
    assert_eq!(error.faults().len(), 1);
    assert!(error.to_string().contains("tool `endless` takes a `&executor::Dropped`"), "{error}");
}

/// A pattern that is none.
#[tool(register = false)]
fn bad_pattern(#[arg(pattern("["))] text: String) -> String {
    text
}

#[test]
fn a_schema_that_cannot_be_used_is_found_when_the_executor_is_built() {
    let registry = Registry::builder().add(BadPatternTool).build().unwrap();
    let error = Executor::builder(registry).build().err().unwrap();
    assert!(error.to_string().contains("tool `bad_pattern` has a schema that cannot be used"), "{error}");
}

/// The kind of the error that the last event tells of.
fn last_error(bench: &Bench) -> Option<ErrorKind> {
    match bench.changes().pop() {
        Some(Change::Error(outcome)) => outcome.error().map(tool_core::ToolError::kind),
        _ => None,
    }
}

#[tokio::test]
async fn every_transition_is_one_event() {
    /// Tells how far it is.
    #[tool(register = false)]
    async fn report(ctx: &ToolContext) -> ToolOutput {
        ctx.progress("half");
        ctx.progress(Progress::text("line\n").with("percent", 50));
        ToolOutput::text("done").title("Report")
    }
    let bench = Bench::builder().tool(ReportTool).with(|e| e.observer(|_: &_| panic!("an observer's own"))).build();
    assert_eq!(bench.call("report", "{}").await.output(), Some("done"));
    let changes = bench.changes();
    assert_eq!(changes.len(), 5, "{changes:?}");
    assert!(
        matches!(&changes[0], Change::Pending { arguments } if &**arguments == "{}")
            && matches!(changes[1], Change::Running)
    );
    assert!(matches!(&changes[2], Change::Progress(progress) if progress.title.as_deref() == Some("half")));
    assert!(
        matches!(&changes[3], Change::Progress(progress) if progress.text == "line\n" && progress.metadata["percent"] == 50)
    );
    assert!(matches!(&changes[4], Change::Completed(outcome) if outcome.title() == "Report"));
    bench.call("report", r#"{"x":1}"#).await;
    assert_eq!(last_error(&bench), Some(ErrorKind::InvalidArguments));
}

#[tokio::test]
async fn an_outcome_serialises_as_the_contract_says() {
    struct Fixed;
    impl Clock for Fixed {
        fn now(&self) -> SystemTime {
            SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_000)
        }
    }
    let bench = Bench::builder().tool(ExplodeTool).tool(WaitTool).with(|executor| executor.clock(Fixed)).build();
    let time = json!({ "start": 1_700_000_000_000_u64, "end": 1_700_000_000_000_u64 });
    assert_eq!(
        serde_json::to_value(bench.call("wait", r#"{"milliseconds":0}"#).await).unwrap(),
        json!({
            "callId": "call_1", "tool": "wait", "status": "completed", "title": "", "output": "waited",
            "metadata": { "truncated": false }, "attachments": [], "time": time,
        })
    );
    assert_eq!(
        serde_json::to_value(bench.call("explode", r#"{"softly":true}"#).await).unwrap(),
        json!({
            "callId": "call_2", "tool": "explode", "status": "error", "error": { "kind": "failed", "message": "soft" },
            "metadata": {}, "time": time,
        })
    );
}

#[tokio::test]
async fn closures_are_tools_too() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = calls.clone();
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Add {
        a: i64,
        b: Option<i64>,
    }
    let add = FnTool::new("add", "Add.", move |args: Add, ctx: ToolContext| {
        counter.fetch_add(1, Ordering::SeqCst);
        async move { format!("{} {}", args.a + args.b.unwrap_or_default(), ctx.tool()) }
    });
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer", "maximum": 3 } } });
    let raw = FnTool::raw("raw", "Raw.", schema, |value, _| async move { Err::<String, _>(value.to_string()) });
    let bench = Bench::builder().tool(add.unwrap()).tool(raw.unwrap()).build();
    assert_eq!(bench.call("add", r#"{"a":"2","b":3}"#).await.output(), Some("5 add"));
    assert_eq!(bench.call("raw", r#"{"n":"2","more":true}"#).await.text(), r#"{"n":2,"more":true}"#);
    assert!(bench.call("raw", r#"{"n":4}"#).await.text().contains("/n: expected an integer of at most 3, got 4"));
    assert_eq!(kind(&bench.call("add", "{}").await), Some(ErrorKind::InvalidArguments));
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    assert!(FnTool::new("not a name", "", |_: Add, _| async {}).is_err());
}

#[tokio::test]
async fn a_tool_has_its_own_limits() {
    /// Counts.
    #[tool(register = false, truncate(lines = 2, keep = tail))]
    fn count() -> String {
        "1\n2\n3\n4\n".to_owned()
    }
    /// All of it.
    #[tool(register = false, truncate = none)]
    fn everything() -> String {
        "x\n".repeat(5_000)
    }
    let bench = Bench::builder().tool(CountTool).tool(EverythingTool).build();
    let counted = bench.call("count", "").await;
    assert!(counted.text().ends_with("\n\n3\n4\n"), "{}", counted.text());
    assert_eq!(counted.metadata()["truncated"], true);
    assert_eq!(bench.call("everything", "").await.text().len(), 10_000);
}

#[tokio::test]
async fn the_executor_limits_time_too_and_the_shorter_limit_holds() {
    let short = Duration::from_millis(20);
    let bench = Bench::builder().tool(WaitTool).with(move |executor| executor.timeout(short)).build();
    assert!(bench.call("wait", r#"{"milliseconds":60000}"#).await.text().contains("stopped after 20ms"));
    let long = Duration::from_secs(60);
    let bench = Bench::builder().tool(WaitTool).with(move |executor| executor.timeout(long)).build();
    assert!(bench.call("wait", r#"{"milliseconds":60000}"#).await.text().contains("stopped after 50ms"));
}

#[tokio::test]
async fn a_name_that_no_tool_has_is_told_to_observers_as_it_came() {
    let names = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = names.clone();
    let observer = move |event: &tool_core::event::CallEvent| seen.lock().unwrap().push(event.tool.clone());
    let bench = Bench::builder().tool(WaitTool).with(|executor| executor.inline_observer(observer)).build();
    bench.call("no such tool", "{}").await;
    assert_eq!(*names.lock().unwrap(), ["no such tool", "no such tool"]);
}

/// A default that breaks its own bounds.
#[tool(register = false)]
fn bad_default(#[arg(default = 50, range(1..=14))] days: u8) -> String {
    days.to_string()
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct BadNested {
    #[schemars(regex(pattern = "("))]
    word: String,
}

/// A pattern in a nested type that is none.
#[tool(register = false)]
fn bad_nested(nested: BadNested) -> String {
    nested.word
}

/// A bound that JSON cannot hold.
#[tool(register = false)]
fn bad_bound(#[arg(range(0..=u128::MAX))] n: u128) -> String {
    n.to_string()
}

#[test]
fn all_that_is_wrong_with_schemas_is_told_when_the_executor_is_built() {
    let tools = Registry::builder().add(BadDefaultTool).add(BadNestedTool).add(BadBoundTool);
    let error = Executor::builder(tools.build().unwrap()).build().err().unwrap();
    assert_eq!(error.faults().len(), 3, "{error}");
    assert!(error.to_string().contains("its default 50 breaks its own constraints"), "{error}");
}

#[tokio::test]
async fn a_tool_can_be_bound_to_two_values() {
    struct One(u8);
    struct Other(u8);
    /// Takes both.
    #[tool(register = false)]
    fn both(one: &One, other: &Other) -> String {
        format!("{} {}", one.0, other.0)
    }
    let registry = Registry::builder().add(BothTool).state(One(1)).state(Other(2)).build().unwrap();
    let executor = Executor::builder(registry).build().unwrap();
    let outcome = executor.call(&Session::new("/"), ToolCall::new("1", "both", "{}")).await;
    assert_eq!(outcome.text(), "1 2");
}

#[tokio::test]
async fn no_panic_escapes_wherever_it_comes_from() {
    struct Panicking;
    #[async_trait::async_trait]
    impl Approver for Panicking {
        async fn approve(&self, _: &tool_core::permission::Ask) -> Reply {
            panic!("approver")
        }
    }
    struct Destructor;
    impl Drop for Destructor {
        fn drop(&mut self) {
            panic!("destructor")
        }
    }
    /// Panics when it is dropped.
    #[tool(register = false, timeout = "10ms")]
    async fn fragile() {
        let _held = Destructor;
        std::future::pending::<()>().await;
    }
    let bench = Bench::builder().tool(EditTool).tool(FragileTool).with(|e| e.approver(Panicking)).build();
    // Who cannot answer has not allowed it; the tool itself is not at fault.
    assert_eq!(kind(&bench.call("edit", r#"{"path":"a"}"#).await), Some(ErrorKind::Denied));
    assert_eq!(kind(&bench.call("fragile", "{}").await), Some(ErrorKind::Panicked));
    assert_eq!(last_error(&bench), Some(ErrorKind::Panicked));
}

#[tokio::test]
async fn the_end_of_a_session_ends_its_turns() {
    let bench = Bench::builder().tool(WaitTool).build();
    bench.session().cancellation().cancel();
    let call = ToolCall::new("1", "wait", r#"{"milliseconds":0}"#);
    let (executor, session) = (bench.executor().clone(), bench.session().clone());
    let turn = tokio::spawn(async move { executor.call_until(&session, call, CancellationToken::new()).await });
    assert_eq!(kind(&turn.await.unwrap()), Some(ErrorKind::Cancelled));
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_and_told() {
    let dropped = Dropped::default();
    let bench = Bench::builder().tool(EndlessTool).state(dropped.clone()).build();
    let call = bench.call("endless", r#"{"gives":false}"#);
    let _ = tokio::time::timeout(Duration::from_millis(20), call).await;
    assert!(dropped.0.load(Ordering::SeqCst));
    assert_eq!(last_error(&bench), Some(ErrorKind::Cancelled));
}
