//! One file's content under hunks. Pure: bytes in, bytes and a diff out.

use std::borrow::Cow;

use memchr::memmem;

use super::{
    edit::{self, Edit},
    locate::{Located, Missing, locate},
    patch::{Hunk, LineEnding, LineKind, Update},
    unified_diff,
};
use crate::text_file::{self, BOM, Diff, Lines, NotText, TextFile, has_bom};

/// A file's new content.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Updated {
    /// As it is stored.
    pub content: Vec<u8>,
    /// What is different.
    pub diff: Diff,
    /// Where each hunk was.
    pub located: Vec<Located>,
}

/// Why hunks cannot be applied to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateError {
    /// The file has no lines.
    NotText(NotText),
    /// A hunk belongs nowhere.
    Missing(Box<Missing>),
    /// A line of the patch would put U+FFFD where this line of the file, counted from 0, has bytes that are not UTF-8.
    Lossy(usize),
}

/// Applies the hunks of an update to a file as it is stored. `old` and `new` are its names in the diff. Bytes that no
/// hunk touches stay; lines that come are stored as the file is, and end as the lines around them do.
///
/// ```
/// use core_tools::apply_patch::{parse::parse, patch::Action, update::update};
/// let patch = parse("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n")?;
/// let Action::Update(change) = &patch.operations[0].action else { panic!("it is an update") };
/// let updated = update(b"one\r\ntwo\r\n", change, "f", "f").expect("it fits");
/// assert_eq!(updated.content, b"one\r\n2\r\n");
/// # Ok::<(), core_tools::apply_patch::parse::ParseError>(())
/// ```
///
/// # Errors
/// When a hunk does not fit, or the file is not text.
pub fn update(stored: &[u8], update: &Update, old: &str, new: &str) -> Result<Updated, UpdateError> {
    // A patch that shows the byte order mark means it as a part of its line; else nobody has to know of it.
    let is_plain = has_bom(stored) && old_lines(&update.hunks).any(|text| text.starts_with(BOM));
    let file = if is_plain { None } else { Some(TextFile::decode(stored.to_vec()).map_err(UpdateError::NotText)?) };
    let content = file.as_ref().map_or(stored, TextFile::bytes);

    let lines = lines_for(content, &update.hunks);
    let contents: Vec<&[u8]> = lines.iter().collect();
    let located = locate(&contents, &update.hunks).map_err(|missing| UpdateError::Missing(Box::new(missing)))?;
    let mut edits = edit::edits(&lines, &update.hunks, &located);
    if let Some(line) = edits.iter().find_map(|edit| lossy(&lines, edit)) {
        return Err(UpdateError::Lossy(line));
    }
    edit::close_last_line(&lines, &mut edits, update.closes_last_line && !leaves_open(&update.hunks));
    let diff = unified_diff::of_edits(old, new, &lines, &edits);
    let mut text = text_file::apply(content, &edit::splices(&lines, &edits));
    let content = match &file {
        Some(file) => {
            // The mark is not doubled by a patch that shows it in what comes.
            if file.is_marked() && has_bom(&text) && !has_bom(content) {
                text.drain(..BOM.len());
            }
            file.encode(text)
        }
        None => text,
    };
    Ok(Updated { content, diff, located })
}

fn old_lines(hunks: &[Hunk]) -> impl Iterator<Item = &str> {
    hunks.iter().flat_map(Hunk::old).map(|line| line.text.as_str())
}

/// Whether the patch says that the file ends without a line break.
fn leaves_open(hunks: &[Hunk]) -> bool {
    let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
    hunks.is_empty()
        || lines.into_iter().any(|line| line.kind != LineKind::Removed && line.ending == LineEnding::Nothing)
}

/// The file's lines. In a file without `\n` a lone `\r` ends lines, unless the patch has it within a line, as the diffs of
/// other programs do.
fn lines_for<'a>(content: &'a [u8], hunks: &[Hunk]) -> Lines<'a> {
    if old_lines(hunks).any(|text| text.contains('\r')) { Lines::of_lf(content) } else { Lines::of(content) }
}

/// A line of an edit that would lose bytes: models are shown U+FFFD for what is not UTF-8, and write it back.
fn lossy(lines: &Lines<'_>, edit: &Edit<'_>) -> Option<usize> {
    let comes = edit.added.iter().any(|(text, _)| memmem::find(text, "\u{fffd}".as_bytes()).is_some());
    let is_lossy = |line: &usize| matches!(String::from_utf8_lossy(lines.content(*line)), Cow::Owned(_));
    if comes { (edit.at..edit.end()).find(is_lossy) } else { None }
}
