//! The time that counts against a call's limit: none while somebody is asked.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

use super::ToolContext;

/// Measures a call's own time.
#[derive(Default)]
pub(super) struct Stopwatch {
    state: Mutex<State>,
    resumed: Notify,
}

#[derive(Default)]
struct State {
    /// How many questions are open, and since when any is.
    open: u32,
    since: Option<Instant>,
    /// How long it has stood still before.
    stood: Duration,
}

impl Stopwatch {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        let mut state = self.lock();
        state.open += 1;
        state.since.get_or_insert_with(Instant::now);
    }

    fn resume(&self) {
        let mut state = self.lock();
        state.open -= 1;
        if state.open == 0 {
            let stood = state.since.take().map(|since| since.elapsed()).unwrap_or_default();
            state.stood = state.stood.saturating_add(stood);
            self.resumed.notify_one();
        }
    }

    /// Ends when the call has had so much time of its own from now on.
    pub(super) async fn elapse(&self, limit: Duration) {
        let (start, before) = (Instant::now(), self.lock().stood);
        loop {
            let (is_open, stood) = {
                let state = self.lock();
                (state.open > 0, state.stood)
            };
            if is_open {
                self.resumed.notified().await;
                continue;
            }
            let left = limit.saturating_add(stood.saturating_sub(before)).saturating_sub(start.elapsed());
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left).await;
        }
    }
}

/// While it lives, no time counts against the call, nor against those whose tools made it.
pub(crate) struct Pause<'c>(&'c ToolContext);

impl<'c> Pause<'c> {
    pub(super) fn new(ctx: &'c ToolContext) -> Self {
        lineage(ctx).for_each(|ctx| ctx.stopwatch().stop());
        Self(ctx)
    }
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        lineage(self.0).for_each(|ctx| ctx.stopwatch().resume());
    }
}

fn lineage(ctx: &ToolContext) -> impl Iterator<Item = &ToolContext> {
    std::iter::successors(Some(ctx), |ctx| ctx.parent())
}
