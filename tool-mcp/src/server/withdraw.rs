//! A question to a client that is taken back where its answer is not wanted any more.

use rmcp::{
    Peer, RoleServer,
    model::{ClientResult, ServerRequest},
    service::{PeerRequestOptions, RequestHandle},
};

use super::client::McpClientError;

/// What the client is told of a question that is taken back.
const REASON: &str = "the answer is not needed any more";

/// A request to the client. Dropped without an answer, it is cancelled, so that no dialog stays open for nothing.
pub(super) struct Withdrawable(Option<RequestHandle<RoleServer>>);

impl Withdrawable {
    pub(super) async fn send(peer: &Peer<RoleServer>, request: ServerRequest) -> Result<Self, McpClientError> {
        let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        Ok(Self(Some(sent.map_err(|error| McpClientError::failed(error.to_string()))?)))
    }

    pub(super) async fn answer(mut self) -> Result<ClientResult, McpClientError> {
        let Some(handle) = &mut self.0 else { return Err(McpClientError::Gone) };
        let answer = (&mut handle.rx).await;
        self.0 = None;
        match answer {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(McpClientError::failed(error.to_string())),
            Err(_) => Err(McpClientError::Gone),
        }
    }
}

impl Drop for Withdrawable {
    fn drop(&mut self) {
        if let (Some(handle), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(async move {
                let _ = handle.cancel(Some(REASON.to_owned())).await;
            });
        }
    }
}
