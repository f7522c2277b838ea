//! The sessions of clients over HTTP: `rmcp`'s, of which so many may be, and the one that is idle longest makes room.
//!
//! A client that has just begun one listens to nothing yet: it has a while to do so, or it would make room for the next
//! one wherever the others listen.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::{Stream, StreamExt};
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage},
    transport::{
        Transport,
        streamable_http_server::{
            SessionManager,
            session::{
                ServerSseMessage, SessionId,
                local::{LocalSessionManager, LocalSessionManagerError, SessionConfig, SessionTransport},
            },
        },
    },
};
use tokio::{
    sync::{Mutex as AsyncMutex, Notify},
    time::Instant,
};

/// How long a client that was there counts as listening.
const RECENT: Duration = Duration::from_secs(30);

/// All sessions.
pub(super) struct Sessions {
    local: Arc<LocalSessionManager>,
    most: usize,
    known: Mutex<HashMap<SessionId, Arc<Usage>>>,
    /// Held while one begins, so that there are never more.
    beginning: AsyncMutex<()>,
    /// That one has begun, and can make room for the next.
    begun: Notify,
}

/// Why a session cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionFault {
    #[error("there are too many sessions, and calls run in all of them")]
    Full,
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
}

/// What is known of the use of a session.
struct Usage(Mutex<Used>);

struct Used {
    last: Instant,
    /// Whether its `initialize` is not answered.
    is_beginning: bool,
    /// The requests that are not answered.
    open: HashSet<RequestId>,
    /// How many streams wait for what belongs to no request: whoever listens is still there.
    listening: usize,
}

impl Usage {
    fn new() -> Self {
        Self(Mutex::new(Used { last: Instant::now(), is_beginning: true, open: HashSet::new(), listening: 0 }))
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that it is used.
    fn touch(&self) -> MutexGuard<'_, Used> {
        let mut used = self.used();
        used.last = Instant::now();
        used
    }

    fn is_beginning(&self) -> bool {
        self.used().is_beginning
    }

    /// How soon it is to go: those that nobody listens to, nor has used of late, before the others, and then by their last
    /// use. `None`: not while a call runs, or it begins.
    fn rank(&self) -> Option<(bool, Instant)> {
        let used = self.used();
        let is_there = used.listening > 0 || used.last.elapsed() < RECENT;
        (used.open.is_empty() && !used.is_beginning).then_some((is_there, used.last))
    }
}

/// Somebody who listens, as long as it is there.
struct Listening(Arc<Usage>);

impl Listening {
    fn new(usage: Arc<Usage>) -> Self {
        usage.touch().listening += 1;
        Self(usage)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.touch().listening -= 1;
    }
}

/// A session that begins, until it has, or its client has gone.
struct Beginning<'a> {
    usage: Option<Arc<Usage>>,
    begun: &'a Notify,
}

impl Drop for Beginning<'_> {
    fn drop(&mut self) {
        if let Some(usage) = &self.usage {
            usage.touch().is_beginning = false;
        }
        self.begun.notify_one();
    }
}

/// An answer that is being sent.
struct Answering {
    usage: Arc<Usage>,
    request: Option<RequestId>,
}

impl Drop for Answering {
    fn drop(&mut self) {
        if let Some(request) = &self.request {
            self.usage.touch().open.remove(request);
        }
    }
}

impl Sessions {
    /// At most so many, each as configured.
    pub(super) fn new(most: usize, config: SessionConfig) -> Self {
        let mut local = LocalSessionManager::default();
        local.session_config = config;
        Self {
            local: Arc::new(local),
            most,
            known: Mutex::default(),
            beginning: AsyncMutex::default(),
            begun: Notify::new(),
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Usage>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn usage(&self, id: &SessionId) -> Option<Arc<Usage>> {
        self.known().get(id).cloned()
    }

    /// Whether one more could begin.
    pub(super) fn has_room(&self) -> bool {
        let known = self.known();
        known.len() < self.most || known.values().any(|usage| usage.rank().is_some() || usage.is_beginning())
    }

    /// Ends the one that is idle longest, where there are as many as there may be. Says whether there is room then.
    fn make_room(&self) -> bool {
        let mut known = self.known();
        if known.len() < self.most {
            return true;
        }
        let ranked = known.iter().filter_map(|(id, usage)| Some((usage.rank()?, id)));
        let Some(idlest) = ranked.min_by_key(|(rank, _)| *rank).map(|(_, id)| id.clone()) else { return false };
        known.remove(&idlest);
        tracing::debug!("the session that was idle longest was ended, to make room");
        let local = self.local.clone();
        tokio::spawn(async move { local.close_session(&idlest).await });
        true
    }

    fn listened(
        &self,
        id: &SessionId,
        stream: impl Stream<Item = ServerSseMessage> + Send + 'static,
    ) -> impl Stream<Item = ServerSseMessage> + Send + 'static {
        let listening = self.usage(id).map(Listening::new);
        stream.map(move |message| {
            // It is kept as long as the stream.
            let _ = &listening;
            message
        })
    }
}

impl SessionManager for Sessions {
    type Error = SessionFault;
    type Transport = Watched;

    async fn create_session(&self) -> Result<(SessionId, Watched), SessionFault> {
        let _one = self.beginning.lock().await;
        loop {
            // Looked at first: of one that has begun in between the notice is there already.
            let one_begins = self.known().values().any(|usage| usage.is_beginning());
            if self.make_room() {
                break;
            }
            if !one_begins {
                return Err(SessionFault::Full);
            }
            self.begun.notified().await;
        }
        let (id, transport) = self.local.create_session().await?;
        let usage = Arc::new(Usage::new());
        self.known().insert(id.clone(), usage.clone());
        Ok((id, Watched { transport, usage }))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionFault> {
        let _beginning = Beginning { usage: self.usage(id), begun: &self.begun };
        Ok(self.local.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionFault> {
        Ok(self.usage(id).is_some() && self.local.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionFault> {
        self.known().remove(id);
        Ok(self.local.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionFault> {
        let asked = match &message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        // Before it is handed on: nobody is to make room of a session whose call is on its way.
        let usage = self.usage(id);
        if let (Some(usage), Some(asked)) = (&usage, &asked) {
            usage.touch().open.insert(asked.clone());
        }
        let stream = self.local.create_stream(id, message).await;
        if let (Err(_), Some(usage), Some(asked)) = (&stream, usage, asked) {
            usage.touch().open.remove(&asked);
        }
        Ok(stream?)
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), SessionFault> {
        if let Some(usage) = self.usage(id) {
            let mut used = usage.touch();
            // What is cancelled need not be answered.
            if let JsonRpcMessage::Notification(notification) = &message
                && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                && let Some(request) = &cancelled.params.request_id
            {
                used.open.remove(request);
            }
        }
        Ok(self.local.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + 'static, SessionFault> {
        let stream = self.local.create_standalone_stream(id).await?;
        Ok(self.listened(id, stream))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + 'static, SessionFault> {
        let stream = self.local.resume(id, last_event_id).await?;
        Ok(self.listened(id, stream))
    }
}

/// What a session's messages pass, so that it is known which requests were answered.
pub(super) struct Watched {
    transport: SessionTransport,
    usage: Arc<Usage>,
}

impl Transport<RoleServer> for Watched {
    type Error = <SessionTransport as Transport<RoleServer>>::Error;

    fn name() -> Cow<'static, str> {
        <SessionTransport as Transport<RoleServer>>::name()
    }

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        // Until it is sent the session is not to go: the answer would go with it.
        let answering = Answering { usage: self.usage.clone(), request: answered };
        let sending = self.transport.send(item);
        async move {
            let _answering = answering;
            sending.await
        }
    }

    fn receive(&mut self) -> impl Future<Output = Option<ClientJsonRpcMessage>> + Send {
        self.transport.receive()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.transport.close()
    }
}
