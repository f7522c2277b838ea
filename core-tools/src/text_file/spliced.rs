//! The difference that splices make, without a look at the rest of the file.

use std::{
    borrow::Cow,
    ops::Range,
    time::{Duration, Instant},
};

use memchr::{memchr, memchr_iter, memrchr};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::{Diff, Splice};

/// How many lines are shown around a change (what opencode and pi show).
const CONTEXT: usize = 4;
/// After this time the comparison gets coarse instead of exact.
const DEADLINE: Duration = Duration::from_millis(200);
/// A longer diff is cut, at a hunk.
const MAX_PATCH: usize = 256 * 1024;
/// Of a longer line the part around the change is shown.
const MAX_LINE: usize = 2_000;

impl Diff {
    /// What splices change in a file, line by line: a unified diff as [`Diff::of`] makes it, with four lines of context,
    /// but in the time that the changed lines need, and never with more than 256 KiB. Line endings are shown as `\n`, as
    /// opencode and pi do.
    ///
    /// # Panics
    /// When the splices are not in order, overlap, or reach beyond the content.
    #[must_use]
    pub fn of_splices(name: &str, content: &[u8], splices: &[Splice]) -> Self {
        let mut found = Self::default();
        let mut hunks = Hunks::new(content);
        let deadline = Instant::now() + DEADLINE;
        for region in regions(hunks.line_break, content, splices) {
            hunks.region(&region, deadline, &mut found);
        }
        found.patch = hunks.finish(name);
        found
    }
}

/// Whole lines that one or several splices change.
struct Region {
    old: Range<usize>,
    new: Vec<u8>,
}

fn regions(line_break: u8, content: &[u8], splices: &[Splice]) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    for Splice { range, text } in splices {
        let start = memrchr(line_break, &content[..range.start]).map_or(0, |at| at + 1);
        match regions.last_mut().filter(|region| start < region.old.end) {
            // The end of the last one's line goes, up to here.
            Some(region) => {
                let kept = region.new.len() - (region.old.end - range.start.min(region.old.end));
                region.new.truncate(kept);
            }
            None => regions.push(Region { old: start..start, new: content[start..range.start].to_vec() }),
        }
        let Some(region) = regions.last_mut() else { continue };
        region.new.extend_from_slice(text);
        // Up to the end of the line; an insertion at the start of a line, or a removal of whole ones, touches none.
        let is_at_start = |bytes: &[u8]| bytes.is_empty() || bytes.ends_with(&[line_break]);
        let end = if is_at_start(&region.new) && is_at_start(&content[..range.end]) {
            range.end
        } else {
            memchr(line_break, &content[range.end..]).map_or(content.len(), |at| range.end + at + 1)
        };
        region.new.extend_from_slice(&content[range.end..end]);
        region.old.end = end;
    }
    regions
}

/// The text of a diff as it grows.
struct Hunks<'a> {
    content: &'a [u8],
    line_break: u8,
    patch: String,
    /// The hunk that is open.
    body: String,
    /// The first line of it, and how many it has, of the old text and the new.
    old: (usize, usize),
    new: (usize, usize),
    /// How far the old text is in the diff, and counted.
    done: usize,
    line: usize,
    /// How many lines the new text is ahead.
    shift: isize,
    left_out: usize,
}

impl<'a> Hunks<'a> {
    fn new(content: &'a [u8]) -> Self {
        let line_break =
            if memchr(b'\n', content).is_none() && memchr(b'\r', content).is_some() { b'\r' } else { b'\n' };
        Self {
            content,
            line_break,
            patch: String::new(),
            body: String::new(),
            old: (0, 0),
            new: (0, 0),
            done: 0,
            line: 0,
            shift: 0,
            left_out: 0,
        }
    }

    fn region(&mut self, region: &Region, deadline: Instant, found: &mut Diff) {
        let (old, new) =
            (lines(self.line_break, &self.content[region.old.clone()]), lines(self.line_break, &region.new));
        let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline));
        let (mut start, first) = (region.old.start, self.line_of(region.old.start));
        let first_new = first.saturating_add_signed(self.shift);
        for op in ops {
            let (old_lines, new_lines) = (op.old_range(), op.new_range());
            let length: usize = old[old_lines.clone()].iter().map(|line| line.len()).sum();
            if !matches!(op, DiffOp::Equal { .. }) {
                found.deletions += old_lines.len();
                found.additions += new_lines.len();
                found.first_changed.get_or_insert(first_new + new_lines.start + 1);
                self.open(start, first + old_lines.start);
                for (mark, lines, other) in [
                    ('-', &old[old_lines.clone()], &new[new_lines.clone()]),
                    ('+', &new[new_lines.clone()], &old[old_lines.clone()]),
                ] {
                    for (at, line) in lines.iter().enumerate() {
                        self.push(mark, line, other.get(at).copied());
                    }
                }
                self.old.1 += old_lines.len();
                self.new.1 += new_lines.len();
                self.done = start + length;
                self.line = first + old_lines.end;
                self.shift += signed(new_lines.len()) - signed(old_lines.len());
            }
            start += length;
        }
    }

    /// The number of the line that starts there, from 0.
    fn line_of(&self, start: usize) -> usize {
        self.line + memchr_iter(self.line_break, &self.content[self.done..start]).count()
    }

    /// Gets ready for a change: goes on with the open hunk where the context of both meets, else begins another one.
    fn open(&mut self, start: usize, line: usize) {
        if !self.body.is_empty() && line - self.line <= 2 * CONTEXT {
            return self.context(self.done..start);
        }
        self.close();
        let mut from = start;
        for _ in 0..CONTEXT.min(line - self.line.min(line)) {
            from = memrchr(self.line_break, &self.content[..from.saturating_sub(1)]).map_or(0, |at| at + 1);
        }
        let before = memchr_iter(self.line_break, &self.content[from..start]).count();
        let first = line - before;
        self.old = (first, 0);
        self.new = (first.saturating_add_signed(self.shift), 0);
        self.context(from..start);
    }

    fn context(&mut self, range: Range<usize>) {
        let content = self.content;
        for line in lines(self.line_break, &content[range]) {
            self.push(' ', line, None);
            self.old.1 += 1;
            self.new.1 += 1;
        }
    }

    /// Ends the open hunk with the lines behind it.
    fn close(&mut self) {
        if self.body.is_empty() {
            return;
        }
        let mut end = self.done;
        for _ in 0..CONTEXT {
            end = memchr(self.line_break, &self.content[end..]).map_or(self.content.len(), |at| end + at + 1);
        }
        self.context(self.done..end);
        let body = std::mem::take(&mut self.body);
        if self.patch.len() + body.len() > MAX_PATCH {
            self.left_out += 1;
            return;
        }
        // Where a side has no line, the one before it is named.
        let side = |(first, count): (usize, usize)| (first + usize::from(count > 0), count);
        let ((old, old_count), (new, new_count)) = (side(self.old), side(self.new));
        self.patch.push_str(&format!("@@ -{old},{old_count} +{new},{new_count} @@\n{body}"));
    }

    fn push(&mut self, mark: char, line: &[u8], other: Option<&[u8]>) {
        let bare = line.strip_suffix(&[self.line_break]);
        let text = bare.map_or(line, |bare| bare.strip_suffix(b"\r").unwrap_or(bare));
        self.body.push(mark);
        self.body.push_str(&shown(text, other));
        self.body.push('\n');
        if bare.is_none() {
            self.body.push_str("\\ No newline at end of file\n");
        }
    }

    fn finish(mut self, name: &str) -> String {
        self.close();
        if self.patch.is_empty() && self.left_out == 0 {
            return String::new();
        }
        let left_out = match self.left_out {
            0 => String::new(),
            1 => "(1 more hunk is too long to be shown)\n".to_owned(),
            more => format!("({more} more hunks are too long to be shown)\n"),
        };
        format!("Index: {name}\n{}\n--- {name}\n+++ {name}\n{}{left_out}", "=".repeat(67), self.patch)
    }
}

/// A line, or the part of a very long one that differs from the line it is held against.
fn shown<'a>(line: &'a [u8], other: Option<&[u8]>) -> Cow<'a, str> {
    if line.len() <= MAX_LINE {
        return String::from_utf8_lossy(line);
    }
    let same = other.map_or(0, |other| line.iter().zip(other).take_while(|(one, other)| one == other).count());
    let start = same.min(line.len()).saturating_sub(MAX_LINE / 4);
    let end = line.len().min(start + MAX_LINE);
    let part = String::from_utf8_lossy(&line[start..end]);
    format!("({start} bytes not shown){part}({} bytes not shown)", line.len() - end).into()
}

fn lines(line_break: u8, text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == line_break).collect()
}

fn signed(count: usize) -> isize {
    isize::try_from(count).unwrap_or(isize::MAX)
}
