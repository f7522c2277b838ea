//! `read_file`: lines of a file, by number or by the block they are in (codex's tool).
//!
//! `lines` takes a file apart as it comes; `indentation` finds the block around a line. Both hold no more of a file than
//! they may show.

mod indentation;
mod lines;

use std::io;

use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;
use tool_core::{ToolContext, ToolError, ToolOutput, schemars::JsonSchema, tool};

use self::{
    indentation::{Around, Block},
    lines::{LineScan, shown},
};
use crate::{
    media::Media,
    search::is_absolute,
    text_file::{Decode, SAMPLE},
    workspace::{
        ActiveWorkspace, ByteStream, FileInfo, Place, Seen, Workspace, is_missing, place_to_read, suggestions,
    },
};

/// How many lines are shown unless another number is asked for (codex).
const LINES: u64 = 2000;
/// So many lines are looked at around one, on either side.
const MOST_AROUND: u64 = 10_000;
/// So many bytes of lines are kept; a model is shown much less, and the whole is on disk.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// How much is read at once.
const CHUNK: usize = 256 * 1024;

/// How lines are chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(crate = "tool_core::schemars")]
pub enum Mode {
    /// From `offset` on.
    #[default]
    Slice,
    /// The block around `anchor_line`, by how lines are indented.
    Indentation,
}

/// Which block is shown.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(crate = "tool_core::schemars")]
pub struct Indentation {
    /// The line whose block is shown, counted from 1; `offset` when it is left out.
    anchor_line: Option<u64>,
    /// How many levels of indentation to go out from the line, 0 for all.
    max_levels: u64,
    /// Whether blocks beside it at its outermost level are shown too.
    include_siblings: bool,
    /// Whether comments directly above the block are shown too.
    include_header: bool,
    /// How many lines to show at most; `limit` when it is left out.
    max_lines: Option<u64>,
}

impl Default for Indentation {
    fn default() -> Self {
        Self { anchor_line: None, max_levels: 0, include_siblings: false, include_header: true, max_lines: None }
    }
}

/// Read lines of a file.
///
/// Gives each line as `L12: text`. In `slice` mode, the lines from `offset` on; in `indentation` mode, the block around a
/// line, found by how lines are indented, which shows a function whole without knowing where it ends. Lines are cut after
/// 500 bytes.
#[tool(asks = "read", read_only, set = "codex")]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn read_file(
    /// Absolute path of the file.
    file_path: String,
    /// The first line to show, counted from 1.
    #[arg(default = 1)]
    offset: u64,
    /// How many lines to show at most.
    #[arg(default = LINES)]
    limit: u64,
    /// How lines are chosen.
    #[arg(default)]
    mode: Mode,
    /// Which block is shown in `indentation` mode.
    indentation: Option<Indentation>,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    let block = match mode {
        Mode::Slice => None,
        Mode::Indentation => Some(indentation.unwrap_or_default()),
    };
    let anchor = block.as_ref().and_then(|block| block.anchor_line);
    for (wrong, what) in [
        (!is_absolute(&file_path), "file_path must be an absolute path"),
        (offset == 0, "offset must be a 1-indexed line number"),
        (limit == 0, "limit must be greater than zero"),
        (anchor == Some(0), "anchor_line must be a 1-indexed line number"),
        (block.as_ref().is_some_and(|block| block.max_lines == Some(0)), "max_lines must be greater than zero"),
    ] {
        if wrong {
            return Err(ToolError::failed(what));
        }
    }
    let (project, place) = place_to_read(ctx, &*workspace, &file_path).await?;

    let source = match open(&*workspace, &place).await {
        Ok((source, info)) => {
            Seen::of(ctx).note(&place.real, &info, None);
            source
        }
        Err(error) => {
            let suggestions = if is_missing(&error) { suggestions(&*workspace, &place).await } else { String::new() };
            return Err(ToolError::failed(format!("{}{suggestions}", failed(&place, &error))));
        }
    };
    let text = match block {
        None => slice(ctx, &place, source, offset, limit).await?,
        Some(block) => {
            let most = block.max_lines.unwrap_or(limit).min(limit).min(MOST_AROUND);
            let block = Block {
                anchor: block.anchor_line.unwrap_or(offset),
                levels: block.max_levels,
                siblings: block.include_siblings,
                header: block.include_header,
                limit: usize::try_from(most).unwrap_or(usize::MAX),
            };
            around(ctx, &place, source, block).await?
        }
    };
    Ok(ToolOutput::text(text).title(project.relative(&place.path)))
}

async fn open(workspace: &dyn Workspace, place: &Place) -> io::Result<(ByteStream, FileInfo)> {
    let info = workspace.stat(&place.real).await?;
    Ok((workspace.open(&place.real).await?, info))
}

/// The lines from one on.
async fn slice(
    ctx: &ToolContext,
    place: &Place,
    source: ByteStream,
    offset: u64,
    limit: u64,
) -> Result<String, ToolError> {
    let mut text = String::new();
    let end = offset.saturating_add(limit);
    let mut seen = 0;
    scan(ctx, place, source, &mut |number, line| {
        seen = number;
        if number >= offset && number < end {
            let line = format!("L{number}: {}\n", shown(line));
            if text.len() + line.len() > MAX_BYTES {
                text.push_str(&format!("(Stopped at {MAX_BYTES} bytes. Use offset={number} to continue.)\n"));
                return false;
            }
            text.push_str(&line);
        }
        number + 1 < end
    })
    .await?;
    if seen < offset {
        return Err(ToolError::failed("offset exceeds file length"));
    }
    text.pop();
    Ok(text)
}

/// The block around a line.
async fn around(ctx: &ToolContext, place: &Place, source: ByteStream, block: Block) -> Result<String, ToolError> {
    let mut around = Around::new(block);
    scan(ctx, place, source, &mut |number, line| around.push(number, line)).await?;
    let lines = around.finish().ok_or_else(|| ToolError::failed("anchor_line exceeds file length"))?;
    Ok(lines.iter().map(|(number, text)| format!("L{number}: {text}")).collect::<Vec<_>>().join("\n"))
}

/// Hands over the lines of a file, until no more are wanted.
async fn scan(
    ctx: &ToolContext,
    place: &Place,
    mut source: ByteStream,
    take: &mut (dyn FnMut(u64, &[u8]) -> bool + Send),
) -> Result<(), ToolError> {
    let mut scan = LineScan::default();
    let mut text: Option<Decode> = None;
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = ctx.cancellation().run_until_cancelled(source.read(&mut chunk)).await;
        match read.ok_or(ToolError::Cancelled)?.map_err(|error| ToolError::failed(failed(place, &error)))? {
            0 => break,
            count => {
                let bytes = &chunk[..count];
                if text.is_none() && is_no_text(bytes) {
                    return Err(ToolError::failed(format!("Cannot read binary file: {}", place.path.display())));
                }
                if !text.get_or_insert_with(|| Decode::of(bytes)).push(bytes, |text| scan.push(text, take)) {
                    return Ok(());
                }
            }
        }
    }
    if !text.is_none_or(|text| text.finish(|text| scan.push(text, take))) {
        return Ok(());
    }
    scan.finish(take);
    Ok(())
}

/// What begins as media, or with NUL bytes and no line for as far as is looked. Otherwise codex shows what it can.
fn is_no_text(beginning: &[u8]) -> bool {
    let has_no_lines = beginning.len() > SAMPLE && beginning[0] == 0 && !beginning.contains(&b'\n');
    has_no_lines || Media::of(beginning).is_some()
}

fn failed(place: &Place, error: &io::Error) -> String {
    format!("failed to read file: {}: {error}", place.path.display())
}
