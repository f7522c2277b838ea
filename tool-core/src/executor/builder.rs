//! Putting an executor together.

use std::{any::Any, sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use super::Executor;
use crate::{
    call::MAX_ARGUMENT_BYTES,
    context::{Host, States, ToolContext},
    event::{Clock, Observer, Observers, TickClock},
    permission::{ApprovalSettings, Approver, DenyAll, Ruleset},
    registry::Registry,
    truncate::{Limits, SpillStore},
};

/// Puts an [`Executor`] together.
#[must_use]
pub struct ExecutorBuilder {
    registry: Registry,
    host: Host,
    limits: Limits,
    timeout: Option<Duration>,
    max_argument_bytes: usize,
}

impl ExecutorBuilder {
    pub(super) fn new(registry: Registry) -> Self {
        let host = Host {
            states: States::default(),
            rules: Ruleset::new(),
            approvals: ApprovalSettings::default(),
            approver: Arc::new(DenyAll),
            observers: Observers::default(),
            spills: None,
            clock: Arc::new(TickClock),
        };
        Self { registry, host, limits: Limits::default(), timeout: None, max_argument_bytes: MAX_ARGUMENT_BYTES }
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

    /// One more who watches.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.host.observers.push(Arc::new(observer));
        self
    }

    /// Where whole outputs are kept that were cut for the model. Without it they are lost, and the model is told so.
    pub fn spills(mut self, store: SpillStore) -> Self {
        self.host.spills = Some(store);
        self
    }

    /// The limits of tools that set none themselves.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Stops every tool that runs longer, whatever longer time it has of its own. None unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The largest arguments taken; 16 MiB unless set.
    pub fn max_argument_bytes(mut self, bytes: usize) -> Self {
        self.max_argument_bytes = bytes;
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
        let of_call = [std::any::TypeId::of::<ToolContext>(), std::any::TypeId::of::<CancellationToken>()];
        let mut faults = Vec::new();
        for tool in self.registry.iter() {
            for wanted in tool.tool().requirements() {
                if !of_call.contains(&wanted.type_id) && !self.host.states.contains(wanted.type_id) {
                    faults.push(format!(
                        "tool `{}` takes a `&{}`, and none is registered: add `.state(…)` with one",
                        tool.name(),
                        wanted.type_name()
                    ));
                }
            }
            if let Err(fault) = tool.tool().verify() {
                faults.push(format!("tool `{}` has a schema that cannot be used: {fault}", tool.name()));
            }
        }
        if !faults.is_empty() {
            return Err(BuildError { faults });
        }
        Ok(Executor {
            registry: Arc::new(self.registry),
            host: Arc::new(self.host),
            limits: self.limits,
            timeout: self.timeout,
            max_argument_bytes: self.max_argument_bytes,
        })
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
