//! Which servers there are: the files that MCP's clients share.
//!
//! In: JSON as Claude Desktop, Claude Code and Cursor write it (`mcpServers`), as VS Code (`servers`) and as opencode
//! (`mcp`), with or without comments; TOML as codex (`mcp_servers`). Out: [`McpConfig`], with every server that can be
//! used, and every mistake with its place. One faulty server takes no other down.
//!
//! | member | meaning |
//! |---|---|
//! | `command`, `args`, `env`, `cwd` | a program that is spoken to over its stdin and stdout; a list as `command` is both |
//! | `env_vars` | variables of this process that it gets as well: names, or tables with a `name` (codex) |
//! | `url`, `headers` (`http_headers`) | a server that is reached by streamable HTTP |
//! | `bearer_token_env_var`, `env_http_headers` | headers whose values are in variables (codex) |
//! | `type` | `stdio` or `local`; `http`, `streamable-http` or `remote`. What is there says it as well |
//! | `enabled`, `disabled`, `isActive` (Cherry Studio) | whether it is used |
//! | `enabled_tools`, `disabled_tools` | which of its tools are; `*` stands for any text. Also `includeTools`, `excludeTools` |
//! | `startup_timeout_sec`, `tool_timeout_sec` | limits, in seconds |
//! | `timeout` | a limit for tools, in the unit of whoever writes it (below) |
//! | `trust` | whether what it says of its tools is believed: its read-only tools run unasked, and beside others |
//! | `supports_parallel_tool_calls` | whether all its tools may run beside others (codex) |
//!
//! Members may be in camel case. In JSON, `${VAR}`, `${VAR:-default}` (Claude Code), `${env:VAR}`, `${workspaceFolder}`,
//! `${workspaceFolderBasename}` and `${userHome}` (VS Code, Cursor) stand for what they name; a variable that is not set
//! is a mistake. Not supported, and said so: VS Code's `${input:…}`, `envFile`, `sandboxEnabled`, and the old HTTP+SSE
//! transport (`sse`).
//!
//! `timeout` is in milliseconds in opencode's form and beside Gemini CLI's members, and in seconds beside those of Cline, Roo
//! Code and Cherry Studio (`autoApprove`, `alwaysAllow`, `watchPaths`, `isActive`; up to 3600). Elsewhere one below 1000 is
//! taken for seconds, and told; one from there on is milliseconds.
//!
//! A member that nobody is known to write is told ([`McpConfig::warnings`]), with the one that may have been meant. Where
//! that would have kept the server from something (`enabled_tols`), the server is not started
//! ([`ServerConfig::withheld`]), and its status says why. Names that begin with `_`, `$`, `#`, `//` or `x-` are remarks.

mod edit;
mod expand;
mod known;
mod members;
mod read;
mod server;
mod syntax_error;
mod timeout;

#[cfg(feature = "http-client")]
pub(super) use self::server::shown;

use std::{
    fmt, fs, io,
    io::Read,
    path::{Path, PathBuf},
};

pub use self::{
    edit::{EditError, add, remove},
    expand::Surroundings,
    server::{Endpoint, Era, HttpEndpoint, ServerConfig, StdioEndpoint},
};

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 4 * 1024 * 1024;

/// The servers of a configuration.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct McpConfig {
    /// Those that can be used, in the order of the file.
    pub servers: Vec<ServerConfig>,
    /// Every mistake. A server with one is not among the servers.
    pub faults: Vec<ConfigFault>,
    /// Members that mean nothing, here or to any program that is known to share such files. What may have been meant to
    /// keep a server from something is no warning: see [`ServerConfig::withheld`].
    pub warnings: Vec<ConfigFault>,
}

/// The language of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// JSON, in which comments and trailing commas are let pass.
    Json,
    /// TOML, as codex has it. Nothing in it is expanded.
    Toml,
}

impl Syntax {
    /// By a file's ending: `.toml` is TOML, all else JSON.
    #[must_use]
    pub fn of(file: &Path) -> Self {
        if file.extension().is_some_and(|ending| ending == "toml") { Self::Toml } else { Self::Json }
    }
}

/// A mistake in a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct ConfigFault {
    /// The file, where it came from one.
    pub file: Option<PathBuf>,
    /// The server that it is about; `None`: the file as a whole.
    pub server: Option<String>,
    /// The member, as `mcpServers.NAME.args[1]`; empty for the file as a whole.
    pub place: String,
    /// What was expected, what came, what to do.
    pub fault: String,
}

impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.fault)
    }
}

impl McpConfig {
    /// Reads a text.
    ///
    /// ```
    /// use tool_mcp::client::config::{McpConfig, Surroundings, Syntax};
    ///
    /// let text = r#"{ "mcpServers": {
    ///     "files": { "command": "server-filesystem", "args": ["${workspaceFolder}"] },
    ///     "search": { "url": 5 }
    /// } }"#;
    /// let config = McpConfig::parse(text, Syntax::Json, &Surroundings::new("/project"));
    /// assert_eq!(config.servers.len(), 1);
    /// assert_eq!(config.faults[0].to_string(), "mcpServers.search.url: expected a string, got a number");
    /// ```
    #[must_use]
    pub fn parse(text: &str, syntax: Syntax, surroundings: &Surroundings) -> Self {
        read::read(text, syntax, surroundings)
    }

    /// Reads a file, by its ending. What is wrong with it is among the faults.
    #[must_use]
    pub fn load(file: &Path, surroundings: &Surroundings) -> Self {
        let mut config = match read_file(file) {
            Ok(text) => Self::parse(&text, Syntax::of(file), surroundings),
            Err(error) => {
                let fault = format!("cannot be read: {error}");
                Self { faults: vec![ConfigFault::of_file(fault)], ..Self::default() }
            }
        };
        let withheld = config.servers.iter_mut().filter_map(|server| server.withheld.as_mut());
        for fault in config.faults.iter_mut().chain(&mut config.warnings).chain(withheld) {
            fault.file = Some(file.to_owned());
        }
        config
    }

    /// Adds the servers of another configuration; one takes the place of a server of its name.
    pub fn extend(&mut self, other: Self) {
        self.servers.retain(|known| other.servers.iter().all(|new| new.name != known.name));
        self.servers.extend(other.servers);
        self.faults.extend(other.faults);
        self.warnings.extend(other.warnings);
    }
}

impl ConfigFault {
    fn of_file(fault: impl Into<String>) -> Self {
        Self { file: None, server: None, place: String::new(), fault: fault.into() }
    }
}

/// The text of a file, without a byte order mark. It may be no regular file, whose size says nothing.
fn read_file(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(file)?.take(MAX_FILE + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_FILE {
        return Err(io::Error::other(format!("it has more than {MAX_FILE} bytes, which no configuration has")));
    }
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
