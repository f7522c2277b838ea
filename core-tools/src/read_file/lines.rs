//! A file's lines, as its bytes come.

use crate::{search::cut, text_file::strip_bom_bytes};

/// Lines are cut after so many bytes, without a mark (codex).
const MAX_LINE: usize = 500;
/// As much of a line is held; more than is shown, for it may shrink on the way.
const HELD: usize = 4 * MAX_LINE;

/// Takes bytes apart into lines; holds a line only where it comes in pieces, and then its beginning.
#[derive(Debug, Default)]
pub(super) struct LineScan {
    held: Vec<u8>,
    /// How many lines are complete.
    number: u64,
    /// Whether the line that is coming has a byte.
    started: bool,
}

impl LineScan {
    /// Hands over the lines that end in these bytes, with their numbers, until one is the last that is wanted. Says
    /// whether more are wanted.
    pub(super) fn push(&mut self, mut chunk: &[u8], take: &mut dyn FnMut(u64, &[u8]) -> bool) -> bool {
        while let Some(end) = memchr::memchr(b'\n', chunk) {
            let line = &chunk[..end];
            chunk = &chunk[end + 1..];
            self.number += 1;
            let wanted = if self.started {
                self.hold(line);
                let wanted = take(self.number, bare(self.number, &self.held));
                self.held.clear();
                self.started = false;
                wanted
            } else {
                take(self.number, bare(self.number, &line[..line.len().min(HELD)]))
            };
            if !wanted {
                return false;
            }
        }
        if !chunk.is_empty() {
            self.started = true;
            self.hold(chunk);
        }
        true
    }

    /// Hands over a last line without a line break.
    pub(super) fn finish(self, take: &mut dyn FnMut(u64, &[u8]) -> bool) {
        if self.started {
            take(self.number + 1, bare(self.number + 1, &self.held));
        }
    }

    fn hold(&mut self, part: &[u8]) {
        let room = HELD.saturating_sub(self.held.len()).min(part.len());
        self.held.extend_from_slice(&part[..room]);
    }
}

/// A line without its carriage return, the first without a byte order mark.
fn bare(number: u64, line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if number == 1 { strip_bom_bytes(line) } else { line }
}

/// A line as it is shown: bytes that are not UTF-8 as U+FFFD.
pub(super) fn shown(line: &[u8]) -> String {
    cut(&String::from_utf8_lossy(line), MAX_LINE).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_no_difference() {
        for text in [&b""[..], b"\n", b"a", b"a\r\nb\n\nc", b"\xef\xbb\xbfa\n\xff", b"long line\n\n\n"] {
            let whole = String::from_utf8_lossy(strip_bom_bytes(text)).into_owned();
            for size in 1..8 {
                let mut lines = Vec::new();
                let mut scan = LineScan::default();
                let mut take = |number: u64, line: &[u8]| {
                    lines.push(shown(line));
                    number == lines.len() as u64
                };
                text.chunks(size).for_each(|chunk| assert!(scan.push(chunk, &mut take)));
                scan.finish(&mut take);
                assert_eq!(lines, whole.lines().collect::<Vec<_>>(), "{text:?} {size}");
            }
        }
    }

    #[test]
    fn a_long_line_is_held_in_part() {
        let mut scan = LineScan::default();
        let mut lines = Vec::new();
        let mut take = |_: u64, line: &[u8]| {
            lines.push(line.len());
            true
        };
        for _ in 0..1000 {
            scan.push(&[b'x'; 1000], &mut take);
        }
        scan.push(b"\nshort\n", &mut take);
        assert_eq!(lines, [HELD, 5]);
    }
}
