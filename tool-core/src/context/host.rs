//! What all calls of one executor share.

use std::{
    any::TypeId,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::{Duration, SystemTime},
};

use tokio_util::sync::CancellationToken;

use super::{Session, States, ToolContext};
use crate::{
    event::{Clock, Observers},
    executor::{Hook, NestingLimits, Telemetry},
    permission::{ApprovalSettings, Approver, Ruleset},
    registry::{LiveRegistry, Registered},
    truncate::{Limits, SpillStore},
};

/// What an executor was built with; see [`ExecutorBuilder`](crate::executor::ExecutorBuilder) for each.
pub(crate) struct Host {
    pub(crate) registry: LiveRegistry,
    pub(crate) states: States,
    pub(crate) rules: Ruleset,
    pub(crate) approvals: ApprovalSettings,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) hooks: Vec<Arc<dyn Hook>>,
    pub(crate) hook_timeout: Duration,
    pub(crate) observers: Observers,
    pub(crate) telemetry: Telemetry,
    pub(crate) spills: Option<SpillStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) limits: Limits,
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_argument_bytes: usize,
    /// How many identical calls in a row are one too many.
    pub(crate) doom_loop: Option<u32>,
    /// How many calls of a session run at once at most.
    pub(crate) max_parallel: usize,
    pub(crate) nesting: NestingLimits,
}

impl Host {
    /// The state values that a tool takes and this host has none of, in words.
    pub(crate) fn lacks(&self, tool: &Registered) -> impl Iterator<Item = String> {
        let of_call = [TypeId::of::<ToolContext>(), TypeId::of::<CancellationToken>()];
        let wanted = tool.tool().requirements().into_iter();
        let lacking =
            wanted.filter(move |wanted| !of_call.contains(&wanted.type_id) && !self.states.contains(wanted.type_id));
        lacking.map(|wanted| {
            let (tool, kind) = (tool.name(), wanted.type_name());
            format!("tool `{tool}` takes a `&{kind}`, and none is registered: add `.state(…)` with one")
        })
    }

    /// The time. Where the host's clock panics, the machine's stands in for it: a call must come to its end.
    pub(crate) fn now(&self) -> SystemTime {
        catch_unwind(AssertUnwindSafe(|| self.clock.now())).unwrap_or_else(|_| SystemTime::now())
    }

    /// All rules that hold in a session: its own come last.
    pub(crate) fn rules_in(&self, session: &Session) -> Ruleset {
        Ruleset::merge([&self.rules, session.rules()].map(Clone::clone))
    }
}
