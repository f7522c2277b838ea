//! Replacing parts of a file, and the line endings of what is put in.

use std::{borrow::Cow, ops::Range};

use memchr::memchr;

use super::lines::{Ending, Lines, ending_at};

/// A part of a file, and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// The bytes that go.
    pub range: Range<usize>,
    /// The bytes that come.
    pub text: Vec<u8>,
}

impl Splice {
    /// A splice of text written with `\n`, in the line endings of where it lands (see [`adapt`]).
    #[must_use]
    pub fn adapted(content: &[u8], range: Range<usize>, text: &[u8]) -> Self {
        let text = adapt(content, &range, text).into_owned();
        Self { range, text }
    }
}

/// The content with all splices made. Every byte outside of them stays.
///
/// # Panics
/// When the splices are not in order, overlap, or reach beyond the content. Two may touch.
#[must_use]
pub fn apply(content: &[u8], splices: &[Splice]) -> Vec<u8> {
    let added: usize = splices.iter().map(|splice| splice.text.len()).sum();
    let mut result = Vec::with_capacity(content.len() + added);
    let mut done = 0;
    for Splice { range, text } in splices {
        assert!(range.start >= done && range.start <= range.end, "splices overlap or are out of order");
        result.extend_from_slice(&content[done..range.start]);
        result.extend_from_slice(text);
        done = range.end;
    }
    result.extend_from_slice(&content[done..]);
    result
}

/// Text written with `\n` (or `\r\n`), in the line endings of the place where it goes.
///
/// Lines at the beginning and the end of it that stand in the replaced part already keep the endings they have there, so
/// that a file of mixed endings keeps its mix; the others take the ending of the place ([`ending_at`]). A lone `\r` is
/// taken for text. Only the surroundings of the place are looked at.
///
/// # Panics
/// When the range is not of the content.
#[must_use]
pub fn adapt<'a>(content: &[u8], range: &Range<usize>, text: &'a [u8]) -> Cow<'a, [u8]> {
    if memchr(b'\n', text).is_none() {
        return Cow::Borrowed(text);
    }
    let replaced = &content[range.clone()];
    let place = ending_at(content, range.start);
    if place == Ending::Lf && memchr(b'\r', text).is_none() && memchr(b'\r', replaced).is_none() {
        return Cow::Borrowed(text);
    }
    // In a file of lone `\r` there is no `\n`, so that its part is cut at `\r` as well.
    let old = Lines::of(replaced);
    let new = Lines::of(text);
    let same = |(one, other): &(&[u8], &[u8])| one == other;
    let first = old.iter().zip(new.iter()).take_while(same).count();
    let most = old.len().min(new.len()) - first;
    let last = old.iter().rev().zip(new.iter().rev()).take_while(same).take(most).count();
    let mut result = Vec::with_capacity(text.len() + new.len());
    for line in 0..new.len() {
        result.extend_from_slice(new.content(line));
        if new.ending(line) == Ending::None {
            continue;
        }
        let kept = if line < first {
            old.ending(line)
        } else if line >= new.len() - last {
            old.ending(old.len() - (new.len() - line))
        } else {
            Ending::None
        };
        let ending = if kept == Ending::None { place } else { kept };
        result.extend_from_slice(ending.bytes());
    }
    Cow::Owned(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(content: &[u8], range: Range<usize>, text: &str) -> Vec<u8> {
        let splice = Splice::adapted(content, range, text.as_bytes());
        apply(content, &[splice])
    }

    #[test]
    fn several_and_nothing_else_changes() {
        let splices = [(0..1, "X"), (1..1, "Y"), (3..5, "")];
        let splices = splices.map(|(range, text)| Splice { range, text: text.into() });
        assert_eq!(apply(b"abc\xff\xfef", &splices), b"XYbcf");
        assert_eq!(apply(b"abc", &[]), b"abc");
    }

    #[test]
    fn text_takes_the_ending_of_where_it_lands() {
        assert_eq!(put(b"a\r\nb\r\n", 3..4, "x\ny"), b"a\r\nx\r\ny\r\n");
        assert_eq!(put(b"a\nb\n", 2..3, "x\r\ny"), b"a\nx\ny\n");
        assert_eq!(put(b"a\rb\r", 2..3, "x\ny"), b"a\rx\ry\r");
        assert_eq!(put(b"a\r\nlast", 7..7, "\nx\n"), b"a\r\nlast\r\nx\r\n");
        assert_eq!(put(b"", 0..0, "x\ny"), b"x\ny");
        // A lone CR in a file of LF is text.
        assert_eq!(put(b"a\nb\n", 0..1, "x\ry\n"), b"x\ry\n\nb\n");
    }

    #[test]
    fn a_mix_stays_where_lines_stay() {
        let content = b"one\r\ntwo\nthree\r\nfour\n";
        assert_eq!(
            put(content, 0..content.len(), "one\ntwo\nnew\nthree\nfour\n"),
            b"one\r\ntwo\nnew\r\nthree\r\nfour\n"
        );
    }
}
