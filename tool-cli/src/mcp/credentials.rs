//! Where what people signed in for is kept.

use std::{env, io};

use tool_mcp::client::{
    config::{Endpoint, ServerConfig},
    credentials::{CredentialFile, CredentialKey, CredentialStore, Credentials},
};

use crate::{host, print};

/// A program's file among the user's data, whose mistakes are told: who has to sign in again wants to know why.
pub(super) struct Told(CredentialFile);

impl Told {
    /// The file; `None` where the user has no place for data.
    pub(super) fn of(program: &str) -> Option<Self> {
        let folder = host::data_folder(program, env::home_dir())?;
        Some(Self(CredentialFile::new(folder.join("mcp-credentials.json"))))
    }

    /// Forgets what a server gave.
    pub(super) fn sign_out(&self, server: &ServerConfig) {
        if let Endpoint::Http(http) = &server.endpoint
            && self.told("changed", self.0.forget_server(&http.url)).is_ok_and(|was_there| was_there)
        {
            print::note("what you had signed in for there was forgotten");
        }
    }

    fn told<T>(&self, what: &str, done: io::Result<T>) -> io::Result<T> {
        done.inspect_err(|error| {
            print::warning(&format!("{} cannot be {what}: {error}", self.0.path().display()));
        })
    }
}

impl CredentialStore for Told {
    fn load(&self, key: &CredentialKey) -> io::Result<Option<Credentials>> {
        self.told("read", self.0.load(key))
    }

    fn save(&self, key: &CredentialKey, credentials: &Credentials) -> io::Result<()> {
        self.told("written", self.0.save(key, credentials))
    }

    fn forget(&self, key: &CredentialKey) -> io::Result<()> {
        self.told("changed", self.0.forget(key))
    }

    fn try_guard(&self) -> io::Result<Option<Box<dyn Send>>> {
        self.0.try_guard()
    }
}
