//! One request of a client's, as what answers it sees it: where notifications go, and how the client is asked.
//!
//! Up to 2025-11-25 a server asks its client by requests of its own. From 2026-07-28 on it cannot: what it wants to know
//! stands in the answer, and the client makes its request again with what was asked for. `Questions` is where they wait
//! meanwhile; see `rounds`.

use std::{
    collections::{HashMap, VecDeque},
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use rmcp::{
    Peer, RoleServer,
    model::{
        ClientCapabilities, ClientResult, InitializeRequestParams, InputRequest, ProtocolVersion, RequestMetaObject,
        ServerNotification, ServerRequest,
    },
    service::RequestContext,
};
use serde_json::Value;
use tokio::sync::Notify;
use tool_core::{CancellationToken, call::CallId};

use super::{client::McpClientError, logging::LogGate, progress::Meter, question::Questions, withdraw::Withdrawable};

/// How many notifications of one request may wait to be sent. More are left out: none of them is an answer.
const MOST_WAITING: usize = 256;

/// What answers one request.
pub(super) struct Exchange {
    link: Mutex<Link>,
    outbox: Outbox,
    version: ProtocolVersion,
    client: Client,
    /// Where questions wait for the client to make its request again.
    questions: Option<Questions>,
    lacked: Mutex<Option<ClientCapabilities>>,
    /// Ends the work.
    turn: CancellationToken,
}

/// Where the client is at the moment: another place, once it has made its request again.
struct Link {
    peer: Peer<RoleServer>,
    meter: Option<Meter>,
    log: LogGate,
}

/// Who told of the client.
enum Client {
    /// It did, when it connected.
    Connection(Option<Arc<InitializeRequestParams>>),
    /// This request does.
    Request(RequestMetaObject),
}

/// Notifications on their way.
#[derive(Default)]
struct Outbox {
    waiting: Mutex<VecDeque<ServerNotification>>,
    came: Notify,
    is_closed: AtomicBool,
}

impl Exchange {
    /// Begins, with what the request tells of its client. `log` is what the connection has been told to log.
    pub(super) fn new(context: &mut RequestContext<RoleServer>, log: LogGate, turn: CancellationToken) -> Arc<Self> {
        let version = context.protocol_version().unwrap_or(ProtocolVersion::V_2025_03_26);
        let is_stateless = is_stateless(&version);
        let link = Link::of(context, log);
        let client = if is_stateless {
            Client::Request(mem::take(&mut context.meta))
        } else {
            Client::Connection(context.peer.peer_info())
        };
        Arc::new(Self {
            link: Mutex::new(link),
            outbox: Outbox::default(),
            version,
            client,
            questions: is_stateless.then(Questions::default),
            lacked: Mutex::default(),
            turn,
        })
    }

    fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on with another request of the same client's.
    pub(super) fn attach(&self, context: &RequestContext<RoleServer>, log: LogGate) {
        *self.link() = Link::of(context, log);
    }

    /// Its request has been answered: until there is another, nobody is told anything.
    pub(super) fn detach(&self) {
        let mut link = self.link();
        (link.meter, link.log) = (None, LogGate::Shut);
        self.outbox.waiting().clear();
    }

    pub(super) fn version(&self) -> &ProtocolVersion {
        &self.version
    }

    pub(super) fn turn(&self) -> &CancellationToken {
        &self.turn
    }

    pub(super) fn questions(&self) -> Option<&Questions> {
        self.questions.as_ref()
    }

    /// What the client can do, by its own word.
    pub(super) fn capabilities(&self) -> ClientCapabilities {
        match &self.client {
            Client::Connection(told) => told.as_ref().map(|told| told.capabilities.clone()),
            Client::Request(meta) => meta.client_capabilities(),
        }
        .unwrap_or_default()
    }

    /// The client's name, by its own word.
    pub(super) fn client_name(&self) -> Option<String> {
        match &self.client {
            Client::Connection(told) => told.as_ref().map(|told| told.client_info.name.clone()),
            Client::Request(meta) => meta.client_info().map(|client| client.name),
        }
    }

    /// Notes that the client lacks what the work needs.
    pub(super) fn lacks(&self, wanted: ClientCapabilities) {
        *self.lacked.lock().unwrap_or_else(PoisonError::into_inner) = Some(wanted);
    }

    /// What the work needed and the client lacks.
    pub(super) fn lacked(&self) -> Option<ClientCapabilities> {
        self.lacked.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Asks the client, and waits for its answer. Dropping the future takes the question back.
    /// `key` is what the question is called where it stands in an answer.
    pub(super) async fn ask(&self, key: Option<&str>, request: InputRequest) -> Result<Value, McpClientError> {
        if let Some(questions) = &self.questions {
            return questions.ask(key, request).await;
        }
        let request = match request {
            InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
            InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
            InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
            _ => return Err(McpClientError::failed("there is no such question")),
        };
        let peer = self.link().peer.clone();
        let answer = Withdrawable::send(&peer, request).await?.answer().await?;
        let answer = match answer {
            ClientResult::CreateMessageResult(result) => serde_json::to_value(result),
            ClientResult::ElicitResult(result) => serde_json::to_value(result),
            ClientResult::ListRootsResult(result) => serde_json::to_value(result),
            ClientResult::CustomResult(result) => Ok(result.0),
            ClientResult::EmptyResult(_) => Ok(Value::Object(serde_json::Map::new())),
            _ => return Err(McpClientError::failed("the client's answer is none to this question")),
        };
        answer.map_err(|error| McpClientError::failed(error.to_string()))
    }

    /// Lets the meter of the request, if the client wants progress, make a notification.
    pub(super) fn progress(&self, read: impl FnOnce(&mut Meter) -> Option<ServerNotification>) {
        let notification = self.link().meter.as_mut().and_then(read);
        self.outbox.push(notification);
    }

    /// Sends a message, if the client wants such.
    pub(super) fn log(&self, message: impl FnOnce(LogGate) -> Option<ServerNotification>) {
        let gate = self.link().log;
        self.outbox.push(message(gate));
    }

    /// There may be more to tell.
    pub(super) fn open(&self) {
        self.outbox.is_closed.store(false, Ordering::Release);
    }

    /// Sends what comes, until [`close`](Self::close) and the end of what waits then.
    pub(super) async fn pump(&self) {
        loop {
            while let Some(notification) = self.outbox.next() {
                let peer = self.link().peer.clone();
                // Who cannot be told any more is not waiting for an answer either.
                let _ = peer.send_notification(notification).await;
            }
            if self.outbox.is_closed.load(Ordering::Acquire) {
                return;
            }
            self.outbox.came.notified().await;
        }
    }

    /// No more will come.
    pub(super) fn close(&self) {
        self.outbox.is_closed.store(true, Ordering::Release);
        self.outbox.came.notify_one();
    }
}

impl Link {
    fn of(context: &RequestContext<RoleServer>, log: LogGate) -> Self {
        let meter = context.meta.get_progress_token().map(Meter::new);
        Self { peer: context.peer.clone(), meter, log }
    }
}

impl Outbox {
    fn waiting(&self) -> MutexGuard<'_, VecDeque<ServerNotification>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, notification: Option<ServerNotification>) {
        let Some(notification) = notification else { return };
        let mut waiting = self.waiting();
        if waiting.len() < MOST_WAITING {
            waiting.push_back(notification);
            drop(waiting);
            self.came.notify_one();
        }
    }

    fn next(&self) -> Option<ServerNotification> {
        self.waiting().pop_front()
    }
}

/// Whether a revision has neither sessions nor requests of a server's.
pub(super) fn is_stateless(version: &ProtocolVersion) -> bool {
    !version.has_initialize()
}

/// The requests that are being answered by calls, by the ids of these.
#[derive(Clone, Default)]
pub(super) struct Exchanges(Arc<Ongoing>);

#[derive(Default)]
struct Ongoing {
    calls: Mutex<HashMap<CallId, Arc<Exchange>>>,
    made: AtomicU64,
}

impl Exchanges {
    fn calls(&self) -> MutexGuard<'_, HashMap<CallId, Arc<Exchange>>> {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a request a call's id, which no other call of the server has or had.
    pub(super) fn enter(&self, exchange: Arc<Exchange>) -> Entered {
        let id = CallId::from(format!("call_{}", self.0.made.fetch_add(1, Ordering::Relaxed) + 1));
        self.calls().insert(id.clone(), exchange);
        Entered { exchanges: self.clone(), id }
    }

    /// The request that a call answers, or the call that made it, by the ids that calls of tools have.
    pub(super) fn of(&self, call: &CallId) -> Option<Arc<Exchange>> {
        let calls = self.calls();
        if let Some(exchange) = calls.get(call) {
            return Some(exchange.clone());
        }
        let (outermost, _) = call.as_str().split_once('/')?;
        calls.get(&CallId::from(outermost.to_owned())).cloned()
    }
}

/// A call that answers a request; it is forgotten when this is dropped.
pub(super) struct Entered {
    exchanges: Exchanges,
    id: CallId,
}

impl Entered {
    pub(super) fn id(&self) -> CallId {
        self.id.clone()
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.exchanges.calls().remove(&self.id);
    }
}
