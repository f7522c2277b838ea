//! What is said of a patch that does not fit the files. The words are codex's where it has some.

use std::{
    fmt::Write,
    io,
    path::{Path, PathBuf},
};

use tool_core::ToolError;

use super::{
    locate::{Missing, Nearest},
    patch::Hunk,
    update::UpdateError,
};
use crate::workspace::OriginalError;

/// So many lines of the nearest place are shown.
const MOST_LINES: usize = 12;
/// So many lines that were expected are shown.
const MOST_EXPECTED: usize = 60;
/// So many characters of a line are shown.
const MOST_WIDTH: usize = 200;

/// Why a file could not be taken in.
#[derive(Debug)]
pub(super) enum LoadError {
    Original(OriginalError),
    /// It changed since the session read it.
    Stale(ToolError),
}

impl From<OriginalError> for LoadError {
    fn from(problem: OriginalError) -> Self {
        Self::Original(problem)
    }
}

impl From<io::Error> for LoadError {
    fn from(problem: io::Error) -> Self {
        Self::Original(problem.into())
    }
}

pub(super) fn load(verb: &str, path: &Path, problem: LoadError) -> ToolError {
    let path = path.display();
    match problem {
        LoadError::Stale(stale) => stale,
        LoadError::Original(problem) if verb == "update" => {
            ToolError::failed(format!("Failed to read file to update {path}: {problem}"))
        }
        LoadError::Original(problem) => ToolError::failed(format!("Failed to {verb} file {path}: {problem}")),
    }
}

/// There is no such file: on the disk, or any more.
pub(super) fn gone(verb: &str, path: &Path) -> ToolError {
    load(verb, path, io::Error::from_raw_os_error(rustix::io::Errno::NOENT.raw_os_error()).into())
}

pub(super) fn exists(path: &Path) -> ToolError {
    ToolError::failed(format!(
        "Failed to write file {}: the diff makes a new file, and there is one already. Show the lines that change, or delete \
         the file first.",
        path.display()
    ))
}

pub(super) fn left_over(path: &Path, bytes: usize) -> ToolError {
    ToolError::failed(format!(
        "Failed to delete file {}: the diff shows only a part of it, and {bytes} bytes would be lost unseen. Use '*** Delete \
         File: {{path}}', or show all lines.",
        path.display()
    ))
}

/// Why hunks do not fit a file.
pub(super) fn update(path: &Path, hunks: &[Hunk], problem: &UpdateError) -> ToolError {
    let shown = path.display();
    ToolError::failed(match problem {
        UpdateError::NotText(problem) => format!("Failed to read file to update {shown}: {problem}"),
        UpdateError::Lossy(line) => format!(
            "Cannot change line {} of {shown}: it has bytes that are not UTF-8, shown as U+FFFD (\u{fffd}), and the patch would \
             write that sign in their place. Leave that line as it is, or convert the file to UTF-8 first.",
            line + 1
        ),
        UpdateError::Missing(missing) => not_found(path, hunks, missing),
    })
}

fn not_found(path: &Path, hunks: &[Hunk], missing: &Missing) -> String {
    let shown = path.display();
    let Some(hunk) = hunks.get(missing.hunk) else { return format!("Failed to find expected lines in {shown}") };
    let mut text = match &missing.header {
        Some(header) => format!("Failed to find context '{}' in {shown}", cut(header)),
        None => {
            let mut text = format!("Failed to find expected lines in {shown}:");
            let old: Vec<&str> = hunk.old().map(|line| line.text.as_str()).collect();
            for line in old.iter().take(MOST_EXPECTED) {
                text.push('\n');
                text.push_str(line);
            }
            if old.len() > MOST_EXPECTED {
                let _ = write!(text, "\n… and {} lines more", old.len() - MOST_EXPECTED);
            }
            text
        }
    };
    let _ = write!(text, "\n\nHunk {} of {} (line {} of the patch)", missing.hunk + 1, hunks.len(), hunk.line);
    if hunk.at_end {
        text.push_str(" was looked for at the end of the file");
    } else {
        let _ = write!(text, " was looked for from line {} on", missing.from + 1);
    }
    match &missing.nearest {
        None => text.push_str(", and nothing there is like it."),
        Some(nearest) => near(&mut text, nearest, missing.from),
    }
    text
}

fn near(text: &mut String, nearest: &Nearest, from: usize) {
    let Nearest { at, same, of, lines } = nearest;
    if same == of {
        if *at < from {
            let _ = write!(
                text,
                ". It is at line {}, before the place of the hunk before it: put the hunks in the order of the file, and \
                 change no line twice.",
                at + 1
            );
        } else {
            let _ = write!(text, ". It is at line {}, which is not the end of the file.", at + 1);
        }
        return;
    }
    let _ = write!(text, ". The nearest is at line {} ({same} of {of} lines are the same", at + 1);
    text.push_str("; - as the patch has it, + as the file has it):");
    // What differs comes first, where not all can be shown.
    let start = if lines.len() <= MOST_LINES {
        0
    } else {
        lines.iter().position(|line| !line.is_same).unwrap_or(0).saturating_sub(1)
    };
    for (offset, line) in lines.iter().enumerate().skip(start).take(MOST_LINES) {
        let number = at + offset + 1;
        match &line.found {
            Some(found) if line.is_same => {
                let _ = write!(text, "\n{number:6}   {}", cut(found));
            }
            found => {
                let _ = write!(text, "\n{number:6} - {}", cut(&line.expected));
                let found = found.as_ref().map_or_else(|| "(the file ends before this)".to_owned(), |found| cut(found));
                let _ = write!(text, "\n{number:6} + {found}");
            }
        }
    }
    if start + MOST_LINES < lines.len() {
        text.push_str("\n       …");
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(MOST_WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// All that is wrong, as one error.
pub(super) fn all(mut failures: Vec<(PathBuf, ToolError)>) -> ToolError {
    const MOST: usize = 5;
    let more = failures.len().saturating_sub(MOST);
    failures.truncate(MOST);
    let mut text = "apply_patch verification failed: ".to_owned();
    for (number, (_, failure)) in failures.iter().enumerate() {
        text.push_str(if number > 0 { "\n\n" } else { "" });
        text.push_str(&failure.to_string());
    }
    if more > 0 {
        let _ = write!(text, "\n\n… and {more} files more.");
    }
    text.push_str("\n\nNothing was changed. Read what is there, and send the patch again with the lines as they are.");
    ToolError::failed(text)
}
