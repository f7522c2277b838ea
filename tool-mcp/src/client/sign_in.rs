//! Signing in where a server wants it: OAuth 2.1 as MCP has it (2025-11-25 and 2026-07-28), by `rmcp`.
//!
//! Nothing is asked of an authorization server until a server refuses a request. What it says then leads to it: the
//! refusal names the resource's metadata, that names the authorization server, and this says how a client is known to it.
//! The host sends a person there (`McpHost::sign_in`); tokens are kept in memory, and refreshed.

use std::sync::Arc;

use rmcp::transport::auth::{AuthError, AuthorizationManager, AuthorizationRequest, OAuthHttpClient, OAuthState};
use tokio::sync::Mutex;

use super::handler::Handler;

/// As often in a row is a person asked to allow more, to no avail. (`rmcp` forgets its own count with each new token.)
const MAX_WIDENINGS: u32 = 2;

/// What signs in to one server.
pub(super) struct SignIn {
    url: String,
    /// What knows the server's name, and its host.
    handler: Handler,
    http: Arc<dyn OAuthHttpClient>,
    /// Who has signed in. It is held while a person does: other requests would only ask again.
    held: Mutex<Option<SignedIn>>,
}

/// What an authorization server has given.
struct SignedIn {
    manager: AuthorizationManager,
    /// How often it has been widened since that was of use.
    widenings: u32,
}

impl SignedIn {
    /// The token; `None` where a person has to sign in again.
    async fn token(&self) -> Result<Option<String>, AuthError> {
        match self.manager.get_access_token().await {
            Ok(token) => Ok(Some(token)),
            Err(AuthError::AuthorizationRequired) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl SignIn {
    pub(super) fn new(url: &str, handler: Handler, http: Arc<dyn OAuthHttpClient>) -> Self {
        Self { url: url.to_owned(), handler, http, held: Mutex::default() }
    }

    /// The token, refreshed where it is about to end; `None` where nobody has signed in, or has to do so again.
    pub(super) async fn token(&self) -> Result<Option<String>, AuthError> {
        match &*self.held.lock().await {
            Some(signed_in) => signed_in.token().await,
            None => Ok(None),
        }
    }

    /// After a refusal of `sent`: another token, refreshed, or of a person who signs in as `challenge` wants it. `None`
    /// where the host signs nobody in.
    pub(super) async fn renew(&self, sent: Option<&str>, challenge: &str) -> Result<Option<String>, AuthError> {
        let mut held = self.held.lock().await;
        if let Some(signed_in) = &*held {
            let current = signed_in.token().await?;
            // Somebody else was refused as well, and has been here before.
            if current.is_some() && current.as_deref() != sent {
                return Ok(current);
            }
            if signed_in.manager.refresh_token().await.is_ok() {
                return signed_in.token().await;
            }
        }
        let Some(client) = self.handler.oauth_client() else { return Ok(None) };
        // The server may trust another authorization server by now: all is found out anew.
        *held = None;
        let mut request = AuthorizationRequest::new(client.redirect_uri)
            .with_client_name(client.name)
            .with_scopes(client.scopes)
            .with_challenge(challenge);
        request.client_id = client.id;
        request.client_secret = client.secret;
        request.client_metadata_url = client.metadata_url;
        let mut state = OAuthState::new_with_oauth_http_client(self.url.as_str(), self.http.clone()).await?;
        state.start_authorization(request).await?;
        self.visit(&mut state).await?;
        let manager = state.into_authorization_manager().ok_or(AuthError::AuthorizationRequired)?;
        held.insert(SignedIn { manager, widenings: 0 }).token().await
    }

    /// After `sent` was found to allow too little: a token for `scope` as well. `None` where the host signs nobody in, or
    /// has been asked to do so often enough, to no avail.
    pub(super) async fn widen(&self, sent: Option<&str>, scope: &str) -> Result<Option<String>, AuthError> {
        let mut held = self.held.lock().await;
        let Some(client) = self.handler.oauth_client() else { return Ok(None) };
        let Some(signed_in) = held.take() else { return Ok(None) };
        let current = signed_in.token().await;
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
        signed_in.token().await
    }

    /// A token that allows more was what a server wanted: it may want more another time.
    pub(super) async fn widened(&self) {
        if let Some(signed_in) = &mut *self.held.lock().await {
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
