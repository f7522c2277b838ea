//! Bytes of a text file, in whatever of the two encodings they are, as the UTF-8 that is shown.

use encoding_rs::{Decoder, Encoding, UTF_16BE, UTF_16LE};

use super::window::WindowScan;
use crate::text_file::BOM;

/// A file's text being read. UTF-8, bad bytes and all, unless a byte order mark says that it is UTF-16, which opencode
/// refuses as binary.
pub(super) struct Decode {
    utf16: Option<Decoder>,
    /// How many bytes of a byte order mark are still to be left out.
    mark: usize,
    text: String,
}

impl Decode {
    /// For a file that begins like this.
    pub(super) fn of(sample: &[u8]) -> Self {
        let utf16 = match sample {
            // Four bytes a character: nobody writes that but programs for themselves.
            [0xff, 0xfe, 0, 0, ..] => None,
            [0xff, 0xfe, ..] => Some(UTF_16LE),
            [0xfe, 0xff, ..] => Some(UTF_16BE),
            _ => None,
        };
        let mark = match utf16 {
            Some(_) => 2,
            None if sample.starts_with(BOM.as_bytes()) => BOM.len(),
            None => 0,
        };
        Self { utf16: utf16.map(Encoding::new_decoder_without_bom_handling), mark, text: String::new() }
    }

    pub(super) fn is_utf8(&self) -> bool {
        self.utf16.is_none()
    }

    /// Hands on the next bytes of the file.
    pub(super) fn push(&mut self, bytes: &[u8], scan: &mut WindowScan) {
        let mark = std::mem::take(&mut self.mark).min(bytes.len());
        self.hand_on(&bytes[mark..], false, scan);
    }

    /// The file ends here, in the middle of a character perhaps.
    pub(super) fn finish(mut self, scan: &mut WindowScan) {
        self.hand_on(&[], true, scan);
    }

    fn hand_on(&mut self, bytes: &[u8], last: bool, scan: &mut WindowScan) {
        let Some(utf16) = &mut self.utf16 else { return scan.push(bytes) };
        let room = utf16.max_utf8_buffer_length(bytes.len()).unwrap_or_default();
        self.text.clear();
        self.text.reserve(room);
        // As much room as it can need: it takes all of the bytes.
        let _ = utf16.decode_to_string(bytes, &mut self.text, last);
        scan.push(self.text.as_bytes());
    }
}
