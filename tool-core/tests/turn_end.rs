//! How a cancelled turn ends for who does not look, and for who watches.

use std::{
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use tokio::sync::Notify;
use tool_core::{
    event::{CallEvent, Change},
    prelude::*,
    testing::Bench,
};

/// When the tool has begun, and when it was told to stop.
#[derive(Default)]
struct Signs {
    begun: Notify,
    told: Notify,
}

/// Hand over what there is when told to stop.
#[tool(read_only, register = false)]
async fn obey(signs: &Arc<Signs>, ctx: &ToolContext) -> String {
    signs.begun.notify_one();
    ctx.cancellation().cancelled().await;
    signs.told.notify_one();
    "so far".to_owned()
}

#[tokio::test]
async fn a_turn_that_nobody_looks_at_hears_that_it_is_cancelled() {
    let signs = Arc::new(Signs::default());
    let bench = Bench::builder().tool(ObeyTool).state(signs.clone()).build();
    let token = CancellationToken::new();
    let turn = bench.executor().turn(bench.session()).until(token.clone());
    let mut running = turn.start([ToolCall::new("1", "obey", "{}")]);
    signs.begun.notified().await;
    token.cancel();
    let told = tokio::time::timeout(Duration::from_secs(30), signs.told.notified()).await;
    assert!(told.is_ok(), "the call was not told");
    let (_, outcome) = running.next().await.expect("one call");
    assert_eq!(outcome.output(), Some("so far"));
    assert!(running.next().await.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_told_of_an_end_is_what_is_returned() {
    let signs = Arc::new(Signs::default());
    let told: Arc<Mutex<Vec<Change>>> = Arc::default();
    let record = told.clone();
    let (release, blocked) = mpsc::channel::<()>();
    let blocked = Mutex::new(blocked);
    let bench = Bench::builder().tool(ObeyTool).state(signs.clone()).with(|executor| {
        executor.inline_observer(move |event: &CallEvent| {
            if matches!(event.change, Change::Completed(_) | Change::Error(_)) {
                record.lock().unwrap().push(event.change.clone());
                // So long that the turn gives the call up.
                let _ = blocked.lock().unwrap().recv();
            }
        })
    });
    let bench = bench.build();
    let token = CancellationToken::new();
    let run = bench.executor().turn(bench.session()).until(token.clone()).run([ToolCall::new("1", "obey", "{}")]);
    let cancel = async {
        signs.begun.notified().await;
        token.cancel();
    };
    let (outcomes, ()) = tokio::join!(run, cancel);
    drop(release);
    assert_eq!(*told.lock().unwrap(), [Change::Completed(Arc::new(outcomes[0].clone()))]);
}
