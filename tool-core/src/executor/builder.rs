//! Putting an executor together.

use std::{any::Any, sync::Arc, time::Duration};

use tokio::sync::broadcast;

use super::{Executor, Hook, NestingLimits, Telemetry, doom_loop};
use crate::{
    call::MAX_ARGUMENT_BYTES,
    context::{Host, States},
    event::{CallEvent, Clock, Observer, Observers, TickClock},
    permission::{ApprovalSettings, Approver, DenyAll, Ruleset},
    registry::LiveRegistry,
    truncate::{Limits, SpillStore},
};

/// How long a hook may take.
const HOOK_TIMEOUT: Duration = Duration::from_secs(60);

/// Puts an [`Executor`] together.
#[must_use]
pub struct ExecutorBuilder {
    host: Host,
}

impl ExecutorBuilder {
    pub(super) fn new(registry: LiveRegistry) -> Self {
        let host = Host {
            registry,
            states: States::default(),
            rules: Ruleset::new(),
            approvals: ApprovalSettings::default(),
            approver: Arc::new(DenyAll),
            hooks: Vec::new(),
            hook_timeout: HOOK_TIMEOUT,
            observers: Observers::default(),
            telemetry: Telemetry::default(),
            spills: None,
            clock: Arc::new(TickClock),
            limits: Limits::default(),
            timeout: None,
            max_argument_bytes: MAX_ARGUMENT_BYTES,
            doom_loop: Some(doom_loop::IDENTICAL),
            max_parallel: usize::MAX,
            nesting: NestingLimits::default(),
        };
        Self { host }
    }

    /// What is allowed, refused, and asked about.
    pub fn rules(mut self, rules: Ruleset) -> Self {
        self.host.rules = rules;
        self
    }

    /// Who is asked.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.host.approver = Arc::new(approver);
        self
    }

    /// When anybody is asked, and how: an [`ApprovalPolicy`](crate::permission::ApprovalPolicy) or all settings.
    pub fn approvals(mut self, settings: impl Into<ApprovalSettings>) -> Self {
        self.host.approvals = settings.into();
        self
    }

    /// A value that tools take as `&T`; a second one of the same type replaces the first.
    pub fn state<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.host.states.insert(value);
        self
    }

    /// One more who watches, on a thread of its own: however slow it is, no call waits for it. It gets the events in
    /// order; [`Executor::flush`] waits for it.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.host.observers.detached(Arc::new(observer));
        self
    }

    /// One more who watches, where the call runs: the call waits for it. For those that only take note, of a count or
    /// a line, and must have done so before the call goes on.
    pub fn inline_observer(mut self, observer: impl Observer) -> Self {
        self.host.observers.inline(Arc::new(observer));
        self
    }

    /// Sends every event to those who have subscribed. One that falls behind loses the oldest, as `broadcast` says: the
    /// channel holds as many events as it was made for, however large they are.
    pub fn broadcast(mut self, sender: broadcast::Sender<Arc<CallEvent>>) -> Self {
        self.host.observers.channel(sender);
        self
    }

    /// Where whole outputs are kept that were cut for the model. Without it they are lost, and the model is told so.
    pub fn spills(mut self, store: SpillStore) -> Self {
        self.host.spills = Some(store);
        self
    }

    /// The limits of tools that set none themselves.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.host.limits = limits;
        self
    }

    /// Stops every tool that runs longer, whatever longer time it has of its own. None unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.host.timeout = Some(timeout);
        self
    }

    /// The largest arguments taken; 16 MiB unless set.
    pub fn max_argument_bytes(mut self, bytes: usize) -> Self {
        self.host.max_argument_bytes = bytes;
        self
    }

    /// One more hook, behind the others.
    pub fn hook(mut self, hook: impl Hook) -> Self {
        self.host.hooks.push(Arc::new(hook));
        self
    }

    /// How long one hook may take for one call; 60 s unless set (codex-rs). One that takes longer refuses the call.
    pub fn hook_timeout(mut self, timeout: Duration) -> Self {
        self.host.hook_timeout = timeout;
        self
    }

    /// What the `tracing` span of a call tells.
    pub fn telemetry(mut self, telemetry: Telemetry) -> Self {
        self.host.telemetry = telemetry;
        self
    }

    /// How many identical calls in a row need the `doom_loop` permission, the first that many and each after it; 3
    /// unless set (opencode). `None`: models may repeat themselves.
    pub fn doom_loop(mut self, identical: impl Into<Option<u32>>) -> Self {
        self.host.doom_loop = identical.into();
        self
    }

    /// How many calls of one session run at once at most, whatever their tools allow; no limit unless set.
    pub fn max_parallel(mut self, calls: usize) -> Self {
        self.host.max_parallel = calls;
        self
    }

    /// How many calls tools may make of their own.
    pub fn nesting(mut self, limits: NestingLimits) -> Self {
        self.host.nesting = limits;
        self
    }

    /// Another clock: [`SystemClock`](crate::event::SystemClock) for exact times, a fixed one in tests.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.host.clock = Arc::new(clock);
        self
    }

    /// The executor.
    ///
    /// # Errors
    /// Every tool that cannot run: it takes a state value that is not registered, or its schema is unusable.
    pub fn build(self) -> Result<Executor, BuildError> {
        let host = Arc::new(self.host);
        // First, so that no tool can come in between unseen.
        host.registry.serve(&host);
        let mut faults = Vec::new();
        for tool in host.registry.current().iter() {
            faults.extend(host.lacks(tool));
            if let Err(fault) = tool.tool().verify() {
                faults.push(format!("tool `{}` has a schema that cannot be used: {fault}", tool.name()));
            }
        }
        if !faults.is_empty() {
            return Err(BuildError { faults });
        }
        Ok(Executor { host, within: None })
    }
}

/// Why there is no executor: all reasons. `Debug` is the same text, for a `main` that returns it.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .faults.join("\n"))]
pub struct BuildError {
    faults: Vec<String>,
}

impl BuildError {
    /// One line a reason.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.faults
    }
}

impl std::fmt::Debug for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
