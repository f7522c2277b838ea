//! What can go wrong between here and the other machine.

use std::io;

/// Why a remote machine cannot be worked on. In an [`io::Error`] it is the inner error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SshError {
    /// What was given is no destination.
    #[error("`{0}` is no host to connect to: expected [USER@]HOST or ssh://[USER@]HOST[:PORT]")]
    Destination(String),
    /// The ssh program cannot be run.
    #[error("cannot run `{program}`: {why}. Install the OpenSSH client, or say where it is.")]
    Client {
        /// The program.
        program: String,
        /// What the machine said.
        why: String,
    },
    /// No connection came about. The next call tries again.
    #[error(
        "cannot connect to {host}: {said}. Make `ssh {host}` work without a question first: its name, its host key, and a key of yours that an agent or no passphrase guards."
    )]
    Connect {
        /// The destination.
        host: String,
        /// What ssh said.
        said: String,
    },
    /// What answers is no SFTP server.
    #[error(
        "{host} does not answer as an SFTP server does: {why}. It needs OpenSSH's `sftp` subsystem, and a login shell that prints nothing where nobody is logged in."
    )]
    Protocol {
        /// The destination.
        host: String,
        /// What is wrong.
        why: String,
    },
    /// The connection is gone. The next call makes another.
    #[error(
        "the connection to {host} was lost: {said}. What was under way there may have been done or not; the next call connects again."
    )]
    Lost {
        /// The destination.
        host: String,
        /// What ssh said last, or what was waited for.
        said: String,
    },
    /// A command could not be started.
    #[error("{host} did not start the command: {why}")]
    Start {
        /// The destination.
        host: String,
        /// Why.
        why: String,
    },
}

impl From<SshError> for io::Error {
    /// Never as a kind that says something of a file.
    fn from(error: SshError) -> Self {
        let kind = match &error {
            SshError::Destination(_) => io::ErrorKind::InvalidInput,
            SshError::Client { .. } | SshError::Start { .. } => io::ErrorKind::Other,
            SshError::Connect { .. } => io::ErrorKind::NotConnected,
            SshError::Protocol { .. } => io::ErrorKind::InvalidData,
            SshError::Lost { .. } => io::ErrorKind::ConnectionAborted,
        };
        Self::new(kind, error)
    }
}
