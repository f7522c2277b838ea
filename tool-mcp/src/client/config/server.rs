//! One server, as a configuration has it.

use std::{fmt, path::PathBuf, time::Duration};

use tool_core::permission::matches;
use url::Url;

use super::ConfigFault;

/// How long a server may take to start and to list its tools, unless it is set.
pub(crate) const STARTUP_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a call may go on without a sign of life, unless it is set.
pub(crate) const TOOL_TIMEOUT: Duration = Duration::from_secs(120);

/// One server.
///
/// ```
/// use std::time::Duration;
/// use tool_mcp::client::config::ServerConfig;
///
/// let files = ServerConfig::stdio("files", "server-filesystem").args(["/project"]).tool_timeout(Duration::from_secs(10));
/// let search = ServerConfig::http("search", "https://search.example/mcp").bearer_token_variable("SEARCH_TOKEN").trusted();
/// assert!(search.trust && !files.trust);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Its name, which its tools' names have in them.
    pub name: String,
    /// How it is reached.
    pub endpoint: Endpoint,
    /// Whether it is used at all.
    pub enabled: bool,
    /// Only these of its tools, by the server's names for them; `*` stands for any text. `None`: all.
    pub enabled_tools: Option<Vec<String>>,
    /// Not these of its tools; stronger than `enabled_tools`.
    pub disabled_tools: Vec<String>,
    /// How long it may take to start and to list its tools. 30 seconds unless set.
    pub startup_timeout: Duration,
    /// How long a call may go on without the server saying anything; progress begins it anew, up to ten times its length
    /// in all. 120 seconds unless set.
    pub tool_timeout: Duration,
    /// Whether what it says of its tools is believed: read-only tools run unasked, and beside others.
    pub trust: bool,
    /// Whether all of its tools may run beside others.
    pub parallel: bool,
    /// The revisions of the protocol that are tried.
    pub era: Era,
    /// Why it is not started, though it could be: a member of its configuration is not known, and may have been meant to
    /// keep it from something. Its status says so.
    pub withheld: Option<ConfigFault>,
}

/// Which revisions of the protocol a server is spoken to in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Era {
    /// 2026-07-28 is tried first, then what the server understands.
    #[default]
    Any,
    /// With a handshake: 2025-11-25 and older.
    Handshake,
    /// Without one: 2026-07-28.
    Stateless,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Endpoint {
    /// A program, spoken to over its stdin and stdout.
    Stdio(StdioEndpoint),
    /// Streamable HTTP.
    Http(HttpEndpoint),
}

/// A program. Printed for debugging, it hides the values of its variables.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StdioEndpoint {
    /// The program: a name that is looked for in `PATH`, or a path.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables it gets, beside the few that every program needs.
    pub env: Vec<(String, String)>,
    /// Variables of the host's environment that it gets as well.
    pub env_vars: Vec<String>,
    /// Its working directory; `None`: the host's.
    pub cwd: Option<PathBuf>,
}

/// A server on the network. Printed for debugging, it hides what its address and its headers have of secrets.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpEndpoint {
    /// Its address.
    pub url: String,
    /// Headers of every request.
    pub headers: Vec<(String, String)>,
    /// Headers whose values are in variables of the host's environment: header and variable.
    pub env_headers: Vec<(String, String)>,
    /// The variable that has the bearer token.
    pub bearer_token_env_var: Option<String>,
}

/// The names of pairs, whose values may be secrets.
fn names(pairs: &[(String, String)]) -> Vec<&str> {
    pairs.iter().map(|(name, _)| name.as_str()).collect()
}

impl fmt::Debug for StdioEndpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, args, env, env_vars, cwd } = self;
        out.debug_struct("StdioEndpoint")
            .field("command", command)
            .field("args", args)
            .field("env", &names(env))
            .field("env_vars", env_vars)
            .field("cwd", cwd)
            .finish()
    }
}

impl HttpEndpoint {
    /// The address as it can be shown: without a user's name and password, and without its query, where keys are put.
    ///
    /// ```
    /// use tool_mcp::client::config::{Endpoint, ServerConfig};
    ///
    /// let Endpoint::Http(http) = ServerConfig::http("a", "https://ada:pw@mcp.example/mcp?key=1").endpoint else { panic!() };
    /// assert_eq!(http.shown(), "https://mcp.example/mcp?…");
    /// ```
    #[must_use]
    pub fn shown(&self) -> String {
        Url::parse(&self.url).map_or_else(|_| self.url.clone(), |url| shown(&url))
    }
}

/// An address without what may be a secret.
pub(crate) fn shown(url: &Url) -> String {
    let query = if url.query().is_some() { "?…" } else { "" };
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // An address that can have neither has neither.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    format!("{url}{query}")
}

impl fmt::Debug for HttpEndpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { headers, env_headers, bearer_token_env_var, .. } = self;
        out.debug_struct("HttpEndpoint")
            .field("url", &self.shown())
            .field("headers", &names(headers))
            .field("env_headers", env_headers)
            .field("bearer_token_env_var", bearer_token_env_var)
            .finish()
    }
}

impl ServerConfig {
    /// A server with the defaults of all settings.
    #[must_use]
    pub fn new(name: impl Into<String>, endpoint: Endpoint) -> Self {
        Self {
            name: name.into(),
            endpoint,
            enabled: true,
            enabled_tools: None,
            disabled_tools: Vec::new(),
            startup_timeout: STARTUP_TIMEOUT,
            tool_timeout: TOOL_TIMEOUT,
            trust: false,
            parallel: false,
            era: Era::Any,
            withheld: None,
        }
    }

    /// A program.
    #[must_use]
    pub fn stdio(name: impl Into<String>, command: impl Into<String>) -> Self {
        Self::new(name, Endpoint::Stdio(StdioEndpoint { command: command.into(), ..StdioEndpoint::default() }))
    }

    /// A server on the network.
    #[must_use]
    pub fn http(name: impl Into<String>, url: impl Into<String>) -> Self {
        Self::new(name, Endpoint::Http(HttpEndpoint { url: url.into(), ..HttpEndpoint::default() }))
    }

    /// Arguments of the program; of a server on the network, nothing.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        if let Endpoint::Stdio(stdio) = &mut self.endpoint {
            stdio.args = args.into_iter().map(Into::into).collect();
        }
        self
    }

    /// A variable of the program; of a server on the network, nothing.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Endpoint::Stdio(stdio) = &mut self.endpoint {
            stdio.env.push((name.into(), value.into()));
        }
        self
    }

    /// A header of every request; of a program, nothing.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Endpoint::Http(http) = &mut self.endpoint {
            http.headers.push((name.into(), value.into()));
        }
        self
    }

    /// The variable that has the bearer token; of a program, nothing.
    #[must_use]
    pub fn bearer_token_variable(mut self, variable: impl Into<String>) -> Self {
        if let Endpoint::Http(http) = &mut self.endpoint {
            http.bearer_token_env_var = Some(variable.into());
        }
        self
    }

    /// How long it may take to start and to list its tools.
    #[must_use]
    pub fn startup_timeout(mut self, limit: Duration) -> Self {
        self.startup_timeout = limit;
        self
    }

    /// How long a call may go on without the server saying anything.
    #[must_use]
    pub fn tool_timeout(mut self, limit: Duration) -> Self {
        self.tool_timeout = limit;
        self
    }

    /// Believes what it says of its tools.
    #[must_use]
    pub fn trusted(mut self) -> Self {
        self.trust = true;
        self
    }

    /// The revisions of the protocol that are tried.
    #[must_use]
    pub fn era(mut self, era: Era) -> Self {
        self.era = era;
        self
    }

    /// Whether the allow and deny lists leave a tool, by the server's name for it.
    pub(crate) fn admits(&self, tool: &str) -> bool {
        let is_in = |list: &[String]| list.iter().any(|pattern| matches(pattern, tool));
        self.enabled_tools.as_deref().is_none_or(is_in) && !is_in(&self.disabled_tools)
    }
}
