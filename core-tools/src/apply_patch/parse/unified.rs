//! Unified diffs: those of `diff -u`, and git's with renames, copies, new and deleted files, and modes.
//!
//! Counts are believed where they fit the lines that follow. Models count badly: where they do not fit, a hunk reaches
//! to the next line that begins something else.

use super::{
    diff_action::{GitHeader, git_action, plain_action},
    error::{ParseError, Problem, quoted},
    names, range,
};
use crate::apply_patch::patch::{Action, Hunk, Line, LineEnding, LineKind, Operation, Patch};

/// Whether a text is a diff: a line names a file as diffs do. What stands before it is a message, as in a patch that was
/// mailed.
pub(super) fn is_diff(text: &str) -> bool {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("diff --git ") || names_old(line) && lines.peek().is_some_and(|next| names_new(next)) {
            return true;
        }
    }
    false
}

/// Whether a diff begins with this line.
pub(super) fn begins_at(line: &str) -> bool {
    line.starts_with("diff ") || names_old(line) || line.starts_with("Index: ")
}

fn names_old(line: &str) -> bool {
    line.starts_with("--- ")
}

fn names_new(line: &str) -> bool {
    line.starts_with("+++ ")
}

/// Reads a diff.
pub(super) fn parse(text: &str) -> Result<Patch, ParseError> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    // Where the headers end with CR, so does every line, and it is the patch's own; else a CR is the file's.
    let is_header = |line: &&&str| names_old(line) || line.starts_with("@@");
    if lines.iter().filter(is_header).all(|line| line.ends_with('\r')) {
        lines.iter_mut().for_each(|line| *line = line.strip_suffix('\r').unwrap_or(line));
    }
    parse_lines(&lines, 0)
}

/// Reads the lines of a diff, before which the patch has `offset` others.
pub(super) fn parse_lines(lines: &[&str], offset: usize) -> Result<Patch, ParseError> {
    let mut parser = Parser { lines, at: 0, offset };
    let mut operations = Vec::new();
    // Before the first file, and between mailed patches, anything may stand.
    let mut in_message = true;
    while let Some(line) = parser.peek() {
        if line.starts_with("diff --git ") || parser.names_files() {
            operations.push(parser.file()?);
            in_message = false;
        } else if line.starts_with("@@") && range::is_range(line[2..].trim_start()) {
            return Err(parser.error(Problem::NoFile));
        } else if names_old(line) && !in_message {
            return Err(parser.error(Problem::NoNewFile(quoted(&line[4..]))));
        } else if line == "-- " || line == "--" || line.starts_with("From ") {
            in_message = true;
            parser.at += 1;
        } else if in_message || is_noise(line) {
            parser.at += 1;
        } else {
            return Err(parser.error(Problem::Unmarked(quoted(line))));
        }
    }
    if operations.is_empty() { Err(ParseError::Nothing) } else { Ok(Patch { operations }) }
}

/// Lines between files that say nothing.
fn is_noise(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with("diff ") || line.starts_with("Index: ") || line.starts_with("=====")
}

struct Parser<'a> {
    lines: &'a [&'a str],
    at: usize,
    offset: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    fn number(&self) -> usize {
        self.offset + self.at + 1
    }

    fn error(&self, problem: Problem) -> ParseError {
        ParseError::at(self.number(), problem)
    }

    /// Whether the next two lines name the two sides of a file.
    fn names_files(&self) -> bool {
        let [old, new] = [0, 1].map(|next| self.lines.get(self.at + next));
        old.is_some_and(|line| names_old(line)) && new.is_some_and(|line| names_new(line))
    }

    fn file(&mut self) -> Result<Operation, ParseError> {
        let line = self.number();
        let git = if self.peek().is_some_and(|line| line.starts_with("diff --git ")) {
            Some(self.git_header()?)
        } else {
            None
        };
        let sides = if self.names_files() {
            let side = |parser: &Self, next: usize| {
                let text = &parser.lines[parser.at + next][4..];
                names::side(text).map_err(|problem| ParseError::at(parser.number() + next, problem))
            };
            let sides = (side(self, 0)?, side(self, 1)?);
            self.at += 2;
            Some(sides)
        } else {
            None
        };
        let mut hunks = Vec::new();
        if sides.is_some() {
            while let Some(hunk) = self.hunk()? {
                hunks.push(hunk);
            }
            settle_endings(&mut hunks);
        }
        let at = |problem| ParseError::at(line, problem);
        let (path, action) = match git {
            Some(git) => git_action(git, sides, hunks).map_err(at)?,
            None => {
                let (old, new) = sides.ok_or_else(|| at(Problem::NoFile))?;
                plain_action(&old, &new, hunks).map_err(at)?
            }
        };
        if let Action::Update(update) = &action
            && update.hunks.is_empty()
            && update.to.is_none()
            && update.executable.is_none()
        {
            return Err(at(Problem::NoHunks(path.first().to_owned())));
        }
        Ok(Operation { path, action, line })
    }

    fn git_header(&mut self) -> Result<GitHeader, ParseError> {
        let mut git = GitHeader::default();
        let first = self.peek().and_then(|line| line.strip_prefix("diff --git ")).unwrap_or_default();
        git.pair = names::pair(first.trim_end_matches('\r'));
        self.at += 1;
        while let Some(line) = self.peek() {
            let name = |text: &str| names::alone(text).map(Some).map_err(|problem| self.error(problem));
            let mode = |text: &str| match text.trim() {
                "100644" => Ok(false),
                "100755" => Ok(true),
                other => Err(self.error(Problem::Mode(quoted(other)))),
            };
            if let Some(text) = line.strip_prefix("rename from ") {
                git.from = name(text)?;
            } else if let Some(text) = line.strip_prefix("rename to ") {
                git.to = name(text)?;
            } else if let Some(text) = line.strip_prefix("copy from ") {
                (git.from, git.copies) = (name(text)?, true);
            } else if let Some(text) = line.strip_prefix("copy to ") {
                git.to = name(text)?;
            } else if let Some(text) = line.strip_prefix("new file mode ") {
                git.is_new = true;
                git.executable = mode(text)?.then_some(true);
            } else if let Some(text) = line.strip_prefix("deleted file mode ") {
                git.is_deleted = true;
                mode(text)?;
            } else if let Some(text) = line.strip_prefix("new mode ") {
                git.executable = Some(mode(text)?);
            } else if let Some(text) = line.strip_prefix("old mode ") {
                mode(text)?;
            } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
                return Err(self.error(Problem::Binary));
            } else if !["similarity index ", "dissimilarity index ", "index "].iter().any(|said| line.starts_with(said))
            {
                break;
            }
            self.at += 1;
        }
        Ok(git)
    }

    /// The next hunk of the file, if there is one.
    fn hunk(&mut self) -> Result<Option<Hunk>, ParseError> {
        let mut at = self.at;
        while self.lines.get(at).is_some_and(|line| line.trim().is_empty()) {
            at += 1;
        }
        if !self.lines.get(at).is_some_and(|line| line.starts_with("@@")) {
            return Ok(None);
        }
        self.at = at;
        let mut hunk = Hunk { line: self.number(), ..Hunk::default() };
        let mut counts = None;
        while let Some(rest) = self.peek().and_then(|line| line.strip_prefix("@@")) {
            let text = rest.trim();
            if range::is_range(text) {
                let (old, new) = range::both(text).map_err(|problem| self.error(problem))?;
                hunk.hint = Some(old);
                counts = Some((old.count, new.count));
            } else if !text.is_empty() {
                hunk.headers.push(text.to_owned());
            }
            self.at += 1;
            if counts.is_some() {
                break;
            }
        }
        hunk.lines = match counts.and_then(|(old, new)| self.counted(old, new)) {
            Some(lines) => lines,
            None => self.uncounted()?,
        };
        if hunk.lines.is_empty() {
            return Err(self.error(Problem::NoLines));
        }
        if let Some(hint) = &mut hunk.hint {
            let old = hunk.lines.iter().filter(|line| line.kind != LineKind::Added).count();
            if old == 0 && hint.count > 0 {
                return Err(ParseError::at(hunk.line, Problem::NoOldLines(hint.count)));
            }
            if old > 0 && hint.count == 0 {
                // The line before the place was named, and the place has lines after all.
                hint.start += 1;
            }
            hint.count = old;
        }
        hunk.at_end = hunk.lines.iter().any(|line| line.ending == LineEnding::Nothing);
        Ok(Some(hunk))
    }

    /// As many lines as were counted, if they are there and nothing of the hunk is left behind them.
    fn counted(&mut self, mut old: usize, mut new: usize) -> Option<Vec<Line>> {
        let mut lines = Vec::new();
        let mut at = self.at;
        while old > 0 || new > 0 {
            let text = self.lines.get(at)?;
            if !take(text, &mut lines)? {
                at += 1;
                continue;
            }
            let kind = lines.last()?.kind;
            if kind != LineKind::Added {
                old = old.checked_sub(1)?;
            }
            if kind != LineKind::Removed {
                new = new.checked_sub(1)?;
            }
            at += 1;
        }
        while self.lines.get(at).is_some_and(|line| line.starts_with("\\ ")) {
            take(self.lines[at], &mut lines)?;
            at += 1;
        }
        let next = self.lines.get(at).copied().unwrap_or_default();
        let goes_on = next.starts_with([' ', '+', '-']) && !names_old(next) && !is_signature(next);
        if goes_on && !next.trim().is_empty() {
            return None;
        }
        self.at = at;
        Some(lines)
    }

    /// The lines up to the next that begins something else; blank ones at the end part it from that.
    fn uncounted(&mut self) -> Result<Vec<Line>, ParseError> {
        let mut lines = Vec::new();
        let mut blank = 0;
        while let Some(text) = self.peek() {
            let is_next_file =
                self.names_files() && self.lines.get(self.at + 2).is_none_or(|line| line.starts_with("@@"));
            if text.starts_with("@@") || text.starts_with("diff --git ") || is_next_file || is_signature(text) {
                break;
            }
            match take(text, &mut lines) {
                Some(_) => {}
                None if blank == 0 => return Err(self.error(Problem::Unmarked(quoted(text)))),
                None => break,
            }
            blank = if text.is_empty() { blank + 1 } else { 0 };
            self.at += 1;
        }
        lines.truncate(lines.len() - blank);
        Ok(lines)
    }
}

/// The line under which git writes its version in a mail.
fn is_signature(line: &str) -> bool {
    line == "-- "
}

/// Takes in a line of a hunk. `None`: it is none; `false`: it says of the line before that it has no ending.
fn take(text: &str, lines: &mut Vec<Line>) -> Option<bool> {
    let (kind, text) = match text.as_bytes().first() {
        None => (LineKind::Context, ""),
        Some(b' ') => (LineKind::Context, &text[1..]),
        Some(b'-') => (LineKind::Removed, &text[1..]),
        Some(b'+') => (LineKind::Added, &text[1..]),
        Some(b'\\') if text.starts_with("\\ ") => {
            lines.last_mut()?.ending = LineEnding::Nothing;
            return Some(false);
        }
        Some(_) => return None,
    };
    lines.push(Line { kind, text: text.to_owned(), ending: LineEnding::Unsaid });
    Some(true)
}

/// A CR at the end of a line is the file's. Where one line of a file has it, the diff tells the two endings apart, and the
/// others end with LF.
fn settle_endings(hunks: &mut [Hunk]) {
    let lines = || hunks.iter().flat_map(|hunk| &hunk.lines);
    if !lines().any(|line| line.ending == LineEnding::Unsaid && line.text.ends_with('\r')) {
        return;
    }
    for line in hunks.iter_mut().flat_map(|hunk| &mut hunk.lines) {
        if line.ending == LineEnding::Unsaid {
            let has_cr = line.text.ends_with('\r');
            line.text.truncate(line.text.len() - usize::from(has_cr));
            line.ending = if has_cr { LineEnding::CrLf } else { LineEnding::Lf };
        }
    }
}
