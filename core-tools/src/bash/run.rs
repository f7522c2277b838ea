//! A process from its start to its end, whatever ends it.

use std::time::Duration;

use tokio::{
    io::AsyncReadExt,
    time::{Instant, sleep_until, timeout_at},
};
use tool_core::CancellationToken;

use super::capture::Capture;
use crate::workspace::{Exit, Running, Stop};

/// How much is read at once: what a pipe holds.
const CHUNK: usize = 64 * 1024;
/// Once the shell has ended, its output has when nothing came for this long …
const SILENCE: Duration = Duration::from_millis(100);
/// … or at the latest after this.
const DRAIN: Duration = Duration::from_secs(1);
/// How long children that were not detached may clean up after the shell's end.
const LEFT_BEHIND: Duration = Duration::from_millis(200);
/// How long a command may clean up after its timeout (opencode).
const AFTER_TIMEOUT: Duration = Duration::from_secs(3);
/// The same after cancellation: the executor waits 250 ms for all of it.
const AFTER_CANCEL: Duration = Duration::from_millis(100);
/// How long the last bytes of a killed group may take.
const AFTER_KILL: Duration = Duration::from_millis(50);

/// What ended a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// It ended by itself.
    Exited {
        /// How.
        exit: Exit,
        /// Whether children were stopped that still held its output.
        background_stopped: bool,
    },
    /// It took too long.
    TimedOut,
    /// The call was cancelled.
    Cancelled,
}

/// Follows a process to its end. Dropping the future kills it and its group.
pub(super) async fn run(
    running: Running,
    timeout: Duration,
    cancellation: &CancellationToken,
    capture: &mut Capture<'_>,
) -> End {
    let deadline = Instant::now().checked_add(timeout);
    let mut child = Child { running, exit: None, closed: false, buffer: vec![0; CHUNK] };
    loop {
        if let Some(exit) = child.exit {
            return child.after_exit(exit, capture).await;
        }
        let wake = [deadline, capture.due()].into_iter().flatten().min();
        tokio::select! {
            biased;
            () = cancellation.cancelled() => {
                child.end(AFTER_CANCEL, capture).await;
                child.leave();
                return End::Cancelled;
            }
            () = until(wake) => {
                if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                    // Its time is over, but cancellation still is to be obeyed at once.
                    let ended = child.end(AFTER_TIMEOUT, capture);
                    if cancellation.run_until_cancelled(ended).await.is_none() {
                        child.end(Duration::ZERO, capture).await;
                    }
                    child.leave();
                    return End::TimedOut;
                }
                capture.report();
            }
            event = child.next() => child.take(event, capture).await,
        }
    }
}

async fn until(wake: Option<Instant>) {
    match wake {
        Some(wake) => sleep_until(wake).await,
        None => std::future::pending().await,
    }
}

/// A process that is being followed.
struct Child {
    running: Running,
    exit: Option<Exit>,
    /// Whether the output has come to its end.
    closed: bool,
    buffer: Vec<u8>,
}

enum Event {
    Exit(Exit),
    /// So many bytes are in the buffer; none: that was the end.
    Output(usize),
}

impl Child {
    /// The next thing to happen. Nothing is lost when the future is dropped.
    async fn next(&mut self) -> Event {
        let Running { output, process } = &mut self.running;
        tokio::select! {
            // An output whose end cannot be read has ended (a terminal's does so with an error).
            read = output.read(&mut self.buffer), if !self.closed => Event::Output(read.unwrap_or(0)),
            exit = process.wait(), if self.exit.is_none() => Event::Exit(exit.unwrap_or_default()),
            else => std::future::pending().await,
        }
    }

    async fn take(&mut self, event: Event, capture: &mut Capture<'_>) {
        match event {
            Event::Exit(exit) => self.exit = Some(exit),
            Event::Output(0) => self.closed = true,
            Event::Output(count) => capture.take(&self.buffer[..count]).await,
        }
    }

    /// The shell has ended: its last output, and what is left of its group.
    async fn after_exit(mut self, exit: Exit, capture: &mut Capture<'_>) -> End {
        let latest = Instant::now() + DRAIN;
        while !self.closed {
            let quiet = (Instant::now() + SILENCE).min(latest);
            match timeout_at(quiet, self.next()).await {
                Ok(event) => self.take(event, capture).await,
                Err(_) => break,
            }
        }
        // Who holds the output without being of the group has left it by itself, and is not stopped.
        let background_stopped = !self.closed && self.running.process.has_company();
        if background_stopped {
            self.end(LEFT_BEHIND, capture).await;
        }
        self.leave();
        End::Exited { exit, background_stopped }
    }

    /// Ends the group: asks it to, then kills it. What still holds the output after that has left the group.
    async fn end(&mut self, patience: Duration, capture: &mut Capture<'_>) {
        self.running.process.stop(Stop::Terminate);
        self.settle(patience, capture).await;
        self.running.process.stop(Stop::Kill);
        self.settle(AFTER_KILL, capture).await;
    }

    /// Lets go of what has ended, for another group may get its number. What has not is killed once more.
    fn leave(self) {
        if self.exit.is_some() {
            self.running.process.release();
        }
    }

    /// Takes output until all is closed and ended, or time is over.
    async fn settle(&mut self, patience: Duration, capture: &mut Capture<'_>) {
        let latest = Instant::now() + patience;
        while !self.closed || self.exit.is_none() {
            match timeout_at(latest, self.next()).await {
                Ok(event) => self.take(event, capture).await,
                Err(_) => return,
            }
        }
    }
}
