//! What goes over a connection, watched: a server that floods it takes neither memory nor other calls' time.
//!
//! Notifications are handled as they come, in their order, and never wait for anybody; of a flood, some are dropped.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rmcp::{
    RoleClient,
    model::{
        ClientRequest, ErrorCode, ErrorData, GetExtensions, JsonRpcMessage, ProgressNotificationParam, ProgressToken,
        RequestId, RequestMetaObject, ServerNotification, ServerResult,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    select,
    sync::{Notify, mpsc},
    time::{Instant, sleep_until},
};
use tool_core::CancellationToken;

use super::host::LogMessage;

/// As many requests of a server's may be unanswered.
const MAX_REQUESTS: usize = 64;
/// As many answers may wait until a server reads them; until then, nothing more is read of it.
const MAX_UNSENT: usize = 256;
/// As many reports of one call's progress may wait.
pub(super) const MAX_PROGRESS: usize = 64;

/// As much of a report's words is passed on, in bytes: they are one line of a user interface.
const MAX_REPORT: usize = 4 * 1024;

/// Where reports of a call's progress go. It travels with the request.
#[derive(Clone)]
pub(super) struct ProgressRoute(pub(super) mpsc::Sender<Report>);

/// How far a call is.
pub(super) struct Report {
    pub(super) progress: f64,
    pub(super) total: Option<f64>,
    pub(super) message: Option<String>,
}

impl Report {
    fn of(params: &ProgressNotificationParam) -> Self {
        let cut = |message: &String| message[..message.floor_char_boundary(MAX_REPORT)].to_owned();
        Self { progress: params.progress, total: params.total, message: params.message.as_ref().map(cut) }
    }
}

/// What is heard over a connection, beside answers.
pub(super) struct Heard {
    routes: Mutex<HashMap<ProgressToken, mpsc::Sender<Report>>>,
    /// Notified when the server says that it has other tools.
    pub(super) tools_changed: Notify,
    /// Cancelled when nothing more comes.
    pub(super) closing: CancellationToken,
    /// Cancelled when the connection is gone, and the server's process with it.
    pub(super) ended: CancellationToken,
    log: mpsc::Sender<LogMessage>,
    unsent: AtomicUsize,
    sent: Notify,
}

impl Heard {
    pub(super) fn new(log: mpsc::Sender<LogMessage>) -> Arc<Self> {
        Arc::new(Self {
            routes: Mutex::default(),
            tools_changed: Notify::new(),
            closing: CancellationToken::new(),
            ended: CancellationToken::new(),
            log,
            unsent: AtomicUsize::new(0),
            sent: Notify::new(),
        })
    }

    /// Forgets those whose calls have ended.
    fn route(&self, token: ProgressToken, to: mpsc::Sender<Report>) {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        routes.retain(|_, route| !route.is_closed());
        routes.insert(token, to);
    }

    /// Whether the notification was for this, and nobody else has to see it.
    fn take(&self, notification: &ServerNotification) -> bool {
        match notification {
            ServerNotification::ProgressNotification(progress) => {
                let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
                let route = routes.get(&progress.params.progress_token);
                // Where there is no room, the next report says as much as this one.
                if let Some(room) = route.and_then(|route| route.try_reserve().ok()) {
                    room.send(Report::of(&progress.params));
                }
                true
            }
            ServerNotification::ToolListChangedNotification(_) => {
                self.tools_changed.notify_one();
                true
            }
            ServerNotification::LoggingMessageNotification(message) => {
                if let Ok(room) = self.log.try_reserve() {
                    room.send(LogMessage::from_params(&message.params));
                }
                true
            }
            // `rmcp` has its own use for these.
            ServerNotification::CancelledNotification(_)
            | ServerNotification::SubscriptionsAcknowledgedNotification(_) => false,
            _ => true,
        }
    }
}

/// Counts an answer until it is sent.
struct Unsent(Arc<Heard>);

impl Unsent {
    fn count(heard: &Arc<Heard>) -> Self {
        heard.unsent.fetch_add(1, Ordering::AcqRel);
        Self(heard.clone())
    }
}

impl Drop for Unsent {
    fn drop(&mut self) {
        self.0.unsent.fetch_sub(1, Ordering::AcqRel);
        self.0.sent.notify_one();
    }
}

/// A transport that is watched.
pub(super) struct Link<T> {
    inner: T,
    heard: Arc<Heard>,
    /// Requests of the server's that are unanswered.
    asked: HashSet<RequestId>,
    /// How long the question which revision a server speaks may stay unanswered: old servers ignore it.
    patience: Duration,
    probe: Option<(RequestId, Instant)>,
    given_up: HashSet<RequestId>,
}

impl<T> Link<T> {
    pub(super) fn new(inner: T, heard: Arc<Heard>, patience: Duration) -> Self {
        Self { inner, heard, asked: HashSet::new(), patience, probe: None, given_up: HashSet::new() }
    }

    fn note_sent(&mut self, item: &TxJsonRpcMessage<RoleClient>) -> Option<Unsent> {
        match item {
            JsonRpcMessage::Request(request) => {
                match &request.request {
                    ClientRequest::DiscoverRequest(_) => {
                        self.probe = Some((request.id.clone(), Instant::now() + self.patience));
                    }
                    ClientRequest::CallToolRequest(call) => {
                        let token =
                            call.extensions.get::<RequestMetaObject>().and_then(RequestMetaObject::get_progress_token);
                        if let (Some(token), Some(ProgressRoute(route))) = (token, call.extensions().get()) {
                            self.heard.route(token, route.clone());
                        }
                    }
                    _ => {}
                }
                None
            }
            JsonRpcMessage::Response(response) => {
                self.asked.remove(&response.id);
                Some(Unsent::count(&self.heard))
            }
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.asked.remove(id);
                }
                Some(Unsent::count(&self.heard))
            }
            JsonRpcMessage::Notification(_) => None,
        }
    }
}

/// What stands for the answer of a server that does not say which revisions it speaks.
fn no_revisions(id: RequestId) -> RxJsonRpcMessage<RoleClient> {
    let words = "the server does not say which revisions it speaks";
    JsonRpcMessage::error(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, words, None), Some(id))
}

/// What happened next.
enum Next {
    /// A message of the server's.
    Came(RxJsonRpcMessage<RoleClient>),
    /// The probe was not answered in time: the error that stands for its answer.
    GivenUp(RxJsonRpcMessage<RoleClient>),
}

impl<T: Transport<RoleClient>> Link<T> {
    async fn next(&mut self) -> Option<Next> {
        let Some((_, deadline)) = &self.probe else { return self.inner.receive().await.map(Next::Came) };
        let deadline = *deadline;
        select! {
            message = self.inner.receive() => message.map(Next::Came),
            () = sleep_until(deadline) => {
                let (id, _) = self.probe.take()?;
                self.given_up.insert(id.clone());
                Some(Next::GivenUp(no_revisions(id)))
            }
        }
    }

    /// An answer to the probe that is none says as little as an error.
    fn understood(&mut self, message: RxJsonRpcMessage<RoleClient>) -> RxJsonRpcMessage<RoleClient> {
        match message {
            JsonRpcMessage::Response(answer) if self.is_probe(&answer.id) => {
                self.probe = None;
                match answer.result {
                    ServerResult::DiscoverResult(_) => JsonRpcMessage::Response(answer),
                    _ => no_revisions(answer.id),
                }
            }
            JsonRpcMessage::Error(error) => {
                if error.id.as_ref().is_none_or(|id| self.is_probe(id)) {
                    self.probe = None;
                }
                JsonRpcMessage::Error(error)
            }
            other => other,
        }
    }

    fn is_probe(&self, id: &RequestId) -> bool {
        self.probe.as_ref().is_some_and(|(probe, _)| probe == id)
    }

    /// Whether a message is to be seen by others.
    fn admit(&mut self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        let id = match message {
            JsonRpcMessage::Notification(notification) => {
                if let ServerNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.asked.remove(id);
                }
                return !self.heard.take(&notification.notification);
            }
            JsonRpcMessage::Request(request) => {
                if self.asked.len() < MAX_REQUESTS {
                    self.asked.insert(request.id.clone());
                    return true;
                }
                let words = format!("{MAX_REQUESTS} requests are unanswered: wait for their answers");
                let refusal = JsonRpcMessage::error(ErrorData::internal_error(words, None), Some(request.id.clone()));
                let unsent = Unsent::count(&self.heard);
                let send = self.inner.send(refusal);
                tokio::spawn(async move {
                    let _ = send.await;
                    drop(unsent);
                });
                return false;
            }
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
        };
        let Some(id) = id else { return true };
        !self.given_up.remove(id)
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Link<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let unsent = self.note_sent(&item);
        let send = self.inner.send(item);
        async move {
            let sent = send.await;
            drop(unsent);
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            while self.heard.unsent.load(Ordering::Acquire) > MAX_UNSENT {
                self.heard.sent.notified().await;
            }
            let Some(next) = self.next().await else {
                self.heard.closing.cancel();
                return None;
            };
            match next {
                Next::GivenUp(error) => return Some(error),
                Next::Came(message) if self.admit(&message) => return Some(self.understood(message)),
                Next::Came(_) => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.heard.closing.cancel();
        self.inner.close().await
    }
}

impl<T> Drop for Link<T> {
    fn drop(&mut self) {
        self.heard.closing.cancel();
        self.heard.ended.cancel();
    }
}
