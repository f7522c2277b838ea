//! A text file's bytes as UTF-8, and back.

use std::fmt;

use super::{BOM, SAMPLE, looks_binary};

/// How a text file is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8, or anything that is like it where it is ASCII: bytes that are not valid stay what they are.
    #[default]
    Utf8,
    /// UTF-16, the low byte first. Known by its byte order mark.
    Utf16Le,
    /// UTF-16, the high byte first. Known by its byte order mark.
    Utf16Be,
}

impl Encoding {
    const fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf8 => BOM.as_bytes(),
            Self::Utf16Le => b"\xff\xfe",
            Self::Utf16Be => b"\xfe\xff",
        }
    }

    const fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Utf16Be => u16::from_be_bytes(bytes),
            _ => u16::from_le_bytes(bytes),
        }
    }

    const fn bytes(self, unit: u16) -> [u8; 2] {
        match self {
            Self::Utf16Be => unit.to_be_bytes(),
            _ => unit.to_le_bytes(),
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16 (little endian)",
            Self::Utf16Be => "UTF-16 (big endian)",
        })
    }
}

/// Why some bytes are not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotText {
    /// A NUL, or too many control characters, near the beginning.
    #[error("it is a binary file")]
    Binary,
    /// The byte order mark of UTF-32, which is not supported.
    #[error("it is UTF-32, which is not supported: convert it to UTF-8 first")]
    Utf32,
}

/// A text file as it is worked on: UTF-8 without its byte order mark, and what is needed to store it as it was.
///
/// Invalid UTF-8 stays as it is. UTF-16 becomes UTF-8, with halves of surrogate pairs as the three bytes that WTF-8 has
/// for them; an odd byte at its end is kept apart. So `file.encode(file.bytes().to_vec())` is the file, byte by byte,
/// and after an edit every character that it did not touch has the bytes it had.
///
/// ```
/// use core_tools::text_file::TextFile;
/// let file = TextFile::decode(b"\xff\xfeh\0i\0".to_vec())?;
/// assert_eq!(file.bytes(), b"hi");
/// assert_eq!(file.encode(b"ho".to_vec()), b"\xff\xfeh\0o\0");
/// # Ok::<(), core_tools::text_file::NotText>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextFile {
    encoding: Encoding,
    marked: bool,
    bytes: Vec<u8>,
    /// Half a unit at the end of UTF-16.
    odd: Option<u8>,
}

impl TextFile {
    /// Takes a file's bytes.
    ///
    /// # Errors
    /// When they are not text.
    pub fn decode(mut stored: Vec<u8>) -> Result<Self, NotText> {
        if stored.starts_with(b"\xff\xfe\0\0") || stored.starts_with(b"\0\0\xfe\xff") {
            return Err(NotText::Utf32);
        }
        let wide = [Encoding::Utf16Le, Encoding::Utf16Be].into_iter().find(|it| stored.starts_with(it.mark()));
        let file = if let Some(encoding) = wide {
            let (units, odd) = stored[2..].as_chunks::<2>();
            let bytes = from_units(units.iter().map(|unit| encoding.unit(*unit)), stored.len());
            Self { encoding, marked: true, bytes, odd: odd.first().copied() }
        } else {
            let marked = stored.starts_with(Encoding::Utf8.mark());
            if marked {
                stored.drain(..BOM.len());
            }
            Self { encoding: Encoding::Utf8, marked, bytes: stored, odd: None }
        };
        let sample = &file.bytes[..file.bytes.len().min(SAMPLE)];
        if looks_binary(sample) { Err(NotText::Binary) } else { Ok(file) }
    }

    /// No text yet, to be stored in this way. UTF-16 always has its mark.
    #[must_use]
    pub fn empty(encoding: Encoding, marked: bool) -> Self {
        Self { encoding, marked: marked || encoding != Encoding::Utf8, ..Self::default() }
    }

    /// The text, without its mark. UTF-8, but where the file is not.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How it is stored.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Whether it has a byte order mark.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.marked
    }

    /// Another text, stored as this one is. Costs nothing for UTF-8 without a mark. In UTF-16, what is neither UTF-8 nor
    /// half a surrogate pair becomes U+FFFD: it has no form there.
    #[must_use]
    pub fn encode(&self, mut text: Vec<u8>) -> Vec<u8> {
        if self.encoding == Encoding::Utf8 {
            if self.marked {
                text.splice(..0, BOM.bytes());
            }
            return text;
        }
        let mut stored = Vec::with_capacity(2 * text.len() + 3);
        stored.extend_from_slice(self.encoding.mark());
        to_units(&text, |unit| stored.extend_from_slice(&self.encoding.bytes(unit)));
        stored.extend(self.odd);
        stored
    }
}

fn from_units(units: impl Iterator<Item = u16>, hint: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(hint);
    for unit in char::decode_utf16(units) {
        match unit {
            Ok(char) => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(half) => {
                let [high, low] = half.unpaired_surrogate().to_be_bytes();
                bytes.extend([0xed, 0x80 | (high & 0x0f) << 2 | low >> 6, 0x80 | low & 0x3f]);
            }
        }
    }
    bytes
}

fn to_units(mut text: &[u8], mut put: impl FnMut(u16)) {
    let put_text = |text: &str, put: &mut dyn FnMut(u16)| text.encode_utf16().for_each(put);
    loop {
        let valid = match std::str::from_utf8(text) {
            Ok(valid) => return put_text(valid, &mut put),
            Err(error) => error.valid_up_to(),
        };
        let (good, bad) = text.split_at(valid);
        put_text(&String::from_utf8_lossy(good), &mut put);
        if let [0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf, rest @ ..] = bad {
            put(0xd000 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f));
            text = rest;
        } else {
            put(0xfffd);
            text = &bad[1..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(stored: &[u8]) -> TextFile {
        let file = TextFile::decode(stored.to_vec()).expect("text");
        assert_eq!(file.encode(file.bytes().to_vec()), stored);
        file
    }

    fn wide(encoding: Encoding, units: &[u16]) -> Vec<u8> {
        let mut stored = encoding.mark().to_vec();
        stored.extend(units.iter().flat_map(|unit| encoding.bytes(*unit)));
        stored
    }

    #[test]
    fn nothing_is_lost() {
        assert_eq!(round(b"\xef\xbb\xbfa\xff\r\n").bytes(), b"a\xff\r\n");
        assert_eq!(round(b"").bytes(), b"");
        // A mark behind the mark is text.
        assert_eq!(round("\u{feff}\u{feff}a".as_bytes()).bytes(), "\u{feff}a".as_bytes());
        for encoding in [Encoding::Utf16Le, Encoding::Utf16Be] {
            let halves = wide(encoding, &[0x61, 0xd83d, 0xde00, 0xdc00, 0xd800, 0x20ac, 0xdbff, 0xdfff, 0xd800]);
            let file = round(&halves);
            assert!(file.bytes().starts_with("a\u{1f600}\u{ed}".split('\u{ed}').next().expect("a part").as_bytes()));
            assert_eq!(file.encoding(), encoding);
            round(&[halves, vec![7]].concat());
            round(&wide(encoding, &[]));
        }
    }

    #[test]
    fn every_unit_survives() {
        for encoding in [Encoding::Utf16Le, Encoding::Utf16Be] {
            let units: Vec<u16> = (0x20..=0xffff).rev().chain(0x20..=0xffff).collect();
            round(&wide(encoding, &units));
        }
    }

    #[test]
    fn what_is_not_text() {
        assert_eq!(TextFile::decode(b"a\0b".to_vec()), Err(NotText::Binary));
        assert_eq!(TextFile::decode(b"\xff\xfe\0\0a\0\0\0".to_vec()), Err(NotText::Utf32));
        assert_eq!(TextFile::decode(wide(Encoding::Utf16Le, &[0x61, 0])), Err(NotText::Binary));
    }

    #[test]
    fn bad_bytes_have_no_form_in_utf_16() {
        let file = round(b"\xff\xfea\0");
        assert_eq!(file.encode(b"\xff\xc3".to_vec()), b"\xff\xfe\xfd\xff\xfd\xff");
    }
}
