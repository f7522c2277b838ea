//! Resources of servers: `list_mcp_resources`, `list_mcp_resource_templates` and `read_mcp_resource`, as codex has them.

use std::{sync::Arc, time::Duration};

use rmcp::model::{ClientRequest, ReadResourceRequest, ReadResourceRequestParams, ServerResult};
use serde_json::{Map, Value, json};
use tool_core::{
    Attachment, Tool, ToolContext, ToolError, ToolOutput, ToolSpec,
    permission::PermissionRequest,
    tool::{Annotations, Concurrency, FnTool, InvalidTool, ToolName, ToolPolicy},
};

use super::{
    call::MAX_ROUNDS,
    listing::Kind,
    server::Server,
    session::{RequestError, Session},
    tools::SET,
};

/// The three tools; none where there is no server.
pub(super) fn tools(servers: &[Arc<Server>]) -> Vec<Arc<dyn Tool>> {
    let servers: Arc<[Arc<Server>]> = servers.iter().filter(|server| server.config.enabled).cloned().collect();
    if servers.is_empty() {
        return Vec::new();
    }
    let made = [listing(&servers, Kind::Resources), listing(&servers, Kind::ResourceTemplates), reading(&servers)];
    // Their names and schemas stand here.
    made.into_iter().flatten().map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect()
}

fn spec(name: &str, description: &'static str, properties: Value, required: &[&str]) -> Result<ToolSpec, InvalidTool> {
    let schema = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    });
    let mut spec = ToolSpec::new(ToolName::new(name)?, description, schema);
    spec.annotations = Annotations::new(true, false, true, true);
    Ok(spec)
}

fn policy(asks: &'static str) -> ToolPolicy {
    ToolPolicy {
        concurrency: Concurrency::Parallel,
        asks: Some(asks.into()),
        sets: [SET].into_iter().collect(),
        ..ToolPolicy::default()
    }
}

/// Lists of one server's, a page at a time, or of all servers.
fn listing(servers: &Arc<[Arc<Server>]>, kind: Kind) -> Result<FnTool, InvalidTool> {
    let (name, description) = match kind {
        Kind::ResourceTemplates => (
            "list_mcp_resource_templates",
            "Lists the templates of resources that MCP servers offer: addresses with places to be filled in, of what can \
             then be read with `read_mcp_resource`.",
        ),
        Kind::Resources | Kind::Tools | Kind::Prompts => (
            "list_mcp_resources",
            "Lists the resources that MCP servers offer as context: files, records, documents. Prefer them to a search of \
             the web.",
        ),
    };
    let properties = json!({
        "server": { "type": "string", "description": "The server whose list is wanted; without it, those of all servers." },
        "cursor": { "type": "string", "description": "The `nextCursor` of the page before, of the same server." },
    });
    let spec = spec(name, description, properties, &[])?;
    let servers = servers.clone();
    let tool = FnTool::declared(spec, move |arguments: Value, ctx: ToolContext| {
        let servers = servers.clone();
        async move {
            let text = |member| arguments.get(member).and_then(Value::as_str).map(str::to_owned);
            match (text("server"), text("cursor")) {
                (Some(server), cursor) => one(find(&servers, &server)?, kind, cursor, name, &ctx).await,
                (None, Some(_)) => {
                    Err(ToolError::failed("A cursor can only be used with the server that gave it: give `server` too."))
                }
                (None, None) => all(&servers, kind, name, &ctx).await,
            }
        }
    })?;
    Ok(tool.policy(policy(name)))
}

async fn one(
    server: &Arc<Server>,
    kind: Kind,
    cursor: Option<String>,
    permission: &'static str,
    ctx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    leave(server, permission, None, ctx).await?;
    let name = &server.config.name;
    let session = session(server).await?;
    let page = session.page(kind, cursor, server.config.tool_timeout).await.map_err(|error| failed(name, &error))?;
    let mut listed = json!({ "server": name, kind.member(): page.items });
    if let Some(next) = page.next_cursor {
        listed["nextCursor"] = next.into();
    }
    Ok(ToolOutput::text(listed.to_string()))
}

/// The lists of all servers, one behind the other. Unlike in codex, a server that gives none is named.
async fn all(
    servers: &[Arc<Server>],
    kind: Kind,
    permission: &'static str,
    ctx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    for server in servers {
        leave(server, permission, None, ctx).await?;
    }
    let listings = servers.iter().map(|server| async move {
        let session = match session(server).await {
            Ok(session) => session,
            Err(error) => return Err(error.to_string()),
        };
        if session.info.capabilities.resources.is_none() {
            return Ok(Vec::new());
        }
        session.list(kind, server.config.tool_timeout).await.map_err(|error| error.to_string())
    });
    let listings = futures_util::future::join_all(listings).await;
    let (mut items, mut failures) = (Vec::new(), Vec::new());
    for (server, listed) in servers.iter().zip(listings) {
        let name = &server.config.name;
        match listed {
            Ok(listed) => items.extend(listed.into_iter().map(|item| {
                let mut named = Map::from_iter([("server".to_owned(), json!(name))]);
                if let Value::Object(members) = item {
                    named.extend(members);
                }
                Value::Object(named)
            })),
            Err(error) => failures.push(json!({ "server": name, "error": error })),
        }
    }
    let mut listed = json!({ kind.member(): items });
    if !failures.is_empty() {
        listed["failures"] = failures.into();
    }
    Ok(ToolOutput::text(listed.to_string()))
}

fn reading(servers: &Arc<[Arc<Server>]>) -> Result<FnTool, InvalidTool> {
    const NAME: &str = "read_mcp_resource";
    let properties = json!({
        "server": { "type": "string", "minLength": 1, "description": "The server, as `list_mcp_resources` names it." },
        "uri": { "type": "string", "minLength": 1, "description": "The resource's address, as it is listed." },
    });
    let spec = spec(NAME, "Reads a resource of an MCP server.", properties, &["server", "uri"])?;
    let servers = servers.clone();
    let tool = FnTool::declared(spec, move |arguments: Value, ctx: ToolContext| {
        let servers = servers.clone();
        async move {
            let text = |member: &str| arguments[member].as_str().unwrap_or_default().to_owned();
            let (name, uri) = (text("server"), text("uri"));
            let server = find(&servers, &name)?;
            leave(server, NAME, Some(&uri), &ctx).await?;
            let session = session(server).await?;
            let contents =
                session.read(&uri, server.config.tool_timeout).await.map_err(|error| failed(&name, &error))?;
            Ok::<_, ToolError>(shown(&name, &uri, contents))
        }
    })?;
    Ok(tool.policy(policy(NAME)))
}

/// Asks for leave, with `server:uri` as the pattern; a server that is trusted is read without it.
async fn leave(
    server: &Server,
    permission: &'static str,
    uri: Option<&str>,
    ctx: &ToolContext,
) -> Result<(), ToolError> {
    let name = &server.config.name;
    let pattern = format!("{name}:{}", uri.unwrap_or("*"));
    if server.config.trust && !ctx.denies(permission, &pattern) {
        return Ok(());
    }
    ctx.ask(PermissionRequest::new(permission, vec![pattern])).await
}

fn find<'s>(servers: &'s [Arc<Server>], name: &str) -> Result<&'s Arc<Server>, ToolError> {
    servers.iter().find(|server| server.config.name == name).ok_or_else(|| {
        let known: Vec<_> = servers.iter().map(|server| format!("`{}`", server.config.name)).collect();
        ToolError::failed(format!("There is no MCP server `{name}`. There are: {}.", known.join(", ")))
    })
}

async fn session(server: &Server) -> Result<Arc<Session>, ToolError> {
    let why = |why| ToolError::failed(format!("The MCP server `{}` is {why}.", server.config.name));
    server.session().await.map_err(why)
}

fn failed(server: &str, error: &RequestError) -> ToolError {
    ToolError::failed(format!("The MCP server `{server}` did not do it: {error}."))
}

impl Session {
    /// The contents of a resource, as the protocol has them.
    pub(super) async fn read(&self, uri: &str, limit: Duration) -> Result<Vec<Value>, RequestError> {
        let mut params = ReadResourceRequestParams::new(uri);
        for _ in 0..MAX_ROUNDS {
            let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params.clone()));
            match self.request(request, limit).await? {
                ServerResult::ReadResourceResult(result) => {
                    let contents = result.contents.into_iter().map(serde_json::to_value);
                    return contents.collect::<Result<_, _>>().map_err(|_| RequestError::Unexpected);
                }
                ServerResult::InputRequiredResult(wanted) => {
                    (params.input_responses, params.request_state) = self.provide(wanted).await?;
                }
                _ => return Err(RequestError::Unexpected),
            }
        }
        Err(RequestError::Unexpected)
    }
}

/// Texts as they are, in codex's envelope; what is no text is attached, and stands there without its bytes.
fn shown(server: &str, uri: &str, mut contents: Vec<Value>) -> ToolOutput {
    let mut attachments = Vec::new();
    for content in &mut contents {
        let Some(members) = content.as_object_mut() else { continue };
        if let Some(Value::String(blob)) = members.get("blob") {
            let mime = members.get("mimeType").and_then(Value::as_str).unwrap_or("application/octet-stream");
            match super::content::medium(mime, blob) {
                Ok(attachment) => {
                    attachments.push(attachment);
                    members.insert("blob".to_owned(), "[attached]".into());
                }
                Err(fault) => {
                    members.insert("blob".to_owned(), format!("[left out: {fault}]").into());
                }
            }
        }
    }
    let output = ToolOutput::text(json!({ "server": server, "uri": uri, "contents": contents }).to_string());
    attachments.into_iter().fold(output.title(uri), |output, attachment: Attachment| output.attach(attachment))
}
