//! `resources/read` and the lists of what can be read.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::{
    client::McpClient,
    exchange::Exchange,
    resources::failed,
    session::ClientSession,
    shared::Shared,
    spills::{SCHEME, Spill},
};

/// What spilled outputs are, as far as one can tell: a tool's text.
const MIME: &str = "text/plain";

pub(super) async fn read(
    shared: &Shared,
    session: &ClientSession,
    exchange: &Arc<Exchange>,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    if uri.starts_with(SCHEME) {
        let passed = || if session.is_passing { shared.passed.get(uri) } else { None };
        let spill = session.spills.get(uri).or_else(passed);
        return spilled(spill.ok_or_else(|| unknown(uri))?).await;
    }
    let client = McpClient::new(exchange.clone());
    for resources in &shared.resources {
        if let Some(contents) = resources.read(uri, &client).await.map_err(|error| failed(&error))? {
            return Ok(ReadResourceResult::new(contents.into_iter().map(|content| content.0).collect()));
        }
    }
    Err(unknown(uri))
}

async fn spilled(spill: Spill) -> Result<ReadResourceResult, ErrorData> {
    let uri = spill.uri.clone();
    let bytes = spill.read().await.map_err(|error| {
        ErrorData::internal_error(format!("the output at {uri} cannot be read: {error}"), Some(json!({ "uri": uri })))
    })?;
    let content = match String::from_utf8(bytes) {
        Ok(text) => ResourceContents::text(text, uri).with_mime_type(MIME),
        Err(bytes) => {
            ResourceContents::blob(STANDARD.encode(bytes.into_bytes()), uri).with_mime_type("application/octet-stream")
        }
    };
    Ok(ReadResourceResult::new(vec![content]))
}

fn unknown(uri: &str) -> ErrorData {
    let message = "there is no such resource, or none of this session's; `resources/list` tells what there is";
    ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
}

/// All that is known by name: the host's, and the outputs that the session has spilled.
pub(super) async fn list(
    shared: &Shared,
    session: &ClientSession,
    exchange: &Arc<Exchange>,
) -> Result<Vec<Resource>, ErrorData> {
    let client = McpClient::new(exchange.clone());
    let mut all = Vec::new();
    for resources in &shared.resources {
        all.extend(
            resources.list(&client).await.map_err(|error| failed(&error))?.into_iter().map(|resource| resource.0),
        );
    }
    all.extend(session.spills.list().into_iter().map(|spill| {
        let description = format!("The whole output of a call of `{}` that was cut.", spill.tool);
        let resource = Resource::new(spill.uri, spill.name).with_description(description);
        resource.with_mime_type(MIME).with_size(spill.bytes)
    }));
    all.sort_by(|a, b| a.uri.cmp(&b.uri));
    Ok(all)
}

/// The forms of addresses.
pub(super) fn templates(shared: &Shared) -> Vec<ResourceTemplate> {
    let own = shared.spills.as_ref().map(|_| {
        ResourceTemplate::new(format!("{SCHEME}{{id}}"), "spilled-output")
            .with_title("Whole outputs")
            .with_description("The whole output of a call that was cut; the call's result links to it.")
            .with_mime_type(MIME)
    });
    let host = shared.resources.iter().flat_map(|resources| resources.templates()).map(|template| template.0);
    let mut all: Vec<_> = own.into_iter().chain(host).collect();
    all.sort_by(|a, b| a.uri_template.cmp(&b.uri_template));
    all
}
