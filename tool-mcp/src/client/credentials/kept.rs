//! The credentials of one client at one server, as `rmcp` wants them.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthError, CredentialRefreshGuard, CredentialStore as Store, StoredCredentials, VendorExtraTokenFields,
};
use serde::Deserialize;
use serde_json::Value;
use tokio::{
    task::spawn_blocking,
    time::{Instant, sleep},
};

use super::{CredentialKey, CredentialStore, Credentials};
use crate::client::oauth_answers::Registered;

/// What is kept beside what `rmcp` keeps: the secret of a client that was registered, without which nothing is renewed.
const SECRET: &str = "client_secret";

/// How long a token that another process renews is waited for, and how often that is looked at.
const PATIENCE: Duration = Duration::from_secs(10);
const EVERY: Duration = Duration::from_millis(50);

/// In memory, so that a request reads no file, and in the host's store. What cannot be kept there is told to `tracing`,
/// and lasts as long as the connections. Clones see the same.
#[derive(Clone)]
pub(in crate::client) struct Kept(Arc<Inner>);

struct Inner {
    memory: Mutex<Memory>,
    place: Option<Place>,
}

#[derive(Default)]
struct Memory {
    known: Option<StoredCredentials>,
    /// The client that they were given to, where it was given a secret too.
    registered: Option<Registered>,
    /// Whether they could not be put in the store, which then says nothing of them.
    is_unkept: bool,
}

#[derive(Clone)]
struct Place {
    store: Arc<dyn CredentialStore>,
    key: CredentialKey,
}

impl Place {
    async fn with<T: Send + 'static>(
        &self,
        what: &'static str,
        work: impl FnOnce(&Self) -> io::Result<T> + Send + 'static,
    ) -> Option<T> {
        let place = self.clone();
        let done = spawn_blocking(move || work(&place)).await.map_err(io::Error::other).and_then(|done| done);
        done.inspect_err(|error| tracing::warn!(%error, "credentials of an MCP server could not be {what}")).ok()
    }
}

impl Kept {
    pub(in crate::client) fn new(place: Option<(Arc<dyn CredentialStore>, CredentialKey)>) -> Self {
        let place = place.map(|(store, key)| Place { store, key });
        Self(Arc::new(Inner { memory: Mutex::default(), place }))
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those that are known.
    pub(in crate::client) fn known(&self) -> Option<StoredCredentials> {
        self.memory().known.clone()
    }

    /// The token, as it was given.
    pub(in crate::client) fn token(&self) -> Option<String> {
        let given = serde_json::to_value(self.known()?.token_response).ok()?;
        given.get("access_token")?.as_str().map(str::to_owned)
    }

    /// Takes over what is in the store: another process may have renewed it, or somebody signed out.
    pub(in crate::client) async fn read(&self) {
        let Some(place) = self.0.place.as_ref().filter(|_| !self.memory().is_unkept) else { return };
        if let Some(found) = place.with("read", |place| place.store.load(&place.key)).await {
            let found = found.map(|found| found.to_value());
            let mut memory = self.memory();
            memory.registered = found.as_ref().and_then(|found| Registered::deserialize(found).ok());
            // What cannot be understood is of another version: somebody signs in anew.
            memory.known = found.and_then(|found| serde_json::from_value(found).ok());
        }
    }

    /// Notes who credentials are about to be given to.
    pub(in crate::client) fn register(&self, client: Registered) {
        self.memory().registered = Some(client);
    }

    /// The secret that a client was given when it was registered.
    pub(in crate::client) fn secret_of(&self, client_id: &str) -> Option<String> {
        let memory = self.memory();
        let registered = memory.registered.as_ref().filter(|client| client.client_id == client_id)?;
        Some(registered.client_secret.clone())
    }

    /// What is put in the store.
    fn to_value(&self, credentials: &StoredCredentials) -> Option<Value> {
        let mut value = serde_json::to_value(credentials).ok()?;
        if let (Some(members), Some(secret)) = (value.as_object_mut(), self.secret_of(&credentials.client_id)) {
            members.insert(SECRET.to_owned(), secret.into());
        }
        Some(value)
    }

    /// Forgets them, for they were refused.
    pub(in crate::client) async fn forget(&self) {
        let was_known = std::mem::take(&mut *self.memory()).known.is_some();
        if let Some(place) = self.0.place.as_ref().filter(|_| was_known) {
            place.with("forgotten", |place| place.store.forget(&place.key)).await;
        }
    }
}

#[async_trait]
impl Store for Kept {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(self.known())
    }

    async fn save(&self, mut credentials: StoredCredentials) -> Result<(), AuthError> {
        // Of what a server says beside the tokens nothing is needed, and there may be much of it.
        if let Some(given) = &mut credentials.token_response {
            given.set_extra_fields(VendorExtraTokenFields::default());
        }
        let value = self.to_value(&credentials);
        self.memory().known = Some(credentials);
        if let (Some(place), Some(value)) = (&self.0.place, value) {
            let save = move |place: &Place| place.store.save(&place.key, &Credentials::new(value));
            let is_kept = place.with("kept", save).await.is_some();
            self.memory().is_unkept = !is_kept;
        }
        Ok(())
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.forget().await;
        Ok(())
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let Some(place) = &self.0.place else { return Ok(None) };
        let end = Instant::now() + PATIENCE;
        let guard = loop {
            match place.with("guarded", |place| place.store.try_guard()).await {
                Some(Some(guard)) => break Some(CredentialRefreshGuard::new(guard)),
                Some(None) if Instant::now() < end => sleep(EVERY).await,
                // It cannot be had: better a token that is renewed twice than none.
                _ => break None,
            }
        };
        self.read().await;
        Ok(guard)
    }
}
