//! Why a server could not serve.

use std::{io, net::SocketAddr};

use tool_core::{executor::BuildError, registry::RegistryError};

/// Why a server could not serve. That a client is gone is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The linked tools do not go together.
    #[error("{0}")]
    Tools(#[from] RegistryError),
    /// A tool cannot run.
    #[error("{0}")]
    Executor(#[from] BuildError),
    /// The stream, or the address, cannot be used.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The client began with something else than the protocol begins with.
    #[error("the client did not begin as the protocol wants it: {0}")]
    Handshake(String),
    /// What is to be a host that requests may be for is none.
    #[error("`{given}` is no host: {why}")]
    Host {
        /// What was given.
        given: String,
        /// What was expected.
        why: String,
    },
    /// Other machines could reach the server, and nothing says that they may.
    #[error(
        "{0} can be reached by other machines: ask for a token, or say that none is wanted; without one, say also by \
         which names the server is reached"
    )]
    Unprotected(SocketAddr),
}
