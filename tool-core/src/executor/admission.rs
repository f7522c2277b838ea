//! The two ends of a call: it is admitted with a tool and a place in line, and concluded with one outcome.

use std::{borrow::Cow, sync::Arc, time::SystemTime};

use tokio_util::sync::CancellationToken;

use super::{CallTime, Executor, Outcome, Status, turn::Order};
use crate::{
    call::{CallId, ToolCall},
    context::{Call, Session, ToolContext},
    error::{ToolError, UnknownTool},
    event::{CallEvent, Change},
    registry::Registered,
    tool::{Concurrency, ToolName},
};

/// A call that has its tool and its place in line. Whatever becomes of it, it gives the place up and is told to have
/// ended, also when its future is dropped.
pub(super) struct Admitted {
    pub(super) tool: Arc<Registered>,
    pub(super) requested: Cow<'static, str>,
    pub(super) arguments: String,
    pub(super) ctx: ToolContext,
    pub(super) order: Order,
}

impl Executor {
    /// Finds the tool, and takes a place in line.
    pub(super) fn admit(
        &self,
        session: &Session,
        call: ToolCall,
        turn: Option<CancellationToken>,
        parent: Option<ToolContext>,
        order: Order,
    ) -> Result<Admitted, Box<Outcome>> {
        let start = self.host.clock.now();
        let tool = match self.host.registry.resolve(&call.name) {
            Ok(tool) => tool,
            Err(unknown) => return Err(Box::new(self.unknown(session, call, parent, unknown, start))),
        };
        let ToolCall { id, name: requested, arguments } = call;
        let policy = tool.tool().policy();
        let concurrency = if order.sequential { Concurrency::Exclusive } else { policy.concurrency };
        let ctx = ToolContext::new(Call {
            place: session.queue().reserve(concurrency, parent.as_ref().map(ToolContext::place)),
            limits: policy.limits.over(self.host.limits),
            timeout: policy.timeout.into_iter().chain(self.host.timeout).min(),
            tool: tool.name().clone(),
            read_only: tool.tool().spec().annotations.read_only,
            host: self.host.clone(),
            session: session.clone(),
            start,
            turn,
            id,
            parent,
        });
        ctx.report(|| Change::Pending { arguments: arguments.as_str().into() });
        Ok(Admitted { tool, requested, arguments, ctx, order })
    }

    /// The context of a call that no stage knows of, for the tests of a function.
    pub(crate) fn context(&self, session: &Session, id: CallId, tool: ToolName) -> ToolContext {
        // Given up at once: nothing tells when such a call is over, and no other may wait for it.
        let place = session.queue().reserve(Concurrency::Parallel, None);
        session.queue().leave(place);
        ToolContext::new(Call {
            place,
            limits: self.host.limits,
            timeout: None,
            tool,
            read_only: false,
            host: self.host.clone(),
            session: session.clone(),
            start: self.host.clock.now(),
            turn: None,
            id,
            parent: None,
        })
    }

    fn unknown(
        &self,
        session: &Session,
        mut call: ToolCall,
        parent: Option<ToolContext>,
        unknown: UnknownTool,
        start: SystemTime,
    ) -> Outcome {
        // Not as long as a model may have made it.
        call.name = unknown.name.clone().into();
        let end = self.host.clock.now();
        let outcome = Outcome::failed(&call, ToolError::UnknownTool(unknown), CallTime { start, end });
        if self.host.observers.is_empty() {
            return outcome;
        }
        let outcome = Arc::new(outcome);
        let changes = [Change::Pending { arguments: call.arguments.into() }, Change::from(outcome.clone())];
        for (change, at) in changes.into_iter().zip([start, end]) {
            self.host.observers.tell(CallEvent {
                session: session.id().clone(),
                call_id: call.id.clone(),
                parent: parent.as_ref().map(|parent| parent.call_id().clone()),
                tool: call.name.to_string(),
                at,
                change,
            });
        }
        Arc::unwrap_or_clone(outcome)
    }

    /// Answers for a call that does not end although it was cancelled.
    pub(super) fn abandon(ctx: &ToolContext) -> Outcome {
        ctx.detach();
        // Nobody waits for it, the session's other calls neither.
        ctx.session().queue().leave(ctx.place());
        conclude(ctx, ctx.tool().to_string().into(), Err(ToolError::Cancelled))
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.ctx.session().queue().leave(self.ctx.place());
        if self.ctx.is_observed() && !self.ctx.has_ended() {
            conclude(&self.ctx, std::mem::take(&mut self.requested), Err(ToolError::Cancelled));
        }
    }
}

/// The outcome of a call; the first that is made of it is told to those who watch.
pub(super) fn conclude(ctx: &ToolContext, requested: Cow<'static, str>, status: Status) -> Outcome {
    let outcome = Outcome::of(ctx, requested, status);
    if !ctx.is_observed() || ctx.has_ended() {
        return outcome;
    }
    let outcome = Arc::new(outcome);
    ctx.end(outcome.clone());
    Arc::unwrap_or_clone(outcome)
}
