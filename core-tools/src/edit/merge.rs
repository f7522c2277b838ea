//! What an edit changes within a place that was found by a lax strategy. Knows nothing of tools.
//!
//! The old text is what somebody took the place for, so that this is a merge of three: lines that the old text and the
//! new one share stay as the file has them, and only the others are replaced. Where the file and the new text both differ
//! from the old one, the new text counts.

use std::{hash::Hash, ops::Range};

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::matching::{Strategy, Text};

/// At all places of an edit together, so many pairs of lines may have to be compared; what is more is replaced whole.
pub(super) const MAX_PAIRS: usize = 4_000_000;

/// Lines that differ, on both sides.
type Difference = (Range<usize>, Range<usize>);

/// A place, and the texts of an edit. A final line break is followed by one more line, an empty one, in all of them.
pub(super) struct Merge<'a> {
    /// The place's lines, without their endings.
    file: Vec<Range<usize>>,
    /// Whether the place begins inside a line.
    within_line: bool,
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    /// The new lines as they have to be here.
    fitted: Vec<&'a str>,
    alignment: Alignment,
    pairs: usize,
}

impl<'a> Merge<'a> {
    /// `fitted` is `new`, line by line. More than `pairs` pairs of lines are not compared.
    pub(super) fn of(
        text: &Text<'_>,
        place: &Range<usize>,
        strategy: Strategy,
        old: &'a str,
        new: &'a str,
        fitted: &'a str,
        pairs: usize,
    ) -> Self {
        let file = file_lines(text, place);
        // The place ends without the line break that the old text has: the file does.
        let ends = place.end == text.content().len() && file.last().is_some_and(|line| !line.is_empty());
        let old = if ends { old.strip_suffix('\n').unwrap_or(old) } else { old };
        let old = lines(old);
        let alignment = Alignment::of(text.content(), &file, &old, strategy, pairs);
        let within_line = text.lines().start(text.lines().at(place.start)) < place.start;
        Self { file, within_line, old, new: lines(new), fitted: lines(fitted), alignment, pairs }
    }

    /// Hands over what is replaced, in order, and by what.
    pub(super) fn changes(&self, mut put: impl FnMut(Range<usize>, &str)) {
        for (old, new) in self.differences() {
            let first = match old.is_empty() {
                true => self.alignment.ends[old.start],
                false => self.alignment.starts[old.start],
            };
            let last = if old.is_empty() { first } else { self.alignment.ends[old.end] };
            // Both are known: `differences` sees to that.
            if let (Some(first), Some(last)) = (first, last) {
                self.change(first..last, &self.fitted[new], &mut put);
            }
        }
    }

    /// The differences of the two texts, each between two lines of the old one that the file has as well.
    fn differences(&self) -> Vec<Difference> {
        let mut differences: Vec<Difference> = Vec::new();
        let mut rest = differences_of(&self.old, &self.new, self.pairs).into_iter().flat_map(by_line).peekable();
        while let Some((mut old, mut new)) = rest.next() {
            // The line that the place begins in has its indentation before the place, and no other line has.
            if self.within_line && old.start == 0 && (old.is_empty() || new.is_empty()) && old.end < self.old.len() {
                (old.end, new.end) = match rest.next_if(|next| next.0.start == old.end) {
                    Some(next) => (next.0.end, next.1.end),
                    None => (old.end + 1, new.end + 1),
                };
            }
            while self.alignment.starts[old.start].is_none() {
                (old.start, new.start) = match differences.pop_if(|last| last.0.end == old.start) {
                    Some(last) => (last.0.start, last.1.start),
                    None => (old.start - 1, new.start - 1),
                };
            }
            while self.alignment.starts[old.end].is_none() {
                (old.end, new.end) = match rest.next_if(|next| next.0.start == old.end) {
                    Some(next) => (next.0.end, next.1.end),
                    None => (old.end + 1, new.end + 1),
                };
            }
            differences.push((old, new));
        }
        differences
    }

    /// Replaces lines of the file.
    fn change(&self, lines: Range<usize>, new: &[&str], put: &mut impl FnMut(Range<usize>, &str)) {
        let Range { start: first, end: last } = lines;
        let text = new.join("\n");
        let place_end = self.file.last().map_or(0, |line| line.end);
        let start = |line: usize| self.file.get(line).map_or(place_end, |line| line.start);
        match (first < last, new.is_empty()) {
            (true, false) => put(start(first)..self.file[last - 1].end, &text),
            (false, false) if first < self.file.len() => put(start(first)..start(first), &(text + "\n")),
            (false, false) => put(place_end..place_end, &format!("\n{text}")),
            // With the break behind them; that of the last line is the one before.
            (true, true) if last < self.file.len() => put(start(first)..start(last), ""),
            (true, true) => put(first.checked_sub(1).map_or(start(0), |line| self.file[line].end)..place_end, ""),
            (false, true) => {}
        }
    }
}

/// For each line of the old text, and for what is behind the last: where the file's lines begin that belong to it and to
/// all behind it, and where those end that belong to all before it. Between two lines of which only both together belong
/// to some of the file's, neither is known.
struct Alignment {
    starts: Vec<Option<usize>>,
    ends: Vec<Option<usize>>,
}

impl Alignment {
    fn of(content: &[u8], file: &[Range<usize>], old: &[&str], strategy: Strategy, pairs: usize) -> Self {
        // Words may have gone from one line to the next; any other strategy compares line by line.
        let by_line = strategy != Strategy::WhitespaceNormalised;
        if by_line && file.len() == old.len() {
            let all: Vec<_> = (0..=old.len()).map(Some).collect();
            return Self { starts: all.clone(), ends: all };
        }
        let file_words: Vec<_> = file.iter().map(|line| words(&content[line.clone()])).collect();
        let old_words: Vec<_> = old.iter().map(|line| words(line.as_bytes())).collect();
        let mut known = vec![None; old.len() + 1];
        known[0] = Some(0);
        let mut alignment = Self { starts: known.clone(), ends: known };
        let (mut old_done, mut file_done) = (0, 0);
        let end = (old.len()..old.len(), file.len()..file.len());
        for (old, file) in differences_of(&old_words, &file_words, pairs).into_iter().chain([end]) {
            for equal in old_done + 1..=old.start {
                alignment.set(equal, file_done + equal - old_done);
            }
            if old.is_empty() {
                alignment.starts[old.start] = Some(file.end);
            } else {
                for between in old.start + 1..old.end {
                    if file.is_empty() {
                        alignment.set(between, file.start);
                    } else if by_line && old.len() == file.len() {
                        alignment.set(between, file.start + between - old.start);
                    }
                }
                alignment.set(old.end, file.end);
            }
            (old_done, file_done) = (old.end, file.end);
        }
        alignment
    }

    fn set(&mut self, line: usize, at: usize) {
        self.starts[line] = Some(at);
        self.ends[line] = Some(at);
    }
}

/// As many lines for as many: each for one, so that what the file has between two of them stays.
fn by_line((old, new): Difference) -> impl Iterator<Item = Difference> {
    let count = old.len().max(new.len());
    let step = if old.len() == new.len() { 1 } else { count };
    let next = move |at: usize| {
        let part = |lines: &Range<usize>| (lines.start + at).min(lines.end)..(lines.start + at + step).min(lines.end);
        (part(&old), part(&new))
    };
    (0..count).step_by(step).map(next)
}

fn differences_of<T: Hash + Ord>(old: &[T], new: &[T], pairs: usize) -> Vec<Difference> {
    let first = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let most = old.len().min(new.len()) - first;
    let last = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).take(most).count();
    let (old_part, new_part) = (first..old.len() - last, first..new.len() - last);
    if old_part.is_empty() && new_part.is_empty() {
        return Vec::new();
    }
    if old_part.is_empty() || new_part.is_empty() || old_part.len().saturating_mul(new_part.len()) > pairs {
        return vec![(old_part, new_part)];
    }
    let shifted = |lines: Range<usize>| lines.start + first..lines.end + first;
    let mut differences: Vec<Difference> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old[old_part], &new[new_part]) {
        if op.tag() == DiffTag::Equal {
            continue;
        }
        let (old, new) = (shifted(op.old_range()), shifted(op.new_range()));
        match differences.last_mut().filter(|last| last.0.end == old.start && last.1.end == new.start) {
            Some(last) => (last.0.end, last.1.end) = (old.end, new.end),
            None => differences.push((old, new)),
        }
    }
    differences
}

fn lines(text: &str) -> Vec<&str> {
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect()
}

fn file_lines(text: &Text<'_>, place: &Range<usize>) -> Vec<Range<usize>> {
    let all = text.lines();
    let first = all.at(place.start);
    let mut lines: Vec<Range<usize>> = (first..all.len())
        .take_while(|line| *line == first || all.start(*line) < place.end)
        .map(|line| {
            let Range { start, end } = all.content_range(line);
            let end = end.min(place.end);
            start.max(place.start).min(end)..end
        })
        .collect();
    if lines.last().is_some_and(|line| line.end < place.end) {
        lines.push(place.end..place.end);
    }
    lines
}

fn words(line: &[u8]) -> Vec<&[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect()
}
