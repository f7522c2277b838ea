//! One connection to a server, from its first message to its last.

use std::{sync::Arc, time::Duration};

use rmcp::{
    RoleClient,
    model::{
        CancelledNotificationParam, ClientRequest, ErrorData, ProtocolVersion, RequestId, ServerPeerInfo, ServerResult,
    },
    service::{
        ClientInitializeError, ClientLifecycleMode, ClientServiceExt, Peer, PeerRequestOptions, RequestHandle,
        RunningService, ServiceError,
    },
    transport::{DynamicTransportError, Transport},
};
use tokio::{select, sync::mpsc};

use super::{
    config::Era,
    handler::Handler,
    link::{Heard, Link},
    tail::Tail,
};

/// As many words for the log may wait.
const MAX_LOG: usize = 256;
/// How long, at most, the question which revision a server speaks may stay unanswered.
const PATIENCE: Duration = Duration::from_secs(8);

/// A server that has said what it can do.
pub(super) struct Session {
    service: RunningService<RoleClient, Handler>,
    pub(super) handler: Handler,
    pub(super) heard: Arc<Heard>,
    pub(super) tail: Tail,
    pub(super) info: Arc<ServerPeerInfo>,
}

/// Why a request has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum RequestError {
    /// The server says so.
    #[error("{}", told(.0))]
    Refused(ErrorData),
    /// The connection ended.
    #[error("the connection ended before the answer came")]
    Closed,
    /// It could not be sent.
    #[error("the request could not be sent: {0}")]
    Unsent(String),
    /// It took too long.
    #[error("there was no answer within {}", super::words::span(*.0))]
    TimedOut(Duration),
    /// Something else came.
    #[error("the server's answer is not one to this request")]
    Unexpected,
}

fn told(error: &ErrorData) -> String {
    format!("{} (error {})", error.message, error.code.0)
}

/// What went wrong on the way.
pub(super) fn cause(error: &DynamicTransportError) -> String {
    #[cfg(feature = "http-client")]
    if let Some(cause) = super::http::cause(error.error.as_ref()) {
        return cause;
    }
    super::words::chain(error.error.as_ref())
}

impl From<ServiceError> for RequestError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => Self::Refused(error),
            ServiceError::TransportSend(error) => Self::Unsent(cause(&error)),
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => Self::Closed,
            ServiceError::Timeout { timeout } => Self::TimedOut(timeout),
            _ => Self::Unexpected,
        }
    }
}

impl Session {
    /// Opens a connection: agrees on a revision of the protocol, by the handshake where the server wants one.
    ///
    /// # Errors
    /// When the server does not answer as it should.
    pub(super) async fn open<T: Transport<RoleClient> + 'static>(
        transport: T,
        handler: Handler,
        era: Era,
        tail: Tail,
        startup: Duration,
    ) -> Result<Self, ClientInitializeError> {
        let (log, mut logged) = mpsc::channel(MAX_LOG);
        let heard = Heard::new(log);
        let logger = handler.clone();
        tokio::spawn(async move {
            while let Some(message) = logged.recv().await {
                logger.log(message);
            }
        });
        let link = Link::new(transport, heard.clone(), PATIENCE.min(startup / 3));
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        let lifecycle = match era {
            Era::Any => ClientLifecycleMode::Auto {
                preferred_versions,
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
            Era::Handshake => ClientLifecycleMode::Initialize,
            Era::Stateless => ClientLifecycleMode::Discover { preferred_versions },
        };
        let service = handler.clone().serve_with_lifecycle(link, lifecycle).await?;
        let none = || Arc::new(ServerPeerInfo::new(ProtocolVersion::default(), Default::default()));
        let info = service.peer().peer_info().unwrap_or_else(none);
        Ok(Self { service, handler, heard, tail, info })
    }

    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    /// Whether the other side is gone.
    pub(super) fn is_closed(&self) -> bool {
        self.heard.closing.is_cancelled() || self.peer().is_transport_closed()
    }

    /// Whether it speaks a revision without a handshake.
    pub(super) fn is_stateless(&self) -> bool {
        !self.info.protocol_version.has_initialize()
    }

    /// Makes a request. Given up before its answer is there, the server is told so.
    pub(super) async fn request(&self, request: ClientRequest, limit: Duration) -> Result<ServerResult, RequestError> {
        let options = PeerRequestOptions::with_timeout(limit);
        let handle = self.peer().send_request_with_option(request, options).await?;
        let mut pending = Pending::new(self.peer(), &handle);
        let answer = select! {
            biased;
            answer = handle.await_response() => Ok(answer?),
            () = self.heard.closing.cancelled() => Err(RequestError::Closed),
        };
        pending.answered();
        answer
    }

    /// Ends the connection, and the server's process with it.
    pub(super) async fn close(&self) {
        self.service.cancellation_token().cancel();
        self.heard.ended.cancelled().await;
    }
}

/// A request whose server is told when nobody waits for it any more.
pub(super) struct Pending {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Pending {
    pub(super) fn new(peer: &Peer<RoleClient>, handle: &RequestHandle<RoleClient>) -> Self {
        Self { peer: peer.clone(), id: Some(handle.id.clone()) }
    }

    /// There is nothing to give up any more.
    pub(super) fn answered(&mut self) {
        self.id = None;
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let reason = Some("nobody waits for it any more".to_owned());
            let _ = peer.notify_cancelled(CancelledNotificationParam::new(Some(id), reason)).await;
        });
    }
}
