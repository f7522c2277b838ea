//! What an authorization server answers, where `rmcp` does not hand it on: whether it refused to renew a token or only
//! could not be had, and the secret of a client that was registered with it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use http::{StatusCode, header::CONTENT_TYPE};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpRequest};
use serde::Deserialize;

/// Codes of OAuth's (RFC 6749, 4.1.2.1) that say that another time may be better.
const PASSING: [&str; 2] = ["temporarily_unavailable", "server_error"];

/// What talks to the authorization server of one MCP server, one request after the other, and notes what it hears.
pub(super) struct OAuthAnswers {
    http: Arc<dyn OAuthHttpClient>,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    is_refused: bool,
    registered: Option<Registered>,
}

/// A client that was given a secret when it was registered (RFC 7591).
#[derive(Clone, Deserialize)]
pub(super) struct Registered {
    pub(super) client_id: String,
    pub(super) client_secret: String,
}

/// What was asked for, by the form of the question: OAuth has tokens asked for by a form, and clients registered by JSON.
#[derive(Clone, Copy)]
enum Asked {
    Token,
    Registration,
    Metadata,
}

impl Asked {
    fn of(request: &OAuthHttpRequest) -> Self {
        match request.request.headers().get(CONTENT_TYPE).map(http::HeaderValue::as_bytes) {
            Some(b"application/x-www-form-urlencoded") => Self::Token,
            Some(b"application/json") => Self::Registration,
            _ => Self::Metadata,
        }
    }
}

impl OAuthAnswers {
    pub(super) fn new(http: Arc<dyn OAuthHttpClient>) -> Self {
        Self { http, heard: Mutex::default() }
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the last request for a token was refused. One that had no answer, or that of a server with too much to do,
    /// was not.
    pub(super) fn is_refused(&self) -> bool {
        self.heard().is_refused
    }

    /// The client that was registered since this was asked last, if it was given a secret.
    pub(super) fn take_registered(&self) -> Option<Registered> {
        self.heard().registered.take()
    }
}

impl OAuthHttpClient for OAuthAnswers {
    fn execute(
        &self,
        request: OAuthHttpRequest,
    ) -> BoxFuture<'_, Result<http::Response<Vec<u8>>, OAuthHttpClientError>> {
        let asked = Asked::of(&request);
        Box::pin(async move {
            if let Asked::Token = asked {
                self.heard().is_refused = false;
            }
            let answer = self.http.execute(request).await?;
            match asked {
                Asked::Token => self.heard().is_refused = is_refusal(answer.status(), answer.body()),
                Asked::Registration => {
                    let registered = serde_json::from_slice::<Registered>(answer.body()).ok();
                    self.heard().registered = registered.filter(|client| !client.client_secret.is_empty());
                }
                Asked::Metadata => {}
            }
            Ok(answer)
        })
    }
}

/// Whether an answer refuses a token in OAuth's words (RFC 6749, 5.2). Some servers do so with a status that says that all
/// is well; what stands between may have a status of its own, and does not know these words.
fn is_refusal(status: StatusCode, body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Refusal {
        error: String,
    }
    let may_pass =
        status.is_server_error() || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
    !may_pass && serde_json::from_slice::<Refusal>(body).is_ok_and(|refusal| !PASSING.contains(&refusal.error.as_str()))
}
