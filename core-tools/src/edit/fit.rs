//! The new text as it has to be at a place that was found by a lax strategy. Knows nothing of tools.
//!
//! A model that wrote the old text with other blanks than the file has wrote the new text with them too. So the blanks
//! at its ends that the place does not have are left out, and its lines are indented as the file's are.

use std::{borrow::Cow, ops::Range};

use super::matching::Strategy;
use crate::text_file::Lines;

/// The two texts of an edit, and what of the old one was found.
pub(super) struct Fit<'a> {
    pub(super) strategy: Strategy,
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    /// The part of the old text that stands at the places.
    pub(super) part: &'a Range<usize>,
}

impl<'a> Fit<'a> {
    /// The new text for a place, still with `\n` for its line endings.
    pub(super) fn at(&self, content: &[u8], place: &Range<usize>) -> Cow<'a, str> {
        match self.strategy {
            Strategy::Exact => self.new.into(),
            // These take indentation as it is.
            Strategy::Typographic | Strategy::EscapeNormalised => self.without_ends().into(),
            _ => {
                let pairs = Pairs::of(content, place, &self.old[self.part.clone()]);
                pairs.indent(self.within(content, place))
            }
        }
    }

    /// The new text without those blanks at its ends that it shares with the old one and the place has not.
    fn without_ends(&self) -> &'a str {
        let (before, after) = (&self.old[..self.part.start], &self.old[self.part.end..]);
        let shared = before.bytes().zip(self.new.bytes()).take_while(|(old, new)| old == new).count();
        let new = &self.new[floor(self.new, shared)..];
        let shared = after.bytes().rev().zip(new.bytes().rev()).take_while(|(old, new)| old == new).count();
        &new[..floor(new, new.len() - shared)]
    }

    fn within(&self, content: &[u8], place: &Range<usize>) -> &'a str {
        let new = self.without_ends();
        // Where whole lines are replaced, the place ends as the file has it: a line break that only the old text has is not
        // in the file, and one that only the new text has would make a blank line.
        let ends = |text: &[u8]| text.ends_with(b"\n") || text.ends_with(b"\r");
        if self.part.end == self.old.len() && new.ends_with('\n') && !ends(&content[place.clone()]) {
            let new = new.strip_suffix('\n').unwrap_or(new);
            return new.strip_suffix('\r').unwrap_or(new);
        }
        new
    }
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// How lines of the old text are indented, and how the file's lines in their place are. In order; blank lines left out.
struct Pairs<'a> {
    pairs: Vec<(&'a str, String)>,
    /// Whether the place begins inside a line: then the first line of the new text has its indentation already.
    within_line: bool,
}

impl<'a> Pairs<'a> {
    fn of(content: &[u8], place: &Range<usize>, old: &'a str) -> Self {
        let start = memchr::memrchr2(b'\n', b'\r', &content[..place.start]).map_or(0, |at| at + 1);
        let there = &content[start..place.end];
        let lines = Lines::of(there);
        let wanted: Vec<&str> = old.strip_suffix('\n').unwrap_or(old).split('\n').collect();
        // Where the numbers of lines differ, the last ones still belong together.
        let last = lines.len().min(wanted.len()) - usize::from(lines.len() != wanted.len());
        let mut aligned: Vec<(usize, usize)> = (0..last).map(|at| (at, at)).collect();
        if lines.len() != wanted.len() && !lines.is_empty() {
            aligned.push((wanted.len() - 1, lines.len() - 1));
        }
        let pair = |(old, new): (usize, usize)| {
            let line = lines.content(new);
            let is_blank = wanted[old].trim().is_empty() || line.trim_ascii().is_empty();
            let found = String::from_utf8_lossy(&line[..line.len() - line.trim_ascii_start().len()]).into_owned();
            (!is_blank).then(|| (indentation(wanted[old]), found))
        };
        Self { pairs: aligned.into_iter().filter_map(pair).collect(), within_line: start < place.start }
    }

    /// Indents the lines as the place is indented. A line is indented like the nearest line of the old text with the
    /// same indentation; a deeper one like the deepest that it is below, and by its own difference to that.
    fn indent<'t>(&self, new: &'t str) -> Cow<'t, str> {
        let differs = self.pairs.iter().any(|(old, found)| old != found);
        if !differs || self.is_fit(new) {
            return new.into();
        }
        let mut result = String::with_capacity(new.len() + new.len() / 4);
        for (at, line) in new.split_inclusive('\n').enumerate() {
            if line.trim().is_empty() || (at == 0 && self.within_line) {
                result.push_str(line);
                continue;
            }
            let own = indentation(line);
            self.push(own, at, &mut result);
            result.push_str(&line[own.len()..]);
        }
        result.into()
    }

    /// Whether the new text is indented as the file is already, other than the old one.
    fn is_fit(&self, new: &str) -> bool {
        let Some((old, found)) = self.pairs.first() else { return true };
        let first = new.lines().find(|line| !line.trim().is_empty()).map(indentation);
        !self.within_line && old != found && first == Some(found.as_str())
    }

    fn push(&self, own: &str, at: usize, result: &mut String) {
        let nearest = |pairs: &mut dyn Iterator<Item = (usize, &(&str, String))>| {
            pairs.min_by_key(|(line, (old, _))| (own.len() - old.len(), line.abs_diff(at))).map(|(line, _)| line)
        };
        let below = nearest(&mut self.pairs.iter().enumerate().filter(|(_, (old, _))| own.starts_with(old)));
        if let Some((old, found)) = below.map(|line| &self.pairs[line]) {
            result.push_str(found);
            result.push_str(&self.translate(&own[old.len()..]));
            return;
        }
        // Less than any line of the old text: as much less than the file's least indented line.
        let least = self.pairs.iter().min_by_key(|(old, _)| old.len());
        if let Some((old, found)) = least {
            let less = old.strip_prefix(own).map_or(0, |less| self.translate(less).len());
            result.push_str(&found[..floor(found, found.len().saturating_sub(less))]);
        }
    }

    /// Further indentation in the file's own kind: tabs for so many blanks, or blanks for tabs.
    fn translate<'t>(&self, more: &'t str) -> Cow<'t, str> {
        let is_all = |text: &str, char: char| !text.is_empty() && text.chars().all(|each| each == char);
        for (old, found) in &self.pairs {
            if is_all(found, '\t') && is_all(old, ' ') && old.len().is_multiple_of(found.len()) {
                let width = old.len() / found.len();
                if is_all(more, ' ') && more.len().is_multiple_of(width) {
                    return "\t".repeat(more.len() / width).into();
                }
            }
            if is_all(found, ' ') && is_all(old, '\t') && found.len().is_multiple_of(old.len()) && is_all(more, '\t') {
                return " ".repeat(more.len() * (found.len() / old.len())).into();
            }
        }
        more.into()
    }
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
