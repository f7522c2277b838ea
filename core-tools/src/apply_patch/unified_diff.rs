//! The change of a file as a unified diff, from its edits: no lines are compared again.

use std::fmt::Write;

use super::{edit::Edit, patch::LineEnding};
use crate::text_file::{Diff, Ending, Lines};

/// How many lines around a change are shown.
const CONTEXT: usize = 3;
const NO_NEWLINE: &str = "\\ No newline at end of file\n";

/// The diff of one file under these two names.
pub(super) fn of_edits(old: &str, new: &str, lines: &Lines<'_>, edits: &[Edit<'_>]) -> Diff {
    let mut diff = Diff { first_changed: edits.first().map(|edit| edit.at + 1), ..Diff::default() };
    if edits.is_empty() {
        return diff;
    }
    diff.patch = header(old, new);
    let mut rest = edits;
    while let [first, ..] = rest {
        let together = rest.windows(2).take_while(|pair| pair[1].at - pair[0].end() <= 2 * CONTEXT);
        let (edits, next) = rest.split_at(together.count() + 1);
        let end = edits.last().map_or(first.end(), Edit::end);
        hunk(&mut diff, lines, edits, first.at.saturating_sub(CONTEXT), (end + CONTEXT).min(lines.len()));
        rest = next;
    }
    diff
}

/// The diff of a file that is made or removed whole.
pub(super) fn of_whole(name: &str, content: &[u8], is_new: bool) -> Diff {
    let lines = Lines::of(content);
    let count = lines.len();
    let mut diff = Diff { patch: header(name, name), ..Diff::default() };
    if count > 0 {
        let range = if count == 1 { "1".to_owned() } else { format!("1,{count}") };
        let _ = match is_new {
            true => writeln!(diff.patch, "@@ -0,0 +{range} @@"),
            false => writeln!(diff.patch, "@@ -{range} +0,0 @@"),
        };
        (0..count).for_each(|line| old_line(&mut diff.patch, if is_new { '+' } else { '-' }, &lines, line));
        diff.first_changed = Some(1);
    }
    *(if is_new { &mut diff.additions } else { &mut diff.deletions }) = count;
    diff
}

fn header(old: &str, new: &str) -> String {
    format!("Index: {new}\n{}\n--- {old}\n+++ {new}\n", "=".repeat(67))
}

/// One hunk: these edits, and the lines around them from `start` to `end`.
fn hunk(diff: &mut Diff, lines: &Lines<'_>, edits: &[Edit<'_>], start: usize, end: usize) {
    let removed: usize = edits.iter().map(|edit| edit.removed).sum();
    let added: usize = edits.iter().map(|edit| edit.added.len()).sum();
    let new_start = start + diff.additions - diff.deletions;
    let (old_count, new_count) = (end - start, end - start + added - removed);
    let range = |start: usize, count: usize| match count {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    };
    let text = &mut diff.patch;
    let _ = writeln!(text, "@@ -{} +{} @@", range(start, old_count), range(new_start, new_count));
    let mut at = start;
    for edit in edits {
        (at..edit.at).for_each(|line| old_line(text, ' ', lines, line));
        (edit.at..edit.end()).for_each(|line| old_line(text, '-', lines, line));
        for (line, ending) in &edit.added {
            let _ = writeln!(text, "+{}", String::from_utf8_lossy(line));
            if *ending == LineEnding::Nothing {
                text.push_str(NO_NEWLINE);
            }
        }
        at = edit.end();
    }
    (at..end).for_each(|line| old_line(text, ' ', lines, line));
    diff.additions += added;
    diff.deletions += removed;
}

fn old_line(text: &mut String, mark: char, lines: &Lines<'_>, line: usize) {
    let _ = writeln!(text, "{mark}{}", String::from_utf8_lossy(lines.content(line)));
    if lines.ending(line) == Ending::None {
        text.push_str(NO_NEWLINE);
    }
}
