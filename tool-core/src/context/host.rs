//! What all calls of one executor share.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::{Duration, SystemTime},
};

use super::{Session, States};
use crate::{
    event::{Clock, Observers},
    executor::{Hook, NestingLimits, Telemetry},
    permission::{ApprovalSettings, Approver, Ruleset},
    registry::LiveRegistry,
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
    /// The time. Where the host's clock panics, the machine's stands in for it: a call must come to its end.
    pub(crate) fn now(&self) -> SystemTime {
        catch_unwind(AssertUnwindSafe(|| self.clock.now())).unwrap_or_else(|_| SystemTime::now())
    }

    /// All rules that hold in a session: its own come last.
    pub(crate) fn rules_in(&self, session: &Session) -> Ruleset {
        Ruleset::merge([&self.rules, session.rules()].map(Clone::clone))
    }
}
