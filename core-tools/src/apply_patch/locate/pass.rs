//! When a line of a patch and a line of a file count as the same.

use std::borrow::Cow;

/// How strictly lines are compared; codex's four passes, the strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pass {
    /// Byte for byte.
    Exact,
    /// White space at the end does not count.
    TrailingSpace,
    /// White space at both ends does not count.
    OuterSpace,
    /// Nor does the kind of dashes, quotes, blanks (codex) and dots (opencode).
    Punctuation,
}

impl Pass {
    /// All of them, the strictest first.
    pub const ALL: [Self; 4] = [Self::Exact, Self::TrailingSpace, Self::OuterSpace, Self::Punctuation];

    /// Its name in metadata and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::TrailingSpace => "trailing_space",
            Self::OuterSpace => "outer_space",
            Self::Punctuation => "punctuation",
        }
    }

    /// What of a line is compared. Bytes that are not UTF-8 count as the U+FFFD that a model is shown for them, but for
    /// the exact pass.
    #[must_use]
    pub fn key(self, line: &[u8]) -> Cow<'_, [u8]> {
        if self == Self::Exact {
            return Cow::Borrowed(line);
        }
        match String::from_utf8_lossy(line) {
            Cow::Borrowed(text) => match self.key_of(text) {
                Cow::Borrowed(key) => Cow::Borrowed(key.as_bytes()),
                Cow::Owned(key) => Cow::Owned(key.into_bytes()),
            },
            Cow::Owned(text) => Cow::Owned(self.key_of(&text).into_owned().into_bytes()),
        }
    }

    fn key_of(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Exact => Cow::Borrowed(text),
            Self::TrailingSpace => Cow::Borrowed(text.trim_end()),
            Self::OuterSpace => Cow::Borrowed(text.trim()),
            Self::Punctuation => fold(text.trim()),
        }
    }
}

/// Typographic signs as a keyboard has them.
fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => folded.push('-'),
            '\u{2018}'..='\u{201b}' => folded.push('\''),
            '\u{201c}'..='\u{201f}' => folded.push('"'),
            '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => folded.push(' '),
            '\u{2026}' => folded.push_str("..."),
            other => folded.push(other),
        }
    }
    Cow::Owned(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_as_the_same() {
        let strictest = |one: &[u8], other: &[u8]| Pass::ALL.into_iter().find(|pass| pass.key(one) == pass.key(other));
        assert_eq!(strictest(b"a", b"a"), Some(Pass::Exact));
        assert_eq!(strictest(b"a", b"a \t\x0b"), Some(Pass::TrailingSpace));
        assert_eq!(strictest("a\u{3000}".as_bytes(), b"a"), Some(Pass::TrailingSpace));
        assert_eq!(strictest(b"  a", b"\ta"), Some(Pass::OuterSpace));
        assert_eq!(strictest("“it’s” – x\u{a0}y…".as_bytes(), b"\"it's\" - x y..."), Some(Pass::Punctuation));
        assert_eq!(strictest(b"caf\xe9", "caf\u{fffd}".as_bytes()), Some(Pass::TrailingSpace));
        assert_eq!(strictest(b"a  b", b"a b"), None);
        assert_eq!(strictest(b"A", b"a"), None);
    }
}
