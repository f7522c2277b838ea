//! Log messages to a client: how urgent they are, and which of them it wants.
#![expect(deprecated, reason = "logging is deprecated from 2026-07-28 on, and served all the same")]

use rmcp::model::{LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParam, ServerNotification};
use serde_json::Value;

/// How urgent a message is, by syslog's names (RFC 5424), as MCP has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// For those who look for a mistake.
    Debug,
    /// What happens.
    Info,
    /// What happens, and is worth a look.
    Notice,
    /// Something may be wrong.
    Warning,
    /// Something failed.
    Error,
    /// A part does not work any more.
    Critical,
    /// Somebody has to act at once.
    Alert,
    /// Nothing works any more.
    Emergency,
}

impl From<LogLevel> for LoggingLevel {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Debug => Self::Debug,
            LogLevel::Info => Self::Info,
            LogLevel::Notice => Self::Notice,
            LogLevel::Warning => Self::Warning,
            LogLevel::Error => Self::Error,
            LogLevel::Critical => Self::Critical,
            LogLevel::Alert => Self::Alert,
            LogLevel::Emergency => Self::Emergency,
        }
    }
}

impl From<LoggingLevel> for LogLevel {
    fn from(level: LoggingLevel) -> Self {
        match level {
            LoggingLevel::Debug => Self::Debug,
            LoggingLevel::Info => Self::Info,
            LoggingLevel::Notice => Self::Notice,
            LoggingLevel::Warning => Self::Warning,
            LoggingLevel::Error => Self::Error,
            LoggingLevel::Critical => Self::Critical,
            LoggingLevel::Alert => Self::Alert,
            LoggingLevel::Emergency => Self::Emergency,
        }
    }
}

/// Which messages a client wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum LogGate {
    /// None: a request of 2026-07-28 that names no level.
    Shut,
    /// It has not said: what tools tell of themselves goes out, what the server notes of calls does not.
    #[default]
    Unset,
    /// These, and all that are more urgent.
    From(LogLevel),
}

impl LogGate {
    /// Whether a tool's own message goes out.
    pub(super) fn lets_pass(self, level: LogLevel) -> bool {
        match self {
            Self::Shut => false,
            Self::Unset => level >= LogLevel::Info,
            Self::From(least) => level >= least,
        }
    }

    /// Whether the server's notes of what becomes of calls go out.
    pub(super) fn lets_notes_pass(self) -> bool {
        self == Self::From(LogLevel::Debug)
    }
}

/// A message as the protocol has it.
pub(super) fn message(level: LogLevel, logger: &str, data: Value) -> ServerNotification {
    let params = LoggingMessageNotificationParam::new(level.into(), data).with_logger(logger);
    ServerNotification::LoggingMessageNotification(LoggingMessageNotification::new(params))
}
