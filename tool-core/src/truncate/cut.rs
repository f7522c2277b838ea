//! Where to cut: whole lines, never inside a character, in time that depends on what is kept.

use super::{Keep, Limits, Spilled};

/// The parts of a text that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The beginning; empty when only the end is kept.
    pub head: &'a str,
    /// The end; empty when only the beginning is kept.
    pub tail: &'a str,
    by: Stop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Lines,
    Bytes,
}

/// The parts of `text` that fit, or `None` when all of it does.
///
/// The parts are whole lines, but for a line that is longer than all that may be kept: of that one, as many bytes are
/// kept as fit, at a character's boundary.
#[must_use]
pub fn cut(text: &str, limits: Limits) -> Option<Cut<'_>> {
    if limits.keep == Keep::All || fits(text, limits) {
        return None;
    }
    Some(match limits.keep {
        Keep::Tail => {
            let (tail, by) = tail(text, limits.lines, limits.bytes);
            Cut { head: "", tail, by }
        }
        Keep::Middle => {
            let (head, by) = head(text, limits.lines.div_ceil(2), limits.bytes.div_ceil(2));
            let (tail, _) = tail(&text[head.len()..], limits.lines / 2, limits.bytes / 2);
            Cut { head, tail, by }
        }
        Keep::Head | Keep::All => {
            let (head, by) = head(text, limits.lines, limits.bytes);
            Cut { head, tail: "", by }
        }
    })
}

/// Looks at no more than `limits.bytes` bytes.
fn fits(text: &str, limits: Limits) -> bool {
    // A line has a byte at least, its break: a short text cannot have too many.
    let few =
        || text.len() <= limits.lines || text.lines().take(limits.lines.saturating_add(1)).count() <= limits.lines;
    text.len() <= limits.bytes && few()
}

fn head(text: &str, lines: usize, bytes: usize) -> (&str, Stop) {
    let mut end = 0;
    let mut by = Stop::Lines;
    for line in text.split_inclusive('\n').take(lines) {
        // The break after the last kept line is not shown, so it need not fit.
        let shown = line.trim_end_matches('\n').len();
        if end + shown > bytes {
            by = Stop::Bytes;
            if shown > bytes {
                // Not behind a break already passed, which is not shown.
                end = end.max(text.floor_char_boundary(bytes));
            }
            break;
        }
        end += line.len();
    }
    let kept = &text[..end];
    (kept.strip_suffix('\n').unwrap_or(kept), by)
}

fn tail(text: &str, lines: usize, bytes: usize) -> (&str, Stop) {
    let mut start = text.len();
    let mut by = Stop::Lines;
    for line in text.split_inclusive('\n').rev().take(lines) {
        if text.len() - (start - line.len()) > bytes {
            by = Stop::Bytes;
            if line.len() > bytes {
                start = text.ceil_char_boundary(text.len() - bytes);
            }
            break;
        }
        start -= line.len();
    }
    (&text[start..], by)
}

impl Cut<'_> {
    /// The number of bytes kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// What was removed, in the unit that ran out: lines where they are known from writing the spill, else bytes.
    pub(super) fn removed(&self, text: &str, spilled: Option<&Spilled>) -> String {
        let lines = |part: &str| part.lines().count();
        match (self.by, spilled) {
            (Stop::Lines, Some(spilled)) => {
                format!("{} lines", spilled.lines.saturating_sub(lines(self.head) + lines(self.tail)))
            }
            _ => format!("{} bytes", text.len() - self.kept()),
        }
    }

    /// What the model gets: the kept parts around a marker with the hint (opencode's forms).
    pub(super) fn assemble(&self, removed: &str, hint: &str) -> String {
        let marker = format!("...{removed} truncated...\n\n{hint}");
        match (self.head, self.tail) {
            ("", tail) => format!("{marker}\n\n{tail}"),
            (head, "") => format!("{head}\n\n{marker}"),
            (head, tail) => format!("{head}\n\n{marker}\n\n{tail}"),
        }
    }
}
