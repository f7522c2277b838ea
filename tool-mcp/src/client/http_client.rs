//! One server's HTTP: signed in where it wants that, and in order.

use std::{collections::HashMap, future::Future, ops::RangeInclusive, sync::Arc, time::Duration};

use futures_util::{StreamExt, TryStreamExt, future::BoxFuture};
use http::{HeaderName, HeaderValue};
use reqwest::Client;
use rmcp::{
    model::{ClientJsonRpcMessage, JsonRpcMessage},
    transport::{
        auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpRedirectPolicy, OAuthHttpRequest},
        common::client_side_sse::BoxedSseResponse,
        streamable_http_client::{StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse},
    },
};
use tokio::{sync::watch, time::timeout};

use super::sign_in::SignIn;

/// As often is one request made again for a refused token.
const MAX_RENEWALS: usize = 2;
/// How long requests wait, at most, for the stream on which a server asks what belongs to none of them.
const STREAM_PATIENCE: Duration = Duration::from_secs(1);
/// How soon a stream that has ended may be asked for again, and how late, in milliseconds, whatever a server says.
const AGAIN: RangeInclusive<u64> = 100..=3_600_000;
/// As much is read of an authorization server's answer, in bytes.
const MAX_ANSWER: usize = 1 << 20;

/// The client of one server.
#[derive(Clone)]
pub(super) struct HttpClient {
    inner: Client,
    sign_in: Arc<SignIn>,
    /// Whether the session's own stream was opened, or cannot be. What a server asks before is lost.
    is_listening: watch::Sender<bool>,
}

type HttpError = StreamableHttpError<reqwest::Error>;

impl HttpClient {
    pub(super) fn new(inner: Client, sign_in: SignIn) -> Self {
        Self { inner, sign_in: Arc::new(sign_in), is_listening: watch::Sender::new(false) }
    }

    /// Makes a request, again with another token where the first is refused. A token of the configuration's is the only
    /// one there is.
    async fn signed<T, F: Future<Output = Result<T, HttpError>>>(
        &self,
        configured: Option<String>,
        request: impl Fn(Option<String>) -> F,
    ) -> Result<T, HttpError> {
        if configured.is_some() {
            return request(configured).await;
        }
        let mut token = self.sign_in.token().await?;
        let (mut renewals, mut is_wider) = (0, false);
        loop {
            let (renewed, refusal) = match request(token.clone()).await {
                Err(HttpError::AuthRequired(refusal)) if renewals < MAX_RENEWALS => {
                    renewals += 1;
                    let renewed = self.sign_in.renew(token.as_deref(), &refusal.www_authenticate_header).await?;
                    (renewed, HttpError::AuthRequired(refusal))
                }
                Err(HttpError::InsufficientScope(refusal)) => {
                    is_wider = true;
                    let scope = refusal.required_scope.as_deref().unwrap_or_default();
                    let renewed = self.sign_in.widen(token.as_deref(), scope).await?;
                    (renewed, HttpError::InsufficientScope(refusal))
                }
                ended => {
                    if is_wider && ended.is_ok() {
                        self.sign_in.widened().await;
                    }
                    return ended;
                }
            };
            token = Some(renewed.ok_or(refusal)?);
        }
    }

    /// Waits until the server can ask what belongs to no request; it is what a tool may do as soon as it is called.
    async fn listening(&self, message: &ClientJsonRpcMessage, session: Option<&Arc<str>>) {
        if session.is_some() && matches!(message, JsonRpcMessage::Request(_)) {
            let mut listening = self.is_listening.subscribe();
            if timeout(STREAM_PATIENCE, listening.wait_for(|is_listening| *is_listening)).await.is_err() {
                self.is_listening.send_replace(true);
            }
        }
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let most = usize::MAX;
        self.post_message_with_max_sse_event_size(uri, message, session_id, auth_header, custom_headers, most).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        most: usize,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        self.listening(&message, session_id.as_ref()).await;
        self.signed(auth_header, |token| {
            let (uri, message, session_id) = (uri.clone(), message.clone(), session_id.clone());
            let headers = custom_headers.clone();
            self.inner.post_message_with_max_sse_event_size(uri, message, session_id, token, headers, most)
        })
        .await
        .map(|answer| match answer {
            StreamableHttpPostResponse::Sse(stream, session) => {
                StreamableHttpPostResponse::Sse(unhurried(stream), session)
            }
            other => other,
        })
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), HttpError> {
        self.signed(auth_header, |token| {
            self.inner.delete_session(uri.clone(), session_id.clone(), token, custom_headers.clone())
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxedSseResponse, HttpError> {
        let most = usize::MAX;
        self.get_stream_with_max_sse_event_size(uri, session_id, last_event_id, auth_header, custom_headers, most).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        most: usize,
    ) -> Result<BoxedSseResponse, HttpError> {
        let stream = self
            .signed(auth_header, |token| {
                let (uri, session_id, last) = (uri.clone(), session_id.clone(), last_event_id.clone());
                let headers = custom_headers.clone();
                self.inner.get_stream_with_max_sse_event_size(uri, session_id, last, token, headers, most)
            })
            .await;
        self.is_listening.send_replace(true);
        stream.map(unhurried)
    }
}

/// The same stream, by which nobody can be made to ask for it without a pause, nor never again.
fn unhurried(stream: BoxedSseResponse) -> BoxedSseResponse {
    let unhurried = stream.map_ok(|mut event| {
        event.retry = event.retry.map(|pause| pause.clamp(*AGAIN.start(), *AGAIN.end()));
        event
    });
    unhurried.boxed()
}

/// What talks to authorization servers.
pub(super) struct OAuthHttp {
    /// Follows an address elsewhere, on the same origin.
    pub(super) following: Client,
    /// Follows none: the answer to a secret is not to be had from elsewhere.
    pub(super) staying: Client,
}

impl OAuthHttpClient for OAuthHttp {
    fn execute(&self, asked: OAuthHttpRequest) -> BoxFuture<'_, Result<http::Response<Vec<u8>>, OAuthHttpClientError>> {
        Box::pin(async move {
            let client = match asked.redirect_policy {
                OAuthHttpRedirectPolicy::Follow => &self.following,
                _ => &self.staying,
            };
            let mut request = reqwest::Request::try_from(asked.request)?;
            *request.timeout_mut() = asked.timeout;
            let mut response = client.execute(request).await?;
            let mut answer = http::Response::builder().status(response.status());
            if let Some(headers) = answer.headers_mut() {
                headers.clone_from(response.headers());
            }
            let mut body = Vec::new();
            while let Some(chunk) = response.chunk().await? {
                if body.len() + chunk.len() > MAX_ANSWER {
                    return Err(format!("the answer is longer than {MAX_ANSWER} bytes").into());
                }
                body.extend_from_slice(&chunk);
            }
            Ok(answer.body(body)?)
        })
    }
}
