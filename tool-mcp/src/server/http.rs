//! Clients over streamable HTTP.

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use rmcp::{
    model::{ErrorCode, ErrorData, ProtocolVersion, ServerJsonRpcMessage},
    transport::{
        StreamableHttpServerConfig, StreamableHttpService, streamable_http_server::session::local::SessionConfig,
    },
};
use serde::{
    Deserialize,
    de::{
        IgnoredAny, IntoDeserializer,
        value::{Error as ValueError, StrDeserializer},
    },
};
use subtle::ConstantTimeEq;
use tokio::{net::TcpListener, sync::Semaphore};
use tool_core::CancellationToken;

use super::{
    allowed_host::AllowedHost,
    body::{self, Bodies},
    error::ServeError,
    exchange::is_stateless,
    handler::{Belonging, Handler},
    sessions::{SessionFault, Sessions},
    shared::Shared,
};

/// How many connections are served at once. More wait.
const CONNECTIONS: usize = 2_048;
/// How many sessions there may be, unless it is set.
const SESSIONS: usize = 10_000;
/// How long a session is kept that nobody uses.
const IDLE: Duration = Duration::from_secs(60 * 60);
/// How long a client has for the head of a request.
const HEAD: Duration = Duration::from_secs(30);
/// How long cancelled calls have to tell of it when the server ends, and what is still open then.
const LAST: Duration = Duration::from_secs(1);
/// How long sessions have to end, with their calls and what these have started.
const ENDING: Duration = Duration::from_secs(10);

/// How soon something is due at the latest. What requests have to be done by is further off, so that setting a timer for
/// it never wakes the thread that waits for the network.
const PULSE: Duration = Duration::from_secs(5);

type Body = BoxBody<Bytes, Infallible>;
type Endpoint = StreamableHttpService<Handler, Sessions>;

/// How a server is served over HTTP.
#[derive(Debug, Clone)]
#[must_use]
pub struct HttpOptions {
    token: Option<String>,
    is_open: bool,
    hosts: Vec<String>,
    sessions: bool,
    max_sessions: usize,
    together: Option<bool>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self { token: None, is_open: false, hosts: Vec::new(), sessions: true, max_sessions: SESSIONS, together: None }
    }
}

impl HttpOptions {
    /// Where clients send their requests.
    pub const PATH: &str = "/mcp";

    /// For clients of this machine alone, without a token; with sessions for clients of revisions that have them.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes only requests that carry this token (`Authorization: Bearer …`).
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Serves to other machines without a token. Say by [`hosts`](Self::hosts) under which names.
    pub fn without_token(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// Takes requests for these hosts too, and from pages of them: `HOST`, at any port; `HOST:PORT`; an IPv6 address, in
    /// brackets where a port follows; or an address like `https://HOST`. What is none of these is refused when the server
    /// is to start ([`check`](Self::check)). Those of loopback, and the address that is listened on, are taken always: a
    /// page of another host must not reach a server on its reader's machine (DNS rebinding).
    pub fn hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.hosts.extend(hosts.into_iter().map(Into::into));
        self
    }

    /// Whether clients of revisions before 2026-07-28 have sessions; they have unless this is `false`. Without them such a
    /// client can be asked nothing, and is told no changes.
    pub fn sessions(mut self, sessions: bool) -> Self {
        self.sessions = sessions;
        self
    }

    /// How many sessions there may be, 10,000 unless it is set. Beyond them the one that is idle longest is ended, one that
    /// nobody listens to, nor has used in the last 30 seconds, first; its client is told that it is gone (404), and begins
    /// anew. One in which a call runs is not ended, nor one that begins; where that is so of all, who wants to begin is
    /// refused (503).
    pub fn max_sessions(mut self, most: usize) -> Self {
        self.max_sessions = most;
        self
    }

    /// Whether a server may be served so at this address.
    ///
    /// # Errors
    /// When other machines could reach it, and nothing says that they may; when one of the hosts is none.
    pub fn check(&self, address: SocketAddr) -> Result<(), ServeError> {
        self.allowed()?;
        let is_named = !self.hosts.is_empty() || !address.ip().is_unspecified();
        match address.ip().is_loopback() || self.token.is_some() || (self.is_open && is_named) {
            true => Ok(()),
            false => Err(ServeError::Unprotected(address)),
        }
    }

    fn allowed(&self) -> Result<Vec<AllowedHost>, ServeError> {
        let parsed = self.hosts.iter().map(|given| {
            AllowedHost::parse(given).map_err(|why| ServeError::Host { given: given.escape_debug().to_string(), why })
        });
        parsed.collect()
    }

    /// Whether requests that belong to no session share one, as far as they declare none. Unless said, they do where only
    /// this machine can reach the server.
    pub fn together(mut self, together: bool) -> Self {
        self.together = Some(together);
        self
    }
}

pub(super) async fn serve(shared: Arc<Shared>, listener: TcpListener, options: HttpOptions) -> Result<(), ServeError> {
    let address = listener.local_addr()?;
    options.check(address)?;
    let is_local = address.ip().is_loopback();
    // Streams that stay open end with this.
    let over = CancellationToken::new();
    let config = config(&options, address, over.clone())?;
    let belonging = Belonging::Http { sessions: options.sessions, together: options.together.unwrap_or(is_local) };
    let sessions = Arc::new(Sessions::new(options.max_sessions, session_config()));
    let stop = shared.stop.clone();
    let closing = over.clone();
    let serving = shared.clone();
    let factory = move || Ok(Handler::new(serving.clone(), belonging, closing.clone()));
    let endpoint = StreamableHttpService::new(factory, sessions.clone(), config);
    let door = Arc::new(Door { endpoint, sessions, token: options.token, bodies: Bodies::default() });

    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let accept = async || {
        let permit = room.clone().acquire_owned().await.map_err(std::io::Error::other)?;
        listener.accept().await.map(|(stream, _)| (stream, permit))
    };
    let mut pulse = tokio::time::interval(PULSE);
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            _ = pulse.tick() => continue,
            accepted = accept() => accepted,
        };
        let (stream, permit) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Too many open files, or a client that has gone: not the end of the server.
                tracing::warn!("cannot take a connection: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let door = door.clone();
        let service = service_fn(move |request| {
            let door = door.clone();
            async move { Ok::<_, Infallible>(door.answer(request).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!("a connection ended: {error}");
            }
            drop(permit);
        });
    }
    drop(listener);
    // Calls have been cancelled, and tell so; then what stays open by its nature is closed.
    let mut ended = std::pin::pin!(graceful.shutdown());
    if tokio::time::timeout(LAST, ended.as_mut()).await.is_err() {
        over.cancel();
        let _ = tokio::time::timeout(LAST, ended).await;
    }
    over.cancel();
    // What clients have begun goes on without a connection, and is ended all the same.
    shared.declared.clear();
    shared.alive.close();
    let _ = tokio::time::timeout(ENDING, shared.alive.wait()).await;
    Ok(())
}

fn config(
    options: &HttpOptions,
    address: SocketAddr,
    over: CancellationToken,
) -> Result<StreamableHttpServerConfig, ServeError> {
    let own = ["localhost", "127.0.0.1", "[::1]"].map(AllowedHost::named);
    let listened = (!address.ip().is_unspecified()).then(|| AllowedHost::at(address));
    let allowed: Vec<_> = own.into_iter().chain(listened).chain(options.allowed()?).collect();
    let hosts: Vec<_> = allowed.iter().map(AllowedHost::authority).collect();
    let origins: Vec<_> = allowed.iter().flat_map(AllowedHost::origins).collect();
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_legacy_session_mode(options.sessions)
        .with_json_response(true)
        .with_max_request_body_bytes(body::LARGEST)
        .with_cancellation_token(over);
    // Who knows the token is no page of another host, and by which names a machine is reached it does not know.
    let is_anywhere = address.ip().is_unspecified() && options.token.is_some() && options.hosts.is_empty();
    Ok(if is_anywhere { config.disable_allowed_hosts() } else { config.with_allowed_hosts(hosts) })
}

fn session_config() -> SessionConfig {
    let mut config = SessionConfig::default();
    config.keep_alive = Some(IDLE);
    config
}

/// What looks at requests before they are read.
struct Door {
    endpoint: Endpoint,
    sessions: Arc<Sessions>,
    token: Option<String>,
    bodies: Bodies,
}

impl Door {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        if request.uri().path().trim_end_matches('/') != HttpOptions::PATH {
            return plain(StatusCode::NOT_FOUND, &format!("Not Found: the endpoint is {}", HttpOptions::PATH));
        }
        if !self.is_let_in(request.headers()) {
            let mut response = plain(
                StatusCode::UNAUTHORIZED,
                "Unauthorized: expected the server's token as `Authorization: Bearer …`",
            );
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return response;
        }
        if may_begin(&request) && !self.sessions.has_room() {
            return plain(StatusCode::SERVICE_UNAVAILABLE, &format!("Service Unavailable: {}", SessionFault::Full));
        }
        let (head, body) = request.into_parts();
        let (body, _room) = match self.bodies.read(body).await {
            Ok(read) => read,
            Err((status, why)) => return plain(status, &why),
        };
        let is_json = head.headers.get(header::CONTENT_TYPE).is_some_and(is_json);
        let response = self.endpoint.handle(Request::from_parts(head, Full::new(body.clone()))).await;
        // What is JSON by its type, and cannot be read, is not of the wrong type.
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && is_json { malformed(&body) } else { response }
    }

    fn is_let_in(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.split_once(' '));
        given.is_some_and(|(scheme, given)| {
            scheme.eq_ignore_ascii_case("bearer") && bool::from(given.trim().as_bytes().ct_eq(token.as_bytes()))
        })
    }
}

/// Whether a request may begin a session: one of the revisions that have sessions, without any.
fn may_begin(request: &Request<Incoming>) -> bool {
    let headers = request.headers();
    let version = headers.get("mcp-protocol-version").and_then(|version| {
        let version: StrDeserializer<'_, ValueError> = version.to_str().ok()?.into_deserializer();
        ProtocolVersion::deserialize(version).ok()
    });
    let is_post = request.method() == http::Method::POST;
    is_post && !headers.contains_key("mcp-session-id") && !version.as_ref().is_some_and(is_stateless)
}

fn is_json(content_type: &HeaderValue) -> bool {
    let essence = content_type.to_str().ok().and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

/// The answer to what is no message.
fn malformed(body: &[u8]) -> Response<Body> {
    let error = match serde_json::from_slice::<IgnoredAny>(body) {
        Err(fault) => {
            let message = format!("the body is no JSON, or not one that can be read: {fault}");
            ErrorData::new(ErrorCode::PARSE_ERROR, message, None)
        }
        Ok(_) if body.trim_ascii_start().starts_with(b"[") => {
            ErrorData::invalid_request("batches are not taken: send each message in a request of its own", None)
        }
        Ok(_) => ErrorData::invalid_request("the body is no message of JSON-RPC 2.0", None),
    };
    let body = serde_json::to_string(&ServerJsonRpcMessage::error(error, None)).unwrap_or_default();
    response(StatusCode::BAD_REQUEST, "application/json", body)
}

fn plain(status: StatusCode, text: &str) -> Response<Body> {
    response(status, "text/plain; charset=utf-8", text.to_owned())
}

fn response(status: StatusCode, content_type: &'static str, body: String) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(body)).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
