//! The line that calls stand in, below the calls of a turn: whom nested calls and those of hooks wait for, that who may
//! run is woken, and that a long line costs no more than its length.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use tool_core::{
    async_trait,
    executor::{Arguments, Before, Hook},
    permission::Ruleset,
    prelude::*,
    testing::Bench,
};

/// Leaves the others all the time that they could use.
async fn dawdle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

type Log = Arc<Mutex<Vec<String>>>;

/// Write something down, alone.
#[tool(register = false)]
async fn note(
    /// What.
    what: String,
    log: &Log,
) {
    log.lock().expect("nobody panics").push(what);
}

/// Write two things down, alone.
#[tool(register = false)]
async fn note_both(ctx: &ToolContext) {
    let calls = ["late", "soon"].map(|what| ctx.call_tool("note", format!(r#"{{"what":"{what}"}}"#)));
    futures_util::future::join_all(calls).await;
}

#[tokio::test]
async fn nested_calls_that_run_alone_keep_their_order_also_where_hooks_take_time() {
    struct Slow;
    #[async_trait]
    impl Hook for Slow {
        async fn before(&self, arguments: &Arguments, _: &ToolContext) -> Before {
            if arguments["what"] == "late" {
                dawdle().await;
            }
            Before::Continue
        }
    }
    let log = Log::default();
    let bench = Bench::builder().tool(NoteTool).tool(NoteBothTool).state(log.clone());
    let bench = bench.with(|executor| executor.rules(Ruleset::allow_all()).hook(Slow)).build();
    assert!(bench.call("note_both", "{}").await.output().is_some());
    assert_eq!(*log.lock().expect("nobody panics"), ["late", "soon"]);
}

/// Whether somebody is inside who is to be alone, and whether another came in meanwhile.
#[derive(Default)]
struct Room {
    taken: AtomicBool,
    disturbed: AtomicBool,
}

/// Be alone for a while.
#[tool(register = false)]
async fn be_alone(room: &Arc<Room>) {
    room.taken.store(true, SeqCst);
    dawdle().await;
    room.taken.store(false, SeqCst);
}

/// Come in.
#[tool(read_only, register = false)]
async fn peek(room: &Arc<Room>) {
    room.disturbed.fetch_or(room.taken.load(SeqCst), SeqCst);
}

/// Do nothing.
#[tool(read_only, register = false)]
fn leaf() {}

#[tokio::test]
async fn what_a_hook_calls_does_not_run_beside_a_call_that_is_alone() {
    struct Peeks(Arc<Room>);
    #[async_trait]
    impl Hook for Peeks {
        async fn before(&self, _: &Arguments, ctx: &ToolContext) -> Before {
            if ctx.tool() == "leaf" {
                while !self.0.taken.load(SeqCst) {
                    tokio::task::yield_now().await;
                }
                assert!(ctx.call_tool("peek", "{}").await.output().is_some());
            }
            Before::Continue
        }
    }
    let room = Arc::new(Room::default());
    let hook = Peeks(room.clone());
    let bench = Bench::builder().tool(BeAloneTool).tool(PeekTool).tool(LeafTool).state(room.clone());
    let bench = bench.with(|executor| executor.rules(Ruleset::allow_all()).hook(hook)).build();
    let calls = ["be_alone", "leaf"].map(|tool| ToolCall::new(tool, tool, "{}"));
    let outcomes = bench.executor().call_all(bench.session(), calls).await;
    assert!(outcomes.iter().all(|outcome| outcome.output().is_some()), "{outcomes:?}");
    assert!(!room.disturbed.load(SeqCst));
}

/// Take a moment.
#[tool(read_only, register = false)]
async fn nap() {
    dawdle().await;
}

/// Make two calls once another one waits, alone.
#[tool(register = false)]
async fn two(room: &Arc<Room>, ctx: &ToolContext) -> String {
    room.taken.store(true, SeqCst);
    dawdle().await;
    let naps = [(); 2].map(|()| {
        let ctx = ctx.clone();
        tokio::spawn(async move { ctx.call_tool("nap", "{}").await.output().is_some() })
    });
    let naps = futures_util::future::join_all(naps).await;
    format!("{}", naps.into_iter().all(|nap| nap.is_ok_and(|done| done)))
}

/// Make one call that is alone, and another that waits for it.
#[tool(read_only, register = false)]
async fn mix(room: &Arc<Room>, ctx: &ToolContext) -> String {
    let one = ctx.clone();
    let one = tokio::spawn(async move { one.call_tool("two", "{}").await.into_text() });
    while !room.taken.load(SeqCst) {
        tokio::task::yield_now().await;
    }
    let other = ctx.call_tool("leaf", "{}").await;
    format!("{:?} {}", one.await.ok(), other.output().is_some())
}

#[tokio::test]
async fn who_may_enter_is_woken_although_one_before_it_may_not() {
    let bench = Bench::builder().tool(MixTool).tool(TwoTool).tool(NapTool).tool(LeafTool).state(Arc::<Room>::default());
    let bench = bench.with(|executor| executor.rules(Ruleset::allow_all()).max_parallel(1)).build();
    let outcome = tokio::time::timeout(Duration::from_secs(30), bench.call("mix", "{}")).await;
    assert_eq!(outcome.expect("nobody waits for ever").output(), Some(r#"Some("true") true"#));
}

/// Be alone, and not done at once.
#[tool(register = false)]
async fn step() {
    tokio::task::yield_now().await;
}

/// How long a turn of so many calls takes that wait for one another, each.
async fn each(calls: u32) -> Duration {
    let registry = Registry::builder().add(StepTool).build().expect("one tool");
    let executor = Executor::builder(registry).rules(Ruleset::allow_all()).doom_loop(None).build();
    let executor = executor.expect("nothing is missing");
    let turn: Vec<_> = (0..calls).map(|id| ToolCall::new(id.to_string(), "step", "{}")).collect();
    let start = Instant::now();
    let outcomes = executor.call_all(&Session::new("/"), turn).await;
    assert!(outcomes.len() == calls as usize && outcomes.iter().all(|outcome| outcome.output().is_some()));
    start.elapsed() / calls
}

#[tokio::test]
async fn a_long_line_costs_no_more_a_call_than_a_short_one() {
    let short = each(500).await.min(each(500).await);
    // Twenty times as long; where each call looked at all others it would take some twenty times as long, each.
    let long = each(10_000).await;
    assert!(long < 8 * short, "{long:?} against {short:?}");
}
