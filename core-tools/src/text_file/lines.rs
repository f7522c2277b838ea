//! Where the lines of a file begin and end, over its bytes.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
    /// A lone `\r`, which ends lines only in a file that has no `\n` at all.
    Cr,
    /// Nothing: the last line of a file without a final line break.
    None,
}

impl Ending {
    /// Its bytes.
    #[must_use]
    pub const fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
            Self::Cr => b"\r",
            Self::None => b"",
        }
    }
}

/// The lines of a file. Lines are counted from 0 here; a final line break starts no further line, and an empty file has
/// no line.
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    bytes: &'a [u8],
    starts: Vec<usize>,
    /// Whether `\r` alone ends lines here.
    lone_cr: bool,
}

impl<'a> Lines<'a> {
    /// Finds the lines of some bytes: one pass, and eight bytes of memory a line.
    #[must_use]
    pub fn of(bytes: &'a [u8]) -> Self {
        Self::ended_by(bytes, memchr(b'\n', bytes).is_none() && memchr(b'\r', bytes).is_some())
    }

    /// The same, but a lone `\r` never ends a line: as `diff` and git see a file.
    #[must_use]
    pub fn of_lf(bytes: &'a [u8]) -> Self {
        Self::ended_by(bytes, false)
    }

    fn ended_by(bytes: &'a [u8], lone_cr: bool) -> Self {
        let breaks = memchr_iter(if lone_cr { b'\r' } else { b'\n' }, bytes).map(|at| at + 1);
        let mut starts: Vec<usize> = std::iter::once(0).chain(breaks).collect();
        if starts.last() == Some(&bytes.len()) {
            starts.pop();
        }
        Self { bytes, starts, lone_cr }
    }

    /// How many lines there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The bytes of a line with its ending; empty, at the end of the file, for one that does not exist.
    #[must_use]
    pub fn range(&self, line: usize) -> Range<usize> {
        self.start(line)..self.start(line.saturating_add(1))
    }

    /// Where a line starts; the end of the file for the one after the last.
    #[must_use]
    pub fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.bytes.len())
    }

    /// The bytes of a line without its ending.
    #[must_use]
    pub fn content_range(&self, line: usize) -> Range<usize> {
        let Range { start, end } = self.range(line);
        start..end - self.ending(line).bytes().len()
    }

    /// A line without its ending.
    #[must_use]
    pub fn content(&self, line: usize) -> &'a [u8] {
        &self.bytes[self.content_range(line)]
    }

    /// How a line ends.
    #[must_use]
    pub fn ending(&self, line: usize) -> Ending {
        let line = &self.bytes[self.range(line)];
        match line {
            [.., b'\r', b'\n'] => Ending::CrLf,
            [.., b'\n'] => Ending::Lf,
            [.., b'\r'] if self.lone_cr => Ending::Cr,
            _ => Ending::None,
        }
    }

    /// The line that a byte is in; the last one for the end of the file.
    #[must_use]
    pub fn at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// The lines without their endings, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + DoubleEndedIterator + '_ {
        (0..self.len()).map(|line| self.content(line))
    }
}

/// The line ending of a place in a file: of the line that the byte is in, else of the line before, `\n` in a file of
/// one line. Looks no further than it has to.
#[must_use]
pub fn ending_at(bytes: &[u8], byte: usize) -> Ending {
    let byte = byte.min(bytes.len());
    let next = memchr(b'\n', &bytes[byte..]).map(|at| byte + at);
    match next.or_else(|| memrchr(b'\n', &bytes[..byte])) {
        Some(at) if bytes[..at].ends_with(b"\r") => Ending::CrLf,
        Some(_) => Ending::Lf,
        None if memchr(b'\r', bytes).is_some() => Ending::Cr,
        None => Ending::Lf,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<(&[u8], Ending)> {
        let lines = Lines::of(bytes);
        (0..lines.len()).map(|line| (lines.content(line), lines.ending(line))).collect()
    }

    #[test]
    fn every_ending() {
        assert_eq!(all(b""), []);
        assert_eq!(all(b"\n"), [(&b""[..], Ending::Lf)]);
        assert_eq!(
            all(b"a\r\nb\n\xff\r\r\nd"),
            [(&b"a"[..], Ending::CrLf), (b"b", Ending::Lf), (b"\xff\r", Ending::CrLf), (b"d", Ending::None)]
        );
        assert_eq!(all(b"a\rb\r"), [(&b"a"[..], Ending::Cr), (b"b", Ending::Cr)]);
        assert_eq!(all(b"a\rb\n"), [(&b"a\rb"[..], Ending::Lf)]);
    }

    #[test]
    fn the_ranges_are_the_file() {
        for bytes in [&b"a\r\nb\n\nc"[..], b"a\rb\rc\r", b"\n\n", b"x"] {
            let lines = Lines::of(bytes);
            let whole: Vec<u8> = (0..lines.len()).flat_map(|line| bytes[lines.range(line)].to_vec()).collect();
            assert_eq!(whole, bytes);
            for byte in 0..bytes.len() {
                assert!(lines.range(lines.at(byte)).contains(&byte), "{byte} of {bytes:?}");
            }
            assert_eq!(lines.at(bytes.len()), lines.len() - 1);
            assert_eq!(lines.range(lines.len() + 7), bytes.len()..bytes.len());
        }
    }

    #[test]
    fn the_ending_of_a_place_is_that_of_its_line_or_the_one_before() {
        let bytes = b"a\r\nb\nlast";
        assert_eq!(ending_at(bytes, 0), Ending::CrLf);
        assert_eq!(ending_at(bytes, 3), Ending::Lf);
        assert_eq!(ending_at(bytes, 6), Ending::Lf);
        assert_eq!(ending_at(b"a\r\nlast", 9), Ending::CrLf);
        assert_eq!(ending_at(b"a\rb", 2), Ending::Cr);
        assert_eq!(ending_at(b"", 0), Ending::Lf);
    }
}
