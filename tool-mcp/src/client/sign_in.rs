//! Signing in where a server wants it: OAuth 2.1 as MCP has it (2025-11-25 and 2026-07-28), by `rmcp`.
//!
//! Nothing is asked of an authorization server until a server refuses a request. What it says then leads to it: the
//! refusal names the resource's metadata, that names the authorization server, and this says how a client is known to it.
//! The host sends a person there (`McpHost::sign_in`); tokens are refreshed, and kept where the host says
//! (`McpConnectionsBuilder::credentials`).

use std::sync::Arc;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, OAuthClientConfig, OAuthHttpClient, OAuthState,
};
use tokio::sync::Mutex;

use super::{
    credentials::{CredentialKey, CredentialStore, Kept},
    handler::Handler,
    host::OAuthClient,
    oauth_answers::OAuthAnswers,
};

/// As often in a row is a person asked to allow more, to no avail. (`rmcp` forgets its own count with each new token.)
const MAX_WIDENINGS: u32 = 2;

/// What signs in to one server.
pub(super) struct SignIn {
    url: String,
    /// What knows the server's name, and its host.
    handler: Handler,
    answers: Arc<OAuthAnswers>,
    /// What was given, now or in an earlier run.
    kept: Kept,
    /// Who has signed in. It is held while a person does: other requests would only ask again.
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// Whether it was looked whether anything is kept.
    has_read: bool,
    /// Whoever has signed in in this run, or whose credentials of an earlier run were renewed.
    signed_in: Option<SignedIn>,
}

/// What an authorization server has given.
struct SignedIn {
    manager: AuthorizationManager,
    /// How often it has been widened since that was of use.
    widenings: u32,
}

impl SignIn {
    pub(super) fn new(
        url: &str,
        handler: Handler,
        http: Arc<dyn OAuthHttpClient>,
        store: Option<Arc<dyn CredentialStore>>,
    ) -> Self {
        let key =
            |client: OAuthClient| CredentialKey::new(url, client.id.or(client.metadata_url).unwrap_or(client.name));
        let kept = Kept::new(store.zip(handler.oauth_client().map(key)));
        let answers = Arc::new(OAuthAnswers::new(http));
        Self { url: url.to_owned(), handler, answers, kept, held: Mutex::default() }
    }

    /// The token of whoever has signed in; `None` where a person has to do so again.
    async fn token_of(&self, signed_in: &SignedIn) -> Result<Option<String>, AuthError> {
        match signed_in.manager.get_access_token().await {
            Ok(token) => Ok(Some(token)),
            Err(error) if self.is_refused(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The token, refreshed where it is about to end; `None` where nobody has signed in, or has to do so again. One of an
    /// earlier run is as it was kept: what the server says when it refuses it leads to who renews it.
    pub(super) async fn token(&self) -> Result<Option<String>, AuthError> {
        let mut held = self.held.lock().await;
        if !held.has_read {
            self.kept.read().await;
            held.has_read = true;
        }
        match &held.signed_in {
            Some(signed_in) => self.token_of(signed_in).await,
            None => Ok(self.kept.token()),
        }
    }

    /// After a refusal of `sent`: another token, refreshed, or of a person who signs in as `challenge` wants it. `None`
    /// where the host signs nobody in.
    pub(super) async fn renew(&self, sent: Option<&str>, challenge: &str) -> Result<Option<String>, AuthError> {
        let mut held = self.held.lock().await;
        let Some(client) = self.handler.oauth_client() else { return Ok(None) };
        // Somebody else was refused as well, and has been here before: a request, or another process.
        self.kept.read().await;
        let current = match &held.signed_in {
            Some(signed_in) => self.token_of(signed_in).await?,
            None => self.kept.token(),
        };
        if current.is_some() && current.as_deref() != sent {
            return Ok(current);
        }
        if let Some(signed_in) = &held.signed_in {
            match signed_in.manager.refresh_token().await {
                Ok(_) => return self.token_of(signed_in).await,
                Err(error) if self.is_refused(&error) => {}
                Err(error) => return Err(error),
            }
        } else if let Some(renewed) = self.renewed(&client, Some(challenge)).await? {
            return self.token_of(held.signed_in.insert(renewed)).await;
        }
        // The server may trust another authorization server by now: all is found out anew.
        held.signed_in = None;
        self.kept.forget().await;
        if !self.handler.signs_in() {
            return Ok(None);
        }
        let mut request = AuthorizationRequest::new(client.redirect_uri)
            .with_client_name(client.name)
            .with_scopes(client.scopes)
            .with_challenge(challenge);
        request.client_id = client.id;
        request.client_secret = client.secret;
        request.client_metadata_url = client.metadata_url;
        let mut state = OAuthState::Unauthorized(self.manager().await?);
        state.start_authorization(request).await?;
        if let Some(registered) = self.answers.take_registered() {
            self.kept.register(registered);
        }
        self.visit(&mut state).await?;
        let manager = state.into_authorization_manager().ok_or(AuthError::AuthorizationRequired)?;
        self.token_of(held.signed_in.insert(SignedIn { manager, widenings: 0 })).await
    }

    async fn manager(&self) -> Result<AuthorizationManager, AuthError> {
        let mut manager =
            AuthorizationManager::new_with_oauth_http_client(self.url.as_str(), self.answers.clone()).await?;
        manager.set_credential_store(self.kept.clone());
        Ok(manager)
    }

    /// Renews the credentials of an earlier run. `None` where there are none, or a person has to sign in again.
    async fn renewed(&self, client: &OAuthClient, challenge: Option<&str>) -> Result<Option<SignedIn>, AuthError> {
        let Some(kept) = self.kept.known() else { return Ok(None) };
        let mut manager = self.manager().await?;
        let metadata = manager.resolve_metadata_from_challenge(challenge).await?.metadata;
        // What one authorization server gave is shown to no other.
        if kept.issuer != metadata.issuer {
            return Ok(None);
        }
        manager.set_metadata(metadata);
        let mut config = OAuthClientConfig::new(kept.client_id.as_str(), client.redirect_uri.as_str());
        let configured = client.secret.clone().filter(|_| client.id.as_ref() == Some(&kept.client_id));
        if let Some(secret) = configured.or_else(|| self.kept.secret_of(&kept.client_id)) {
            config = config.with_client_secret(secret);
        }
        manager.configure_client(config)?;
        match manager.refresh_token().await {
            Ok(_) => Ok(Some(SignedIn { manager, widenings: 0 })),
            Err(error) if self.is_refused(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether what was kept is good for nothing any more. What could not be renewed for another cause is kept, for another
    /// time: a network that is down takes no token back.
    fn is_refused(&self, error: &AuthError) -> bool {
        match error {
            AuthError::TokenRefreshRejected(_) | AuthError::AuthorizationRequired => true,
            AuthError::TokenRefreshFailed(_) => self.answers.is_refused(),
            _ => false,
        }
    }

    /// After `sent` was found to allow too little: a token for `scope` as well. `None` where the host signs nobody in, or
    /// has been asked to do so often enough, to no avail.
    pub(super) async fn widen(&self, sent: Option<&str>, scope: &str) -> Result<Option<String>, AuthError> {
        let mut held = self.held.lock().await;
        let Some(client) = self.handler.oauth_client().filter(|_| self.handler.signs_in()) else { return Ok(None) };
        let held = &mut held.signed_in;
        let signed_in = match held.take() {
            Some(signed_in) => signed_in,
            None => match self.renewed(&client, None).await? {
                Some(renewed) => renewed,
                None => return Ok(None),
            },
        };
        let current = self.token_of(&signed_in).await;
        let is_news = current.as_ref().is_ok_and(|current| current.as_deref() != sent);
        if current.is_err() || is_news || signed_in.widenings >= MAX_WIDENINGS {
            *held = Some(signed_in);
            return if is_news { current } else { current.map(|_| None) };
        }
        let widenings = signed_in.widenings + 1;
        let mut state = OAuthState::Authorized(signed_in.manager);
        let widened = match state.request_scope_upgrade(scope, &client.redirect_uri).await {
            Ok(_) => self.visit(&mut state).await,
            Err(error) => Err(error),
        };
        // Who does not allow more has signed in all the same.
        let manager = match state {
            OAuthState::Authorized(manager) | OAuthState::Unauthorized(manager) => manager,
            OAuthState::Session(session) => session.auth_manager,
            _ => return Err(AuthError::AuthorizationRequired),
        };
        let signed_in = held.insert(SignedIn { manager, widenings });
        widened?;
        self.token_of(signed_in).await
    }

    /// A token that allows more was what a server wanted: it may want more another time.
    pub(super) async fn widened(&self) {
        if let Some(signed_in) = &mut self.held.lock().await.signed_in {
            signed_in.widenings = 0;
        }
    }

    /// Sends a person to sign in, and takes what they come back with.
    async fn visit(&self, state: &mut OAuthState) -> Result<(), AuthError> {
        let address = state.get_authorization_url().await?;
        let back = self.handler.sign_in(&address).await.map_err(AuthError::AuthorizationFailed)?;
        state.handle_callback_url(&back).await
    }
}
