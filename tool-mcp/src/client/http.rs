//! Servers that are reached by streamable HTTP.

use std::{sync::Arc, time::Duration};

use http::{HeaderName, HeaderValue};
use reqwest::{Client, redirect::Policy};
use rmcp::{
    RoleClient,
    transport::{
        StreamableHttpClientTransport, Transport,
        auth::AuthError,
        common::client_side_sse::ExponentialBackoff,
        streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError},
    },
};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use super::{
    Environment,
    config::HttpEndpoint,
    credentials::CredentialStore,
    failure::Outlook,
    handler::Handler,
    http_client::{HttpClient, OAuthHttp},
    sign_in::SignIn,
    stdio::MAX_MESSAGE,
};

/// How long it may take until a server is connected to.
const CONNECT: Duration = Duration::from_secs(10);
/// The longest pause before a server's own stream is asked for again, when it could not be had.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// As often is a server followed to another address, of the same origin.
const MAX_REDIRECTS: usize = 5;

/// The transport to a server, which the handler answers.
///
/// # Errors
/// When a header or a variable cannot be used.
pub(super) fn transport(
    endpoint: &HttpEndpoint,
    environment: &Environment,
    handler: Handler,
    credentials: Option<Arc<dyn CredentialStore>>,
) -> Result<impl Transport<RoleClient> + 'static, String> {
    let mut config =
        StreamableHttpClientTransportConfig::with_uri(endpoint.url.as_str()).max_sse_event_size(MAX_MESSAGE);
    let variable = |name: &str| {
        let set = environment.get(name).filter(|value| !value.is_empty());
        set.ok_or_else(|| format!("the variable {name} is not set: it should have what the server wants as a header"))
    };
    let mut headers = Vec::new();
    for (name, value) in &endpoint.headers {
        headers.push((name, value.as_str()));
    }
    for (name, from) in &endpoint.env_headers {
        headers.push((name, variable(from)?));
    }
    let mut custom = std::collections::HashMap::new();
    for (name, value) in headers {
        let parsed = HeaderName::try_from(name.as_str()).ok().zip(HeaderValue::try_from(value).ok());
        let (parsed, mut value) =
            parsed.ok_or_else(|| format!("`{name}` is no header, or has a value that none can have"))?;
        value.set_sensitive(true);
        custom.insert(parsed, value);
    }
    config = config.custom_headers(custom);
    let mut pauses = ExponentialBackoff::default();
    pauses.max_delay = Some(LONGEST_PAUSE);
    config.retry_config = Arc::new(pauses);
    if let Some(name) = &endpoint.bearer_token_env_var {
        config = config.auth_header(variable(name)?);
    }
    let tls = tls(&endpoint.url)?;
    let (following, staying) = (client(tls.clone(), same_origin())?, client(tls, Policy::none())?);
    let oauth = OAuthHttp { following: following.clone(), staying };
    let sign_in = SignIn::new(&endpoint.url, handler, Arc::new(oauth), credentials);
    Ok(StreamableHttpClientTransport::with_client(HttpClient::new(following, sign_in), config))
}

/// A client that trusts what the machine trusts.
fn client(tls: ClientConfig, redirects: Policy) -> Result<Client, String> {
    let builder = Client::builder().tls_backend_preconfigured(tls).redirect(redirects).connect_timeout(CONNECT);
    builder.build().map_err(|error| no_tls(&error))
}

/// What the machine trusts. Where it trusts nobody, an address that is not encrypted can still be used.
fn tls(url: &str) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = || {
        let builder = ClientConfig::builder_with_provider(provider.clone());
        builder.with_safe_default_protocol_versions().map_err(|error| no_tls(&error))
    };
    match builder()?.with_platform_verifier() {
        Ok(verified) => Ok(verified.with_no_client_auth()),
        Err(_) if url.starts_with("http://") => {
            Ok(builder()?.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
        }
        Err(error) => Err(no_tls(&error)),
    }
}

fn no_tls(error: &dyn std::error::Error) -> String {
    format!(
        "TLS cannot be used: {}. See whether certificates are installed (ca-certificates)",
        super::words::chain(error)
    )
}

/// Takes headers to no other origin.
fn same_origin() -> Policy {
    Policy::custom(|attempt| {
        let first = attempt.previous().first().map(url::Url::origin);
        if attempt.previous().len() > MAX_REDIRECTS || first != Some(attempt.url().origin()) {
            attempt.stop()
        } else {
            attempt.follow()
        }
    })
}

/// Whether what failed a request can pass; `None` where it is no request's.
pub(super) fn outlook(error: &(dyn std::error::Error + 'static)) -> Option<Outlook> {
    Some(match error.downcast_ref::<StreamableHttpError<reqwest::Error>>()? {
        // A person is not to be asked again and again.
        StreamableHttpError::Auth(error) => match error {
            AuthError::TokenRefreshFailed(_) | AuthError::DiscoveryRequestFailed { .. } => Outlook::Passing,
            _ => Outlook::Lasting,
        },
        StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_) => Outlook::Lasting,
        StreamableHttpError::Client(error) if error.is_builder() || error.is_redirect() || error.is_status() => {
            Outlook::Doubtful
        }
        // A status of this kind says that the server has too much to do, or something behind it is not there.
        StreamableHttpError::HttpStatus(_)
        | StreamableHttpError::Client(_)
        | StreamableHttpError::Sse(_)
        | StreamableHttpError::Io(_)
        | StreamableHttpError::UnexpectedEndOfStream
        | StreamableHttpError::TransportChannelClosed
        | StreamableHttpError::SessionExpired
        | StreamableHttpError::SessionRecoveryTimeout
        | StreamableHttpError::ControlRequestTimeout => Outlook::Passing,
        _ => Outlook::Doubtful,
    })
}

/// Why a request failed, where the error itself does not say; it hides what lies below.
pub(super) fn cause(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    match error.downcast_ref::<StreamableHttpError<reqwest::Error>>()? {
        StreamableHttpError::Client(error) => {
            let words = super::words::chain(error);
            // The key of a server may be in its address.
            Some(match error.url() {
                Some(url) => words.replace(url.as_str(), &super::config::shown(url)),
                None => words,
            })
        }
        _ => None,
    }
}
