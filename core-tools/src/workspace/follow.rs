//! A process from its start to its end, whatever ends it: what every tool that runs one does.

use std::{io, sync::Arc, time::Duration};

use tokio::{
    io::AsyncReadExt,
    time::{Instant, sleep_until, timeout_at},
};
use tool_core::CancellationToken;

use super::{Background, ByteStream, Exit, Running, Stop};

/// How much is read at once: what a pipe holds.
const CHUNK: usize = 64 * 1024;
/// The same of stderr, where it comes apart.
const ERROR_CHUNK: usize = 4 * 1024;
/// Once the process has ended, its output has when nothing came for this long …
const SILENCE: Duration = Duration::from_millis(100);
/// … or at the latest after this.
const DRAIN: Duration = Duration::from_secs(1);
/// How long children that were not detached may clean up after its end.
const LEFT_BEHIND: Duration = Duration::from_millis(200);
/// How long a command may clean up after its timeout (opencode).
const AFTER_TIMEOUT: Duration = Duration::from_secs(3);
/// The same after cancellation: the executor waits 250 ms for all of it.
const AFTER_CANCEL: Duration = Duration::from_millis(100);
/// How long the last bytes of a killed group may take.
const AFTER_KILL: Duration = Duration::from_millis(50);

/// What takes in what a process prints.
pub(crate) trait Sink: Send {
    /// Takes the next bytes of its output.
    fn take(&mut self, bytes: &[u8]) -> impl Future<Output = ()> + Send;

    /// Takes the next bytes of its stderr, where that comes apart.
    fn take_errors(&mut self, bytes: &[u8]) {
        let _ = bytes;
    }

    /// What becomes of children that are left when the process has ended.
    fn background(&self) -> Background {
        Background::default()
    }

    /// The next signal somebody wants sent, if ever. May be dropped and called again.
    fn interrupted(&mut self) -> impl Future<Output = ()> + Send {
        std::future::pending()
    }

    /// When watchers are to be told next; `None` when there is nothing to tell.
    fn due(&self) -> Option<Instant>;

    /// Tells watchers what is new.
    fn report(&mut self);
}

/// What ended a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
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
    /// What became of it cannot be learnt, for its machine is out of reach; why.
    Lost(Arc<str>),
}

impl End {
    /// How it ended, where it did so by itself.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Exited { exit, .. } => *exit,
            Self::TimedOut | Self::Cancelled | Self::Lost(_) => Exit::default(),
        }
    }
}

/// Follows a process to its end. Dropping the future kills it and its group. Without a timeout, cancellation alone ends
/// it early.
pub(crate) async fn follow(
    running: Running,
    timeout: Option<Duration>,
    cancellation: &CancellationToken,
    sink: &mut impl Sink,
) -> End {
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let mut child = Child {
        errors_closed: running.errors.is_none(),
        running,
        exit: None,
        lost: None,
        closed: false,
        buffer: vec![0; CHUNK],
        errors: vec![0; ERROR_CHUNK],
    };
    loop {
        if let Some(exit) = child.exit {
            return child.after_exit(exit, sink).await;
        }
        let wake = [deadline, sink.due()].into_iter().flatten().min();
        tokio::select! {
            biased;
            () = cancellation.cancelled() => {
                child.end(Reach::Tree, AFTER_CANCEL, sink).await;
                child.leave();
                return End::Cancelled;
            }
            () = until(wake) => {
                if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                    // Its time is over, but cancellation still is to be obeyed at once.
                    let ended = child.end(Reach::Tree, AFTER_TIMEOUT, sink);
                    if cancellation.run_until_cancelled(ended).await.is_none() {
                        child.end(Reach::Tree, Duration::ZERO, sink).await;
                    }
                    child.leave();
                    return End::TimedOut;
                }
                sink.report();
            }
            () = sink.interrupted() => {
                child.running.process.interrupt();
            }
            event = child.next() => child.take(event, sink).await,
        }
    }
}

/// An error stream whose end cannot be read has ended.
async fn next_of(errors: &mut Option<ByteStream>, buffer: &mut [u8]) -> usize {
    match errors {
        Some(errors) => errors.read(buffer).await.unwrap_or(0),
        None => 0,
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
    /// Why its end could not be learnt.
    lost: Option<Arc<str>>,
    /// Whether the output has come to its end, and stderr, where that comes apart.
    closed: bool,
    errors_closed: bool,
    buffer: Vec<u8>,
    errors: Vec<u8>,
}

/// Which of its children are stopped with a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Those that did not leave its group.
    Group,
    /// All of them.
    Tree,
}

enum Event {
    Exit(io::Result<Exit>),
    /// So many bytes are in the buffer; none: that was the end.
    Output(usize),
    /// The same of stderr.
    Errors(usize),
}

impl Child {
    /// The next thing to happen. Nothing is lost when the future is dropped.
    async fn next(&mut self) -> Event {
        let Running { output, errors, process, .. } = &mut self.running;
        tokio::select! {
            // An output whose end cannot be read has ended (a terminal's does so with an error).
            read = output.read(&mut self.buffer), if !self.closed => Event::Output(read.unwrap_or(0)),
            read = next_of(errors, &mut self.errors), if !self.errors_closed => Event::Errors(read),
            exit = process.wait(), if self.exit.is_none() => Event::Exit(exit),
            else => std::future::pending().await,
        }
    }

    async fn take(&mut self, event: Event, sink: &mut impl Sink) {
        match event {
            Event::Exit(exit) => {
                self.lost = exit.as_ref().err().map(|error| error.to_string().into());
                self.exit = Some(exit.unwrap_or_default());
            }
            Event::Output(0) => self.closed = true,
            Event::Output(count) => sink.take(&self.buffer[..count]).await,
            Event::Errors(0) => self.errors_closed = true,
            Event::Errors(count) => sink.take_errors(&self.errors[..count]),
        }
    }

    fn all_closed(&self) -> bool {
        self.closed && self.errors_closed
    }

    /// The process has ended: its last output, and what is left of its group.
    async fn after_exit(mut self, exit: Exit, sink: &mut impl Sink) -> End {
        let latest = Instant::now() + DRAIN;
        while !self.all_closed() {
            let quiet = (Instant::now() + SILENCE).min(latest);
            match timeout_at(quiet, self.next()).await {
                Ok(event) => self.take(event, sink).await,
                Err(_) => break,
            }
        }
        if let Some(why) = self.lost {
            return End::Lost(why);
        }
        let background = sink.background();
        let has_company = self.running.process.has_company();
        let background_stopped = match background {
            Background::Keep => false,
            // Who holds the output without being of the group has left it by itself, and is not stopped.
            Background::StopAttached => has_company && !self.all_closed(),
            Background::StopGroup => has_company,
            Background::StopAll => has_company || self.running.process.has_relatives(),
        };
        if background_stopped {
            let reach = if background == Background::StopAll { Reach::Tree } else { Reach::Group };
            self.end(reach, LEFT_BEHIND, sink).await;
        }
        self.leave();
        End::Exited { exit, background_stopped }
    }

    /// Ends what is left: asks it to, then kills it. What still holds the output after that is out of reach.
    async fn end(&mut self, reach: Reach, patience: Duration, sink: &mut impl Sink) {
        self.stop(reach, Stop::Terminate);
        self.settle(patience, sink).await;
        self.stop(reach, Stop::Kill);
        self.settle(AFTER_KILL, sink).await;
    }

    fn stop(&mut self, reach: Reach, how: Stop) {
        match reach {
            Reach::Group => self.running.process.stop(how),
            Reach::Tree => self.running.process.stop_all(how),
        }
    }

    /// Lets go of what has ended, for another group may get its number. What has not is killed once more.
    fn leave(self) {
        if self.exit.is_some() {
            self.running.process.release();
        }
    }

    /// Takes output until all is closed and ended, or time is over.
    async fn settle(&mut self, patience: Duration, sink: &mut impl Sink) {
        let latest = Instant::now() + patience;
        while !self.all_closed() || self.exit.is_none() {
            match timeout_at(latest, self.next()).await {
                Ok(event) => self.take(event, sink).await,
                Err(_) => return,
            }
        }
    }
}
