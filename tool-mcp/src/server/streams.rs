//! One client on a pair of streams, from its first message to its end.

use std::{sync::Arc, time::Duration};

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tool_core::CancellationToken;

use super::{
    error::ServeError,
    handler::{Belonging, Handler},
    lines::Lines,
    shared::Shared,
};

/// How long calls may go on after the end of the client's input: one that was told all it is to do at once waits for its
/// answers still.
const GRACE: Duration = Duration::from_secs(2);
/// How long a cancelled call has to tell of it.
const LAST: Duration = Duration::from_secs(1);

pub(super) async fn serve<R, W>(shared: Arc<Shared>, input: R, output: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (ended, over) = (CancellationToken::new(), CancellationToken::new());
    let lines = Lines::new(input, output, ended.clone(), shared.stop.clone());
    let handler = Handler::new(shared.clone(), Belonging::Connection, ended.clone());
    let session = handler.own().clone();
    // At the end of input the connection waits for the answers that are still to come, and these wait no longer than so.
    let ending = async {
        ended.cancelled().await;
        let is_stopped = shared.stop.run_until_cancelled(tokio::time::sleep(GRACE)).await.is_none();
        if is_stopped {
            tracing::debug!("stopped");
        }
        session.session.cancellation().cancel();
        tokio::time::sleep(LAST).await;
        over.cancel();
        // Whoever does not end is not waited for.
        tokio::time::sleep(LAST).await;
    };
    let serving = async {
        match serve_server_with_ct(handler, lines, over.clone()).await {
            Ok(running) => {
                let _ = running.waiting().await;
                Ok(())
            }
            // The client is gone, before its first message or before the answer to it.
            Err(
                ServerInitializeError::ConnectionClosed(_)
                | ServerInitializeError::Cancelled
                | ServerInitializeError::TransportError { .. },
            ) => Ok(()),
            Err(error) => Err(ServeError::Handshake(error.to_string())),
        }
    };
    let served = tokio::select! {
        served = serving => served,
        () = ending => Ok(()),
    };
    session.session.cancellation().cancel();
    served
}
