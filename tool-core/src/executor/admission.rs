//! The two ends of a call: it is admitted with a tool and a place in line, and concluded with one outcome.

use std::{borrow::Cow, sync::Arc};

use tokio_util::sync::CancellationToken;

use super::{Executor, Outcome, Place, Status, turn::Order};
use crate::{
    call::{CallId, ToolCall},
    context::{Call, Called, Session, ToolContext},
    error::ToolError,
    event::Change,
    registry::Registered,
    tool::{Concurrency, ToolName},
};

/// A call that has its place in line, and its tool, unless it is refused. Whatever becomes of it, it gives the place up
/// and is told to have ended, also when its future is dropped.
pub(super) struct Admitted {
    /// The tool, or why no tool runs: there is none of that name, for example. Such a call comes to its end by the same
    /// way as all others.
    pub(super) tool: Result<Arc<Registered>, Box<ToolError>>,
    pub(super) requested: Cow<'static, str>,
    pub(super) arguments: String,
    pub(super) ctx: ToolContext,
    /// How many identical calls came in a row, this one among them.
    pub(super) identical: u32,
}

/// Whose a call is.
pub(super) struct Origin<'c> {
    /// What cancels it beside the session.
    pub(super) turn: Option<CancellationToken>,
    pub(super) order: Order,
    /// The call whose tool made it.
    pub(super) parent: Option<&'c ToolContext>,
    /// Why it may not be made.
    pub(super) refusal: Option<ToolError>,
}

impl Origin<'_> {
    /// A model's call.
    pub(super) fn model(turn: Option<CancellationToken>, order: Order) -> Self {
        Self { turn, order, parent: None, refusal: None }
    }
}

impl Executor {
    /// Finds the tool, takes a place in line, and takes note of the call, all in the order in which calls come.
    pub(super) fn admit(&self, session: &Session, call: ToolCall, origin: Origin<'_>) -> Admitted {
        let host = &self.host;
        let start = host.now();
        let ToolCall { id, name: mut requested, arguments } = call;
        let Origin { turn, order, parent, refusal } = origin;
        let found = host.registry.resolve(&requested);
        let policy = found.as_ref().ok().map(|tool| tool.tool().policy());
        let alone = policy.is_some_and(|policy| order.sequential || policy.concurrency == Concurrency::Exclusive);
        let concurrency = if alone { Concurrency::Exclusive } else { Concurrency::Parallel };
        let limits = policy.map_or(host.limits, |policy| policy.limits.over(host.limits));
        let timeout = policy.and_then(|policy| policy.timeout).into_iter().chain(host.timeout).min();
        let read_only = found.as_ref().is_ok_and(|tool| tool.tool().spec().annotations.read_only);
        let place = session.queue().reserve(&id, concurrency, parent.map(ToolContext::place));
        let (name, called) = match &found {
            Ok(tool) if *tool.name() == *requested => (tool.name().clone(), Called::Exactly),
            Ok(tool) => (tool.name().clone(), Called::Nearly(requested.as_ref().into())),
            Err(unknown) => {
                // Not as long as a model may have made it.
                requested = unknown.name.clone().into();
                (ToolName::like(&requested), Called::Unknown(requested.as_ref().into()))
            }
        };
        let mut tool = found.map_err(|unknown| Box::new(ToolError::UnknownTool(unknown)));
        let refusal = match place {
            None => Some(ToolError::repeated_id(id.as_str())),
            Some(_) => refusal.or_else(|| if parent.is_none() { self.past_context(session, &name) } else { None }),
        };
        if let Some(refusal) = refusal {
            tool = Err(Box::new(refusal));
        }
        let identical = match host.doom_loop {
            Some(_) if parent.is_none() && place.is_some() => {
                session.history().note(&name, &arguments, host.max_argument_bytes)
            }
            _ => 1,
        };
        let ctx = ToolContext::new(Call {
            place: place.unwrap_or(Place::NONE),
            limits,
            timeout,
            tool: name,
            called,
            order,
            read_only,
            host: host.clone(),
            session: session.clone(),
            start,
            turn,
            id,
            parent: parent.cloned(),
        });
        if place.is_none() {
            // Those who watch know calls by their ids: what they were told of this one would be the other's.
            ctx.end();
        } else {
            ctx.report(|| Change::Pending { arguments: arguments.as_str().into() });
        }
        Admitted { tool, requested, arguments, ctx, identical }
    }

    /// Why a tool may not make a call in its own session past its context: whatever comes to stand between them in line,
    /// or a limit on how many run, could have it wait for its own end.
    fn past_context(&self, session: &Session, name: &ToolName) -> Option<ToolError> {
        let caller = self.within.as_ref()?.running()?;
        caller.session().is_same(session).then(|| {
            ToolError::failed(format!(
                "The call of `{name}` could wait for the end of the call of `{}` that makes it. A tool calls others in \
                 its session with `ToolContext::call_tool`, not with `Executor::call`.",
                caller.tool()
            ))
        })
    }

    /// The context of a call that no stage knows of, for the tests of a function.
    pub(crate) fn context(&self, session: &Session, id: CallId, tool: ToolName) -> ToolContext {
        ToolContext::new(Call {
            // Nothing tells when such a call is over, and no other may wait for it.
            place: Place::NONE,
            limits: self.host.limits,
            timeout: None,
            tool,
            called: Called::Exactly,
            order: Order::of(&self.host),
            read_only: false,
            host: self.host.clone(),
            session: session.clone(),
            start: self.host.now(),
            turn: None,
            id,
            parent: None,
        })
    }

    /// Answers for a call that does not end although it was cancelled.
    pub(super) fn abandon(ctx: &ToolContext) -> Outcome {
        ctx.detach();
        Self::lose(ctx)
    }

    /// Answers for a call that has no end of its own.
    pub(super) fn lose(ctx: &ToolContext) -> Outcome {
        let requested = match ctx.called() {
            Called::Exactly => ctx.tool().as_str(),
            Called::Nearly(name) | Called::Unknown(name) => name,
        };
        conclude(ctx, requested.to_owned().into(), Err(ToolError::Cancelled))
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        // One whose id is another's has ended before it began, and has no place.
        if !self.ctx.has_ended() {
            conclude(&self.ctx, std::mem::take(&mut self.requested), Err(ToolError::Cancelled));
        }
    }
}

/// The outcome of a call, which gives its place up. The first that is made of it is told to those who watch, and is the
/// call's also for whoever answers for it once more.
#[inline]
pub(super) fn conclude(ctx: &ToolContext, requested: Cow<'static, str>, status: Status) -> Outcome {
    // Before it is told: who hears of the end may use the id again, and one who is slow to hear holds nobody up.
    ctx.session().queue().leave(ctx.place());
    let outcome = Outcome::of(ctx, requested, status);
    if !ctx.is_observed() {
        ctx.end();
        return outcome;
    }
    let (told, is_first) = ctx.conclude(Arc::new(outcome));
    if is_first {
        ctx.report(|| Change::from(told.clone()));
    }
    Arc::unwrap_or_clone(told)
}
