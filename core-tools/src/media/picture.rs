//! An image made to fit what providers take: upright, no wider, higher or longer than allowed.
//!
//! The numbers and the steps are pi's: 2,000 pixels a side and 4.5 MiB of base64; what is larger is scaled, and encoded
//! as PNG or JPEG, whichever is shorter, with less and less quality, then with fewer and fewer pixels. What fits as it
//! is keeps its bytes.

use std::io::Cursor;

use base64::{Engine, engine::general_purpose::STANDARD};
use image::{
    DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, Rgb, RgbImage, codecs::jpeg::JpegEncoder,
    imageops::FilterType, metadata::Orientation,
};
use tool_core::Attachment;

/// Nothing wider or higher is decoded.
const MAX_SIDE: u32 = 32_768;
/// A decoder takes no more memory than this.
const MAX_ALLOC: u64 = 512 * 1024 * 1024;
/// The quality of a JPEG, from the best down.
const QUALITIES: [u8; 4] = [80, 70, 55, 40];
/// A patch is so many pixels wide and high: the unit in which OpenAI counts an image.
const PATCH: u32 = 32;

/// How large an image may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounds {
    /// The longer side, in pixels.
    pub side: u32,
    /// The encoded image, in bytes of base64.
    pub base64: usize,
    /// How many patches of 32 by 32 pixels.
    pub patches: u32,
}

impl Default for Bounds {
    /// pi's: 2,000 pixels a side, 4.5 MiB.
    fn default() -> Self {
        Self { side: 2000, base64: 4_718_592, patches: u32::MAX }
    }
}

impl Bounds {
    /// As much of the original as a provider takes (codex-rs's `detail: "original"`): 10,000 patches, and 14 MiB, which
    /// leaves room beside it in a request of 20 MB.
    pub const ORIGINAL: Self = Self { side: u32::MAX, base64: 14 * 1024 * 1024, patches: 10_000 };

    /// The size at which an image of this one fits, in pixels.
    fn size(self, (width, height): (u32, u32)) -> (u32, u32) {
        let by_side = f64::from(self.side) / f64::from(width.max(height));
        let mut scale = by_side.min(1.0);
        if patches((width, height)) > u64::from(self.patches) {
            let pixels = f64::from(self.patches) * f64::from(PATCH * PATCH);
            scale = scale.min((pixels / (f64::from(width) * f64::from(height))).sqrt());
        }
        // Patches at the edges count in full.
        while patches(scaled((width, height), scale)) > u64::from(self.patches) {
            scale *= 0.995;
        }
        scaled((width, height), scale)
    }
}

fn patches((width, height): (u32, u32)) -> u64 {
    u64::from(width.div_ceil(PATCH)) * u64::from(height.div_ceil(PATCH))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and a side that is a u32")]
fn scaled((width, height): (u32, u32), scale: f64) -> (u32, u32) {
    let side = |side: u32| (f64::from(side) * scale).round().clamp(1.0, f64::from(side.max(1))) as u32;
    (side(width), side(height))
}

/// An image that fits its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// How it is encoded.
    pub format: ImageFormat,
    /// The encoded image.
    pub bytes: Vec<u8>,
    /// Width and height of the original, upright.
    pub original: (u32, u32),
    /// Width and height of what is shown.
    pub shown: (u32, u32),
}

impl Picture {
    /// What the model gets.
    #[must_use]
    pub fn attachment(&self) -> Attachment {
        Attachment::base64(self.format.to_mime_type(), STANDARD.encode(&self.bytes))
    }

    /// What the model has to know to speak of places in the original; `None` where it sees the original's own pixels.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let ((width, height), (shown_width, shown_height)) = (self.original, self.shown);
        (self.original != self.shown).then(|| {
            format!(
                "[Image: the original has {width}x{height} pixels, and is shown with {shown_width}x{shown_height}. \
                 Multiply coordinates by {:.2} to get those of the original.]",
                f64::from(width) / f64::from(shown_width)
            )
        })
    }
}

/// Why an image cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadPicture {
    /// Damaged, cut short, or larger than is decoded.
    #[error("it begins as an image ({mime}), but cannot be decoded: {source}")]
    Unreadable {
        /// What its first bytes say.
        mime: &'static str,
        /// What the decoder says.
        source: image::ImageError,
    },
    /// So damaged that its decoder broke off.
    #[error("it cannot be decoded")]
    Damaged,
    /// It does not fit, however small it is made.
    #[error("it could not be made smaller than {0} bytes of base64")]
    TooLarge(usize),
}

/// Makes an image fit. Takes up to seconds of computing for the largest: to be run where that blocks nobody.
///
/// # Errors
/// When it cannot be decoded, within 512 MiB of memory, or cannot be made to fit.
pub fn fit(bytes: Vec<u8>, format: ImageFormat, bounds: Bounds) -> Result<Picture, BadPicture> {
    let (image, orientation) =
        decode(&bytes, format).map_err(|source| BadPicture::Unreadable { mime: format.to_mime_type(), source })?;
    let original = (image.width(), image.height());
    let size = bounds.size(original);
    let is_shown_by_providers = format != ImageFormat::Bmp;
    if size == original
        && base64_len(bytes.len()) <= bounds.base64
        && orientation == Orientation::NoTransforms
        && is_shown_by_providers
    {
        return Ok(Picture { format, bytes, original, shown: original });
    }
    let mut shown = size;
    loop {
        let candidate =
            if shown == original { image.clone() } else { image.resize_exact(shown.0, shown.1, FilterType::Lanczos3) };
        if let Some((format, bytes)) = encode(&candidate, bounds.base64) {
            return Ok(Picture { format, bytes, original, shown });
        }
        if shown == (1, 1) {
            return Err(BadPicture::TooLarge(bounds.base64));
        }
        shown = scaled(shown, 0.75);
    }
}

fn base64_len(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

/// The image, upright, and how it lay.
fn decode(bytes: &[u8], format: ImageFormat) -> image::ImageResult<(DynamicImage, Orientation)> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_ALLOC);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder()?;
    // Not all decoders keep to limits by themselves: what the pixels take is known before any is read.
    limits.check_dimensions(decoder.dimensions().0, decoder.dimensions().1)?;
    limits.reserve(decoder.total_bytes())?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut image = DynamicImage::from_decoder(decoder)?;
    image.apply_orientation(orientation);
    Ok((image, orientation))
}

/// The shorter of PNG and JPEG; where neither fits, JPEG of less quality.
fn encode(image: &DynamicImage, most: usize) -> Option<(ImageFormat, Vec<u8>)> {
    let mut png = Vec::new();
    let is_png = image.write_to(&mut Cursor::new(&mut png), ImageFormat::Png).is_ok();
    let flat = flat(image);
    let jpeg = |quality| -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(&flat).ok()?;
        Some(bytes)
    };
    let first = jpeg(QUALITIES[0]);
    let png = is_png.then_some((ImageFormat::Png, png));
    let fits = |(_, bytes): &(ImageFormat, Vec<u8>)| base64_len(bytes.len()) <= most;
    let best = png.into_iter().chain(first.map(|bytes| (ImageFormat::Jpeg, bytes))).min_by_key(|(_, it)| it.len());
    best.filter(fits)
        .or_else(|| QUALITIES[1..].iter().filter_map(|quality| Some((ImageFormat::Jpeg, jpeg(*quality)?))).find(fits))
}

/// Without transparency, which JPEG has not: what shines through is white.
fn flat(image: &DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.to_rgb8();
    }
    let rgba = image.to_rgba8();
    let mut flat = RgbImage::new(rgba.width(), rgba.height());
    for (to, from) in flat.pixels_mut().zip(rgba.pixels()) {
        let [red, green, blue, alpha] = from.0.map(u32::from);
        let over_white = |channel: u32| u8::try_from((channel * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX);
        *to = Rgb([over_white(red), over_white(green), over_white(blue)]);
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let high = |width, height| Bounds::default().size((width, height));
        let original = |width, height| Bounds::ORIGINAL.size((width, height));
        assert_eq!(high(2000, 2000), (2000, 2000));
        assert_eq!(high(4000, 1), (2000, 1));
        // codex-rs's.
        assert_eq!(original(3000, 3000), (3000, 3000));
        assert_eq!(original(5000, 300), (5000, 300));
        assert_eq!(original(9000, 9000), (3200, 3200));
        assert!(patches(original(12_345, 6789)) <= 10_000);
    }
}
