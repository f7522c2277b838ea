//! What located hunks change: runs of lines that go, and lines that come in their place; and from these the new content.

use super::{
    locate::Located,
    patch::{Hunk, LineEnding, LineKind},
};
use crate::text_file::{Ending, Lines, Splice};

/// A run of lines that is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit<'p> {
    /// The first line that goes, counted from 0; where none goes, the line before which the new ones come.
    pub(super) at: usize,
    /// How many lines go.
    pub(super) removed: usize,
    /// The lines that come.
    pub(super) added: Vec<(&'p [u8], LineEnding)>,
}

/// The edits of all hunks, in the file's order.
pub(super) fn edits<'p>(lines: &Lines<'_>, hunks: &'p [Hunk], located: &[Located]) -> Vec<Edit<'p>> {
    let mut edits = Vec::new();
    for (hunk, place) in hunks.iter().zip(located) {
        let end = place.at + place.len;
        let mut edit = Edit::none(place.at);
        for line in &hunk.lines {
            match line.kind {
                LineKind::Added => edit.added.push((line.text.as_bytes(), line.ending)),
                // One of the blank lines that were left out when the place was looked for.
                _ if edit.end() == end => {}
                LineKind::Removed => edit.removed += 1,
                LineKind::Context => {
                    let next = Edit::none(edit.end() + 1);
                    edits.push(std::mem::replace(&mut edit, next));
                }
            }
        }
        edits.push(edit);
    }
    for edit in &mut edits {
        edit.leave_what_stays(lines);
    }
    edits.retain(|edit| edit.removed > 0 || !edit.added.is_empty());
    // Lines that go to the end of the file may come from a hunk before the last.
    edits.sort_by_key(|edit| edit.at);
    edits
}

/// Gives the last line an ending, if it has none and stays: where lines come behind it, or the file is to end with one.
pub(super) fn close_last_line<'p>(lines: &Lines<'p>, edits: &mut Vec<Edit<'p>>, always: bool) {
    let Some(last) = lines.len().checked_sub(1).filter(|last| lines.ending(*last) == Ending::None) else { return };
    if edits.iter().rev().any(|edit| edit.removed > 0 && edit.end() > last) {
        return;
    }
    let behind = edits.partition_point(|edit| edit.at <= last);
    if behind == edits.len() {
        if !always {
            return;
        }
        edits.push(Edit::none(lines.len()));
    }
    let edit = &mut edits[behind];
    (edit.at, edit.removed) = (last, 1);
    edit.added.insert(0, (lines.content(last), LineEnding::Unsaid));
}

impl Edit<'_> {
    fn none(at: usize) -> Self {
        Self { at, removed: 0, added: Vec::new() }
    }

    /// The line behind those that go.
    pub(super) fn end(&self) -> usize {
        self.at + self.removed
    }

    /// A line that is taken away and put back keeps its bytes.
    fn leave_what_stays(&mut self, lines: &Lines<'_>) {
        let stays = |at: usize, (text, ending): (&[u8], LineEnding)| {
            lines.content(at) == text
                && match (ending, lines.ending(at)) {
                    (LineEnding::Unsaid, found) => found != Ending::None,
                    (LineEnding::Lf, found) => found == Ending::Lf,
                    (LineEnding::CrLf, found) => found == Ending::CrLf,
                    (LineEnding::Nothing, found) => found == Ending::None,
                }
        };
        let pairs = self.removed.min(self.added.len());
        let first = (0..pairs).take_while(|pair| stays(self.at + pair, self.added[*pair])).count();
        self.added.drain(..first);
        self.at += first;
        self.removed -= first;
        let (end, added) = (self.end(), self.added.len());
        let last = (1..=self.removed.min(added)).take_while(|back| stays(end - back, self.added[added - back])).count();
        self.added.truncate(added - last);
        self.removed -= last;
    }

    /// The ending of a line that comes, where the patch does not say it: that of the line it replaces, else of the line
    /// before, else of the line behind.
    fn ending(&self, lines: &Lines<'_>, number: usize) -> Ending {
        // The last line may have none, and the one before it has.
        let known = |at: usize| Some(lines.ending(at)).filter(|ending| *ending != Ending::None);
        let replaced = self.removed.checked_sub(1).map(|last| self.at + number.min(last));
        let before = |lines: usize| self.at.checked_sub(lines);
        let line = replaced.and_then(known).or_else(|| before(1).and_then(known)).or_else(|| before(2).and_then(known));
        line.or_else(|| known(self.at)).unwrap_or(Ending::Lf)
    }
}

/// The edits over the bytes of the file.
pub(super) fn splices(lines: &Lines<'_>, edits: &[Edit<'_>]) -> Vec<Splice> {
    let splice = |(number, edit): (usize, &Edit<'_>)| {
        let is_last = number + 1 == edits.len() && edit.end() == lines.len();
        let mut text = Vec::new();
        for (number, (line, ending)) in edit.added.iter().enumerate() {
            text.extend_from_slice(line);
            let ending = match ending {
                LineEnding::Nothing if is_last && number + 1 == edit.added.len() => Ending::None,
                LineEnding::Nothing | LineEnding::Unsaid => edit.ending(lines, number),
                LineEnding::Lf => Ending::Lf,
                LineEnding::CrLf => Ending::CrLf,
            };
            text.extend_from_slice(ending.bytes());
        }
        Splice { range: lines.start(edit.at)..lines.start(edit.end()), text }
    };
    edits.iter().enumerate().map(splice).collect()
}
