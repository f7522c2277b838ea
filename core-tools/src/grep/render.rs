//! What was found, as a model is shown it.

use std::path::{Path, PathBuf};

use crate::search::{Found, Report, Role};

/// Kept for what stands around the lines.
const NOTES: usize = 1024;

/// The text of a result.
pub(super) struct Rendered {
    pub(super) text: String,
    /// How many matches are shown, or files.
    pub(super) count: usize,
    /// Whether there are more.
    pub(super) truncated: bool,
}

impl Rendered {
    /// Shows matches in opencode's form, as many as there is room for: the files' absolute paths, and below each
    /// `  Line 7: text`. Lines around a match, which opencode does not have, have a `-` after the number, as grep prints
    /// them, and `  --` stands where lines are left out between them. (opencode shows an empty line after each match,
    /// which says nothing.)
    pub(super) fn of(
        found: &Found,
        shown: impl Fn(&Path) -> PathBuf,
        context: usize,
        files_only: bool,
        is_file: bool,
        room: usize,
    ) -> Self {
        let mut report = Report::new(room.saturating_sub(NOTES));
        let mut count = 0;
        let mut notes = Vec::new();
        let mut fits = true;
        'files: for (at, file) in found.files.iter().enumerate() {
            let path = shown(&file.path);
            if files_only {
                fits = report.line(&path.to_string_lossy());
                if !fits {
                    break;
                }
                count += 1;
                continue;
            }
            fits = (at == 0 || report.line("")) && report.line(&format!("{}:", path.display()));
            let mut last = None;
            for line in &file.lines {
                let gap = context > 0 && last.is_some_and(|last| line.number > last + 1);
                last = Some(line.number);
                let mark = if line.role == Role::Context { '-' } else { ':' };
                fits = fits
                    && (!gap || report.line("  --"))
                    && report.line(&format!("  Line {}{mark} {}", line.number, line.text));
                if !fits {
                    break 'files;
                }
                count += usize::from(line.role == Role::Match);
            }
            if file.turns_binary {
                notes.push(format!("({} has binary data further on, which was not searched.)", path.display()));
            }
        }
        let truncated = found.more || !fits;
        if truncated {
            notes.push("(Results truncated. Consider using a more specific path or pattern.)".to_owned());
        }
        if is_file && found.binary > 0 {
            notes.push("(The file is binary, and was not searched.)".to_owned());
        }
        notes.extend(found.faults.message());
        let what = if files_only { "files" } else { "matches" };
        let more = if truncated { format!(" (more {what} available)") } else { String::new() };
        let mut text = match count {
            0 if !truncated => "No files found".to_owned(),
            count => format!("Found {count} {what}{more}\n{}", report.finish()),
        };
        for note in notes {
            text.push_str("\n\n");
            text.push_str(&note);
        }
        Self { text, count, truncated }
    }
}
