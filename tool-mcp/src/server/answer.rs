//! Answering a request that takes its time: it is cancelled, tells how far it is, asks its client, and may wait for the
//! answer of that between two requests.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use rmcp::{
    RoleServer,
    model::{CallToolResult, ErrorData, GetPromptResult, InputRequiredResult, ProtocolVersion, ReadResourceResult},
    service::RequestContext,
};

use tracing::Instrument as _;

use super::{
    call,
    exchange::{Exchange, is_stateless},
    logging::LogGate,
    prompt, read,
    rounds::{Again, Step, Target, Waiting, Work, step},
    session::ClientSession,
    shared::Shared,
};

/// How long notifications that are on their way may hold up the answer behind them.
const FLUSH: Duration = Duration::from_secs(5);

/// What a request is answered with.
pub(super) enum Answer {
    Tool(CallToolResult),
    Prompt(GetPromptResult),
    Resource(ReadResourceResult),
}

/// That, or what the client has to find out first.
pub(super) enum Answered {
    Complete(Answer),
    InputRequired(InputRequiredResult),
}

/// Answers a request, whichever revision it is of, in a span by OpenTelemetry's names for MCP servers. What the client
/// says of its own trace (SEP-414) stands in it as `traceparent` and `tracestate`.
pub(super) async fn answer(
    shared: &Arc<Shared>,
    session: Arc<ClientSession>,
    context: RequestContext<RoleServer>,
    target: Target,
    again: Again,
) -> Result<Answered, ErrorData> {
    let span = tracing::info_span!(
        "mcp.request",
        otel.kind = "server",
        otel.name = %target,
        mcp.method.name = target.method(),
        mcp.session.id = %session.session.id(),
        jsonrpc.request.id = %context.id,
        mcp.protocol.version = context.protocol_version().as_ref().map(ProtocolVersion::as_str),
        traceparent = context.meta.get_traceparent(),
        tracestate = context.meta.get_tracestate(),
    );
    answer_in_span(shared, session, context, target, again).instrument(span).await
}

async fn answer_in_span(
    shared: &Arc<Shared>,
    session: Arc<ClientSession>,
    mut context: RequestContext<RoleServer>,
    target: Target,
    again: Again,
) -> Result<Answered, ErrorData> {
    let version = context.protocol_version();
    let log = match version.as_ref().is_some_and(is_stateless) {
        true => stateless_log(&context),
        false => session.log(),
    };
    if let (Some(state), Some(true)) = (&again.state, version.as_ref().map(is_stateless)) {
        let attach = |exchange: &Exchange| exchange.attach(&context, log);
        let waiting = shared.rounds.take(state, &target, again.responses, attach)?;
        return go_on(shared, waiting, &context).await;
    }
    let target = Arc::new(target);
    let exchange = Exchange::new(&mut context, log, shared.stop.child_token());
    let Some(questions) = exchange.questions() else {
        let work = work(shared.clone(), session, exchange.clone(), target);
        let done = attend(pin!(work), &exchange, &context).await;
        return settle(done, &exchange);
    };
    if let Some(responses) = again.responses {
        questions.expect(responses);
    }
    let mut work: Work = Box::pin(work(shared.clone(), session, exchange.clone(), target.clone()));
    let first = attend(pin!(step(&mut work, questions)), &exchange, &context).await;
    match first {
        Step::Done(done) => settle(done, &exchange),
        Step::Asked => go_on(shared, Waiting::new(target, exchange.clone(), work), &context).await,
    }
}

/// Puts the open questions to the client, or waits for the end where there are none.
async fn go_on(
    shared: &Shared,
    mut waiting: Waiting,
    context: &RequestContext<RoleServer>,
) -> Result<Answered, ErrorData> {
    let exchange = waiting.exchange.clone();
    loop {
        if exchange.questions().is_some_and(|questions| questions.open().is_some()) {
            let lost = || ErrorData::internal_error("the questions are gone", None);
            return shared.rounds.put(waiting).map(Answered::InputRequired).ok_or_else(lost);
        }
        match attend(pin!(waiting.steps.recv()), &exchange, context).await {
            Some(Step::Done(done)) => return settle(done, &exchange),
            Some(Step::Asked) => {}
            None => return Err(ErrorData::internal_error("the work came to no end", None)),
        }
    }
}

/// What is to be done, from the request to its answer.
async fn work(
    shared: Arc<Shared>,
    session: Arc<ClientSession>,
    exchange: Arc<Exchange>,
    target: Arc<Target>,
) -> Result<Answer, ErrorData> {
    match &*target {
        Target::Tool { name, arguments } => {
            call::call(&shared, &session, &exchange, name, arguments.as_ref()).await.map(Answer::Tool)
        }
        Target::Prompt { name, arguments } => {
            prompt::get(&shared, &exchange, name, arguments.as_ref()).await.map(Answer::Prompt)
        }
        Target::Resource { uri } => read::read(&shared, &session, &exchange, uri).await.map(Answer::Resource),
    }
}

/// Waits for work, sends what it tells meanwhile, and passes a cancellation on to it.
async fn attend<T>(
    mut work: Pin<&mut impl Future<Output = T>>,
    exchange: &Exchange,
    context: &RequestContext<RoleServer>,
) -> T {
    exchange.open();
    let mut pump = pin!(exchange.pump());
    let (mut is_cancelled, mut is_sent) = (false, false);
    let done = loop {
        tokio::select! {
            biased;
            done = &mut work => break done,
            () = context.ct.cancelled(), if !is_cancelled => {
                is_cancelled = true;
                exchange.turn().cancel();
            }
            () = &mut pump, if !is_sent => is_sent = true,
        }
    };
    exchange.close();
    if !is_sent {
        let _ = tokio::time::timeout(FLUSH, pump).await;
    }
    done
}

/// The answer of work that has ended. Where it failed for what the client lacks, it is told that in the protocol's terms,
/// if the revision has them.
fn settle(done: Result<Answer, ErrorData>, exchange: &Exchange) -> Result<Answered, ErrorData> {
    let failed = match &done {
        Ok(Answer::Tool(result)) => result.is_error == Some(true),
        Ok(_) => false,
        Err(_) => true,
    };
    if failed
        && is_stateless(exchange.version())
        && let Some(lacked) = exchange.lacked()
    {
        return Err(ErrorData::missing_required_client_capability(lacked));
    }
    done.map(Answered::Complete)
}

/// What a request of 2026-07-28 wants logged, which it says itself.
fn stateless_log(context: &RequestContext<RoleServer>) -> LogGate {
    context.meta.log_level().map_or(LogGate::Shut, |level| LogGate::From(level.into()))
}
