//! Places and strategies in words, as errors name them.

use std::fmt;

use super::{matching::Strategy, plan::Likeness};

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

impl fmt::Display for Likeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(nearest) => nearest.fmt(f),
            Self::None => f.write_str("Nothing in the file is like it: it may be another file."),
            Self::NotSought => f.write_str("The place most like it was not looked for."),
        }
    }
}

/// `which begin at lines 1, 4 and 9`: all lines, or the first ones.
pub(crate) fn in_lines(lines: &[usize], count: usize) -> String {
    let numbers: Vec<String> = lines.iter().map(ToString::to_string).collect();
    match numbers.split_last() {
        Some((only, rest)) if numbers.len() == count && rest.iter().all(|other| other == only) => {
            format!("all in line {only}")
        }
        Some((last, rest)) if numbers.len() == count => format!("which begin at lines {} and {last}", rest.join(", ")),
        _ => format!("which begin at lines {} and further down", numbers.join(", ")),
    }
}
