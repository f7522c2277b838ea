//! Changes of a configuration's file that leave the rest of it as it is, comments and all.

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, value};

use super::{
    Endpoint, ServerConfig, Syntax,
    read::{CONTAINERS, Form, JSON, fault_of_name},
    syntax_error::told,
};

/// What some editors begin a file with.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Why a file was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// It is not what it should be.
    #[error("{0}")]
    Malformed(String),
    /// The server's name is none.
    #[error("`{0}` is no name for a server: {1}")]
    Name(String, String),
    /// A server of that name is there.
    #[error("there is a server `{0}` already: remove it first, or take another name")]
    Exists(String),
    /// No server has that name.
    #[error("there is no server `{0}`")]
    Absent(String),
}

/// Adds a server to a file's text; an empty text becomes a file with that server alone. Only how the server is reached is
/// written, and `trust`.
///
/// # Errors
/// When the text is no configuration, or has a server of that name, or that is no name.
pub fn add(text: &str, syntax: Syntax, server: &ServerConfig) -> Result<String, EditError> {
    if let Some(fault) = fault_of_name(&server.name) {
        return Err(EditError::Name(server.name.escape_debug().to_string(), fault));
    }
    behind_mark(text, |text| match syntax {
        Syntax::Json => add_json(text, server),
        Syntax::Toml => add_toml(text, server),
    })
}

/// Changes what stands behind a byte order mark, which stays.
fn behind_mark(text: &str, change: impl FnOnce(&str) -> Result<String, EditError>) -> Result<String, EditError> {
    match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(text) => change(text).map(|changed| format!("{BYTE_ORDER_MARK}{changed}")),
        None => change(text),
    }
}

/// Takes a server out of a file's text.
///
/// # Errors
/// When the text is no configuration, or has no server of that name.
pub fn remove(text: &str, syntax: Syntax, name: &str) -> Result<String, EditError> {
    let absent = || EditError::Absent(name.to_owned());
    behind_mark(text, |text| match syntax {
        Syntax::Json => {
            let root = json(text)?;
            let found = containers(&object(&root)?).into_iter().find_map(|(_, container)| container.get(name));
            found.ok_or_else(absent)?.remove();
            Ok(root.to_string())
        }
        Syntax::Toml => {
            let mut document = toml(text)?;
            let removed = document.get_mut("mcp_servers").and_then(|servers| servers.as_table_like_mut()?.remove(name));
            removed.ok_or_else(absent)?;
            Ok(document.to_string())
        }
    })
}

fn json(text: &str) -> Result<CstRootNode, EditError> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    CstRootNode::parse(text, &JSON).map_err(|error| EditError::Malformed(format!("it is not valid JSON: {error}")))
}

fn object(root: &CstRootNode) -> Result<CstObject, EditError> {
    root.object_value().ok_or_else(|| EditError::Malformed("expected an object, got something else".to_owned()))
}

/// The objects that have servers in them.
fn containers(root: &CstObject) -> Vec<(Form, CstObject)> {
    let of = |name: &&str| {
        let found = root.object_value(name)?;
        match found.object_value("servers").filter(|_| *name == "mcp") {
            Some(servers) => Some((Form::Shared, servers)),
            None if *name == "mcp" => Some((Form::Opencode, found)),
            None => Some((Form::Shared, found)),
        }
    };
    CONTAINERS.iter().filter_map(of).collect()
}

fn add_json(text: &str, server: &ServerConfig) -> Result<String, EditError> {
    let root = json(text)?;
    let members = object(&root)?;
    let known = containers(&members);
    if known.iter().any(|(_, container)| container.get(&server.name).is_some()) {
        return Err(EditError::Exists(server.name.clone()));
    }
    let (form, container) = match known.into_iter().next() {
        Some(known) => known,
        None => {
            let created = members.object_value_or_create(CONTAINERS[0]).ok_or_else(|| {
                EditError::Malformed(format!(
                    "`{}` is no object: expected one with a member for each server",
                    CONTAINERS[0]
                ))
            })?;
            (Form::Shared, created)
        }
    };
    container.append(&server.name, input(server, form));
    Ok(root.to_string())
}

fn input(server: &ServerConfig, form: Form) -> CstInputValue {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let table = |pairs: &[(String, String)]| {
        CstInputValue::Object(pairs.iter().map(|(name, value)| (name.clone(), text(value))).collect())
    };
    let mut members: Vec<(&str, CstInputValue)> = Vec::new();
    match &server.endpoint {
        Endpoint::Stdio(stdio) => {
            let args = stdio.args.iter().map(|arg| text(arg));
            let variables = match form {
                Form::Shared => {
                    members.push(("command", text(&stdio.command)));
                    members.push(("args", CstInputValue::Array(args.collect())));
                    "env"
                }
                Form::Opencode => {
                    members.push(("type", text("local")));
                    let words = std::iter::once(text(&stdio.command)).chain(args);
                    members.push(("command", CstInputValue::Array(words.collect())));
                    "environment"
                }
            };
            if !stdio.env.is_empty() {
                members.push((variables, table(&stdio.env)));
            }
            if let Some(cwd) = &stdio.cwd {
                members.push(("cwd", text(&cwd.to_string_lossy())));
            }
        }
        Endpoint::Http(http) => {
            members.push(("type", text(if form == Form::Opencode { "remote" } else { "http" })));
            members.push(("url", text(&http.url)));
            if !http.headers.is_empty() {
                members.push(("headers", table(&http.headers)));
            }
            if let Some(variable) = &http.bearer_token_env_var {
                members.push(("bearerTokenEnvVar", text(variable)));
            }
        }
    }
    if server.trust {
        members.push(("trust", CstInputValue::Bool(true)));
    }
    CstInputValue::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn toml(text: &str) -> Result<DocumentMut, EditError> {
    let fault = |error: toml_edit::TomlError| told(text, error.span(), error.message());
    text.parse().map_err(|error| EditError::Malformed(format!("it is not valid TOML: {}", fault(error))))
}

fn add_toml(text: &str, server: &ServerConfig) -> Result<String, EditError> {
    let mut document = toml(text)?;
    let none = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let servers = document.entry("mcp_servers").or_insert_with(none).as_table_like_mut();
    let servers = servers
        .ok_or_else(|| EditError::Malformed("`mcp_servers` is no table: expected one for each server".to_owned()))?;
    if servers.contains_key(&server.name) {
        return Err(EditError::Exists(server.name.clone()));
    }
    let pairs = |pairs: &[(String, String)]| {
        value(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<InlineTable>())
    };
    let mut table = Table::new();
    match &server.endpoint {
        Endpoint::Stdio(stdio) => {
            table.insert("command", value(&stdio.command));
            table.insert("args", value(stdio.args.iter().collect::<Array>()));
            if !stdio.env.is_empty() {
                table.insert("env", pairs(&stdio.env));
            }
            if let Some(cwd) = &stdio.cwd {
                table.insert("cwd", value(cwd.to_string_lossy().into_owned()));
            }
        }
        Endpoint::Http(http) => {
            table.insert("url", value(&http.url));
            if !http.headers.is_empty() {
                table.insert("http_headers", pairs(&http.headers));
            }
            if let Some(variable) = &http.bearer_token_env_var {
                table.insert("bearer_token_env_var", value(variable));
            }
        }
    }
    if server.trust {
        table.insert("trust", value(true));
    }
    servers.insert(&server.name, Item::Table(table));
    Ok(document.to_string())
}
