//! What one executor holds: ten thousand calls at once, a million in a row, an output of a hundred megabytes.
//!
//! Time is CPU time; memory is what the process has resident. That nothing is lost is asserted, not printed.

use std::{
    collections::HashSet,
    hint::black_box,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use nix::time::{ClockId, clock_gettime};
use tokio::{runtime::Runtime, sync::Semaphore, task::JoinSet};
use tool_core::{
    error::ErrorKind,
    permission::Ruleset,
    prelude::*,
    truncate::{Keep, Limits, cut, fit},
};

/// How many calls are in flight at once.
const IN_FLIGHT: usize = 10_000;
/// How many of them are cancelled.
const CANCELLED: usize = 1_000;
/// How many run in a row.
const IN_A_ROW: usize = 1_000_000;

/// Where calls wait for each other.
struct Gate {
    arrived: AtomicUsize,
    open: Semaphore,
}

/// Wait until all calls have come.
#[tool(parallel)]
async fn wait(
    /// The call's number.
    number: usize,
    gate: &Arc<Gate>,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    gate.arrived.fetch_add(1, Ordering::Relaxed);
    match ctx.cancellation().run_until_cancelled(gate.open.acquire()).await {
        Some(_) => Ok(number.to_string()),
        None => Err(ToolError::Cancelled),
    }
}

/// Add two numbers.
#[tool(read_only)]
async fn add(
    /// One number.
    a: i64,
    /// The other number.
    b: i64,
) -> String {
    (a + b).to_string()
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let gate = Arc::new(Gate { arrived: AtomicUsize::new(0), open: Semaphore::new(0) });
    let executor = Executor::builder(Registry::linked().expect("the names differ"))
        .rules(Ruleset::allow_all())
        .state(gate.clone())
        .build()
        .expect("the tools have what they need");
    println!("| what | figure |");
    println!("|---|---:|");
    in_flight(&runtime, &executor, &gate);
    in_a_row(&runtime, &executor);
    truncating();
}

/// All calls wait at once; some are cancelled, then the others go on.
fn in_flight(runtime: &Runtime, executor: &Executor, gate: &Gate) {
    let session = Session::new("/");
    let (kept, cancelled) = (CancellationToken::new(), CancellationToken::new());
    runtime.block_on(executor.call(&session, ToolCall::new("warm", "add", r#"{"a":1,"b":2}"#)));
    let (before, start) = (resident(), cpu_nanoseconds());
    let (peak, ended, ids) = runtime.block_on(async {
        let mut calls = JoinSet::new();
        for number in 0..IN_FLIGHT {
            let (executor, session) = (executor.clone(), session.clone());
            let turn = if number % (IN_FLIGHT / CANCELLED) == 0 { cancelled.clone() } else { kept.clone() };
            let call = ToolCall::new(number.to_string(), "wait", format!(r#"{{"number":{number}}}"#));
            calls.spawn(async move { executor.call_until(&session, call, turn).await });
        }
        while gate.arrived.load(Ordering::Relaxed) < IN_FLIGHT {
            tokio::task::yield_now().await;
        }
        let peak = resident();
        cancelled.cancel();
        let (mut ids, mut ended) = (HashSet::new(), [0_usize; 2]);
        while let Some(outcome) = calls.join_next().await {
            let outcome = outcome.expect("no call panics");
            match outcome.error().map(ToolError::kind) {
                None => {
                    assert_eq!(outcome.output(), Some(outcome.call_id().as_str()), "to each its own");
                    ended[0] += 1;
                }
                Some(ErrorKind::Cancelled) => ended[1] += 1,
                Some(other) => panic!("{other:?}: {}", outcome.text()),
            }
            assert!(ids.insert(outcome.call_id().to_string()), "one outcome each");
            if ids.len() == CANCELLED {
                assert_eq!(ended, [0, CANCELLED], "the cancelled end first");
                gate.open.add_permits(IN_FLIGHT);
            }
        }
        (peak, ended, ids)
    });
    assert_eq!(ids.len(), IN_FLIGHT, "nothing is lost");
    assert_eq!(ended, [IN_FLIGHT - CANCELLED, CANCELLED]);
    let each = (cpu_nanoseconds() - start) / IN_FLIGHT as f64;
    println!(
        "| {IN_FLIGHT} calls in flight, {CANCELLED} of them cancelled: CPU time | {:.1} ms |",
        each * IN_FLIGHT as f64 / 1e6
    );
    println!("| the same, a call | {each:.0} ns |");
    println!("| the same, memory a call | {} bytes |", peak.saturating_sub(before) / IN_FLIGHT);
}

/// One after the other.
fn in_a_row(runtime: &Runtime, executor: &Executor) {
    let session = Session::new("/");
    let run = |count: usize| {
        runtime.block_on(async {
            for _ in 0..count {
                let outcome = executor.call(&session, ToolCall::new("call_1", "add", r#"{"a":2,"b":40}"#)).await;
                assert_eq!(black_box(outcome).output(), Some("42"));
            }
        });
    };
    run(IN_A_ROW / 100);
    let (before, start) = (resident(), cpu_nanoseconds());
    run(IN_A_ROW);
    let each = (cpu_nanoseconds() - start) / IN_A_ROW as f64;
    println!("| {IN_A_ROW} calls in a row: CPU time a call | {each:.0} ns |");
    println!("| the same, growth of memory | {} bytes |", resident().saturating_sub(before));
}

fn truncating() {
    let line = "A line of output as commands write them, neither long nor short, eighty bytes.\n";
    let text = line.repeat(100_000_000 / line.len());
    for (name, keep) in [("head", Keep::Head), ("tail", Keep::Tail), ("middle", Keep::Middle)] {
        let limits = Limits { keep, ..Limits::default() };
        let mut found: Vec<f64> = Vec::new();
        let mut fitted: Vec<f64> = Vec::new();
        for _ in 0..5 {
            let start = cpu_nanoseconds();
            black_box(cut(black_box(&text), limits));
            found.push(cpu_nanoseconds() - start);
            let output = ToolOutput::text(text.clone());
            let start = cpu_nanoseconds();
            black_box(fit(output, limits, None));
            fitted.push(cpu_nanoseconds() - start);
        }
        println!("| 100 MB, {name}: where to cut | {:.3} ms |", median(found) / 1e6);
        println!("| 100 MB, {name}: cut, and 100 MB given back to the system | {:.3} ms |", median(fitted) / 1e6);
    }
}

/// Bytes of this process in memory.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("every process has some");
    let kibibytes = line.trim().trim_end_matches("kB").trim().parse::<usize>().expect("a number");
    kibibytes * 1024
}

fn cpu_nanoseconds() -> f64 {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("every process has this clock");
    time.tv_sec() as f64 * 1e9 + time.tv_nsec() as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
