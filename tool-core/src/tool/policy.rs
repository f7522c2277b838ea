//! How the executor treats a tool: what the model does not see.

use std::time::Duration;

use crate::truncate::Limits;

/// Whether a call may run beside others. A fact for hosts: [`Executor::call`](crate::Executor::call) runs what it is
/// given at once, and whoever makes several calls at a time goes by this.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Concurrency {
    /// Runs beside other parallel calls.
    Parallel,
    /// Is to run alone: the default of every tool that is not `read_only` (codex-rs does the same).
    #[default]
    Exclusive,
}

/// What `#[tool(…)]` says to the executor rather than to the model.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolPolicy {
    /// Whether calls may run beside others.
    pub concurrency: Concurrency,
    /// Stops a call that runs longer; `None`: no limit of its own.
    pub timeout: Option<Duration>,
    /// This tool's own output limits, over the executor's.
    pub limits: LimitOverrides,
    /// The permission asked for before the body runs, where one is declared.
    pub permission: Option<&'static str>,
    /// The permission its body asks for itself, by [`ToolContext::ask`](crate::ToolContext::ask). Rules on it govern the
    /// tool, in place of those on its name: opencode's `edit` for `write` and `apply_patch`.
    pub asks: Option<&'static str>,
    /// The sets it belongs to, for selection.
    pub sets: &'static [&'static str],
    /// Free labels, for selection.
    pub tags: &'static [&'static str],
}

impl ToolPolicy {
    /// The permission that governs the tool, for [`Ruleset::disabled`](crate::permission::Ruleset::disabled); `None`:
    /// its own name.
    #[must_use]
    pub fn governed_by(&self) -> Option<&'static str> {
        self.permission.or(self.asks)
    }
}

/// The parts of [`Limits`] that a tool sets for itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct LimitOverrides {
    /// At most this many lines.
    pub lines: Option<usize>,
    /// At most this many bytes.
    pub bytes: Option<usize>,
    /// Which part of a longer output is kept.
    pub keep: Option<crate::truncate::Keep>,
}

impl LimitOverrides {
    /// The limits in force for a tool with these overrides.
    #[must_use]
    pub fn over(self, base: Limits) -> Limits {
        Limits {
            lines: self.lines.unwrap_or(base.lines),
            bytes: self.bytes.unwrap_or(base.bytes),
            keep: self.keep.unwrap_or(base.keep),
        }
    }
}
