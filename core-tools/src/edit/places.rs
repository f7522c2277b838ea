//! Places and strategies in words, as errors name them.

use super::matching::Strategy;

impl Strategy {
    /// Which strategy found something, where it was a lax one.
    pub(crate) fn by(self) -> String {
        match self {
            Self::Exact => String::new(),
            lax => format!(" (found by the strategy `{lax}`, for it is not there as it was given)"),
        }
    }

    /// What the strategy did not look at, and what that means for the new text.
    pub(crate) fn note(self) -> &'static str {
        match self {
            Self::Exact => "line endings did not count",
            Self::LineTrimmed => {
                "blanks around lines did not count, and the new text was indented as the file is there"
            }
            Self::Typographic => "typographic quotes, dashes and blanks counted as plain ones",
            Self::BlockAnchor => {
                "the first and the last line are equal, those between only alike; the new text was indented as the file is \
                 there"
            }
            Self::WhitespaceNormalised => {
                "blanks between words did not count, and the new text was indented as the file is there"
            }
            Self::EscapeNormalised => "escapes such as `\\n` were undone to find it, but not in the new text",
            Self::TrimmedBoundary => "blanks around the text did not count",
            Self::ContextAware => {
                "the first and the last line are equal, and half of those between; the new text was indented as the file \
                 is there"
            }
        }
    }
}

/// `which begin at lines 1, 4 and 9`.
pub(crate) fn in_lines(lines: &[usize], count: usize) -> String {
    let numbers: Vec<String> = lines.iter().map(ToString::to_string).collect();
    match numbers.as_slice() {
        all if all.len() < count => format!("which begin at lines {} and further down", all.join(", ")),
        [..] if lines.windows(2).all(|pair| pair[0] == pair[1]) => {
            format!("all in line {}", numbers.first().map_or("", String::as_str))
        }
        [first @ .., last] => format!("which begin at lines {} and {last}", first.join(", ")),
        [] => String::new(),
    }
}
