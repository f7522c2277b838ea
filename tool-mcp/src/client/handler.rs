//! The one side of a connection that answers: what servers ask for goes to the host.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use rmcp::{
    RoleClient,
    model::{
        ClientConfig, ClientResult, CustomResult, ElicitRequestParams, ErrorCode, ErrorData, Implementation,
        InputRequest, ProtocolVersion, ServerNotification, ServerRequest,
    },
    service::{NotificationContext, RequestContext, Service},
};
use serde_json::{Value, json};
use url::Url;

use super::{
    host::{Elicitation, ElicitationAnswer, LogMessage, McpHost},
    listing::length,
};

/// The longest word for the log, in bytes of JSON.
const MAX_LOGGED: usize = 64 * 1024;

/// Answers one server.
#[derive(Clone)]
pub(super) struct Handler(Arc<Inner>);

struct Inner {
    server: String,
    host: Arc<dyn McpHost>,
    /// How many of its questions the host is at.
    asking: AtomicUsize,
}

/// What a server can ask for.
enum Question {
    Roots,
    Sample(Value),
    Elicit(Elicitation),
}

impl Handler {
    pub(super) fn new(server: &str, host: Arc<dyn McpHost>) -> Self {
        Self(Arc::new(Inner { server: server.to_owned(), host, asking: AtomicUsize::new(0) }))
    }

    /// Whether somebody is being asked for the server.
    pub(super) fn is_asking(&self) -> bool {
        self.0.asking.load(Ordering::Acquire) > 0
    }

    /// Who this client is where people sign in.
    #[cfg(feature = "http-client")]
    pub(super) fn oauth_client(&self) -> Option<super::host::OAuthClient> {
        self.0.host.oauth_client(&self.0.server)
    }

    /// Whether there is somebody who can sign in.
    #[cfg(feature = "http-client")]
    pub(super) fn signs_in(&self) -> bool {
        self.0.host.signs_in(&self.0.server)
    }

    /// Sends a person to sign in.
    ///
    /// # Errors
    /// Why nobody did.
    #[cfg(feature = "http-client")]
    pub(super) async fn sign_in(&self, address: &str) -> Result<String, String> {
        let _asking = Asking::count(&self.0);
        self.0.host.sign_in(&self.0.server, address).await
    }

    pub(super) fn log(&self, message: LogMessage) {
        self.0.host.log(&self.0.server, message);
    }

    /// The answer to what a server asks for in place of a result (2026-07-28).
    pub(super) async fn input(&self, request: InputRequest) -> Result<Value, ErrorData> {
        let question = match request {
            InputRequest::CreateMessage(request) => Question::Sample(plain(request.params)?),
            InputRequest::Elicitation(request) => Question::Elicit(elicitation(request.params)?),
            InputRequest::ListRoots(_) => Question::Roots,
            _ => return Err(unknown("this")),
        };
        self.answer(question).await
    }

    async fn answer(&self, question: Question) -> Result<Value, ErrorData> {
        let Inner { server, host, .. } = &*self.0;
        let _asking = Asking::count(&self.0);
        let abilities = host.abilities();
        match question {
            Question::Roots if abilities.roots => {
                let roots = host.roots(server).into_iter().filter_map(|root| {
                    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
                    Some(json!({ "uri": Url::from_directory_path(&root).ok()?.as_str().trim_end_matches('/'), "name": name }))
                });
                Ok(json!({ "roots": roots.collect::<Vec<_>>() }))
            }
            Question::Sample(params) if abilities.sampling => {
                host.sample(server, params).await.map_err(|error| ErrorData::internal_error(error, None))
            }
            Question::Elicit(asked) => {
                let is_able = match asked {
                    Elicitation::Form { .. } => abilities.forms,
                    Elicitation::Address { .. } => abilities.addresses,
                };
                let (is_form, defaults) = (matches!(asked, Elicitation::Form { .. }), asked.defaults());
                let answer = if is_able { host.elicit(server, asked).await } else { ElicitationAnswer::Declined };
                Ok(match answer {
                    ElicitationAnswer::Accepted(content) if is_form => {
                        json!({ "action": "accept", "content": completed(content, defaults) })
                    }
                    ElicitationAnswer::Accepted(_) => json!({ "action": "accept" }),
                    ElicitationAnswer::Declined => json!({ "action": "decline" }),
                    ElicitationAnswer::Cancelled => json!({ "action": "cancel" }),
                })
            }
            Question::Roots => Err(unknown("roots/list")),
            Question::Sample(_) => Err(unknown("sampling/createMessage")),
        }
    }
}

/// Counts a question while it is answered.
struct Asking(Arc<Inner>);

impl Asking {
    fn count(inner: &Arc<Inner>) -> Self {
        inner.asking.fetch_add(1, Ordering::AcqRel);
        Self(inner.clone())
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.asking.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A form as it was filled in, with the defaults of the fields that were left out.
fn completed(content: Value, defaults: Value) -> Value {
    match (content, defaults) {
        (Value::Object(filled), Value::Object(mut all)) => {
            all.extend(filled);
            Value::Object(all)
        }
        (content, _) => content,
    }
}

fn unknown(method: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("this client does not do {method}"), None)
}

/// Parameters as JSON, without what is only the protocol's.
fn plain(params: impl serde::Serialize) -> Result<Value, ErrorData> {
    let mut params =
        serde_json::to_value(params).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    if let Some(members) = params.as_object_mut() {
        members.shift_remove("_meta");
    }
    Ok(params)
}

fn elicitation(params: ElicitRequestParams) -> Result<Elicitation, ErrorData> {
    Ok(match params {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            Elicitation::Form { message, schema: plain(requested_schema)? }
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => Elicitation::Address { message, url },
        _ => return Err(unknown("elicitation of this kind")),
    })
}

impl LogMessage {
    /// Of a notification's parameters.
    pub(super) fn from_params(params: &impl serde::Serialize) -> Self {
        let mut params = serde_json::to_value(params).unwrap_or_default();
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let (level, logger) = (
            text(params.get("level")).unwrap_or_default(),
            text(params.get("logger")).filter(|logger| logger.len() <= MAX_LOGGED),
        );
        let data = params.get_mut("data").map(Value::take).unwrap_or_default();
        let bytes = length(&data);
        let data = if bytes > MAX_LOGGED { format!("[{bytes} bytes were left out]").into() } else { data };
        Self { level, logger, data }
    }
}

impl Service<RoleClient> for Handler {
    async fn handle_request(
        &self,
        request: ServerRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        let question = match request {
            ServerRequest::PingRequest(_) => return Ok(ClientResult::empty(())),
            ServerRequest::CreateMessageRequest(request) => Question::Sample(plain(request.params)?),
            ServerRequest::ElicitRequest(request) => Question::Elicit(elicitation(request.params)?),
            ServerRequest::ListRootsRequest(_) => Question::Roots,
            ServerRequest::CustomRequest(request) => return Err(unknown(&request.method)),
            _ => return Err(unknown("this")),
        };
        tokio::select! {
            answer = self.answer(question) => answer.map(|answer| ClientResult::CustomResult(CustomResult::new(answer))),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the request was cancelled", None)),
        }
    }

    async fn handle_notification(
        &self,
        _: ServerNotification,
        _: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn get_info(&self) -> ClientConfig {
        let abilities = self.0.host.abilities();
        let mut capabilities = json!({});
        if abilities.roots {
            capabilities["roots"] = json!({});
        }
        if abilities.sampling {
            capabilities["sampling"] = json!({});
        }
        if abilities.forms || abilities.addresses {
            capabilities["elicitation"] = json!({});
            for (kind, is_able) in [("form", abilities.forms), ("url", abilities.addresses)] {
                if is_able {
                    capabilities["elicitation"][kind] = json!({});
                }
            }
        }
        let capabilities = serde_json::from_value(capabilities).unwrap_or_default();
        let program = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, program).with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}
