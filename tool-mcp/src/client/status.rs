//! How the servers are.

use std::{fmt, time::Duration};

/// One server, as it is at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerStatus {
    /// The server's name in the configuration.
    pub server: String,
    /// What it is doing.
    pub state: ServerState,
    /// How many tools it gives to registries.
    pub tools: usize,
    /// What it says of how its tools are meant to be used, for a system prompt. They are a stranger's words.
    pub instructions: Option<String>,
    /// What is left out of what it offers, and why; a line each. At most [`MAX_NOTES`].
    pub notes: Vec<String>,
    /// The end of what it wrote to stderr since it was last started; empty for servers that are reached by HTTP.
    pub stderr: String,
}

/// As many notes are kept of one server.
pub const MAX_NOTES: usize = 20;

/// What a server is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerState {
    /// The configuration says that it is not to be used.
    Disabled,
    /// It was started, and has not said yet what it can do.
    Starting,
    /// Its tools can be called.
    Ready {
        /// The revision of the protocol that it speaks, e.g. `2025-11-25`.
        protocol: String,
        /// What it calls itself, with its version.
        program: Option<String>,
    },
    /// It failed of something that can pass, and is started anew after a while, at most five times in a row. If it has run
    /// before, it keeps its tools, and calls wait for it; else it has none yet, and nobody waits.
    Restarting {
        /// Why it failed.
        reason: String,
        /// How long until the next try, from when the status was asked for; zero while it is being tried.
        next_try: Duration,
    },
    /// It failed, and is left alone. It has no tools.
    Failed {
        /// Why it failed, and what can be done.
        reason: String,
    },
    /// The connections were shut down.
    Stopped,
}

impl ServerState {
    /// Why there are no tools of it, if there are none.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        match self {
            Self::Failed { reason } | Self::Restarting { reason, .. } => Some(reason),
            Self::Disabled | Self::Starting | Self::Ready { .. } | Self::Stopped => None,
        }
    }
}

impl fmt::Display for ServerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => f.write_str("disabled"),
            Self::Starting => f.write_str("starting"),
            Self::Ready { protocol, program: Some(program) } => write!(f, "ready ({program}, {protocol})"),
            Self::Ready { protocol, program: None } => write!(f, "ready ({protocol})"),
            Self::Restarting { reason, next_try } if next_try.is_zero() => write!(f, "restarting: {reason}"),
            Self::Restarting { reason, next_try } => {
                write!(f, "restarting in {:.1} s: {reason}", next_try.as_secs_f64())
            }
            Self::Failed { reason } => write!(f, "failed: {reason}"),
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

impl fmt::Display for ServerStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MCP server `{}` is {}", self.server, self.state)
    }
}
