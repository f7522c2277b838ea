//! `read`: a window of a text file, a page of a directory, an image or a PDF (opencode's tool).
//!
//! In this order: where is it, may it be looked at (`external_directory`, then `read`), what is it, show it. What a
//! window is, is in `window`; a page of a directory in `listing`; instruction files in
//! `instructions`; images and documents in [`media`].

mod instructions;
mod listing;
mod window;

use std::{io, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::json;
use tokio::io::AsyncReadExt;
use tool_core::{Attachment, ToolContext, ToolError, ToolOutput, tool};

use self::{listing::Page, window::WindowScan};
use crate::{
    media::{self, Bounds, Media},
    text_file::{Decode, SAMPLE, is_binary_name, looks_binary},
    workspace::{
        ActiveWorkspace, ByteStream, FileInfo, FileKind, Place, Project, Seen, Workspace, is_missing, place_to_read,
        suggestions,
    },
};

/// How many lines or entries are shown unless another number is asked for (opencode).
const LINES: u64 = 2000;
/// How many lines or entries the metadata previews (opencode).
const PREVIEW: usize = 20;
/// How much is read at once.
const CHUNK: usize = 256 * 1024;

/// Read a file or list a directory.
///
/// Text comes with a number and a colon before each line; leave these out when you quote the text for an edit. One call
/// shows up to 2000 lines and 50 KB, and cuts lines after 2000 characters; the last line of the result says how many
/// lines there are and which `offset` continues. Prefer one large window to many small ones, and search first when you
/// look for something in a large file. PNG, JPEG, GIF, WebP, BMP and PDF files (up to 20 MB) are attached for you to look
/// at; large images are made smaller. A directory is listed with a `/` after each directory in it. Other binary files are refused. Several reads can
/// run at the same time.
#[tool(rename_all = "camelCase", asks = "read", read_only, set("opencode", "pi", "coding", "read_only"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn read(
    /// Path of the file or directory: absolute, or relative to the working directory.
    #[arg(alias = "path", alias = "file_path")]
    file_path: String,
    /// The first line or entry to show, counted from 1.
    #[arg(default = 1)]
    offset: u64,
    /// How many lines or entries to show at most.
    #[arg(default = LINES)]
    limit: u64,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    let (project, place) = place_to_read(ctx, &*workspace, &file_path).await?;

    let offset = offset.max(1);
    let output = match workspace.stat(&place.real).await {
        Ok(info) if info.kind == FileKind::Directory => directory(&*workspace, &place, offset, limit).await?,
        Ok(info) if info.kind == FileKind::File => {
            file(ctx, &*workspace, &project, &place, &info, offset, limit).await?
        }
        Ok(info) => {
            return Err(ToolError::failed(format!(
                "Cannot read {}: it is {}, and only regular files and directories can be read.",
                place.path.display(),
                info.kind
            )));
        }
        Err(error) if is_missing(&error) => {
            let suggestions = suggestions(&*workspace, &place).await;
            return Err(ToolError::failed(format!("File not found: {}{suggestions}", place.path.display())));
        }
        Err(error) => return Err(failed(&place.path, &error)),
    };
    Ok(output.title(project.relative(&place.path)))
}

async fn directory(workspace: &dyn Workspace, place: &Place, offset: u64, limit: u64) -> Result<ToolOutput, ToolError> {
    let entries = workspace.list(&place.real).await.map_err(|error| failed(&place.path, &error))?;
    let page = Page::of(entries, offset, limit).map_err(ToolError::from_error)?;
    let path = place.path.to_string_lossy();
    let text = format!(
        "<path>{path}</path>\n<type>directory</type>\n<entries>\n{}\n\n{}\n</entries>",
        page.entries.join("\n"),
        page.trailer()
    );
    let display = json!({
        "type": "directory", "path": path, "entries": page.entries, "offset": offset,
        "totalEntries": page.total, "truncated": page.truncated(),
    });
    Ok(ToolOutput::text(text)
        .with("preview", preview(&page.entries))
        .with("truncated", page.truncated())
        .with("loaded", json!([]))
        .with("display", display))
}

async fn file(
    ctx: &ToolContext,
    workspace: &dyn Workspace,
    project: &Project,
    place: &Place,
    info: &FileInfo,
    offset: u64,
    limit: u64,
) -> Result<ToolOutput, ToolError> {
    let path = &place.path;
    let mut source = workspace.open(&place.real).await.map_err(|error| failed(path, &error))?;
    let mut sample = vec![0; SAMPLE];
    let mut filled = 0;
    while filled < SAMPLE {
        match next(ctx, path, &mut source, &mut sample[filled..]).await? {
            0 => break,
            count => filled += count,
        }
    }
    sample.truncate(filled);

    if let Some(media) = Media::of(&sample) {
        return attach(ctx, path, media, sample, source, info.len).await;
    }
    let mut text = Decode::of(&sample);
    // The name is looked at as well where a link hides it.
    if is_binary_name(path) || is_binary_name(&place.real) || text.is_utf8() && looks_binary(&sample) {
        return Err(ToolError::failed(format!("Cannot read binary file: {}", path.display())));
    }

    let mut scan = WindowScan::new(offset, limit);
    text.push(&sample, |text| scan.push(text));
    // Kept to tell later whether the file has changed.
    let mut whole = Seen::compares(info.len).then_some(sample);
    let mut chunk = vec![0; CHUNK];
    loop {
        match next(ctx, path, &mut source, &mut chunk).await? {
            0 => break,
            count => {
                text.push(&chunk[..count], |text| scan.push(text));
                whole = whole.filter(|whole| Seen::compares((whole.len() + count) as u64));
                if let Some(whole) = &mut whole {
                    whole.extend_from_slice(&chunk[..count]);
                }
            }
        }
    }
    text.finish(|text| scan.push(text));
    Seen::of(ctx).note(&place.real, info, whole.as_deref());
    let window = scan.finish();
    if offset > window.total.max(1) {
        return Err(ToolError::failed(format!(
            "Offset {offset} is out of range for this file ({} lines)",
            window.total
        )));
    }
    let reminder = instructions::of(ctx, workspace, project, place).await;
    let text = format!(
        "<path>{}</path>\n<type>file</type>\n<content>\n{}\n\n{}\n</content>{}",
        path.display(),
        window.numbered(),
        window.trailer(),
        reminder.text
    );
    let display = json!({
        "type": "file", "path": path.to_string_lossy(), "text": window.lines.join("\n"), "lineStart": window.first,
        "lineEnd": window.last(), "totalLines": window.total, "truncated": window.truncated(),
    });
    Ok(ToolOutput::text(text)
        .with("preview", preview(&window.lines))
        .with("truncated", window.truncated())
        .with("loaded", reminder.loaded)
        .with("display", display))
}

/// An image or a PDF.
async fn attach(
    ctx: &ToolContext,
    path: &Path,
    media: Media,
    sample: Vec<u8>,
    source: ByteStream,
    len: u64,
) -> Result<ToolOutput, ToolError> {
    let bytes = media::whole(ctx, path, sample, source, len).await?;
    let Media::Image(format) = media else {
        let message = "PDF read successfully";
        let attachment = Attachment::base64(media.mime(), STANDARD.encode(&bytes));
        return Ok(looked_at(message.to_owned(), message).attach(attachment));
    };
    let message = "Image read successfully";
    Ok(match media::picture(ctx, bytes, format, Bounds::default()).await? {
        Ok(picture) => {
            let note = picture.note().map(|note| format!("\n{note}")).unwrap_or_default();
            looked_at(format!("{message}{note}"), message).attach(picture.attachment())
        }
        // A provider that is sent what it cannot decode refuses the whole conversation (opencode sends it).
        Err(error) => looked_at(format!("{message}, but it is not shown: {error}."), message),
    })
}

fn looked_at(text: String, preview: &str) -> ToolOutput {
    ToolOutput::text(text).with("preview", preview).with("truncated", false).with("loaded", json!([]))
}

/// The next bytes, unless the call is cancelled first.
async fn next(ctx: &ToolContext, path: &Path, source: &mut ByteStream, into: &mut [u8]) -> Result<usize, ToolError> {
    match ctx.cancellation().run_until_cancelled(source.read(into)).await {
        None => Err(ToolError::Cancelled),
        Some(read) => read.map_err(|error| failed(path, &error)),
    }
}

fn failed(path: &Path, error: &io::Error) -> ToolError {
    ToolError::failed(format!("Cannot read {}: {error}", path.display()))
}

fn preview(lines: &[String]) -> String {
    lines.iter().take(PREVIEW).map(String::as_str).collect::<Vec<_>>().join("\n")
}
