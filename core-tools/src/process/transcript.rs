//! What a process has printed since somebody last looked: the beginning and the end, in bounded memory (codex-rs).

use std::collections::VecDeque;

use super::decode::unfinished;

/// As much is kept of the beginning, and as much of the end (codex-rs: 1 MiB in all).
const HALF: usize = 512 * 1024;

/// Takes what is printed.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bytes: u64,
    breaks: u64,
}

/// What was printed.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// The text that was kept: all of it, or the beginning and the end.
    pub(crate) text: String,
    /// How many bytes there were.
    pub(crate) bytes: u64,
    /// How many of them were not kept, in the middle.
    pub(crate) dropped: u64,
    /// How many lines there were.
    pub(crate) lines: u64,
}

impl Transcript {
    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.breaks += memchr::memchr_iter(b'\n', bytes).count() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(HALF - self.head.len()));
        self.head.extend_from_slice(first);
        let surplus = (self.tail.len() + rest.len()).saturating_sub(HALF);
        self.tail.drain(..surplus.min(self.tail.len()));
        self.tail.extend(&rest[rest.len().saturating_sub(HALF)..]);
    }

    /// What there is, left where it is.
    pub(super) fn glance(&self) -> String {
        let (front, back) = self.tail.as_slices();
        String::from_utf8_lossy(&[&self.head, front, back].concat()).into_owned()
    }

    /// Hands out what there is. Where more is to come, the beginning of a character stays for the next time.
    pub(super) fn take(&mut self, more_comes: bool) -> Taken {
        let Self { mut head, tail, bytes, breaks } = std::mem::take(self);
        let mut tail = Vec::from(tail);
        let dropped = bytes - (head.len() + tail.len()) as u64;
        if dropped == 0 {
            head.append(&mut tail);
        }
        let last = if tail.is_empty() { &mut head } else { &mut tail };
        let ends_with_break = last.last() == Some(&b'\n');
        let begun = if more_comes { last.split_off(last.len() - unfinished(last)) } else { Vec::new() };
        let mut text = String::from_utf8_lossy(&head).into_owned();
        text.push_str(&String::from_utf8_lossy(&tail));
        self.push(&begun);
        let lines = breaks + u64::from(bytes > 0 && !ends_with_break);
        Taken { text, bytes: bytes - begun.len() as u64, dropped, lines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_dropped() {
        let mut transcript = Transcript::default();
        for _ in 0..40 {
            transcript.push(&[b'a'; 50_000]);
        }
        transcript.push(b"\nend");
        let taken = transcript.take(false);
        assert_eq!((taken.bytes, taken.lines), (2_000_004, 2));
        assert_eq!(taken.dropped, 2_000_004 - 2 * HALF as u64);
        assert_eq!(taken.text.len(), 2 * HALF);
        assert!(taken.text.ends_with("a\nend"));
        assert_eq!(transcript.take(false).bytes, 0);
    }

    #[test]
    fn a_character_that_is_split_between_two_looks_stays_one() {
        let mut transcript = Transcript::default();
        transcript.push(b"a\xe2\x82");
        assert_eq!(transcript.take(true).text, "a");
        transcript.push(b"\xac");
        assert_eq!(transcript.take(true).text, "\u{20ac}");
        transcript.push(b"\xe2");
        assert_eq!(transcript.take(false).text, "\u{fffd}");
    }
}
