//! The new text as it has to be at a place that was found by a lax strategy. Knows nothing of tools.
//!
//! A model that wrote the old text with other blanks than the file has wrote the new text with them too. So the blanks
//! at its ends that the place does not have are left out, and its lines are indented as the file's are. Lines that both
//! texts have stay as the file has them.

use std::{borrow::Cow, ops::Range};

use super::{
    matching::{Found, Strategy, Text, unescape},
    merge::{MAX_PAIRS, Merge},
    plan::Edit,
};

/// The two texts of an edit, and what of the old one was found.
pub(super) struct Fit<'a> {
    strategy: Strategy,
    old: Cow<'a, str>,
    new: Cow<'a, str>,
    /// The part of the old text that stands at the places.
    part: Range<usize>,
    /// How many pairs of lines may be compared at each place.
    pairs: usize,
}

impl<'a> Fit<'a> {
    pub(super) fn of(edit: &Edit<'a>, found: &Found) -> Self {
        let (strategy, part) = (found.strategy, found.part.clone());
        let pairs = MAX_PAIRS / found.places.len().max(1);
        if found.unescaped {
            let (old, new) = (unescaped(edit.old), unescaped(edit.new));
            return Self { strategy, part: 0..old.len(), old, new, pairs };
        }
        Self { strategy, old: edit.old.into(), new: edit.new.into(), part, pairs }
    }

    pub(super) fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// Hands over what is replaced at a place, in order, and by what, still with `\n` for its line endings.
    pub(super) fn changes(&self, text: &Text<'_>, place: &Range<usize>, mut put: impl FnMut(Range<usize>, &str)) {
        if self.strategy == Strategy::Exact {
            return put(place.clone(), &self.new);
        }
        let old = &self.old[self.part.clone()];
        let (new, fitted) = match self.strategy {
            // These take indentation as it is.
            Strategy::Typographic | Strategy::EscapeNormalised => (self.without_ends(), self.without_ends().into()),
            _ => {
                let new = self.within(text.content(), place);
                (new, Pairs::of(text, place, old).indent(new))
            }
        };
        Merge::of(text, place, self.strategy, old, new, &fitted, self.pairs).changes(put);
    }

    /// The new text without those blanks at its ends that it shares with the old one and the place has not.
    fn without_ends(&self) -> &str {
        let (before, after) = (&self.old[..self.part.start], &self.old[self.part.end..]);
        let shared = before.bytes().zip(self.new.bytes()).take_while(|(old, new)| old == new).count();
        let new = &self.new[floor(&self.new, shared)..];
        let shared = after.bytes().rev().zip(new.bytes().rev()).take_while(|(old, new)| old == new).count();
        &new[..floor(new, new.len() - shared)]
    }

    fn within(&self, content: &[u8], place: &Range<usize>) -> &str {
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

fn unescaped(text: &str) -> Cow<'_, str> {
    match unescape(text.as_bytes()) {
        // Only ASCII goes and comes.
        Cow::Owned(plain) => String::from_utf8(plain).map_or(text.into(), Cow::Owned),
        Cow::Borrowed(_) => text.into(),
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
    fn of(text: &Text<'_>, place: &Range<usize>, old: &'a str) -> Self {
        let lines = text.lines();
        let first = lines.at(place.start);
        let count = (first..lines.len()).take_while(|line| lines.start(*line) < place.end).count();
        let wanted: Vec<&str> = old.strip_suffix('\n').unwrap_or(old).split('\n').collect();
        // Where the numbers of lines differ, the last ones still belong together.
        let last = count.min(wanted.len()) - usize::from(count != wanted.len());
        let mut aligned: Vec<(usize, usize)> = (0..last).map(|at| (at, at)).collect();
        if count != wanted.len() && count > 0 {
            aligned.push((wanted.len() - 1, count - 1));
        }
        let pair = |(old, new): (usize, usize)| {
            let line = lines.content(first + new);
            let is_blank = wanted[old].trim().is_empty() || line.trim_ascii().is_empty();
            let found = String::from_utf8_lossy(&line[..line.len() - line.trim_ascii_start().len()]).into_owned();
            (!is_blank).then(|| (indentation(wanted[old]), found))
        };
        Self { pairs: aligned.into_iter().filter_map(pair).collect(), within_line: lines.start(first) < place.start }
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
