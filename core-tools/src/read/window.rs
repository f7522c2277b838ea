//! The lines of a window, found in bytes that come chunk by chunk, in memory that depends on what is shown alone.
//!
//! A line ends with `\n` or `\r\n`; a lone `\r` belongs to its line. A final line break starts no further line. Unlike in
//! opencode, the number of lines is always known, also where the byte limit ended the window: the rest is counted.

/// At most this many bytes of lines are shown (opencode).
const MAX_BYTES: usize = 50 * 1024;
/// Lines are cut after this many UTF-16 units (opencode).
const MAX_UNITS: usize = 2000;
/// A line longer than this in bytes is longer than [`MAX_UNITS`] too, whatever is in it.
const MAX_LINE_BYTES: usize = 4 * MAX_UNITS;
const CUT: &str = "... (line truncated to 2000 chars)";

/// A window that is being looked for.
pub(super) struct WindowScan {
    offset: u64,
    limit: u64,
    /// The number of the line that the next byte belongs to.
    number: u64,
    /// Whether that line has a byte already.
    started: bool,
    /// That line so far, as much as can be shown of it; empty outside the window.
    line: Vec<u8>,
    lines: Vec<String>,
    bytes: usize,
    capped: bool,
}

/// The lines of a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    /// The number of the first line shown.
    pub(super) first: u64,
    /// The lines shown, without their breaks.
    pub(super) lines: Vec<String>,
    /// How many lines the file has.
    pub(super) total: u64,
    /// Whether the byte limit ended it.
    capped: bool,
}

impl WindowScan {
    /// Looks for at most `limit` lines from line `offset` on, counted from 1.
    pub(super) fn new(offset: u64, limit: u64) -> Self {
        let offset = offset.max(1);
        Self { offset, limit, number: 1, started: false, line: Vec::new(), lines: Vec::new(), bytes: 0, capped: false }
    }

    /// Takes the next bytes of the file.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        let mut rest = chunk;
        if self.number < self.offset {
            rest = self.skip(rest);
        }
        while !rest.is_empty() && self.wants_more() {
            let end = memchr::memchr(b'\n', rest);
            let part = &rest[..end.unwrap_or(rest.len())];
            // One byte more than can be shown tells that the line is longer.
            let room = (MAX_LINE_BYTES + 1).saturating_sub(self.line.len()).min(part.len());
            self.line.extend_from_slice(&part[..room]);
            self.started = true;
            match end {
                None => return,
                Some(end) => {
                    rest = &rest[end + 1..];
                    if self.line.last() == Some(&b'\r') {
                        self.line.pop();
                    }
                    self.take_line();
                }
            }
        }
        self.count(rest);
    }

    /// The window, at the end of the file.
    pub(super) fn finish(mut self) -> Window {
        let total = self.number - u64::from(!self.started);
        if self.started && self.number >= self.offset && self.wants_more() {
            self.take_line();
        }
        Window { first: self.offset, lines: self.lines, total, capped: self.capped }
    }

    /// Passes over what is before the window; gives what is left.
    fn skip<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let breaks = memchr::memchr_iter(b'\n', chunk).count() as u64;
        let wanted = self.offset - self.number;
        if breaks < wanted {
            self.count(chunk);
            return &[];
        }
        let nth = usize::try_from(wanted - 1).ok().and_then(|nth| memchr::memchr_iter(b'\n', chunk).nth(nth));
        self.number = self.offset;
        self.started = false;
        nth.map_or(&[], |at| &chunk[at + 1..])
    }

    /// Counts lines that are not shown.
    fn count(&mut self, rest: &[u8]) {
        if let Some(last) = rest.last() {
            self.number += memchr::memchr_iter(b'\n', rest).count() as u64;
            self.started = *last != b'\n';
        }
    }

    fn wants_more(&self) -> bool {
        !self.capped && (self.lines.len() as u64) < self.limit
    }

    fn take_line(&mut self) {
        let text = shown(&self.line);
        let cost = text.len() + usize::from(!self.lines.is_empty());
        if self.bytes + cost > MAX_BYTES {
            self.capped = true;
        } else {
            self.bytes += cost;
            self.lines.push(text);
        }
        self.line.clear();
        self.number += 1;
        self.started = false;
    }
}

/// A line as it is shown: bad bytes as U+FFFD, cut when it is too long.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut units = 0;
    for (at, char) in text.char_indices() {
        units += char.len_utf16();
        if units > MAX_UNITS {
            return format!("{}{CUT}", &text[..at]);
        }
    }
    text.into_owned()
}

impl Window {
    /// The number of the last line shown.
    pub(super) fn last(&self) -> u64 {
        (self.first + self.lines.len() as u64).saturating_sub(1)
    }

    /// Whether there are further lines.
    pub(super) fn truncated(&self) -> bool {
        self.last() < self.total
    }

    /// The lines with their numbers.
    pub(super) fn numbered(&self) -> String {
        let lines = self.lines.iter().zip(self.first..);
        lines.map(|(line, number)| format!("{number}: {line}")).collect::<Vec<_>>().join("\n")
    }

    /// What is said below the lines.
    pub(super) fn trailer(&self) -> String {
        let (first, last, next, total) = (self.first, self.last(), self.last() + 1, self.total);
        if self.capped {
            format!("(Output capped at 50 KB. Showing lines {first}-{last}. Use offset={next} to continue.)")
        } else if self.truncated() {
            format!("(Showing lines {first}-{last} of {total}. Use offset={next} to continue.)")
        } else {
            format!("(End of file - total {total} lines)")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &[u8], chunk: usize, offset: u64, limit: u64) -> Window {
        let mut scan = WindowScan::new(offset, limit);
        text.chunks(chunk).for_each(|part| scan.push(part));
        scan.finish()
    }

    #[test]
    fn chunks_make_no_difference() {
        let texts: [&[u8]; 9] = [
            b"",
            b"\n",
            b"a",
            b"a\n",
            b"a\r\nb\r\n",
            b"a\rb\n\nc",
            b"\n\n\n",
            "ä\u{1f600}\nö".as_bytes(),
            b"\xff\xfe\n\xe4",
        ];
        for text in texts {
            let newlines = String::from_utf8_lossy(text);
            let lines: Vec<&str> = newlines.lines().collect();
            for offset in 1..5 {
                for limit in 0..4 {
                    for chunk in 1..6 {
                        let window = scan(text, chunk, offset, limit);
                        assert_eq!(window.total, lines.len() as u64, "{text:?} {offset} {limit} {chunk}");
                        let skip = usize::try_from(offset - 1).expect("small");
                        let take = usize::try_from(limit).expect("small");
                        let expected: Vec<&str> = lines.iter().skip(skip).take(take).copied().collect();
                        assert_eq!(window.lines, expected, "{text:?} {offset} {limit} {chunk}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_cut_counts_utf_16_units() {
        let line = "\u{1f600}".repeat(1001);
        let window = scan(line.as_bytes(), 7, 1, 1);
        assert_eq!(window.lines, [format!("{}{CUT}", "\u{1f600}".repeat(1000))]);
        assert_eq!(scan("€".repeat(2000).as_bytes(), 7, 1, 1).lines, ["€".repeat(2000)]);
    }

    #[test]
    fn a_line_of_the_longest_length_with_crlf_is_whole() {
        let line = format!("{}\r\n", "x".repeat(2000));
        assert_eq!(scan(line.as_bytes(), 100, 1, 1).lines, ["x".repeat(2000)]);
    }

    #[test]
    fn the_byte_limit_counts_breaks_and_the_rest_is_counted() {
        let text = format!("{}\n", "x".repeat(1023)).repeat(100);
        let window = scan(text.as_bytes(), 4096, 1, 2000);
        assert_eq!((window.lines.len(), window.total), (50, 100));
        assert_eq!(window.trailer(), "(Output capped at 50 KB. Showing lines 1-50. Use offset=51 to continue.)");
    }
}
