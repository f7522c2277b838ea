//! What a server's result is to a model.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};
use serde_json::Value;
use tool_core::{Attachment, ToolError, ToolOutput};

/// The largest medium that is given to a model, in bytes of base64 (10 MiB of bytes, as in opencode).
const MAX_MEDIUM: usize = 14 * 1024 * 1024;

/// The output of a result, or its error where the server says that it is one.
///
/// Texts and texts of resources become the output, a blank line between them; pictures, sounds and other resources are
/// attached; links to resources become a line each, for a model can read those by `read_mcp_resource`.
pub(super) fn output(server: &str, result: CallToolResult) -> Result<ToolOutput, ToolError> {
    let mut output = ToolOutput::default();
    let mut texts: Vec<String> = Vec::new();
    for block in result.content {
        match block {
            ContentBlock::Text(text) => texts.push(text.text),
            ContentBlock::Image(image) => attach(&mut output, &mut texts, &image.mime_type, &image.data, None),
            ContentBlock::Audio(audio) => attach(&mut output, &mut texts, &audio.mime_type, &audio.data, None),
            ContentBlock::Resource(embedded) => match embedded.resource {
                ResourceContents::TextResourceContents { text, .. } => texts.push(text),
                ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                    let mime = mime_type.as_deref().unwrap_or("application/octet-stream");
                    attach(&mut output, &mut texts, mime, &blob, Some(&uri));
                }
                _ => texts.push("[a resource of an unknown kind was left out]".to_owned()),
            },
            ContentBlock::ResourceLink(link) => texts.push(linked(server, &link)),
            _ => texts.push("[content of an unknown kind was left out]".to_owned()),
        }
    }
    output.output = texts.join("\n\n");
    if result.is_error == Some(true) {
        let words = match (output.output.trim().is_empty(), &result.structured_content) {
            (false, _) => output.output,
            (true, Some(structured)) => structured.to_string(),
            (true, None) => "The tool says that it failed, and not why.".to_owned(),
        };
        return Err(ToolError::failed(words));
    }
    if let Some(structured) = result.structured_content {
        // A model reads the text; servers of older revisions give both.
        if output.output.is_empty() && output.attachments.is_empty() {
            output.output = structured.to_string();
        }
        output.structured = Some(Box::new(structured));
    }
    if let Some(meta) = result.meta {
        output.metadata.insert("_meta".to_owned(), Value::Object(meta.0));
    }
    Ok(output)
}

/// Attaches a medium, or says in its place why that cannot be.
fn attach(output: &mut ToolOutput, texts: &mut Vec<String>, mime: &str, data: &str, uri: Option<&str>) {
    let name = uri.and_then(|uri| uri.rsplit('/').next()).filter(|name| !name.is_empty());
    match (medium(mime, data), name) {
        (Ok(attachment), Some(name)) => output.attachments.push(attachment.named(name)),
        (Ok(attachment), None) => output.attachments.push(attachment),
        (Err(fault), _) => {
            let at = uri.map(|uri| format!(" {uri}")).unwrap_or_default();
            texts.push(format!("[{mime}{at} was left out: {fault}]"));
        }
    }
}

/// A medium that a provider can be given: one that it would refuse takes the whole conversation with it.
///
/// # Errors
/// What is wrong with it.
pub(super) fn medium(mime: &str, data: &str) -> Result<Attachment, String> {
    if data.len() > MAX_MEDIUM {
        return Err(format!("{} bytes of base64 are too many", data.len()));
    }
    match STANDARD.decode(data) {
        Ok(_) => Ok(Attachment::base64(mime, data)),
        Err(_) => Err("its bytes are not valid base64".to_owned()),
    }
}

fn linked(server: &str, link: &Resource) -> String {
    let mime = link.mime_type.as_deref().map(|mime| format!(", {mime}")).unwrap_or_default();
    let description = link.description.as_deref().map(|words| format!(": {words}")).unwrap_or_default();
    format!("[resource {} of the MCP server `{server}` ({}{mime}){description}]", link.uri, link.name)
}
