//! Calls that tools make: through the same stages, within limits, never in their own way.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering::SeqCst},
};

use tool_core::{
    ErrorKind,
    event::{CallEvent, Change},
    executor::NestingLimits,
    permission::{Reply, Ruleset},
    prelude::*,
    testing::Bench,
};

/// How many are inside at once, and how many there have been.
#[derive(Default)]
struct Inside(AtomicUsize, AtomicUsize);

/// Change something, alone.
#[tool(permission = "edit", pattern = what, register = false)]
async fn change(
    /// What.
    what: String,
    inside: &Arc<Inside>,
) -> String {
    let others = inside.0.fetch_add(1, SeqCst);
    tokio::task::yield_now().await;
    inside.0.fetch_sub(1, SeqCst);
    inside.1.fetch_add(1, SeqCst);
    assert_eq!(others, 0, "not alone");
    format!("changed {what}")
}

/// Change several things.
#[tool(read_only, register = false)]
async fn change_all(
    /// What.
    what: Vec<String>,
    ctx: &ToolContext,
) -> String {
    let calls = what.iter().map(|what| ctx.call_tool("change", format!(r#"{{"what":"{what}"}}"#)));
    let outcomes = futures_util::future::join_all(calls).await;
    outcomes.into_iter().map(tool_core::Outcome::into_text).collect::<Vec<_>>().join("; ")
}

/// The same, alone itself.
#[tool(register = false)]
async fn change_all_alone(
    /// What.
    what: Vec<String>,
    ctx: &ToolContext,
) -> String {
    change_all(what, ctx).await
}

/// Call itself again and again.
#[tool(read_only, register = false)]
async fn deeper(ctx: &ToolContext) -> String {
    ctx.call_tool("deeper", "{}").await.into_text()
}

/// Make so many calls.
#[tool(read_only, register = false)]
async fn many(
    /// How many.
    count: u32,
    ctx: &ToolContext,
) -> String {
    let mut completed = 0;
    for _ in 0..count {
        completed += u32::from(ctx.call_tool("leaf", "{}").await.output().is_some());
    }
    completed.to_string()
}

/// Do nothing.
#[tool(read_only, register = false)]
fn leaf() {}

/// Wait for ever, in a call of its own.
#[tool(read_only, register = false)]
async fn wait_within(ctx: &ToolContext) -> String {
    ctx.call_tool("forever", "{}").await.into_text()
}

/// Wait for ever.
#[tool(register = false)]
async fn forever() -> String {
    std::future::pending().await
}

fn bench(rules: Ruleset) -> (Arc<Inside>, Bench) {
    let inside = Arc::new(Inside::default());
    let bench = Bench::builder().tool(ChangeTool).tool(ChangeAllTool).tool(ChangeAllAloneTool).tool(DeeperTool);
    let bench = bench.tool(ManyTool).tool(LeafTool).tool(WaitWithinTool).tool(ForeverTool).state(inside.clone());
    (inside, bench.with(|executor| executor.rules(rules)).build())
}

#[tokio::test]
async fn exclusive_calls_run_alone_also_below_a_parallel_or_an_exclusive_one() {
    for tool in ["change_all", "change_all_alone"] {
        let (inside, bench) = bench(Ruleset::allow_all());
        let turn = (0..4).map(|n| {
            let id = format!("{n}");
            match n {
                3 => ToolCall::new(id, "change", r#"{"what":"z"}"#),
                n => ToolCall::new(id, tool, format!(r#"{{"what":["a{n}","b{n}","c{n}"]}}"#)),
            }
        });
        let outcomes = bench.executor().call_all(bench.session(), turn).await;
        assert_eq!(outcomes[0].output(), Some("changed a0; changed b0; changed c0"));
        assert!(outcomes.iter().all(|outcome| outcome.output().is_some()), "{outcomes:?}");
        assert_eq!(inside.1.load(SeqCst), 10);
    }
}

#[tokio::test]
async fn a_limit_of_one_at_a_time_does_not_stop_a_call_that_makes_calls() {
    let (inside, _) = bench(Ruleset::new());
    let bench = Bench::builder().tool(ChangeTool).tool(ChangeAllTool).state(inside.clone());
    let bench = bench.with(|executor| executor.rules(Ruleset::allow_all()).max_parallel(1)).build();
    let outcome = bench.call("change_all", r#"{"what":["a","b"]}"#).await;
    assert_eq!(outcome.output(), Some("changed a; changed b"));
}

#[tokio::test]
async fn a_nested_call_asks_for_leave_as_any_call_does() {
    let (_, bench) = bench(Ruleset::new().allow("edit", "a").deny("edit", "b"));
    let outcome = bench.call("change_all", r#"{"what":["a","b"]}"#).await;
    let text = outcome.text();
    assert!(text.contains("changed a") && text.contains("denied by a rule"), "{text}");

    let inside = Arc::new(Inside::default());
    let bench = Bench::builder().tool(ChangeTool).tool(ChangeAllTool).state(inside).replies([Reply::Once]).build();
    bench.call("change_all", r#"{"what":["a"]}"#).await;
    assert_eq!(bench.asks()[0].call_id.as_str(), "call_1/1");
}

#[tokio::test]
async fn events_of_a_nested_call_name_the_call_that_made_it() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let record = seen.clone();
    let bench = Bench::builder().tool(ManyTool).tool(LeafTool).with(|executor| {
        executor.inline_observer(move |event: &CallEvent| {
            if matches!(event.change, Change::Running) {
                let parent = event.parent.as_ref().map(ToString::to_string);
                record.lock().unwrap().push((event.call_id.to_string(), parent));
            }
        })
    });
    let bench = bench.build();
    assert_eq!(bench.call("many", r#"{"count":2}"#).await.output(), Some("2"));
    let parent = Some("call_1".to_owned());
    let expected =
        [("call_1", None), ("call_1/1", parent.clone()), ("call_1/2", parent)].map(|(id, of)| (id.to_owned(), of));
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn depth_and_count_are_limited() {
    let (_, bench) = bench(Ruleset::allow_all());
    let text = bench.call("deeper", "{}").await.text();
    assert!(text.contains("8 deep"), "{text}");
    assert_eq!(bench.call("many", r#"{"count":300}"#).await.output(), Some("256"));

    let narrow = NestingLimits { depth: 1, calls: 3 };
    let bench = Bench::builder().tool(DeeperTool).tool(ManyTool).tool(LeafTool);
    let bench = bench.with(move |executor| executor.nesting(narrow)).build();
    assert!(bench.call("deeper", "{}").await.text().contains("1 deep"));
    assert_eq!(bench.call("many", r#"{"count":5}"#).await.output(), Some("3"));
}

#[tokio::test]
async fn an_unknown_tool_and_bad_arguments_are_outcomes() {
    /// Call badly.
    #[tool(read_only, register = false)]
    async fn clumsy(ctx: &ToolContext) -> String {
        let unknown = ctx.call_tool("nowhere", "{}").await;
        let invalid = ctx.call_tool("leaf", "[1]").await;
        format!("{:?} {:?}", unknown.error().map(ToolError::kind), invalid.error().map(ToolError::kind))
    }
    let bench = Bench::builder().tool(ClumsyTool).tool(LeafTool).build();
    assert_eq!(bench.call("clumsy", "{}").await.output(), Some("Some(UnknownTool) Some(InvalidArguments)"));
}

#[tokio::test]
async fn cancelling_a_call_cancels_the_calls_below_it() {
    let (_, bench) = bench(Ruleset::allow_all());
    let call = bench.call("wait_within", "{}");
    let cancel = async {
        while bench.changes().len() < 4 {
            tokio::task::yield_now().await;
        }
        bench.session().cancellation().cancel();
    };
    let (outcome, ()) = tokio::join!(call, cancel);
    // The tool was told that the call it made was cancelled, and had the time to say so.
    assert!(outcome.text().contains("cancelled"), "{outcome:?}");
    let ends: Vec<_> = bench
        .changes()
        .into_iter()
        .filter_map(|change| match change {
            Change::Error(outcome) => Some((outcome.call_id().to_string(), outcome.error().map(ToolError::kind))),
            _ => None,
        })
        .collect();
    assert_eq!(ends[0], ("call_1/1".to_owned(), Some(ErrorKind::Cancelled)));
}

#[tokio::test]
async fn identical_nested_calls_are_no_doom_loop() {
    let (_, bench) = bench(Ruleset::new());
    assert_eq!(bench.call("many", r#"{"count":10}"#).await.output(), Some("10"));
}

/// Calls a tool that runs alone and calls another one in its turn.
#[tool(read_only, register = false)]
async fn top(ctx: &ToolContext) -> String {
    let branches = ["middle", "middle"].map(|tool| ctx.call_tool(tool, "{}"));
    let outcomes = futures_util::future::join_all(branches).await;
    outcomes.into_iter().map(tool_core::Outcome::into_text).collect::<Vec<_>>().join(" ")
}

/// Alone, and calls another.
#[tool(register = false)]
async fn middle(ctx: &ToolContext) -> String {
    let leaf = ctx.call_tool("leaf", "{}").await;
    let alone = ctx.call_tool("change", r#"{"what":"x"}"#).await;
    format!("{} {}", leaf.output().is_some(), alone.into_text())
}

#[tokio::test]
async fn a_nested_call_that_runs_alone_may_make_calls_itself() {
    let inside = Arc::new(Inside::default());
    let bench = Bench::builder().tool(TopTool).tool(MiddleTool).tool(LeafTool).tool(ChangeTool).state(inside);
    let bench = bench.with(|executor| executor.rules(Ruleset::allow_all())).build();
    let calls = ["1", "2"].map(|id| ToolCall::new(id, "top", "{}"));
    for outcome in bench.executor().call_all(bench.session(), calls).await {
        assert_eq!(outcome.output(), Some("true changed x true changed x"));
    }
}

/// Look, three times at once.
#[tool(read_only, register = false)]
async fn fan(ctx: &ToolContext) -> String {
    let outcomes = futures_util::future::join_all((0..3).map(|_| ctx.call_tool("glance", "{}"))).await;
    outcomes.iter().map(tool_core::Outcome::text).collect::<Vec<_>>().join(" ")
}

/// Tell how many are here.
#[tool(read_only, register = false)]
async fn glance(inside: &Arc<Inside>) -> String {
    let here = inside.0.fetch_add(1, SeqCst) + 1;
    inside.1.fetch_max(here, SeqCst);
    for _ in 0..5 {
        tokio::task::yield_now().await;
    }
    inside.0.fetch_sub(1, SeqCst);
    "looked".to_owned()
}

#[tokio::test]
async fn what_a_turn_is_told_holds_for_the_calls_of_its_tools() {
    for (limit, expected) in [("none", 6), ("two", 2), ("sequential", 1)] {
        let inside = Arc::new(Inside::default());
        let bench = Bench::builder().tool(FanTool).tool(GlanceTool).state(inside.clone()).build();
        let turn = bench.executor().turn(bench.session());
        let turn = match limit {
            "two" => turn.max_parallel(2),
            "sequential" => turn.sequential(),
            _ => turn,
        };
        let outcomes = turn.run(["1", "2"].map(|id| ToolCall::new(id, "fan", "{}"))).await;
        assert!(outcomes.iter().all(|outcome| outcome.output() == Some("looked looked looked")), "{outcomes:?}");
        assert_eq!(inside.1.load(SeqCst), expected, "{limit}");
    }
}

#[tokio::test]
async fn a_message_skips_nested_calls_that_have_not_started() {
    /// Look after the message has come.
    #[tool(read_only, register = false)]
    async fn hesitate(message: &Message, ctx: &ToolContext) -> String {
        message.0.cancel();
        ctx.call_tool("leaf", "{}").await.into_text()
    }
    #[derive(Clone, Default)]
    struct Message(CancellationToken);
    let message = Message::default();
    let bench = Bench::builder().tool(HesitateTool).tool(LeafTool).state(message.clone()).build();
    let turn = bench.executor().turn(bench.session()).skip_on(message.0.clone());
    let outcomes = turn.run([ToolCall::new("1", "hesitate", "{}")]).await;
    assert!(outcomes[0].output().is_some_and(|text| text.starts_with("Skipped")), "{outcomes:?}");
}

#[tokio::test]
async fn refused_and_unknown_nested_calls_are_told_as_all_others_are() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let record = seen.clone();
    let narrow = NestingLimits { depth: 8, calls: 1 };
    let bench = Bench::builder().tool(ManyTool).tool(LeafTool).with(move |executor| {
        executor.nesting(narrow).inline_observer(move |event: &CallEvent| {
            if let (Change::Error(outcome), Some(parent)) = (&event.change, &event.parent) {
                let kind = outcome.error().map(ToolError::kind);
                record.lock().unwrap().push((event.call_id.to_string(), parent.to_string(), kind));
            }
        })
    });
    assert_eq!(bench.build().call("many", r#"{"count":2}"#).await.output(), Some("1"));
    let refused = ("call_1/2".to_owned(), "call_1".to_owned(), Some(ErrorKind::Failed));
    assert_eq!(*seen.lock().unwrap(), [refused]);
}
