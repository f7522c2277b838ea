//! What is asked for.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use super::Reading;
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
    /// What kind of thing it is, by which an [`ApprovalPolicy`](super::ApprovalPolicy) decides whether to ask.
    pub kind: RequestKind,
    /// What is known of single patterns beyond their text, by their place in `patterns`; see
    /// [`pattern`](Self::pattern).
    pub details: BTreeMap<usize, PatternDetail>,
    /// Whether rules that allow it have to name the permission: one for every permission (`*`) is then none for this.
    /// Rules that ask or deny count as ever.
    pub by_name_only: bool,
}

/// What a tool that can tell knows of one pattern of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PatternDetail {
    /// What kind of thing this one is.
    pub kind: RequestKind,
    /// What it amounts to. Rules are held against these instead of the pattern: one that allows counts where it covers
    /// the first of them, one that asks or denies where it matches any. Where it only may match, somebody is asked.
    pub readings: Vec<Reading>,
    /// Whether each time is another question, for nobody knows what the same words will do the next time: approvals for
    /// "always" do not count.
    pub once: bool,
}

/// What kind of thing is asked for. Rules do not look at it; an [`ApprovalPolicy`](super::ApprovalPolicy) does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RequestKind {
    /// A tool's own work, within what confines it.
    #[default]
    Use,
    /// A use that is known to change nothing, of a tool that could (codex-rs: known-safe commands).
    Harmless,
    /// A use that is known to do harm where it goes wrong (codex-rs: dangerous commands).
    Dangerous,
    /// What follows from something else that is asked about. Rules that deny it hold; nobody is asked for it, but where
    /// it is not certain whether such a rule holds.
    Implied,
    /// To cross a line that is drawn around all tools: the working directory, a loop's third turn.
    Boundary,
    /// To do again, without what confines it, what failed within: see [`PermissionRequest::escalation`].
    Escalation,
    /// A question of an MCP server's to the user.
    Elicitation,
    /// More permissions, which a model asks for before it uses them.
    Permissions,
    /// To follow a skill's instructions.
    Skill,
}

impl PermissionRequest {
    /// Asks for these patterns; "always" will allow exactly these.
    #[must_use]
    pub fn new(
        permission: impl Into<Cow<'static, str>>,
        patterns: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let patterns = patterns.into_iter().map(Into::into).collect();
        Self {
            permission: permission.into(),
            always: Vec::new(),
            patterns,
            metadata: Metadata::new(),
            kind: RequestKind::Use,
            details: BTreeMap::new(),
            by_name_only: false,
        }
    }

    /// Asks to do again, without what confines the tool, what failed within it (codex-rs: "retry without sandbox").
    ///
    /// The permission is `escalate`, and [`by_name_only`](Self::by_name_only), so that no rule or approval for the ordinary
    /// thing, or for everything, covers it. A tool that has a
    /// sandbox asks this with [`ToolContext::ask`](crate::ToolContext::ask) when the sandbox stopped its work; where it
    /// is denied, it returns the failure as it was.
    #[must_use]
    pub fn escalation(patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::new("escalate", patterns).kind(RequestKind::Escalation).by_name_only()
    }

    /// Rules that allow it have to name the permission.
    #[must_use]
    pub fn by_name_only(mut self) -> Self {
        self.by_name_only = true;
        self
    }

    /// Says what kind of thing it is; [`RequestKind::Use`] unless said.
    #[must_use]
    pub fn kind(mut self, kind: RequestKind) -> Self {
        self.kind = kind;
        self
    }

    /// Adds a pattern, with what is known of it. `readings` empty: it is what it says.
    ///
    /// ```
    /// use tool_core::permission::{PermissionRequest, Reading, RequestKind};
    /// let request = PermissionRequest::new("bash", ["git status"]);
    /// let reading = Reading::known("git ").then_anything();
    /// let request = request.pattern("git $x", RequestKind::Use, [reading], false);
    /// assert_eq!(request.patterns, ["git status", "git $x"]);
    /// ```
    #[must_use]
    pub fn pattern(
        mut self,
        pattern: impl Into<String>,
        kind: RequestKind,
        readings: impl IntoIterator<Item = Reading>,
        once: bool,
    ) -> Self {
        let (pattern, mut readings) = (pattern.into(), readings.into_iter().collect::<Vec<_>>());
        if readings.is_empty() {
            readings.push(Reading::known(pattern.clone()));
        }
        self.details.insert(self.patterns.len(), PatternDetail { kind, readings, once });
        self.patterns.push(pattern);
        self
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
    /// The session's id.
    pub session: Arc<str>,
    /// The call that asks.
    pub call_id: CallId,
    /// The tool that asks.
    pub tool: ToolName,
    /// What it asks for.
    pub request: PermissionRequest,
}
