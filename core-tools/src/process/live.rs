//! A command that goes on beside the calls that look at it.

use std::{
    future::poll_fn,
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
    time::Duration,
};

use tokio::{
    io::AsyncWriteExt,
    sync::{Mutex as AsyncMutex, mpsc, watch},
    time::{Instant, sleep_until, timeout_at},
};
use tool_core::{CancellationToken, ToolContext, event::Progress};

use super::{Decoder, Taken, transcript::Transcript};
use crate::workspace::{Background, End, Running, Sink, Terminal, TerminalSize, follow};

/// Watchers are told no more often than this.
const REPORT_EVERY: Duration = Duration::from_millis(100);
/// Of what was printed in between, watchers get at most so many bytes of the end.
const REPORT_BYTES: usize = 30_000;

type Driven = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A command that runs, or has ended and was not yet looked at. Dropping it kills it with all it has started, at once.
pub(crate) struct Live {
    printed: Arc<Mutex<Printed>>,
    end: watch::Receiver<Option<End>>,
    stop: CancellationToken,
    interrupts: mpsc::UnboundedSender<()>,
    keyboard: Option<AsyncMutex<Keyboard>>,
    /// What follows it. Here, and not in the task that drives it, so that it can be dropped without one.
    driven: Arc<Mutex<Option<Driven>>>,
    /// The variables that were kept from it.
    withheld: Vec<String>,
}

/// What is typed on, and the size of what is looked at.
struct Keyboard {
    terminal: Box<dyn Terminal>,
    size: TerminalSize,
}

/// How waiting ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Waited {
    /// With the command.
    Ended(End),
    /// With the time.
    Yielded,
    /// With the call.
    Cancelled,
}

#[derive(Default)]
struct Printed {
    transcript: Transcript,
    decoder: Decoder,
    /// What watchers were not told yet.
    fresh: String,
}

impl Live {
    /// Follows a process from now on, whoever waits. The size is that of its terminal, where it has one.
    pub(crate) fn new(mut running: Running, size: TerminalSize, background: Background) -> Self {
        let printed = Arc::new(Mutex::new(Printed::default()));
        let (tell, end) = watch::channel(None);
        let (interrupts, interrupted) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        let keyboard = running.terminal.take().map(|terminal| AsyncMutex::new(Keyboard { terminal, size }));
        let withheld = std::mem::take(&mut running.withheld);

        let mut recorder = Recorder { printed: printed.clone(), interrupted, background };
        let token = stop.clone();
        let following: Driven = Box::pin(async move {
            let end = follow(running, None, &token, &mut recorder).await;
            let _ = tell.send(Some(end));
        });
        let driven = Arc::new(Mutex::new(Some(following)));
        let driver = driven.clone();
        tokio::spawn(poll_fn(move |task| {
            let mut driven = lock(&driver);
            let Some(following) = &mut *driven else { return Poll::Ready(()) };
            let polled = following.as_mut().poll(task);
            if polled.is_ready() {
                *driven = None;
            }
            polled
        }));
        Self { printed, end, stop, interrupts, keyboard, driven, withheld }
    }

    /// Waits for its end, or until then, and tells watchers what it prints.
    pub(crate) async fn wait(&self, ctx: &ToolContext, until: Option<Instant>) -> Waited {
        let mut end = self.end.clone();
        loop {
            let report = Instant::now() + REPORT_EVERY;
            let wake = until.map_or(report, |until| until.min(report));
            let waited = tokio::select! {
                biased;
                ended = end.wait_for(Option::is_some) => ended.ok().and_then(|ended| ended.clone()).map(Waited::Ended),
                () = ctx.cancellation().cancelled() => Some(Waited::Cancelled),
                () = sleep_until(wake) => until.is_some_and(|until| until <= wake).then_some(Waited::Yielded),
            };
            let fresh = std::mem::take(&mut lock(&self.printed).fresh);
            if !fresh.is_empty() {
                ctx.progress(Progress::text(fresh));
            }
            if let Some(waited) = waited {
                return waited;
            }
            // Nobody follows it any more, and nothing will change.
            if end.has_changed().is_err() && end.borrow().is_none() {
                return Waited::Ended(End::Cancelled);
            }
        }
    }

    /// How it ended, if it has.
    pub(crate) fn end(&self) -> Option<End> {
        self.end.borrow().clone()
    }

    /// What it has printed since this was last asked.
    pub(crate) fn take(&self) -> Taken {
        let more_comes = self.end().is_none();
        lock(&self.printed).transcript.take(more_comes)
    }

    /// What [`take`](Self::take) would give, which it still will.
    pub(crate) fn glance(&self) -> String {
        lock(&self.printed).transcript.glance()
    }

    /// Ends it, and waits for that: it may clean up for a moment.
    pub(crate) async fn stop(&self) {
        self.stop.cancel();
        let _ = self.end.clone().wait_for(Option::is_some).await;
    }

    /// Kills it with all it has started, at once.
    pub(crate) fn kill(&self) {
        // With what follows it goes the process, and all it has started.
        *lock(&self.driven) = None;
    }

    /// Interrupts its whole group, as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        let _ = self.interrupts.send(());
    }

    /// Whether it runs in a terminal.
    pub(crate) fn has_terminal(&self) -> bool {
        self.keyboard.is_some()
    }

    /// Types this, as far as it is read in time. Says how many bytes were.
    ///
    /// # Errors
    /// When it has no terminal, or that is closed.
    pub(crate) async fn type_in(&self, bytes: &[u8], until: Instant) -> io::Result<usize> {
        let Some(keyboard) = &self.keyboard else { return Err(io::ErrorKind::NotConnected.into()) };
        let mut typed = 0;
        let typing = async {
            let mut keyboard = keyboard.lock().await;
            let keyboard = &mut keyboard.terminal;
            while typed < bytes.len() {
                match keyboard.write(&bytes[typed..]).await? {
                    0 => return Err(io::ErrorKind::WriteZero.into()),
                    count => typed += count,
                }
            }
            keyboard.flush().await
        };
        match timeout_at(until, typing).await {
            Ok(Err(error)) => Err(error),
            Ok(Ok(())) | Err(_) => Ok(typed),
        }
    }

    /// Gives its terminal another size; what is not said stays as it is.
    ///
    /// # Errors
    /// When it has none, or that is closed.
    pub(crate) async fn resize(&self, rows: Option<u16>, columns: Option<u16>) -> io::Result<()> {
        let Some(keyboard) = &self.keyboard else { return Err(io::ErrorKind::NotConnected.into()) };
        let mut keyboard = keyboard.lock().await;
        let TerminalSize { rows: old_rows, columns: old_columns } = keyboard.size;
        let size = TerminalSize { rows: rows.unwrap_or(old_rows), columns: columns.unwrap_or(old_columns) };
        keyboard.terminal.resize(size)?;
        keyboard.size = size;
        Ok(())
    }

    /// The names of the variables that were kept from it.
    pub(crate) fn withheld(&self) -> &[String] {
        &self.withheld
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.kill();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes down what is printed.
struct Recorder {
    printed: Arc<Mutex<Printed>>,
    interrupted: mpsc::UnboundedReceiver<()>,
    background: Background,
}

impl Sink for Recorder {
    async fn take(&mut self, bytes: &[u8]) {
        let mut printed = lock(&self.printed);
        printed.transcript.push(bytes);
        let text = printed.decoder.push(bytes);
        printed.fresh.push_str(&text);
        if printed.fresh.len() > REPORT_BYTES {
            let start = printed.fresh.ceil_char_boundary(printed.fresh.len() - REPORT_BYTES);
            printed.fresh.drain(..start);
        }
    }

    fn background(&self) -> Background {
        self.background
    }

    async fn interrupted(&mut self) {
        if self.interrupted.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    fn due(&self) -> Option<Instant> {
        None
    }

    fn report(&mut self) {}
}
