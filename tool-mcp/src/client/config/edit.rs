//! Changes of a configuration's file that leave the rest of it as it is, comments and all.

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, value};

use super::{
    Endpoint, ServerConfig, Syntax,
    read::{CONTAINERS, JSON},
};

/// Why a file was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// It is not what it should be.
    #[error("{0}")]
    Malformed(String),
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
/// When the text is no configuration, or has a server of that name.
pub fn add(text: &str, syntax: Syntax, server: &ServerConfig) -> Result<String, EditError> {
    match syntax {
        Syntax::Json => add_json(text, server),
        Syntax::Toml => add_toml(text, server),
    }
}

/// Takes a server out of a file's text.
///
/// # Errors
/// When the text is no configuration, or has no server of that name.
pub fn remove(text: &str, syntax: Syntax, name: &str) -> Result<String, EditError> {
    let absent = || EditError::Absent(name.to_owned());
    match syntax {
        Syntax::Json => {
            let root = json(text)?;
            let found = containers(&object(&root)?).into_iter().find_map(|container| container.get(name));
            found.ok_or_else(absent)?.remove();
            Ok(root.to_string())
        }
        Syntax::Toml => {
            let mut document = toml(text)?;
            let removed = document.get_mut("mcp_servers").and_then(|servers| servers.as_table_like_mut()?.remove(name));
            removed.ok_or_else(absent)?;
            Ok(document.to_string())
        }
    }
}

fn json(text: &str) -> Result<CstRootNode, EditError> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    CstRootNode::parse(text, &JSON).map_err(|error| EditError::Malformed(format!("it is not valid JSON: {error}")))
}

fn object(root: &CstRootNode) -> Result<CstObject, EditError> {
    root.object_value().ok_or_else(|| EditError::Malformed("expected an object, got something else".to_owned()))
}

/// The objects that have servers in them.
fn containers(root: &CstObject) -> Vec<CstObject> {
    let of = |name: &&str| {
        let found = root.object_value(name)?;
        if *name == "mcp" { Some(found.object_value("servers").unwrap_or(found)) } else { Some(found) }
    };
    CONTAINERS.iter().filter_map(of).collect()
}

fn add_json(text: &str, server: &ServerConfig) -> Result<String, EditError> {
    let root = json(text)?;
    let members = object(&root)?;
    let known = containers(&members);
    if known.iter().any(|container| container.get(&server.name).is_some()) {
        return Err(EditError::Exists(server.name.clone()));
    }
    let container = match known.into_iter().next() {
        Some(container) => container,
        None => members.object_value_or_create(CONTAINERS[0]).ok_or_else(|| {
            EditError::Malformed(format!(
                "`{}` is no object: expected one with a member for each server",
                CONTAINERS[0]
            ))
        })?,
    };
    container.append(&server.name, input(server));
    Ok(root.to_string())
}

fn input(server: &ServerConfig) -> CstInputValue {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let table = |pairs: &[(String, String)]| {
        CstInputValue::Object(pairs.iter().map(|(name, value)| (name.clone(), text(value))).collect())
    };
    let mut members: Vec<(&str, CstInputValue)> = Vec::new();
    match &server.endpoint {
        Endpoint::Stdio(stdio) => {
            members.push(("command", text(&stdio.command)));
            members.push(("args", CstInputValue::Array(stdio.args.iter().map(|arg| text(arg)).collect())));
            if !stdio.env.is_empty() {
                members.push(("env", table(&stdio.env)));
            }
            if let Some(cwd) = &stdio.cwd {
                members.push(("cwd", text(&cwd.to_string_lossy())));
            }
        }
        Endpoint::Http(http) => {
            members.push(("type", text("http")));
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
    text.parse().map_err(|error| EditError::Malformed(format!("it is not valid TOML: {error}").trim_end().to_owned()))
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
