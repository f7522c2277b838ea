//! `view_image`: an image to look at (codex-rs's tool).
//!
//! What an image is, and how it is made to fit, is in [`media`](crate::media).

use std::io;

use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;
use tool_core::{ToolContext, ToolError, ToolOutput, schemars::JsonSchema, tool};

use crate::{
    media::{self, BadPicture, Bounds, Media},
    text_file::SAMPLE,
    workspace::{ActiveWorkspace, FileKind, place_to_read},
};

/// How much of an image is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(crate = "tool_core::schemars")]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    /// At most 2000 pixels a side.
    #[default]
    High,
    /// All pixels, up to about ten million.
    Original,
}

/// Look at an image file.
///
/// PNG, JPEG, GIF, WebP and BMP files of up to 20 MB, told by their content. A large image is made smaller; the result then
/// says by what to multiply coordinates to get those of the original.
#[tool(asks = "read", read_only, set("codex", "read_only"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn view_image(
    /// Path of the image: absolute, or relative to the working directory.
    #[arg(alias = "filePath", alias = "file_path")]
    path: String,
    /// `original` for the finest text and lines; costs many more tokens.
    #[arg(default)]
    detail: Detail,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    let (project, place) = place_to_read(ctx, &*workspace, &path).await?;

    let shown = place.path.display();
    let missing = |error: io::Error| ToolError::failed(format!("unable to locate image at `{shown}`: {error}"));
    let info = workspace.stat(&place.real).await.map_err(missing)?;
    if info.kind != FileKind::File {
        return Err(ToolError::failed(format!("image path `{shown}` is not a file: it is {}", info.kind)));
    }
    let mut source = workspace.open(&place.real).await.map_err(missing)?;
    let mut sample = Vec::new();
    (&mut source).take(SAMPLE as u64).read_to_end(&mut sample).await.map_err(missing)?;
    let Some(Media::Image(format)) = Media::of(&sample) else {
        return Err(ToolError::failed(format!(
            "unable to process image: invalid or unsupported image data: expected PNG, JPEG, GIF, WebP or BMP by the content \
             of `{shown}`, whatever its name. Read other files with `read`, or convert them first."
        )));
    };
    let bounds = match detail {
        Detail::High => Bounds::default(),
        Detail::Original => Bounds::ORIGINAL,
    };
    let bytes = media::whole(ctx, &place.path, sample, source, info.len).await?;
    let unreadable = |error: BadPicture| {
        ToolError::failed(format!("unable to process image: invalid or unsupported image data: `{shown}`: {error}"))
    };
    let picture = media::picture(ctx, bytes, format, bounds).await?.map_err(unreadable)?;
    let (width, height) = picture.original;
    let text = picture.note().unwrap_or_else(|| format!("[Image: {width}x{height} pixels, shown as it is.]"));
    Ok(ToolOutput::text(text)
        .title(project.relative(&place.path))
        .attach(picture.attachment())
        .with("original", picture.original)
        .with("shown", picture.shown))
}
