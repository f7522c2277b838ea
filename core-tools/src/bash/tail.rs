//! The end of a text that is longer than what may be shown.

/// The last lines of a text that comes in pieces. Keeps no more than twice what may be shown.
#[derive(Debug)]
pub(super) struct Tail {
    max_lines: usize,
    max_bytes: usize,
    text: String,
    bytes: u64,
    entries: u64,
}

impl Tail {
    /// At most so many lines and bytes of the end.
    pub(super) fn new(max_lines: usize, max_bytes: usize) -> Self {
        Self { max_lines, max_bytes, text: String::new(), bytes: 0, entries: 1 }
    }

    /// Takes the next piece.
    pub(super) fn push(&mut self, text: &str) {
        self.bytes += text.len() as u64;
        self.entries += memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
        self.text.push_str(text);
    }

    /// Forgets what cannot be shown any more.
    pub(super) fn trim(&mut self) {
        if self.text.len() > self.max_bytes.saturating_mul(2) {
            // One byte more than may be shown, so that the line cut here is never taken for a whole one.
            let start = self.text.floor_char_boundary(self.text.len() - self.max_bytes - 1);
            self.text.drain(..start);
        }
    }

    /// What has come since the last forgetting: all of the text, until [`is_cut`](Self::is_cut) and [`trim`](Self::trim).
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the text is longer than what may be shown. As in opencode, and unlike in the rest of the framework, a
    /// final line break counts as the beginning of one more, empty line: of 2500 lines the last 1999 are shown.
    pub(super) fn is_cut(&self) -> bool {
        self.bytes > self.max_bytes as u64 || self.entries > self.max_lines as u64
    }

    /// What is shown: whole lines, but for a line that alone is too long, of which the end is shown. (opencode shows
    /// nothing at all where a line break follows such a line.)
    pub(super) fn finish(self) -> String {
        if !self.is_cut() {
            return self.text;
        }
        let text = self.text;
        let mut kept = 0;
        for (at, line) in text.rsplit('\n').take(self.max_lines).enumerate() {
            let more = kept + line.len() + usize::from(at > 0);
            if more > self.max_bytes {
                break;
            }
            kept = more;
        }
        let mut start = text.len() - kept;
        if text[start..].trim().is_empty() && self.max_lines > 0 {
            start = text.ceil_char_boundary(text.len().saturating_sub(self.max_bytes));
        }
        text[start..].to_owned()
    }
}

/// The last characters of a text, marked where that is not all of it.
pub(super) fn last_chars(text: &str, most: usize) -> String {
    match text.char_indices().rev().nth(most.saturating_sub(1)) {
        Some((start, _)) if start > 0 => format!("...\n\n{}", &text[start..]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(pieces: &[&str], lines: usize, bytes: usize) -> String {
        let mut tail = Tail::new(lines, bytes);
        for piece in pieces {
            tail.push(piece);
            tail.trim();
        }
        tail.finish()
    }

    #[test]
    fn the_entry_after_the_last_break_counts() {
        assert_eq!(tail(&["1\n2\n3\n"], 3, 100), "2\n3\n");
        assert_eq!(tail(&["1\n2\n3"], 3, 100), "1\n2\n3");
        assert_eq!(tail(&["1\n2"], 3, 100), "1\n2");
    }

    #[test]
    fn bytes_are_counted_with_breaks() {
        assert_eq!(tail(&["aaaa\nbb\ncc"], 9, 5), "bb\ncc");
        assert_eq!(tail(&["aaaa\nbb\ncc"], 9, 4), "cc");
    }

    #[test]
    fn a_line_that_is_too_long_keeps_its_end() {
        assert_eq!(tail(&["0123456789"], 9, 4), "6789");
        assert_eq!(tail(&["012345678\n"], 9, 4), "678\n");
        assert_eq!(tail(&["€€€"], 9, 4), "€");
    }

    #[test]
    fn what_was_forgotten_is_never_shown_in_part() {
        assert_eq!(tail(&["aaaaaaaa", "aaaa\n", "bb\n"], 9, 5), "bb\n");
        let long = tail(&vec!["0123456789\n"; 1000], 9, 45);
        assert_eq!(long, "0123456789\n".repeat(4));
    }

    #[test]
    fn last_characters() {
        assert_eq!(last_chars("abc", 3), "abc");
        assert_eq!(last_chars("äbcd", 3), "...\n\nbcd");
        assert_eq!(last_chars("", 3), "");
    }
}
