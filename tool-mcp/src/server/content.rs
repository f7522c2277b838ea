//! Outcomes and attachments as the protocol's content.

use rmcp::model::{CallToolResult, ContentBlock, ErrorData, ProtocolVersion, Resource};
use tool_core::{Attachment, Outcome, ToolError, ToolSpec, wire::mcp};

use super::spills::Spill;

/// The result of a call.
///
/// # Errors
/// Where the request, and not the tool, was at fault: there is no such tool. And where nothing that the client could do
/// would mend it.
pub(super) fn result(
    outcome: Outcome,
    spec: Option<&ToolSpec>,
    spill: Option<&Spill>,
    version: &ProtocolVersion,
) -> Result<CallToolResult, ErrorData> {
    let bounded = match outcome.status() {
        Ok(bounded) => bounded,
        Err(error @ ToolError::UnknownTool(_)) => return Err(ErrorData::invalid_params(error.to_string(), None)),
        Err(error @ ToolError::Fatal(_)) => return Err(ErrorData::internal_error(error.to_string(), None)),
        Err(error) => return Ok(CallToolResult::error(vec![ContentBlock::text(error.to_string())])),
    };
    let media: Vec<ContentBlock> = bounded.attachments().iter().map(block).collect();
    let structured = bounded.structured().map(|value| mcp::structured_content(value, spec));
    let text = outcome.into_text();
    let mut content = Vec::with_capacity(1 + media.len());
    // A result without any content is none to many clients.
    if !text.is_empty() || media.is_empty() {
        content.push(ContentBlock::text(text));
    }
    content.extend(media);
    content.extend(spill.map(link));
    if !knows_links(version) {
        content = content.into_iter().map(|block| older(block, version)).collect();
    }
    let mut result = CallToolResult::success(content);
    // What an error is stands in its text; a success need not say that it is none.
    result.is_error = None;
    result.structured_content = structured;
    Ok(result)
}

/// An attachment.
pub(super) fn block(attachment: &Attachment) -> ContentBlock {
    let block = mcp::content_block(attachment);
    serde_json::from_value(block).unwrap_or_else(|error| ContentBlock::text(format!("[Attachment left out: {error}]")))
}

/// Where the whole of an output is.
fn link(spill: &Spill) -> ContentBlock {
    let resource = Resource::new(spill.uri.clone(), spill.name.clone());
    ContentBlock::resource_link(resource.with_mime_type("text/plain").with_size(spill.bytes))
}

fn knows_links(version: &ProtocolVersion) -> bool {
    *version >= ProtocolVersion::V_2025_06_18
}

/// A block in the words of a revision that has no such kind of it.
fn older(block: ContentBlock, version: &ProtocolVersion) -> ContentBlock {
    match block {
        ContentBlock::ResourceLink(resource) => {
            ContentBlock::text(format!("[Resource `{}`: {}]", resource.name, resource.uri))
        }
        ContentBlock::Audio(audio) if *version < ProtocolVersion::V_2025_03_26 => ContentBlock::text(format!(
            "[Audio ({}) was left out: this revision of the protocol has none]",
            audio.mime_type
        )),
        block => block,
    }
}
