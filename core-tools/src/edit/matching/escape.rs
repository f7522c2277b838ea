//! Text that was escaped once too often, or once too little.

use std::borrow::Cow;

use memchr::memchr;

use super::{Found, Strategy, Text, Wanted, exact, windows::runs};

/// The text without its escapes, where that stands in the file; else whole lines that are equal once their escapes are
/// undone.
pub(super) fn normalised(text: &Text<'_>, old: &str) -> Option<Found> {
    let plain = unescape(old.as_bytes());
    let plain = std::str::from_utf8(&plain).ok()?;
    if plain != old
        && let Some(found) = Found::whole(Strategy::EscapeNormalised, exact::places(text.content, plain), old)
    {
        return Some(found);
    }
    memchr(b'\\', text.content)?;
    let wanted = Wanted::of(plain);
    let lines = &wanted.lines;
    let is = |line: usize, at: usize| unescape(text.lines.content(line)) == lines[at];
    let starts = runs(text.lines.len(), lines.len(), |one, other| lines[one] == lines[other], is);
    let places = starts.into_iter().map(|start| text.range(start, lines.len(), wanted.ended)).collect();
    Found::whole(Strategy::EscapeNormalised, places, old)
}

/// Undoes the escapes that opencode knows: `\n`, `\t`, `\r`, quotes of three kinds, `\\`, `\$`, and a line break behind
/// a backslash. Others stay.
fn unescape(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr(b'\\', text) else { return Cow::Borrowed(text) };
    let mut plain = text[..first].to_vec();
    let mut rest = &text[first..];
    while let [byte, tail @ ..] = rest {
        rest = tail;
        let meant = match tail.first() {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(other @ (b'\'' | b'"' | b'`' | b'\\' | b'$' | b'\n')) => *other,
            _ => {
                plain.push(*byte);
                continue;
            }
        };
        if *byte == b'\\' {
            plain.push(meant);
            rest = &tail[1..];
        } else {
            plain.push(*byte);
        }
    }
    Cow::Owned(plain)
}
