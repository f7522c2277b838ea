//! How the executor treats a tool: what the model does not see.

use std::{borrow::Cow, sync::Arc, time::Duration};

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

/// What `#[tool(…)]` says to the executor rather than to the model; a tool made at run time has one of its own.
#[derive(Debug, Clone, Default)]
pub struct ToolPolicy {
    /// Whether calls may run beside others.
    pub concurrency: Concurrency,
    /// Stops a call that runs longer; `None`: no limit of its own.
    pub timeout: Option<Duration>,
    /// This tool's own output limits, over the executor's.
    pub limits: LimitOverrides,
    /// The permission asked for before the body runs, where one is declared.
    pub permission: Option<Cow<'static, str>>,
    /// The permission its body asks for itself, by [`ToolContext::ask`](crate::ToolContext::ask). Rules on it govern the
    /// tool, in place of those on its name: opencode's `edit` for `write` and `apply_patch`.
    pub asks: Option<Cow<'static, str>>,
    /// The sets it belongs to, for selection.
    pub sets: Labels,
    /// Free labels, for selection.
    pub tags: Labels,
}

/// Names of sets, or tags. Those of an annotated function stand in the program; others are made at run time. Cloning is
/// cheap.
///
/// ```
/// use tool_core::tool::Labels;
/// let labels: Labels = ["coding", "remote"].into_iter().collect();
/// assert!(labels.contains("remote"));
/// assert_eq!(labels, Labels::fixed(&["coding", "remote"]));
/// ```
#[derive(Clone)]
pub struct Labels(Repr);

#[derive(Clone)]
enum Repr {
    Fixed(&'static [&'static str]),
    Shared(Arc<[Box<str>]>),
}

impl Labels {
    /// Labels that stand in the program.
    #[must_use]
    pub const fn fixed(labels: &'static [&'static str]) -> Self {
        Self(Repr::Fixed(labels))
    }

    /// The labels, in the order they were given.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let (fixed, shared): (&[&str], &[Box<str>]) = match &self.0 {
            Repr::Fixed(labels) => (labels, &[]),
            Repr::Shared(labels) => (&[], labels),
        };
        fixed.iter().copied().chain(shared.iter().map(AsRef::as_ref))
    }

    /// Whether a label is among them.
    #[must_use]
    pub fn contains(&self, label: &str) -> bool {
        self.iter().any(|known| known == label)
    }
}

impl Default for Labels {
    fn default() -> Self {
        Self::fixed(&[])
    }
}

impl<T: Into<String>> FromIterator<T> for Labels {
    fn from_iter<I: IntoIterator<Item = T>>(labels: I) -> Self {
        Self(Repr::Shared(labels.into_iter().map(|label| label.into().into_boxed_str()).collect()))
    }
}

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Labels {}

impl std::fmt::Debug for Labels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl ToolPolicy {
    /// The permission that governs the tool, for [`Ruleset::disabled`](crate::permission::Ruleset::disabled); `None`:
    /// its own name.
    #[must_use]
    pub fn governed_by(&self) -> Option<&str> {
        self.permission.as_deref().or(self.asks.as_deref())
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
