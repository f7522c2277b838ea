//! What is asked for.

use std::borrow::Cow;

use crate::{call::CallId, output::Metadata, tool::ToolName};

/// One request for leave (opencode's `ask`).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PermissionRequest {
    /// The permission's name, e.g. `edit`.
    pub permission: Cow<'static, str>,
    /// What it is wanted for; each has to be allowed.
    pub patterns: Vec<String>,
    /// What "always" will allow from then on, for the session, with wildcards. Empty: the very same patterns, in which
    /// `*` is then no wildcard, for a model wrote them.
    pub always: Vec<String>,
    /// What would happen, for the person who is asked: a `diff`, a `command`.
    pub metadata: Metadata,
}

impl PermissionRequest {
    /// Asks for these patterns; "always" will allow exactly these.
    #[must_use]
    pub fn new(
        permission: impl Into<Cow<'static, str>>,
        patterns: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let patterns = patterns.into_iter().map(Into::into).collect();
        Self { permission: permission.into(), always: Vec::new(), patterns, metadata: Metadata::new() }
    }

    /// "Always" will allow these instead.
    #[must_use]
    pub fn always(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.always = patterns.into_iter().map(Into::into).collect();
        self
    }

    /// Shows the person who is asked one more fact. What cannot be JSON is shown as `null`.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl serde::Serialize) -> Self {
        self.metadata.insert(key.into(), serde_json::to_value(value).unwrap_or_default());
        self
    }
}

/// A request on its way to an [`Approver`](super::Approver).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ask {
    /// The call that asks.
    pub call_id: CallId,
    /// The tool that asks.
    pub tool: ToolName,
    /// What it asks for.
    pub request: PermissionRequest,
}
