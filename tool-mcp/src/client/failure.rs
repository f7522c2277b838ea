//! Why a server does not run, and whether that can pass.

use std::io;

use rmcp::{service::ClientInitializeError, transport::DynamicTransportError};

use super::{
    listing::ListError,
    session::{RequestError, cause},
    words::chain,
};

/// Why a server does not run.
pub(super) struct Failure {
    pub(super) reason: String,
    pub(super) outlook: Outlook,
}

/// Whether another try may fare better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outlook {
    /// It would be the same another time, or ask a person again.
    Lasting,
    /// It would be the same with a server that never ran; one that did may come to itself.
    Doubtful,
    /// It can pass: an address that nobody listens at yet, a program that ended early, a time that ran out.
    Passing,
}

impl Failure {
    pub(super) fn lasting(reason: String) -> Self {
        Self { reason, outlook: Outlook::Lasting }
    }

    pub(super) fn passing(reason: String) -> Self {
        Self { reason, outlook: Outlook::Passing }
    }

    /// A program that the machine did not start.
    pub(super) fn unstarted(command: &str, error: &io::Error) -> Self {
        let reason = format!(
            "`{command}` cannot be started: {error}. See whether it is installed and in PATH, and whether `cwd` is a \
             directory"
        );
        let outlook = match error.kind() {
            // The machine is short of something, or the program is just being exchanged.
            io::ErrorKind::WouldBlock
            | io::ErrorKind::OutOfMemory
            | io::ErrorKind::ExecutableFileBusy
            | io::ErrorKind::ResourceBusy
            | io::ErrorKind::Interrupted => Outlook::Passing,
            _ => Outlook::Lasting,
        };
        Self { reason, outlook }
    }

    /// A connection that could not be opened.
    pub(super) fn unopened(error: &ClientInitializeError) -> Self {
        if error.is_authorization_required() {
            return Self::lasting(
                "it wants to know who asks, and this host signs nobody in: put a token in a variable, and give its name \
                 as `bearer_token_env_var`"
                    .to_owned(),
            );
        }
        let (reason, outlook) = match error {
            ClientInitializeError::ConnectionClosed(_) => {
                ("it ended before it said what it can do".to_owned(), Outlook::Passing)
            }
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => return Self::unopened(fallback),
            ClientInitializeError::TransportError { error, .. } => (cause(error), of_transport(error)),
            error => (chain(error), Outlook::Doubtful),
        };
        Self { reason, outlook }
    }
}

impl From<ListError> for Failure {
    fn from(error: ListError) -> Self {
        let outlook = match &error {
            ListError::Request(RequestError::Closed | RequestError::TimedOut(_) | RequestError::Unsent(_)) => {
                Outlook::Passing
            }
            _ => Outlook::Doubtful,
        };
        Self { reason: chain(&error), outlook }
    }
}

fn of_transport(error: &DynamicTransportError) -> Outlook {
    #[cfg(feature = "http-client")]
    if let Some(outlook) = super::http::outlook(error.error.as_ref()) {
        return outlook;
    }
    let is_io = error.error.downcast_ref::<io::Error>().is_some();
    if is_io { Outlook::Passing } else { Outlook::Doubtful }
}
