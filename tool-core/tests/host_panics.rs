//! What belongs to the host and panics: its clock, its subscriber of `tracing`. No call and no turn ends by it.

use std::{
    sync::atomic::{AtomicU32, Ordering::SeqCst},
    time::SystemTime,
};

use tool_core::{
    event::{Change, Clock},
    prelude::*,
    testing::Bench,
};
use tracing::{Subscriber, span};
use tracing_subscriber::{
    layer::{Context, Layer, SubscriberExt},
    registry::LookupSpan,
};

/// Look, in two steps.
#[tool(read_only, register = false)]
async fn look() -> String {
    tokio::task::yield_now().await;
    "looked".to_owned()
}

fn turn() -> [ToolCall; 3] {
    ["1", "2", "3"].map(|id| ToolCall::new(id, "look", "{}"))
}

/// Tells the time when it is read for the nth time only.
struct Broken {
    from: u32,
    read: AtomicU32,
}

impl Clock for Broken {
    fn now(&self) -> SystemTime {
        assert!(self.read.fetch_add(1, SeqCst) < self.from, "the clock's own fault");
        SystemTime::now()
    }
}

#[tokio::test]
async fn a_clock_that_panics_ends_no_call() {
    for from in 0..16 {
        let bench = Bench::builder().tool(LookTool).clock(Broken { from, read: AtomicU32::new(0) });
        let bench = bench.with(|executor| executor.doom_loop(None)).build();
        let outcomes = bench.executor().call_all(bench.session(), turn()).await;
        assert!(outcomes.iter().all(|outcome| outcome.output() == Some("looked")), "{from}: {outcomes:?}");
        let ends = bench.changes().into_iter().filter(|change| matches!(change, Change::Completed(_)));
        assert_eq!(ends.count(), 3);
    }
}

/// Panics where it is told to.
struct Faulty(&'static str);

impl Faulty {
    fn at(&self, place: &str) {
        assert_ne!(self.0, place, "the subscriber's own fault");
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Faulty {
    fn on_new_span(&self, _: &span::Attributes<'_>, _: &span::Id, _: Context<'_, S>) {
        self.at("new");
    }

    fn on_record(&self, _: &span::Id, _: &span::Record<'_>, _: Context<'_, S>) {
        self.at("record");
    }

    fn on_enter(&self, _: &span::Id, _: Context<'_, S>) {
        self.at("enter");
    }

    fn on_exit(&self, _: &span::Id, _: Context<'_, S>) {
        self.at("exit");
    }

    fn on_close(&self, _: span::Id, _: Context<'_, S>) {
        self.at("close");
    }
}

#[tokio::test]
async fn a_subscriber_that_panics_ends_no_call() {
    for place in ["new", "record", "enter", "exit", "close"] {
        let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(Faulty(place)));
        let bench = Bench::builder().tool(LookTool).with(|executor| executor.doom_loop(None)).build();
        let outcomes = bench.executor().call_all(bench.session(), turn()).await;
        assert!(outcomes.iter().all(|outcome| outcome.output() == Some("looked")), "{place}: {outcomes:?}");
    }
}
