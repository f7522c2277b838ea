//! What kind of media a file's first bytes make it.
//!
//! opencode trusts the extension where the bytes say nothing, so that a text file or a damaged image by the name of
//! `.png` breaks the conversation; here only the bytes count, as in pi.

use image::ImageFormat;

/// A kind of media that models can look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    /// An image of a format that can be decoded.
    Image(ImageFormat),
    /// A PDF document.
    Pdf,
}

impl Media {
    /// What a file's beginning says it is.
    #[must_use]
    pub fn of(sample: &[u8]) -> Option<Self> {
        Some(match infer::get(sample)?.mime_type() {
            "image/png" => Self::Image(ImageFormat::Png),
            "image/jpeg" => Self::Image(ImageFormat::Jpeg),
            "image/webp" => Self::Image(ImageFormat::WebP),
            // Three letters, two and four are too few: a text may begin with them.
            "image/gif" if sample.starts_with(b"GIF87a") || sample.starts_with(b"GIF89a") => {
                Self::Image(ImageFormat::Gif)
            }
            "image/bmp" if is_bmp(sample) => Self::Image(ImageFormat::Bmp),
            "application/pdf" if sample.starts_with(b"%PDF-") => Self::Pdf,
            _ => return None,
        })
    }

    /// Its media type.
    #[must_use]
    pub fn mime(self) -> &'static str {
        match self {
            Self::Image(format) => format.to_mime_type(),
            Self::Pdf => "application/pdf",
        }
    }
}

/// Behind the two letters: four bytes that are zero, and a header of a known length.
fn is_bmp(sample: &[u8]) -> bool {
    sample.get(6..10) == Some(&[0; 4])
        && matches!(sample.get(14..18), Some([12 | 40 | 52 | 56 | 64 | 108 | 124, 0, 0, 0]))
}
