//! The client of a call, for tools that ask it something or tell it more than progress.
#![expect(deprecated, reason = "sampling and roots are deprecated from 2026-07-28 on, and served all the same")]

use std::{borrow::Cow, sync::Arc};

use rmcp::model::{
    ClientCapabilities, CreateMessageRequest, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ElicitationSchema, FormElicitationCapability, InputRequest, ListRootsRequest,
    ListRootsResult, RootsCapabilities, SamplingCapability, UrlElicitationCapability,
};
use serde::{Deserialize as _, de::DeserializeOwned};
use serde_json::{Value, json};
use tool_core::{
    ToolContext, ToolError,
    context::{ContextError, FromContext},
    validation::Validator,
};

use super::{
    exchange::{Exchange, Exchanges},
    logging::{self, LogLevel},
};

/// The client whose request a tool is answering.
///
/// A tool takes it as a parameter, marked `#[inject]`; one that can do without takes it by [`McpClient::of`]. It works in
/// every revision of the protocol: where a server may not ask its client (2026-07-28), the question stands in the answer,
/// the tool waits, and goes on when the client makes its request again.
///
/// ```
/// use serde_json::json;
/// use tool_core::prelude::*;
/// use tool_mcp::server::{Elicited, McpClient, McpClientError};
///
/// /// Book a table.
/// #[tool]
/// async fn book(#[inject] client: McpClient) -> Result<String, McpClientError> {
///     let schema = json!({
///         "type": "object",
///         "properties": { "people": { "type": "integer", "minimum": 1 } },
///         "required": ["people"],
///     });
///     Ok(match client.elicit("For how many?", schema).await? {
///         Elicited::Accepted(answer) => format!("booked for {}", answer["people"]),
///         Elicited::Declined | Elicited::Cancelled => "not booked".to_owned(),
///     })
/// }
/// # assert_eq!(Registry::builder().add(BookTool).build()?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct McpClient {
    exchange: Arc<Exchange>,
    key: Option<Arc<str>>,
}

impl FromContext<'_> for McpClient {
    fn from_context(ctx: &ToolContext) -> Result<Self, ContextError> {
        Self::of(ctx).ok_or_else(ContextError::missing::<Self>)
    }
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Elicited {
    /// This; an object that fits the schema. `null` where a page was opened.
    Accepted(Value),
    /// No.
    Declined,
    /// Nothing: the question was put away.
    Cancelled,
}

/// What a client's model is to answer.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplingRequest {
    params: Value,
}

impl SamplingRequest {
    /// One message of a user's, and how many tokens the answer may have.
    #[must_use]
    pub fn new(prompt: impl Into<String>, max_tokens: u32) -> Self {
        let content = json!({ "type": "text", "text": prompt.into() });
        Self { params: json!({ "messages": [{ "role": "user", "content": content }], "maxTokens": max_tokens }) }
    }

    /// The parameters of `sampling/createMessage` as the protocol has them.
    #[must_use]
    pub fn raw(params: Value) -> Self {
        Self { params }
    }

    /// What the model is told of itself.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.params["systemPrompt"] = prompt.into().into();
        self
    }
}

/// What a client's model answered.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sampled {
    /// The model.
    pub model: String,
    /// The text of the answer.
    pub text: String,
    /// Why it ended, in the client's words.
    pub stop_reason: Option<String>,
    /// The answer as the client gave it.
    pub message: Value,
}

/// A directory, or another place, that the client works in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Root {
    /// Where it is: a `file://` address.
    pub uri: String,
    /// A name for people.
    pub name: Option<String>,
}

/// What a client can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClientFeature {
    /// To have a person fill in a form: [`McpClient::elicit`].
    Form,
    /// To have a person open a page: [`McpClient::elicit_url`].
    Url,
    /// To have a model answer: [`McpClient::sample`].
    Sampling,
    /// To tell where it works: [`McpClient::roots`].
    Roots,
}

impl ClientFeature {
    fn name(self) -> &'static str {
        match self {
            Self::Form => "elicitation by form",
            Self::Url => "elicitation by URL",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }

    fn is_declared(self, by: &ClientCapabilities) -> bool {
        let form = |asked: &ElicitationCapability| asked.form.is_some() || asked.url.is_none();
        match self {
            // One that says no more than that it can be asked means forms: it is older than pages.
            Self::Form => by.elicitation.as_ref().is_some_and(form),
            Self::Url => by.elicitation.as_ref().is_some_and(|asked| asked.url.is_some()),
            Self::Sampling => by.sampling.is_some(),
            Self::Roots => by.roots.is_some(),
        }
    }

    /// What a client would have to declare.
    fn wanted(self) -> ClientCapabilities {
        let mut wanted = ClientCapabilities::default();
        match self {
            Self::Form => {
                wanted.elicitation = Some(ElicitationCapability::new().with_form(FormElicitationCapability::new()));
            }
            Self::Url => {
                wanted.elicitation = Some(ElicitationCapability::new().with_url(UrlElicitationCapability::new()));
            }
            Self::Sampling => wanted.sampling = Some(SamplingCapability::default()),
            Self::Roots => wanted.roots = Some(RootsCapabilities::default()),
        }
        wanted
    }
}

/// Why a client gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum McpClientError {
    /// It has not declared that it can be asked for this.
    #[error("the client cannot be asked: it has not declared {}", .0.name())]
    Unsupported(ClientFeature),
    /// It is not there any more.
    #[error("the client is gone, and its answer will not come")]
    Gone,
    /// It failed, or refused.
    #[error("the client was asked, and gave no answer: {0}")]
    Failed(Cow<'static, str>),
}

impl McpClientError {
    pub(super) fn failed(why: impl Into<Cow<'static, str>>) -> Self {
        Self::Failed(why.into())
    }
}

impl From<McpClientError> for ToolError {
    fn from(error: McpClientError) -> Self {
        Self::from_error(error)
    }
}

impl McpClient {
    pub(super) fn new(exchange: Arc<Exchange>) -> Self {
        Self { exchange, key: None }
    }

    /// The client of a call; `None` where the call is not one of an MCP client's.
    #[must_use]
    pub fn of(ctx: &ToolContext) -> Option<Self> {
        ctx.state::<Exchanges>()?.of(ctx.call_id()).map(Self::new)
    }

    /// The same client, whose questions have this name where they stand in an answer (2026-07-28): one that a client may
    /// know, and answer beforehand. Unless set, they are numbered. Of two that are open at once, the second is.
    #[must_use]
    pub fn keyed(&self, key: impl Into<Arc<str>>) -> Self {
        Self { exchange: self.exchange.clone(), key: Some(key.into()) }
    }

    /// The client's name, by its own word.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        self.exchange.client_name()
    }

    /// Whether the client has declared that it can be asked for this.
    #[must_use]
    pub fn supports(&self, feature: ClientFeature) -> bool {
        feature.is_declared(&self.exchange.capabilities())
    }

    /// Has a person fill in a form: an object schema whose properties are texts, numbers, booleans and choices.
    ///
    /// # Errors
    /// When the client cannot be asked, the schema is none of a form, no answer comes, or one that does not fit. A
    /// person's no is none.
    pub async fn elicit(&self, message: impl Into<String>, schema: Value) -> Result<Elicited, McpClientError> {
        self.need(ClientFeature::Form)?;
        let requested_schema: ElicitationSchema = ElicitationSchema::deserialize(&schema)
            .map_err(|error| McpClientError::failed(format!("the schema is not one of a form: {error}")))?;
        let params =
            ElicitRequestParams::FormElicitationParams { meta: None, message: message.into(), requested_schema };
        let elicited = self.put(params).await?;
        let Elicited::Accepted(mut answer) = elicited else { return Ok(elicited) };
        // Clients show forms, and few look at what is filled in.
        let form = Validator::new(schema);
        form.coerce(&mut answer);
        match form.mistakes(&answer).first() {
            None => Ok(Elicited::Accepted(answer)),
            Some(mistake) => Err(McpClientError::failed(format!("what was filled in does not fit: {mistake}"))),
        }
    }

    /// Has a person open a page, for what must not pass through the client: a login, a payment. `id` is the server's own,
    /// by which it knows the question again.
    ///
    /// # Errors
    /// When the client cannot be asked, or no answer comes.
    pub async fn elicit_url(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
        id: impl Into<String>,
    ) -> Result<Elicited, McpClientError> {
        self.need(ClientFeature::Url)?;
        let (message, url, elicitation_id) = (message.into(), url.into(), id.into());
        self.put(ElicitRequestParams::UrlElicitationParams { meta: None, message, url, elicitation_id }).await
    }

    async fn put(&self, params: ElicitRequestParams) -> Result<Elicited, McpClientError> {
        let result: ElicitResult = self.ask(InputRequest::Elicitation(ElicitRequest::new(params))).await?;
        Ok(match result.action {
            ElicitationAction::Accept => Elicited::Accepted(result.content.unwrap_or_default()),
            ElicitationAction::Decline => Elicited::Declined,
            _ => Elicited::Cancelled,
        })
    }

    /// Has the client's model answer.
    ///
    /// # Errors
    /// When the client cannot be asked, the request is malformed, or no answer comes.
    pub async fn sample(&self, request: SamplingRequest) -> Result<Sampled, McpClientError> {
        self.need(ClientFeature::Sampling)?;
        let params = serde_json::from_value(request.params)
            .map_err(|error| McpClientError::failed(format!("the request is malformed: {error}")))?;
        let mut message: Value = self.ask(InputRequest::CreateMessage(CreateMessageRequest::new(params))).await?;
        let text = |value: &mut Value, key: &str| value[key].take().as_str().map(str::to_owned);
        let blocks = match &message["content"] {
            Value::Array(blocks) => blocks.as_slice(),
            block => std::slice::from_ref(block),
        };
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        Ok(Sampled {
            text: texts.join("\n"),
            model: text(&mut message, "model").unwrap_or_default(),
            stop_reason: text(&mut message, "stopReason"),
            message,
        })
    }

    /// Where the client works.
    ///
    /// # Errors
    /// When the client cannot be asked, or no answer comes.
    pub async fn roots(&self) -> Result<Vec<Root>, McpClientError> {
        self.need(ClientFeature::Roots)?;
        let result: ListRootsResult = self.ask(InputRequest::ListRoots(ListRootsRequest::default())).await?;
        Ok(result.roots.into_iter().map(|root| Root { uri: root.uri, name: root.name }).collect())
    }

    /// Sends a log message, if the client wants such. It is best effort: of more than 256 that wait the rest is left out.
    pub fn log(&self, level: LogLevel, logger: &str, data: impl Into<Value>) {
        self.exchange.log(|gate| gate.lets_pass(level).then(|| logging::message(level, logger, data.into())));
    }

    fn need(&self, feature: ClientFeature) -> Result<(), McpClientError> {
        if self.supports(feature) {
            return Ok(());
        }
        self.exchange.lacks(feature.wanted());
        Err(McpClientError::Unsupported(feature))
    }

    async fn ask<T: DeserializeOwned>(&self, request: InputRequest) -> Result<T, McpClientError> {
        let answer = self.exchange.ask(self.key.as_deref(), request).await?;
        serde_json::from_value(answer)
            .map_err(|error| McpClientError::failed(format!("the client's answer is malformed: {error}")))
    }
}

impl std::fmt::Debug for McpClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("McpClient").field(&self.name()).finish()
    }
}
