//! When anybody is asked at all: codex's approval policies, and how an ask is put.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use super::RequestKind;

/// What becomes of the questions that the rules leave open (codex-rs `approval_policy`, by its names).
///
/// Rules and remembered approvals come first: what they allow passes under every policy, what they deny never does.
/// The policy is for the rest:
///
/// | | a request of the kind `Use` that no rule decides | any other that no rule decides | a rule says `ask` | `Escalation` |
/// |---|---|---|---|---|
/// | `untrusted` | passes where the tool is read-only, else is asked | asked | asked | asked |
/// | `on-request` | asked | asked | asked | refused |
/// | `on-failure` | **passes** | asked | asked | asked |
/// | `granular` | as in `on-request`, where its switch is on; else refused | the same | the same | asked where `sandbox_approval` is on |
/// | `never` | refused | refused | refused | refused |
///
/// Two kinds are a `Use` that a tool could tell more of: one that is known to be `Harmless` passes under `untrusted` as a
/// read-only tool's does, and one that is known to be `Dangerous` is asked about under `on-failure` too. What is `Implied`
/// by something else that is asked about is a question of its own only where a rule may deny it.
///
/// Under `untrusted`, a tool that is not read-only and asks for nothing is asked about by its name; under the others it
/// runs. A tool's annotations are its author's word: choose `untrusted` for tools of your own, not of a stranger's server.
///
/// In codex, commands run in a sandbox whatever the policy, and a policy says when to ask about leaving it. This
/// crate confines nothing; **`on-failure` is for tools that are confined**, by a sandbox of their own (that of `core-tools`,
/// where a host registers one) or a container. And where codex runs under `never` what its sandbox holds, here what nobody allowed is refused: list in
/// the rules what may happen.
///
/// ```
/// use tool_core::permission::{ApprovalPolicy, Granular};
/// assert_eq!(serde_json::from_str::<ApprovalPolicy>(r#""on-request""#)?, ApprovalPolicy::OnRequest);
/// let granular = r#"{"granular": {"sandbox_approval": true, "rules": false}}"#;
/// let rules_are_silent = Granular { sandbox_approval: true, ..Granular::default() };
/// assert_eq!(serde_json::from_str::<ApprovalPolicy>(granular)?, ApprovalPolicy::Granular(rules_are_silent));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ApprovalPolicy {
    /// Whatever is not known to be safe is asked about.
    Untrusted,
    /// What tools ask is put to the approver: the default, and all that opencode knows.
    #[default]
    OnRequest,
    /// Tools run, and ask when it failed.
    OnFailure,
    /// As `on-request`, with some kinds of questions refused unasked.
    Granular(Granular),
    /// Nobody is ever asked, and the model is told so.
    Never,
}

/// Which questions are put (codex-rs `granular`); the others are refused, and the model is told so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "codex's configuration, key by key")]
pub struct Granular {
    /// What no rule decides: [`RequestKind::Use`], [`RequestKind::Boundary`], [`RequestKind::Escalation`].
    pub sandbox_approval: bool,
    /// What a rule says `ask` to, whatever its kind.
    pub rules: bool,
    /// [`RequestKind::Elicitation`].
    pub mcp_elicitations: bool,
    /// [`RequestKind::Permissions`].
    pub request_permissions: bool,
    /// [`RequestKind::Skill`].
    pub skill_approval: bool,
}

/// What becomes of one open question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// It may happen without a word.
    Pass,
    /// The approver is asked.
    Ask,
    /// It may not, and nobody is asked.
    Refuse,
}

impl ApprovalPolicy {
    /// `by_rule`: a rule says `ask`; otherwise no rule says anything.
    pub(super) fn verdict(self, kind: RequestKind, by_rule: bool, read_only: bool) -> Verdict {
        match self {
            _ if kind == RequestKind::Implied && !by_rule => Verdict::Pass,
            Self::Never => Verdict::Refuse,
            Self::Granular(granular) if !granular.puts(kind, by_rule) => Verdict::Refuse,
            _ if by_rule => Verdict::Ask,
            Self::OnRequest if kind == RequestKind::Escalation => Verdict::Refuse,
            Self::OnFailure if matches!(kind, RequestKind::Use | RequestKind::Harmless) => Verdict::Pass,
            Self::Untrusted if kind == RequestKind::Harmless => Verdict::Pass,
            Self::Untrusted if kind == RequestKind::Use && read_only => Verdict::Pass,
            _ => Verdict::Ask,
        }
    }

    /// Whether a tool that asks for nothing is asked about.
    pub(super) fn doubts(self, read_only: bool) -> bool {
        self == Self::Untrusted && !read_only
    }
}

impl Granular {
    fn puts(self, kind: RequestKind, by_rule: bool) -> bool {
        if by_rule {
            return self.rules;
        }
        match kind {
            RequestKind::Use
            | RequestKind::Harmless
            | RequestKind::Dangerous
            | RequestKind::Implied
            | RequestKind::Boundary
            | RequestKind::Escalation => self.sandbox_approval,
            RequestKind::Elicitation => self.mcp_elicitations,
            RequestKind::Permissions => self.request_permissions,
            RequestKind::Skill => self.skill_approval,
        }
    }
}

impl fmt::Display for ApprovalPolicy {
    /// The name in configuration.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Untrusted => "untrusted",
            Self::OnRequest => "on-request",
            Self::OnFailure => "on-failure",
            Self::Granular(_) => "granular",
            Self::Never => "never",
        })
    }
}

/// How questions are put: for [`ExecutorBuilder::approvals`](crate::executor::ExecutorBuilder::approvals), which also
/// takes an [`ApprovalPolicy`] alone.
///
/// ```
/// use std::time::Duration;
/// use tool_core::permission::{ApprovalPolicy, ApprovalSettings};
/// let settings = ApprovalSettings::from(ApprovalPolicy::Untrusted).answer_within(Duration::from_secs(600));
/// # let _ = settings;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct ApprovalSettings {
    pub(super) policy: ApprovalPolicy,
    pub(super) answer_within: Option<Duration>,
    pub(super) cascade: bool,
}

impl Default for ApprovalSettings {
    /// `on-request`, all the time in the world, and a rejection rejects the session's other questions.
    fn default() -> Self {
        Self { policy: ApprovalPolicy::default(), answer_within: None, cascade: true }
    }
}

impl From<ApprovalPolicy> for ApprovalSettings {
    fn from(policy: ApprovalPolicy) -> Self {
        Self { policy, ..Self::default() }
    }
}

impl ApprovalSettings {
    /// A question without an answer after this time is refused. No limit unless set: a person may take long.
    pub fn answer_within(mut self, limit: Duration) -> Self {
        self.answer_within = Some(limit);
        self
    }

    /// Whether a rejection, with or without feedback, also rejects every other question that the session has open then:
    /// yes unless set (opencode), for whoever says no wants the model to stop and think again.
    pub fn rejection_cascades(mut self, cascades: bool) -> Self {
        self.cascade = cascades;
        self
    }
}
