//! All the calls of one turn: who runs beside whom, in what order, and what cancelling the turn does.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use tokio::sync::Semaphore;
use tool_core::{
    ErrorKind, Outcome,
    event::{CallEvent, Change},
    permission::{Ask, Reply},
    prelude::*,
    testing::Bench,
};

/// What the tools of a test share: a door for each to wait at, and a record of who was inside at once.
struct Hall {
    door: Semaphore,
    inside: AtomicUsize,
    most: AtomicUsize,
    log: Mutex<Vec<String>>,
}

impl Default for Hall {
    fn default() -> Self {
        Self { door: Semaphore::new(0), inside: AtomicUsize::new(0), most: AtomicUsize::new(0), log: Mutex::default() }
    }
}

impl Hall {
    async fn visit(&self, who: &str) {
        let inside = self.inside.fetch_add(1, SeqCst) + 1;
        self.most.fetch_max(inside, SeqCst);
        self.log.lock().expect("nobody panics").push(format!("{who} in"));
        self.door.acquire().await.expect("the door stays").forget();
        self.inside.fetch_sub(1, SeqCst);
        self.log.lock().expect("nobody panics").push(format!("{who} out"));
    }

    fn log(&self) -> Vec<String> {
        self.log.lock().expect("nobody panics").clone()
    }

    /// Waits until so many lines were written.
    async fn lines(&self, count: usize) {
        while self.log().len() < count {
            tokio::task::yield_now().await;
        }
    }
}

/// Look, beside others.
#[tool(read_only, register = false)]
async fn look(
    /// Who.
    who: String,
    hall: &Arc<Hall>,
) -> String {
    hall.visit(&who).await;
    who
}

/// Change, alone.
#[tool(register = false)]
async fn change(
    /// Who.
    who: String,
    hall: &Arc<Hall>,
) -> String {
    hall.visit(&who).await;
    who
}

/// Change, alone, once somebody has agreed.
#[tool(permission = "edit", pattern = who, register = false)]
async fn edit(
    /// Who.
    who: String,
    hall: &Arc<Hall>,
) -> String {
    hall.visit(&who).await;
    who
}

/// Never done, whatever it is told.
#[tool(read_only, blocking, register = false)]
fn stubborn(doors: &Arc<Mutex<std::sync::mpsc::Receiver<()>>>) -> String {
    let _ = doors.lock().expect("nobody panics").recv();
    "at last".to_owned()
}

/// Never done, but by being dropped.
#[tool(read_only, register = false)]
async fn deaf() -> String {
    std::future::pending().await
}

/// Hands over what it has.
#[tool(read_only, register = false)]
async fn obey(ctx: &ToolContext) -> String {
    ctx.cancellation().cancelled().await;
    "so far".to_owned()
}

fn hall() -> (Arc<Hall>, Bench) {
    let hall = Arc::new(Hall::default());
    let bench = Bench::builder().tool(LookTool).tool(ChangeTool).tool(EditTool).tool(DeafTool).tool(ObeyTool);
    let bench = bench.state(hall.clone()).replies([Reply::Once]).build();
    (hall, bench)
}

fn calls<const N: usize>(calls: [(&'static str, &str); N]) -> [ToolCall; N] {
    calls.map(|(tool, who)| ToolCall::new(who.to_owned(), tool, format!(r#"{{"who":"{who}"}}"#)))
}

fn texts(outcomes: &[Outcome]) -> Vec<String> {
    outcomes.iter().map(Outcome::text).collect()
}

#[tokio::test]
async fn parallel_calls_share_and_the_others_run_alone_in_order() {
    let (hall, bench) = hall();
    let turn = calls([("look", "a"), ("look", "b"), ("change", "c"), ("look", "d"), ("look", "e"), ("change", "f")]);
    let run = bench.executor().call_all(bench.session(), turn);
    let steer = async {
        hall.lines(2).await;
        hall.door.add_permits(2);
        hall.lines(5).await;
        hall.door.add_permits(1);
        hall.lines(8).await;
        hall.door.add_permits(3);
    };
    let (outcomes, ()) = tokio::join!(run, steer);
    assert_eq!(texts(&outcomes), ["a", "b", "c", "d", "e", "f"]);
    let log = hall.log();
    let at = |line: &str| log.iter().position(|known| known == line).expect("everybody came");
    assert!(at("c in") > at("a out").max(at("b out")), "{log:?}");
    assert!(at("c out") < at("d in").min(at("e in")), "{log:?}");
    assert!(at("f in") > at("d out").max(at("e out")), "{log:?}");
    assert_eq!(hall.most.load(SeqCst), 2);
}

#[tokio::test]
async fn sequential_turns_run_one_call_at_a_time_in_order() {
    let (hall, bench) = hall();
    hall.door.add_permits(3);
    let turn = calls([("look", "a"), ("look", "b"), ("look", "c")]);
    let outcomes = bench.executor().turn(bench.session()).sequential().run(turn).await;
    assert_eq!(texts(&outcomes), ["a", "b", "c"]);
    assert_eq!(hall.log(), ["a in", "a out", "b in", "b out", "c in", "c out"]);
}

#[tokio::test]
async fn no_more_run_at_once_than_the_limit() {
    let (hall, bench) = hall();
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let run = bench.executor().turn(bench.session()).max_parallel(3).run(calls(names.map(|name| ("look", name))));
    let steer = async {
        hall.lines(3).await;
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(hall.log().len(), 3, "a fourth came in");
        hall.door.add_permits(7);
    };
    let (outcomes, ()) = tokio::join!(run, steer);
    assert_eq!(texts(&outcomes), names);
    assert_eq!(hall.most.load(SeqCst), 3);
}

#[tokio::test]
async fn a_call_that_waits_for_an_answer_delays_only_those_that_come_after_it() {
    let hall = Arc::new(Hall::default());
    let answer = Arc::new(Semaphore::new(0));
    struct Later(Arc<Semaphore>);
    #[tool_core::async_trait]
    impl Approver for Later {
        async fn approve(&self, _: &Ask) -> Reply {
            self.0.acquire().await.expect("it stays").forget();
            Reply::Once
        }
    }
    let later = Later(answer.clone());
    let bench = Bench::builder().tool(LookTool).tool(EditTool).state(hall.clone());
    let bench = bench.with(|executor| executor.approver(later)).build();
    hall.door.add_permits(3);
    let run = bench.executor().call_all(bench.session(), calls([("look", "a"), ("edit", "b"), ("look", "c")]));
    let steer = async {
        hall.lines(2).await;
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(hall.log(), ["a in", "a out"]);
        answer.add_permits(1);
    };
    let (outcomes, ()) = tokio::join!(run, steer);
    assert_eq!(texts(&outcomes), ["a", "b", "c"]);
    assert_eq!(hall.log(), ["a in", "a out", "b in", "b out", "c in", "c out"]);
}

#[tokio::test]
async fn calls_of_one_session_made_one_by_one_keep_to_the_same_order() {
    let (hall, bench) = hall();
    let [a, b, c] = calls([("change", "a"), ("look", "b"), ("change", "c")]);
    let (executor, session) = (bench.executor(), bench.session());
    hall.door.add_permits(3);
    tokio::join!(executor.call(session, a), executor.call(session, b), executor.call(session, c));
    assert_eq!(hall.log(), ["a in", "a out", "b in", "b out", "c in", "c out"]);
    assert_eq!(hall.most.load(SeqCst), 1);
}

#[tokio::test]
async fn a_call_that_is_dropped_while_it_waits_holds_nobody_up() {
    let (hall, bench) = hall();
    let (executor, session) = (bench.executor(), bench.session());
    let [a, b, c] = calls([("change", "a"), ("change", "b"), ("change", "c")]);
    let mut first = Box::pin(executor.call(session, a));
    assert!(futures_util::poll!(&mut first).is_pending());
    let mut second = Box::pin(executor.call(session, b));
    assert!(futures_util::poll!(&mut second).is_pending());
    let mut third = Box::pin(executor.call(session, c));
    assert!(futures_util::poll!(&mut third).is_pending());
    drop(second);
    hall.door.add_permits(2);
    let (one, three) = tokio::join!(first, third);
    assert_eq!([one.output(), three.output()], [Some("a"), Some("c")]);
}

#[tokio::test]
async fn completions_come_as_they_are() {
    let (hall, bench) = hall();
    let mut running = bench.executor().turn(bench.session()).start(
        calls([("look", "a"), ("nowhere", "b"), ("obey", "c")])
            .into_iter()
            .map(|call| if call.name == "obey" { ToolCall::new("c", "obey", "{}") } else { call }),
    );
    let (index, outcome) = running.next().await.expect("three calls");
    assert_eq!((index, outcome.error().map(ToolError::kind)), (1, Some(ErrorKind::UnknownTool)));
    hall.door.add_permits(1);
    let (index, outcome) = running.next().await.expect("two calls");
    assert_eq!((index, outcome.output()), (0, Some("a")));
    bench.session().cancellation().cancel();
    let (index, outcome) = running.next().await.expect("one call");
    assert_eq!((index, outcome.output()), (2, Some("so far")));
    assert!(running.next().await.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelling_a_turn_ends_every_call_with_a_result_also_one_that_does_not_stop() {
    let (release, doors) = std::sync::mpsc::channel::<()>();
    let ended: Arc<Mutex<Vec<(String, bool)>>> = Arc::default();
    let seen = ended.clone();
    let hall = Arc::new(Hall::default());
    let bench = Bench::builder().tool(StubbornTool).tool(DeafTool).tool(ObeyTool).tool(ChangeTool);
    let bench = bench.state(Arc::new(Mutex::new(doors))).state(hall).with(|executor| {
        executor.inline_observer(move |event: &CallEvent| match &event.change {
            Change::Completed(outcome) | Change::Error(outcome) => {
                seen.lock().unwrap().push((event.call_id.to_string(), outcome.is_detached()));
            }
            _ => {}
        })
    });
    let bench = bench.build();
    let turn = [("1", "Stubborn"), ("2", "deaf"), ("3", "obey")].map(|(id, tool)| ToolCall::new(id, tool, "{}"));
    let waiting = ToolCall::new("4", "change", r#"{"who":"x"}"#);
    let token = CancellationToken::new();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(30)).await;
        token.cancel();
        Instant::now()
    };
    let run = async {
        let run = bench.executor().turn(bench.session()).until(token.clone()).run(turn.into_iter().chain([waiting]));
        (run.await, Instant::now())
    };
    let ((outcomes, end), start) = tokio::join!(run, cancel);
    let kinds: Vec<_> = outcomes.iter().map(|outcome| outcome.error().map(ToolError::kind)).collect();
    let cancelled = Some(ErrorKind::Cancelled);
    assert_eq!(kinds, [cancelled, cancelled, None, cancelled]);
    assert_eq!(outcomes[2].output(), Some("so far"));
    assert!(outcomes[0].is_detached() && !outcomes[1].is_detached());
    assert_eq!(outcomes[0].metadata()["detached"], true);
    assert_eq!(outcomes[0].metadata()["requestedTool"], "Stubborn");
    // Generous, for a machine that is busy: it must not have waited for any of them.
    assert!(end - start < Duration::from_secs(5));
    let mut ended = ended.lock().unwrap().clone();
    ended.sort();
    let each_once = [("1", true), ("2", false), ("3", false), ("4", false)];
    assert_eq!(ended, each_once.map(|(id, detached)| (id.to_owned(), detached)));
    drop(release);
}

/// Blocks the thread it is polled on.
#[tool(register = false)]
async fn block(doors: &Arc<Mutex<std::sync::mpsc::Receiver<()>>>) -> String {
    let _ = doors.lock().expect("nobody panics").recv();
    "at last".to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_async_tool_that_blocks_its_thread_is_let_go_of_and_reported_once() {
    let (release, doors) = std::sync::mpsc::channel::<()>();
    let bench = Bench::builder().tool(BlockTool).tool(ObeyTool).state(Arc::new(Mutex::new(doors))).build();
    let token = CancellationToken::new();
    let run = bench.executor().turn(bench.session()).until(token.clone()).run([ToolCall::new("1", "block", "{}")]);
    let cancel = async {
        while !bench.changes().iter().any(|change| matches!(change, Change::Running)) {
            tokio::task::yield_now().await;
        }
        token.cancel();
    };
    let (outcomes, ()) = tokio::join!(run, cancel);
    assert_eq!(outcomes[0].error().map(ToolError::kind), Some(ErrorKind::Cancelled));
    assert!(outcomes[0].is_detached());
    // The line is free, although the tool still holds its thread.
    let next = ToolCall::new("2", "obey", "{}");
    let token = CancellationToken::new();
    token.cancel();
    assert!(bench.executor().call_until(bench.session(), next, token).await.error().is_some());
    drop(release);
    // The tool's own end, which comes when it likes, is not told a second time.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let ends = bench.changes().into_iter().filter(|change| match change {
        Change::Error(outcome) | Change::Completed(outcome) => outcome.call_id().as_str() == "1",
        _ => false,
    });
    assert_eq!(ends.count(), 1);
}

#[tokio::test]
async fn a_message_skips_what_has_not_started_and_lets_the_rest_run() {
    let (hall, bench) = hall();
    let message = CancellationToken::new();
    let turn = calls([("change", "a"), ("look", "b"), ("edit", "c")]);
    let run = bench.executor().turn(bench.session()).skip_on(message.clone()).run(turn);
    let steer = async {
        hall.lines(1).await;
        message.cancel();
        tokio::task::yield_now().await;
        hall.door.add_permits(1);
    };
    let (outcomes, ()) = tokio::join!(run, steer);
    assert_eq!(outcomes[0].output(), Some("a"));
    for skipped in &outcomes[1..] {
        assert_eq!(skipped.error(), Some(&ToolError::Skipped));
        assert_eq!(skipped.error().map(ToolError::kind), Some(ErrorKind::Cancelled));
    }
    assert_eq!(hall.log(), ["a in", "a out"]);
}

#[tokio::test]
async fn a_dropped_turn_stops_its_calls_and_each_is_told_to_have_ended() {
    let (hall, bench) = hall();
    let mut running = bench.executor().turn(bench.session()).start(calls([("look", "a"), ("change", "b")]));
    assert!(futures_util::poll!(Box::pin(running.next())).is_pending());
    hall.lines(1).await;
    drop(running);
    let ends = || bench.changes().into_iter().filter(|change| matches!(change, Change::Error(_))).count();
    while ends() < 2 {
        tokio::task::yield_now().await;
    }
    // The line is free again.
    hall.door.add_permits(1);
    let outcome = bench.call("change", r#"{"who":"c"}"#).await;
    assert_eq!(outcome.output(), Some("c"));
}

#[tokio::test]
async fn a_turn_without_calls_is_over() {
    let (_, bench) = hall();
    assert!(bench.executor().call_all(bench.session(), []).await.is_empty());
}
