//! What authorization servers give a client that people have signed in for, kept from one run of a host to the next.
//!
//! In: credentials, by server and client. Out: the same, to whoever may read the store: [`CredentialFile`], or one of the
//! host's own, e.g. over the system's keychain. Without a store they last as long as the connections.

mod file;
mod kept;

use std::{fmt, io};

use serde_json::Value;

pub use self::file::CredentialFile;
pub(super) use self::kept::Kept;

/// Where credentials are kept. Its functions may block; they are called where that holds nobody up.
pub trait CredentialStore: Send + Sync + 'static {
    /// Those of a client at a server, if any are kept.
    ///
    /// # Errors
    /// When the store cannot be read. Nothing of what is in it must be in the error.
    fn load(&self, key: &CredentialKey) -> io::Result<Option<Credentials>>;

    /// Keeps credentials in place of those that were kept under the key.
    ///
    /// # Errors
    /// When they cannot be kept.
    fn save(&self, key: &CredentialKey, credentials: &Credentials) -> io::Result<()>;

    /// Forgets what a server refused.
    ///
    /// # Errors
    /// When the store cannot be changed.
    fn forget(&self, key: &CredentialKey) -> io::Result<()>;

    /// Asks to be the only one who renews credentials, as long as the result is there: some servers take back all that
    /// they gave when two processes renew one token. `None`: somebody else is at it. Unless it is overridden, nobody is.
    ///
    /// # Errors
    /// When that cannot be found out; credentials are renewed all the same.
    fn try_guard(&self) -> io::Result<Option<Box<dyn Send>>> {
        Ok(Some(Box::new(())))
    }
}

/// Whose credentials they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CredentialKey {
    /// The server's address, as it is configured.
    pub server: String,
    /// Who the client is: its id, where its metadata can be read, or else its name ([`OAuthClient`]).
    ///
    /// [`OAuthClient`]: super::host::OAuthClient
    pub client: String,
}

impl CredentialKey {
    /// A client's credentials at a server.
    #[must_use]
    pub fn new(server: impl Into<String>, client: impl Into<String>) -> Self {
        Self { server: server.into(), client: client.into() }
    }
}

/// Tokens and what belongs to them: a value of JSON that only means something to this crate. Printed for debugging, it
/// shows nothing of them.
#[derive(Clone, PartialEq)]
pub struct Credentials(Value);

impl Credentials {
    /// Credentials as they were kept.
    #[must_use]
    pub fn new(kept: Value) -> Self {
        Self(kept)
    }

    /// What is to be kept: secrets in plain text.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.0.clone()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Credentials(…)")
    }
}
