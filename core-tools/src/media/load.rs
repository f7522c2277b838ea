//! A file of media read whole, and its pictures made to fit.

use std::path::Path;

use image::ImageFormat;
use tokio::io::AsyncReadExt;
use tool_core::{ToolContext, ToolError};

use super::{BadPicture, Bounds, Picture, fit};
use crate::workspace::ByteStream;

/// The largest file that is looked at: about what providers take in one request.
const MAX_BYTES: u64 = 20 * 1024 * 1024;
const CHUNK: usize = 256 * 1024;

/// An image that fits, or why there is none. Computed where it blocks nobody.
pub(crate) async fn picture(
    ctx: &ToolContext,
    bytes: Vec<u8>,
    format: ImageFormat,
    bounds: Bounds,
) -> Result<Result<Picture, BadPicture>, ToolError> {
    let fitting = tokio::task::spawn_blocking(move || fit(bytes, format, bounds));
    let fitted = ctx.cancellation().run_until_cancelled(fitting).await.ok_or(ToolError::Cancelled)?;
    // A decoder that panics on a damaged file has refused it.
    Ok(fitted.unwrap_or(Err(BadPicture::Damaged)))
}

/// Reads on to the end of an image or a PDF, of which `bytes` is the beginning and `len` the length.
pub(crate) async fn whole(
    ctx: &ToolContext,
    path: &Path,
    bytes: Vec<u8>,
    source: ByteStream,
    len: u64,
) -> Result<Vec<u8>, ToolError> {
    let reading = read_on(path, bytes, source, len);
    ctx.cancellation().run_until_cancelled(reading).await.ok_or(ToolError::Cancelled)?
}

async fn read_on(path: &Path, mut bytes: Vec<u8>, mut source: ByteStream, len: u64) -> Result<Vec<u8>, ToolError> {
    let mut chunk = vec![0; CHUNK];
    let mut seen = len;
    while seen <= MAX_BYTES {
        let read = source.read(&mut chunk).await;
        match read.map_err(|error| ToolError::failed(format!("Cannot read {}: {error}", path.display())))? {
            0 => return Ok(bytes),
            count => bytes.extend_from_slice(&chunk[..count]),
        }
        seen = bytes.len() as u64;
    }
    Err(ToolError::failed(format!(
        "Cannot attach {}: it has {seen} bytes or more, and at most {MAX_BYTES} can be attached. Make a smaller copy of it, and read that.",
        path.display(),
    )))
}
