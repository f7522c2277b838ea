//! What a server may ask its client for: roots, a person's input, a model's completion. The host answers.

use std::{fmt, path::PathBuf};

use async_trait::async_trait;
use serde_json::{Map, Value};

/// The host of the connections, as servers get to see it. All of it has a default that refuses.
///
/// Servers are told what [`abilities`](Self::abilities) says, and should ask for nothing else.
///
/// ```
/// use async_trait::async_trait;
/// use tool_mcp::client::host::{Abilities, Elicitation, ElicitationAnswer, McpHost};
///
/// /// Takes every default that a form has.
/// struct Defaults;
///
/// #[async_trait]
/// impl McpHost for Defaults {
///     fn abilities(&self) -> Abilities {
///         Abilities { forms: true, ..Abilities::default() }
///     }
///
///     async fn elicit(&self, _server: &str, asked: Elicitation) -> ElicitationAnswer {
///         ElicitationAnswer::Accepted(asked.defaults())
///     }
/// }
/// ```
#[async_trait]
pub trait McpHost: Send + Sync + 'static {
    /// What this host can do, as servers are told.
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    /// The directories that a server is meant to work in (`roots/list`).
    fn roots(&self, server: &str) -> Vec<PathBuf> {
        let _ = server;
        Vec::new()
    }

    /// A server asks a person for something (`elicitation/create`).
    async fn elicit(&self, server: &str, asked: Elicitation) -> ElicitationAnswer {
        let _ = (server, asked);
        ElicitationAnswer::Declined
    }

    /// A server asks for a completion: the parameters and the result of `sampling/createMessage`, as the protocol has
    /// them.
    ///
    /// # Errors
    /// What the server is told where there is none.
    async fn sample(&self, server: &str, asked: Value) -> Result<Value, String> {
        let _ = (server, asked);
        Err("this client makes no completions".to_owned())
    }

    /// Who this client is where a server on the network wants people to sign in (OAuth 2.1). `None`: nobody signs in, and
    /// such a server fails, unless its configuration has a token.
    fn oauth_client(&self, server: &str) -> Option<OAuthClient> {
        let _ = server;
        None
    }

    /// Whether there is somebody who can sign in. Where not, nobody is asked, and what is kept from an earlier run
    /// ([`credentials`](super::McpConnectionsBuilder::credentials)) is used and renewed.
    fn signs_in(&self, server: &str) -> bool {
        let _ = server;
        true
    }

    /// Sends a person to an authorization server's page, and gives the address that it sends them back to, which begins
    /// with [`OAuthClient::redirect_uri`]. The time that takes counts for no timeout.
    ///
    /// # Errors
    /// Why nobody signed in.
    async fn sign_in(&self, server: &str, address: &str) -> Result<String, String> {
        let _ = (server, address);
        Err("this client signs nobody in".to_owned())
    }

    /// A server has a word for its log (`notifications/message`). It is called in the order that they come, and while it
    /// runs, the next wait; of a flood, some are dropped.
    fn log(&self, server: &str, message: LogMessage) {
        tracing::debug!(server, level = message.level, logger = message.logger, data = %message.data, "an MCP server says");
    }
}

/// What a host can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Abilities {
    /// It gives roots.
    pub roots: bool,
    /// It asks a person to fill in forms.
    pub forms: bool,
    /// It sends a person to an address.
    pub addresses: bool,
    /// It makes completions.
    pub sampling: bool,
}

/// What an authorization server knows a client by. The first that can be had counts: an id that was given to it
/// beforehand, the address of its metadata, an id that it registers for (as MCP has it).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OAuthClient {
    /// What it calls itself where it registers.
    pub name: String,
    /// Where a person is sent back to: an address that the host hears of, on `127.0.0.1` or of its own scheme.
    pub redirect_uri: String,
    /// Its id, if it was registered beforehand.
    pub id: Option<String>,
    /// The secret that goes with the id.
    pub secret: Option<String>,
    /// Where its metadata can be read (a Client ID Metadata Document): an `https` address.
    pub metadata_url: Option<String>,
    /// What it asks leave for; empty: what the server says that it wants.
    pub scopes: Vec<String>,
}

impl OAuthClient {
    /// A client that registers where it has to.
    #[must_use]
    pub fn new(name: impl Into<String>, redirect_uri: impl Into<String>) -> Self {
        let (name, redirect_uri) = (name.into(), redirect_uri.into());
        Self { name, redirect_uri, id: None, secret: None, metadata_url: None, scopes: Vec::new() }
    }
}

impl fmt::Debug for OAuthClient {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, redirect_uri, id, secret, metadata_url, scopes } = self;
        // What is printed is kept in logs.
        let secret = secret.as_ref().map(|_| "…");
        out.debug_struct("OAuthClient")
            .field("name", name)
            .field("redirect_uri", redirect_uri)
            .field("id", id)
            .field("secret", &secret)
            .field("metadata_url", metadata_url)
            .field("scopes", scopes)
            .finish()
    }
}

/// A host that gives directories as roots, and refuses all else.
#[derive(Debug, Clone, Default)]
pub struct Roots(pub Vec<PathBuf>);

impl McpHost for Roots {
    fn abilities(&self) -> Abilities {
        Abilities { roots: !self.0.is_empty(), ..Abilities::default() }
    }

    fn roots(&self, _: &str) -> Vec<PathBuf> {
        self.0.clone()
    }
}

/// What a server asks a person for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Elicitation {
    /// A form.
    Form {
        /// What it is for.
        message: String,
        /// Its fields: the schema of an object of strings, numbers, booleans and choices.
        schema: Value,
    },
    /// Something to be done at an address, e.g. giving a secret that neither host nor model is to see.
    Address {
        /// What it is for.
        message: String,
        /// The address. Show it before opening it.
        url: String,
    },
}

impl Elicitation {
    /// The defaults of a form's fields, for a host that takes them all; of an address, an empty object.
    #[must_use]
    pub fn defaults(&self) -> Value {
        let mut defaults = Map::new();
        if let Self::Form { schema, .. } = self {
            let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
            defaults.extend(fields.filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone()))));
        }
        Value::Object(defaults)
    }
}

/// What a person says.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationAnswer {
    /// The form's fields, as an object; those that are left out get their defaults. Of an address, that the person has
    /// gone there.
    Accepted(Value),
    /// No.
    Declined,
    /// Neither yes nor no: the question was closed.
    Cancelled,
}

/// A word of a server's for its log.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LogMessage {
    /// `debug`, `info`, `notice`, `warning`, `error`, `critical`, `alert` or `emergency`.
    pub level: String,
    /// The part of the server that says it.
    pub logger: Option<String>,
    /// What it says: a text, mostly.
    pub data: Value,
}
