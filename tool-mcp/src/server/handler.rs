//! The protocol's requests, each handed to what answers it.

use std::{
    mem,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rmcp::{
    RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest, CustomResult,
        ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, InitializeRequestParams, InitializeResult,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
        Tool, UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::Value;
use tool_core::CancellationToken;

use super::{
    announce::{self, Changes},
    answer::{Answer, Answered, answer},
    completions::CompletionRequest,
    exchange::{Exchange, is_stateless},
    logging::LogGate,
    page::{Page, page},
    prompt, read,
    resources::failed,
    rounds::{Again, Target},
    session::ClientSession,
    shared::Shared,
};

/// The member of a request's `_meta` by which a client without a connection declares its session.
pub(super) const SESSION_KEY: &str = "tool-core/session";
/// How long such a key may be, in bytes.
const LONGEST_KEY: usize = 256;
/// The keyword that has an argument sent as a header too.
const HEADER_KEYWORD: &str = "x-mcp-header";

/// Methods that 2026-07-28 has no more.
const REMOVED: [&str; 5] = ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// How a client's requests belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Belonging {
    /// They come by one connection.
    Connection,
    /// They come by HTTP: those of older revisions in a session, if the server has such; the others by what they declare.
    Http {
        sessions: bool,
        /// Whether those that declare nothing share one session. Else each has its own.
        together: bool,
    },
}

/// One connection, one session over HTTP, or one request without either.
pub(super) struct Handler {
    shared: Arc<Shared>,
    belonging: Belonging,
    own: OnceLock<Arc<ClientSession>>,
    /// What has changed since the client began, before it can be told.
    changes: Mutex<Option<Changes>>,
    /// It is told from then on; a client that begins again is told once all the same.
    is_told: AtomicBool,
    /// No more is served.
    over: CancellationToken,
    /// Ends with that, or with this handler. Few requests need it.
    closing: OnceLock<CancellationToken>,
}

impl Handler {
    pub(super) fn new(shared: Arc<Shared>, belonging: Belonging, over: CancellationToken) -> Self {
        Self {
            shared,
            belonging,
            own: OnceLock::new(),
            changes: Mutex::default(),
            is_told: AtomicBool::new(false),
            over,
            closing: OnceLock::new(),
        }
    }

    /// The session of all its requests, where they have one.
    pub(super) fn own(&self) -> &Arc<ClientSession> {
        self.own.get_or_init(|| Arc::new(self.shared.session(false)))
    }

    fn closing(&self) -> &CancellationToken {
        self.closing.get_or_init(|| self.over.child_token())
    }

    fn changes(&self) -> MutexGuard<'_, Option<Changes>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session that a request belongs to.
    fn session(&self, context: &RequestContext<RoleServer>) -> Result<Arc<ClientSession>, ErrorData> {
        let Belonging::Http { sessions, together } = self.belonging else { return Ok(self.own().clone()) };
        if sessions && !context.protocol_version().as_ref().is_some_and(is_stateless) {
            return Ok(self.own().clone());
        }
        let key = match context.meta.get(SESSION_KEY) {
            None => None,
            Some(Value::String(key)) if key.len() <= LONGEST_KEY => Some(key.as_str()),
            Some(_) => {
                let message = format!("_meta.{SESSION_KEY}: expected a text of at most {LONGEST_KEY} bytes");
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        Ok(match key {
            None if !together => Arc::new(self.shared.session(true)),
            // One that waits for its client, who may never come again, must not hold up the others.
            key => {
                let declared = self.shared.declared.get(key, || self.shared.session(false));
                Arc::new(declared.beside(self.shared.session_id()))
            }
        })
    }

    /// For what is answered at once, and may ask the client nothing.
    fn exchange(&self, context: &mut RequestContext<RoleServer>) -> Arc<Exchange> {
        Exchange::new(context, LogGate::Unset, self.shared.stop.child_token())
    }

    async fn answer(
        &self,
        context: RequestContext<RoleServer>,
        target: Target,
        again: Again,
    ) -> Result<Answered, ErrorData> {
        let session = self.session(&context)?;
        // In a box: the future of each request, of whatever kind, has room for the largest, and is moved several times.
        Box::pin(answer(&self.shared, session, context, target, again)).await
    }
}

impl Drop for Handler {
    /// Whose client is gone runs no longer, whoever else still holds its session.
    fn drop(&mut self) {
        if let Some(own) = self.own.get() {
            own.session.cancellation().cancel();
        }
        if let Some(closing) = self.closing.get() {
            closing.cancel();
        }
    }
}

fn mismatched() -> ErrorData {
    ErrorData::internal_error("the answer is one to another request", None)
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.shared.info()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let has_session = !matches!(self.belonging, Belonging::Http { sessions: false, .. });
        if has_session && !self.is_told.load(Ordering::Acquire) {
            *self.changes() = Some(Changes::new(&self.shared, self.own()));
        }
        let result = self.negotiate_initialize(&request);
        context.peer.set_peer_info(request);
        result
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let session = self.session(&context)?;
        let Page { items, next } = self.shared.tools(&session.session, request.as_ref()).await?;
        let mut result = ListToolsResult::with_all_items(items);
        result.next_cursor = next;
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        // Asked for before each call over HTTP, for what its schema says of headers. Few say anything.
        let tool = self.shared.executor.registry().get(name)?.clone();
        let schema = &tool.spec().input_schema;
        let schema = schema.as_object().filter(|_| mentions(schema, HEADER_KEYWORD))?;
        Some(Tool::new(name.to_owned(), "", schema.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let target = Target::Tool { name: request.name.into_owned(), arguments: request.arguments };
        let again = Again { responses: request.input_responses, state: request.request_state };
        match self.answer(context, target, again).await? {
            Answered::Complete(Answer::Tool(result)) => Ok(result.into()),
            Answered::InputRequired(result) => Ok(result.into()),
            Answered::Complete(_) => Err(mismatched()),
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (session, exchange) = (self.session(&context)?, self.exchange(&mut context));
        let all = read::list(&self.shared, &session, &exchange).await?;
        let Page { items, next } = page(all, request.as_ref(), self.shared.page_size, |resource| &resource.uri)?;
        let mut result = ListResourcesResult::with_all_items(items);
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let all = read::templates(&self.shared);
        let size = self.shared.page_size;
        let Page { items, next } = page(all, request.as_ref(), size, |template| &template.uri_template)?;
        let mut result = ListResourceTemplatesResult::with_all_items(items);
        result.next_cursor = next;
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let again = Again { responses: request.input_responses, state: request.request_state };
        match self.answer(context, Target::Resource { uri: request.uri }, again).await? {
            Answered::Complete(Answer::Resource(result)) => Ok(result.into()),
            Answered::InputRequired(result) => Ok(result.into()),
            Answered::Complete(_) => Err(mismatched()),
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let all = prompt::list(&self.shared);
        let Page { items, next } = page(all, request.as_ref(), self.shared.page_size, |prompt| &prompt.name)?;
        let mut result = ListPromptsResult::with_all_items(items);
        result.next_cursor = next;
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let target = Target::Prompt { name: request.name, arguments: request.arguments };
        let again = Again { responses: request.input_responses, state: request.request_state };
        match self.answer(context, target, again).await? {
            Answered::Complete(Answer::Prompt(result)) => Ok(result.into()),
            Answered::InputRequired(result) => Ok(result.into()),
            Answered::Complete(_) => Err(mismatched()),
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let Some(completions) = &self.shared.completions else {
            return Err(ErrorData::method_not_found::<rmcp::model::CompleteRequestMethod>());
        };
        let request = CompletionRequest::new(request)
            .ok_or_else(|| ErrorData::invalid_params("ref: expected that of a prompt or a resource template", None))?;
        let completion = completions.complete(&request).await.map_err(|error| failed(&error))?;
        Ok(completion.into_result())
    }

    #[expect(deprecated, reason = "logging is deprecated from 2026-07-28 on, and served all the same")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if context.protocol_version().as_ref().is_some_and(is_stateless) {
            // Each request says for itself.
            return Err(ErrorData::method_not_found::<rmcp::model::SetLevelRequestMethod>());
        }
        self.session(&context)?.set_log(LogGate::From(request.level.into()));
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Spills never change: without other resources there is nothing to subscribe to, and no client is told so.
        if self.shared.resources.is_empty() {
            return Err(ErrorData::method_not_found::<rmcp::model::SubscribeRequestMethod>());
        }
        if self.session(&context)?.watch(request.uri) {
            Ok(())
        } else {
            Err(ErrorData::invalid_request("no more resources can be watched: unsubscribe from one first", None))
        }
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.shared.resources.is_empty() {
            return Err(ErrorData::method_not_found::<rmcp::model::UnsubscribeRequestMethod>());
        }
        self.session(&context)?.unwatch(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let session = self.session(subscription.request_context())?;
        announce::to_subscription(&self.shared, &session, &subscription, self.closing()).await;
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let Some(changes) = self.changes().take()
            && !self.is_told.swap(true, Ordering::AcqRel)
        {
            let session = Arc::downgrade(self.own());
            tokio::spawn(announce::to_connection(changes, session, context.peer, self.closing().clone()));
        }
    }

    async fn on_custom_request(
        &self,
        mut request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = mem::take(&mut request.method);
        let is_stateless = context.protocol_version().as_ref().is_some_and(is_stateless);
        // What has a known name and is here all the same did not have the parameters of it.
        Err(match expected(&method).filter(|_| !(is_stateless && REMOVED.contains(&method.as_str()))) {
            Some(params) => {
                ErrorData::invalid_params(format!("the params of `{method}` are malformed: expected {params}"), None)
            }
            None => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None),
        })
    }
}

/// The parameters of the methods that have any.
fn expected(method: &str) -> Option<&'static str> {
    Some(match method {
        "initialize" => "{protocolVersion, capabilities, clientInfo: {name, version}}",
        "tools/call" => "{name: text, arguments?: object}",
        "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" => "{cursor?: text}",
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => "{uri: text}",
        "prompts/get" => "{name: text, arguments?: object}",
        "completion/complete" => {
            "{ref: {type: \"ref/prompt\", name} or {type: \"ref/resource\", uri}, argument: {name, value}}"
        }
        "logging/setLevel" => "{level: debug, info, notice, warning, error, critical, alert or emergency}",
        "subscriptions/listen" => "{notifications: object}",
        "ping" => "an object or none",
        "server/discover" => "{_meta: {\"io.modelcontextprotocol/protocolVersion\": text, …}}",
        _ => return None,
    })
}

fn mentions(schema: &Value, keyword: &str) -> bool {
    match schema {
        Value::Object(members) => {
            members.contains_key(keyword) || members.values().any(|member| mentions(member, keyword))
        }
        Value::Array(items) => items.iter().any(|item| mentions(item, keyword)),
        _ => false,
    }
}
