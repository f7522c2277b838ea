//! The byte order mark that some editors put in front of UTF-8.

/// U+FEFF, in UTF-8 the bytes EF BB BF.
pub const BOM: &str = "\u{feff}";

/// Whether some bytes start with the mark.
#[must_use]
pub fn has_bom(bytes: &[u8]) -> bool {
    bytes.starts_with(BOM.as_bytes())
}

/// The text without the mark.
#[must_use]
pub fn strip_bom(text: &str) -> &str {
    text.strip_prefix(BOM).unwrap_or(text)
}

/// The bytes without the mark.
#[must_use]
pub fn strip_bom_bytes(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BOM.as_bytes()).unwrap_or(bytes)
}
