//! Ctrl-C: the first one cancels, so that the outcome can still be told; the second one ends the program.

use std::{io, process};

use tool_core::CancellationToken;

/// Begins to listen. SIGTERM counts as well: what a supervisor sends should not leave a tool's children behind.
pub(crate) fn watch(token: CancellationToken) {
    // Without a handler the signal ends the program, which is what it would do anyway.
    let Ok(mut signals) = Signals::new() else { return };
    tokio::spawn(async move {
        signals.next().await;
        token.cancel();
        let status = signals.next().await;
        process::exit(status);
    });
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for one, and says with which status a program ends by it.
    async fn next(&mut self) -> i32 {
        use std::{future::poll_fn, task::Poll};
        poll_fn(|task| {
            if self.interrupt.poll_recv(task).is_ready() {
                return Poll::Ready(130);
            }
            self.terminate.poll_recv(task).map(|_| 143)
        })
        .await
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> i32 {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        130
    }
}
