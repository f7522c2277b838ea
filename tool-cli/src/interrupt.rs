//! Ctrl-C: the first one cancels, so that the outcome can still be told; the second one ends the program, and with it all
//! that its tools have started.

use std::{
    io, process,
    process::ExitCode,
    sync::{Arc, OnceLock},
    time::Duration,
};

use tool_core::CancellationToken;
use tool_mcp::client::McpConnections;

/// How long what runs may take to be dropped after the second one. A plain `fn` that does not end is not waited for.
const DROPPING: Duration = Duration::from_secs(2);

/// The second Ctrl-C.
#[derive(Default)]
pub(crate) struct Second {
    came: CancellationToken,
    /// What a program ends with by it.
    status: OnceLock<i32>,
}

impl Second {
    /// Runs this, unless it comes: then what runs is dropped, and with it the processes it has started.
    pub(crate) async fn unless<T>(&self, work: impl Future<Output = T>) -> Result<T, ExitCode> {
        self.came.run_until_cancelled(work).await.ok_or_else(|| {
            let status = self.status.get().and_then(|status| u8::try_from(*status).ok());
            ExitCode::from(status.unwrap_or(u8::MAX))
        })
    }
}

/// Begins to listen. SIGTERM, SIGHUP and SIGQUIT count as well: what a supervisor or a closed terminal sends should not
/// leave a tool's children behind, nor MCP servers.
pub(crate) fn watch(token: CancellationToken, second: Arc<Second>, servers: Option<McpConnections>) {
    // Without a handler the signal ends the program, which is what it would do anyway.
    let Ok(mut signals) = Signals::new() else { return };
    tokio::spawn(async move {
        signals.next().await;
        token.cancel();
        let status = signals.next().await;
        let _ = second.status.set(status);
        second.came.cancel();
        if let Some(servers) = servers {
            servers.kill();
        }
        tokio::time::sleep(DROPPING).await;
        process::exit(status);
    });
}

/// Waits for the first one, where nobody watches yet.
pub(crate) async fn first() {
    match Signals::new() {
        Ok(mut signals) => drop(signals.next().await),
        Err(_) => std::future::pending().await,
    }
}

#[cfg(unix)]
struct Signals {
    /// Each with the status a program ends with by it.
    signals: Vec<(tokio::signal::unix::Signal, i32)>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let listen = |kind: SignalKind| Ok((signal(kind)?, 128 + kind.as_raw_value()));
        Ok(Self { signals: kinds.into_iter().map(listen).collect::<io::Result<_>>()? })
    }

    /// Waits for one, and says with which status a program ends by it.
    async fn next(&mut self) -> i32 {
        use std::{future::poll_fn, task::Poll};
        poll_fn(|task| {
            let came = self
                .signals
                .iter_mut()
                .find_map(|(signal, status)| signal.poll_recv(task).is_ready().then_some(*status));
            came.map_or(Poll::Pending, Poll::Ready)
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
