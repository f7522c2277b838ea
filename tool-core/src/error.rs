//! How a call can end badly: one variant a stage, and what the model is told of each.

use std::{borrow::Cow, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    permission::ApprovalPolicy,
    registry::TOOL_SEARCH,
    tool::ToolName,
    validation::{InvalidArguments, excerpt_of},
};

/// Why a call did not complete. [`Display`](std::fmt::Display) is what the model is told.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The arguments do not fit; the report names every mistake.
    #[error("{}", .0.report.report(.0.tool.as_str()))]
    InvalidArguments(Box<Invalid>),
    /// No tool has this name.
    #[error("{0}")]
    UnknownTool(UnknownTool),
    /// A rule or a person refused.
    #[error("{0}")]
    Denied(Denial),
    /// The call was cancelled.
    #[error("The call was cancelled before it completed.")]
    Cancelled,
    /// The call ran longer than it may.
    #[error("The `{tool}` tool was stopped after {}: it takes longer than it may. Ask for less in one call.", span(*.after))]
    TimedOut {
        /// The tool.
        tool: ToolName,
        /// The time it had.
        after: Duration,
    },
    /// The tool itself says that it could not do it.
    #[error("{0}")]
    Failed(Cow<'static, str>),
    /// The tool panicked. The model is not told how; the host is, by [`ToolError::panic_message`].
    #[error("The `{tool}` tool failed by a fault of its own. Other arguments may work; another tool may do.")]
    Panicked {
        /// The tool.
        tool: ToolName,
        /// What the panic said, for logs.
        message: String,
    },
    /// Something that no further call can mend; the host should stop the turn.
    #[error("{0}")]
    Fatal(Cow<'static, str>),
    /// The call had not started when a message of the user's came, and was left out.
    #[error(
        "Skipped: the user has sent a message, and this call had not started. Read the message before calling again."
    )]
    Skipped,
    /// Another call of the session has this id and has not ended; two results of one id could not be told apart.
    #[error(
        "This call was not run: expected an id of its own for each call, got `{id}`, which another call of the session has that has not ended. Make it again under another id."
    )]
    RepeatedId {
        /// The id; cut after 200 bytes.
        id: String,
    },
    /// An error that was stored and read back.
    #[error("{}", .0.message)]
    Recorded(Box<Recorded>),
}

/// What is left of an error that was stored: how it counts, and its words.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// How it counts.
    pub kind: ErrorKind,
    /// What the model is told.
    pub message: String,
    /// The outcome's metadata.
    pub metadata: crate::output::Metadata,
}

/// Arguments refused, and by which tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Invalid {
    /// The tool.
    pub tool: ToolName,
    /// What was wrong.
    pub report: InvalidArguments,
}

/// A name that no tool has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("There is no tool named `{name}`.{} Available tools: {}.{}", suggestion(self), list(.available), hidden(.deferred))]
#[non_exhaustive]
pub struct UnknownTool {
    /// The name as it was called; cut after 200 bytes.
    pub name: String,
    /// The most similar name, if one is similar.
    pub nearest: Option<ToolName>,
    /// All names but those of deferred tools.
    pub available: Vec<ToolName>,
    /// The names of deferred tools, which a model finds by `tool_search`; it is told how many there are.
    pub deferred: Vec<ToolName>,
}

impl UnknownTool {
    pub(crate) fn new(name: &str, available: Vec<ToolName>, deferred: Vec<ToolName>) -> Self {
        let known = || available.iter().chain(&deferred);
        let nearest = crate::suggest::nearest(name, known().map(ToolName::as_str));
        let nearest = nearest.and_then(|near| known().find(|known| known.as_str() == near).cloned());
        Self { name: excerpt_of(name, 200), nearest, available, deferred }
    }
}

fn suggestion(unknown: &UnknownTool) -> String {
    match &unknown.nearest {
        None => String::new(),
        Some(name) if unknown.deferred.contains(name) => {
            format!(" Did you mean `{name}`? Its arguments are told by `{TOOL_SEARCH}`.")
        }
        Some(name) => format!(" Did you mean `{name}`?"),
    }
}

fn hidden(deferred: &[ToolName]) -> String {
    match deferred.len() {
        0 => String::new(),
        1 => format!(" One more can be found with `{TOOL_SEARCH}`."),
        many => format!(" {many} more can be found with `{TOOL_SEARCH}`."),
    }
}

fn list(names: &[ToolName]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(ToolName::as_str).collect::<Vec<_>>().join(", ")
}

/// A permission that was not given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Denial {
    /// By a configured rule.
    #[error(
        "Permission `{permission}` for `{pattern}` is denied by a rule{}. Do not try again in another way; choose a different approach, or ask the user.",
        .justification.as_ref().map(|why| format!(": {}", why.trim_end_matches('.'))).unwrap_or_default()
    )]
    Rule {
        /// The permission asked for.
        permission: String,
        /// The pattern that a rule denies.
        pattern: String,
        /// Why, where the rule says so.
        justification: Option<String>,
    },
    /// By configured rules that leave nothing of what the tool does.
    #[error(
        "The `{tool}` tool is disabled: `{permission}`, which it needs, is denied by a rule for everything. Do not call it again; go on with other tools, or ask the user."
    )]
    Disabled {
        /// The tool.
        tool: ToolName,
        /// The permission that it asks for.
        permission: String,
    },
    /// By a person, perhaps with a word on what to do instead.
    #[error(
        "The user rejected `{permission}` for {}.{}", quoted(.patterns),
        .feedback.as_ref().map(|word| format!(" They say: {word}")).unwrap_or_default()
    )]
    Rejected {
        /// The permission asked for.
        permission: String,
        /// The patterns asked for.
        patterns: Vec<String>,
        /// What the person said.
        feedback: Option<String>,
    },
    /// By a hook of the host, or because one failed.
    #[error("The call was refused: {reason}")]
    Hook {
        /// What the hook says.
        reason: String,
    },
    /// The same call was made over and over.
    #[error(
        "This is the same `{tool}` call for the {times}. time in a row, and it was stopped. Its result will not change: go another way, or ask the user. ({denial})"
    )]
    Repeated {
        /// The tool.
        tool: ToolName,
        /// How often the call was made, this one included.
        times: u32,
        /// Why it was not let pass all the same.
        denial: Box<Denial>,
    },
    /// Nobody was there to ask.
    #[error(
        "Permission `{permission}` for {} was not given: nobody could be asked ({reason}).", quoted(.patterns)
    )]
    Unanswered {
        /// The permission asked for.
        permission: String,
        /// The patterns asked for.
        patterns: Vec<String>,
        /// Why nobody was asked.
        reason: String,
    },
    /// Rejected because another question of the session was, at the same time.
    #[error(
        "`{permission}` for {} was not allowed: the user rejected another request that was open at the same time, and with it this one.",
        quoted(.patterns)
    )]
    RejectedWithAnother {
        /// The permission asked for.
        permission: String,
        /// The patterns asked for.
        patterns: Vec<String>,
    },
    /// Nobody is asked such a thing under this approval policy.
    #[error(
        "Permission `{permission}` for {} was not given, and nobody is asked for it here (approval policy `{policy}`). Do not try again; go on with what is allowed.",
        quoted(.patterns)
    )]
    Policy {
        /// The permission asked for.
        permission: String,
        /// The patterns that are not allowed.
        patterns: Vec<String>,
        /// The policy.
        policy: ApprovalPolicy,
    },
}

fn quoted(patterns: &[String]) -> String {
    patterns.iter().map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>().join(", ")
}

/// What a host decides by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The arguments do not fit, or the call's id is another's.
    InvalidArguments,
    /// No tool has this name.
    UnknownTool,
    /// A rule or a person refused.
    Denied,
    /// Cancelled.
    Cancelled,
    /// Took too long.
    TimedOut,
    /// The tool's own failure.
    Failed,
    /// A panic.
    Panicked,
    /// The turn should stop.
    Fatal,
}

impl ToolError {
    /// A failure in the tool's own words, which the model reads: say what was expected, what came, what to do.
    #[must_use]
    pub fn failed(message: impl Into<Cow<'static, str>>) -> Self {
        Self::Failed(message.into())
    }

    /// The same from any error, e.g. `.map_err(ToolError::from_error)`.
    #[must_use]
    pub fn from_error(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string().into())
    }

    pub(crate) fn repeated_id(id: &str) -> Self {
        Self::RepeatedId { id: excerpt_of(id, 200) }
    }

    /// A failure that ends the turn.
    #[must_use]
    pub fn fatal(message: impl Into<Cow<'static, str>>) -> Self {
        Self::Fatal(message.into())
    }

    pub(crate) fn invalid(tool: ToolName, report: InvalidArguments) -> Self {
        Self::InvalidArguments(Box::new(Invalid { tool, report }))
    }

    /// What a host decides by.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::InvalidArguments(_) | Self::RepeatedId { .. } => ErrorKind::InvalidArguments,
            Self::UnknownTool(_) => ErrorKind::UnknownTool,
            Self::Denied(_) => ErrorKind::Denied,
            Self::Cancelled | Self::Skipped => ErrorKind::Cancelled,
            Self::TimedOut { .. } => ErrorKind::TimedOut,
            Self::Failed(_) => ErrorKind::Failed,
            Self::Panicked { .. } => ErrorKind::Panicked,
            Self::Fatal(_) => ErrorKind::Fatal,
            Self::Recorded(recorded) => recorded.kind,
        }
    }

    /// What a panic said: for logs, never for the model.
    #[must_use]
    pub fn panic_message(&self) -> Option<&str> {
        match self {
            Self::Panicked { message, .. } => Some(message),
            _ => None,
        }
    }
}

/// A duration as a person says it.
pub(crate) fn span(duration: Duration) -> String {
    if duration.subsec_nanos() == 0 { format!("{} s", duration.as_secs()) } else { format!("{duration:?}") }
}
