//! One call of a server's tool.

use std::{borrow::Cow, time::Duration};

use rmcp::{
    RoleClient,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, InputRequiredResult, InputResponses,
        ServerResult,
    },
    service::{PeerRequestOptions, RequestHandle},
};
use serde_json::{Map, Value};
use tokio::{
    select,
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tool_core::{ToolContext, event::Progress};

use super::{
    link::{MAX_PROGRESS, ProgressRoute, Report},
    session::{Pending, RequestError, Session},
};

/// How often a server may ask for input before it gives a result.
pub(super) const MAX_ROUNDS: usize = 16;
/// How long a server is left alone that gives no result and asks for nothing.
const ASK_AGAIN: Duration = Duration::from_millis(200);
/// As many times its limit may a call go on, with signs of life.
const MOST_LIMITS: u32 = 10;

impl Session {
    /// Calls a tool, and answers what its server wants to know first. Given up, the server is told to stop.
    pub(super) async fn call_tool(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        limit: Duration,
        ctx: &ToolContext,
    ) -> Result<CallToolResult, RequestError> {
        let mut params = CallToolRequestParams::new(Cow::Owned(tool.to_owned())).with_arguments(arguments);
        for _ in 0..MAX_ROUNDS {
            match self.call_once(params.clone(), limit, ctx).await? {
                ServerResult::CallToolResult(result) => return Ok(result),
                ServerResult::EmptyResult(_) => return Ok(CallToolResult::default()),
                ServerResult::InputRequiredResult(wanted) => {
                    (params.input_responses, params.request_state) = self.provide(wanted).await?;
                }
                _ => return Err(RequestError::Unexpected),
            }
        }
        Err(RequestError::Unexpected)
    }

    /// The host's answers to what a server wants before it gives a result, and the state that goes back with them.
    pub(super) async fn provide(
        &self,
        wanted: InputRequiredResult,
    ) -> Result<(Option<InputResponses>, Option<String>), RequestError> {
        let InputRequiredResult { input_requests, request_state, .. } = wanted;
        let mut responses = InputResponses::new();
        for (key, request) in input_requests.into_iter().flatten() {
            let answer = self.handler.input(request).await.map_err(RequestError::Refused)?;
            responses.insert(key, answer);
        }
        if responses.is_empty() && request_state.is_none() {
            return Err(RequestError::Unexpected);
        }
        if responses.is_empty() {
            // It wants to be asked again alone: it is given time for what it waits for.
            tokio::time::sleep(ASK_AGAIN).await;
        }
        Ok(((!responses.is_empty()).then_some(responses), request_state))
    }

    async fn call_once(
        &self,
        params: CallToolRequestParams,
        limit: Duration,
        ctx: &ToolContext,
    ) -> Result<ServerResult, RequestError> {
        let (route, mut progress) = mpsc::channel(MAX_PROGRESS);
        let mut request = CallToolRequest::new(params);
        request.extensions.insert(ProgressRoute(route));
        let request = ClientRequest::CallToolRequest(request);
        let mut handle = self.peer().send_request_with_option(request, PeerRequestOptions::no_options()).await?;
        let mut pending = Pending::new(self.peer(), &handle);
        let answer = self.wait(&mut handle, &mut progress, limit, ctx).await;
        if !matches!(answer, Err(RequestError::TimedOut(_))) {
            pending.answered();
        }
        answer
    }

    /// Waits for the answer, and passes on what is heard of it meanwhile.
    async fn wait(
        &self,
        handle: &mut RequestHandle<RoleClient>,
        progress: &mut mpsc::Receiver<Report>,
        limit: Duration,
        ctx: &ToolContext,
    ) -> Result<ServerResult, RequestError> {
        let last = Instant::now() + limit.saturating_mul(MOST_LIMITS);
        let mut deadline = Instant::now() + limit;
        let mut furthest = f64::NEG_INFINITY;
        loop {
            select! {
                biased;
                Some(report) = progress.recv() => {
                    // It must grow; what does not is late, or wrong.
                    if report.progress >= furthest {
                        furthest = report.progress;
                        deadline = (Instant::now() + limit).min(last);
                        ctx.progress(told(report));
                    }
                }
                answer = &mut handle.rx => return Ok(answer.map_err(|_| RequestError::Closed)??),
                () = self.heard.closing.cancelled() => return Err(RequestError::Closed),
                () = sleep_until(deadline) => {
                    // The time in which somebody is asked does not count.
                    if !self.handler.is_asking() {
                        return Err(RequestError::TimedOut(limit));
                    }
                    deadline = Instant::now() + limit;
                }
            }
        }
    }
}

fn told(report: Report) -> Progress {
    let mut progress = Progress::default();
    progress.title = report.message;
    progress = progress.with("progress", report.progress);
    match report.total {
        Some(total) => progress.with("total", total),
        None => progress,
    }
}
