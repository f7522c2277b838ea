//! codex's format: `*** Begin Patch`, sections of files, `*** End Patch`.
//!
//! What codex 0.169 takes is taken, and read alike. Beyond it: several `@@` lines in a row, git's ranges after `@@`,
//! blank lines between sections, a move without hunks (as opencode), `\ No newline at end of file`, and a diff between
//! the two marks.

use super::{
    error::{ParseError, Problem, quoted},
    range, unified,
};
use crate::apply_patch::patch::{Action, Hunk, Line, LineEnding, LineKind, Operation, Patch, Update, WrittenPath};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ENVIRONMENT: &str = "*** Environment ID:";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";
/// What diffs say of a last line without a line break. Other languages word it otherwise; the backslash is what counts.
const NO_NEWLINE: &str = "\\ ";

/// Whether a text begins as this format does.
pub(super) fn begins(text: &str) -> bool {
    text.trim_start().lines().next().is_some_and(|line| is_mark(line, BEGIN))
}

/// A mark with blanks around it, and stars behind it, as models add them.
fn is_mark(line: &str, mark: &str) -> bool {
    line.trim().strip_prefix(mark).is_some_and(|rest| rest.trim_start().trim_end_matches('*').is_empty())
}

/// Reads a patch.
pub(super) fn parse(text: &str) -> Result<Patch, ParseError> {
    let lines: Vec<&str> = text.trim().lines().collect();
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Err(ParseError::Empty) };
    if !is_mark(first, BEGIN) {
        return Err(ParseError::Begin(quoted(first)));
    }
    if lines.len() < 2 || !is_mark(last, END) {
        return Err(ParseError::End(quoted(last)));
    }
    // An indented one is a line of a file.
    if let Some(at) = lines[..lines.len() - 1].iter().position(|line| line.trim_end() == END) {
        return Err(ParseError::End(quoted(lines[at + 1])));
    }
    let mut parser = Parser { lines: &lines[..lines.len() - 1], at: 1 };
    parser.environment()?;
    parser.skip_blank();
    if parser.peek().is_some_and(unified::begins_at) {
        return unified::parse_lines(parser.rest(), parser.at);
    }
    let mut patch = Patch::default();
    while let Some(line) = parser.peek() {
        patch.operations.push(parser.operation(line)?);
        parser.skip_blank();
    }
    if patch.operations.is_empty() { Err(ParseError::Nothing) } else { Ok(patch) }
}

/// The lines of a patch, and how far they have been read.
struct Parser<'a> {
    lines: &'a [&'a str],
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    fn rest(&self) -> &'a [&'a str] {
        &self.lines[self.at..]
    }

    /// The number of the line that is next, counted from 1.
    fn number(&self) -> usize {
        self.at + 1
    }

    fn error(&self, problem: Problem) -> ParseError {
        ParseError::at(self.number(), problem)
    }

    fn skip_blank(&mut self) {
        while self.peek().is_some_and(|line| line.trim().is_empty()) {
            self.at += 1;
        }
    }

    /// Names an environment, of which there is one here.
    fn environment(&mut self) -> Result<(), ParseError> {
        let mut seen = false;
        while let Some(name) = self.peek().and_then(|line| line.trim().strip_prefix(ENVIRONMENT)) {
            if seen {
                return Err(ParseError::TwoEnvironments);
            }
            if name.trim().is_empty() {
                return Err(ParseError::EmptyEnvironment);
            }
            seen = true;
            self.at += 1;
        }
        Ok(())
    }

    fn operation(&mut self, line: &str) -> Result<Operation, ParseError> {
        let number = self.number();
        let header = line.trim();
        let path = |start| header.strip_prefix(start).map(str::trim).filter(|path: &&str| !path.is_empty());
        let (path, action) = if let Some(path) = path(ADD) {
            self.at += 1;
            (path, self.add())
        } else if let Some(path) = path(DELETE) {
            self.at += 1;
            (path, Action::Delete { hunks: Vec::new() })
        } else if let Some(path) = path(UPDATE) {
            self.at += 1;
            (path, Action::Update(self.update(path, number)?))
        } else {
            return Err(self.error(Problem::Header(quoted(header))));
        };
        Ok(Operation { path: WrittenPath::plain(path), action, line: number })
    }

    /// The lines of a new file. A blank line between two of them has lost its `+`.
    fn add(&mut self) -> Action {
        let mut content = String::new();
        let mut blank = 0;
        while let Some(line) = self.peek() {
            if let Some(text) = line.strip_prefix('+') {
                (0..std::mem::take(&mut blank)).for_each(|_| content.push('\n'));
                content.push_str(text);
                content.push('\n');
            } else if line.is_empty() {
                blank += 1;
            } else if line.starts_with(NO_NEWLINE) && content.ends_with('\n') {
                content.pop();
            } else if line.trim_end() != END_OF_FILE {
                break;
            }
            self.at += 1;
        }
        Action::Add { content, replaces: true, executable: None }
    }

    fn update(&mut self, path: &str, header: usize) -> Result<Update, ParseError> {
        let mut update = Update { closes_last_line: true, ..Update::default() };
        let to = self.peek().and_then(|line| line.strip_prefix(MOVE)).map(str::trim).filter(|to| !to.is_empty());
        if let Some(to) = to {
            update.to = Some(WrittenPath::plain(to));
            self.at += 1;
        }
        self.skip_names(path);
        while let Some(line) = self.peek() {
            if is_section(line) {
                break;
            }
            if line.is_empty() && self.nothing_follows() {
                self.skip_blank();
                break;
            }
            let hunk = self.hunk(update.hunks.is_empty())?;
            update.hunks.push(hunk);
        }
        if update.hunks.is_empty() && update.to.is_none() {
            return Err(ParseError::at(header, Problem::NoHunks(path.to_owned())));
        }
        Ok(update)
    }

    /// The `---` and `+++` of a diff that was put under the header: they name the file again.
    fn skip_names(&mut self, path: &str) {
        let names = |line: Option<&&str>, start| {
            line.and_then(|line| line.strip_prefix(start)).is_some_and(|name| name.trim_end().ends_with(path))
        };
        let [old, new, hunk] = [0, 1, 2].map(|next| self.lines.get(self.at + next));
        if names(old, "--- ") && names(new, "+++ ") && hunk.is_some_and(|line| line.starts_with("@@")) {
            self.at += 2;
        }
    }

    /// Whether only blank lines are left of this section.
    fn nothing_follows(&self) -> bool {
        self.rest().iter().find(|line| !line.is_empty()).is_none_or(|line| is_section(line))
    }

    fn hunk(&mut self, is_first: bool) -> Result<Hunk, ParseError> {
        let mut hunk = Hunk { line: self.number(), ..Hunk::default() };
        let mut has_header = false;
        while let Some(header) = self.peek().and_then(header) {
            has_header = true;
            match header {
                Header::Bare => {}
                Header::Context(text) => hunk.headers.push(text.to_owned()),
                Header::Range(text) => {
                    let hint = range::parse(text).map_err(|problem| self.error(problem))?;
                    hunk.hint = Some(hint);
                }
            }
            self.at += 1;
        }
        if !has_header && !is_first {
            return Err(self.error(Problem::Marker(quoted(self.peek().unwrap_or_default()))));
        }
        while let Some(line) = self.peek() {
            if line.trim_end() == END_OF_FILE {
                if hunk.lines.is_empty() {
                    return Err(self.error(Problem::NoLines));
                }
                hunk.at_end = true;
                self.at += 1;
                self.skip_blank();
                break;
            }
            if is_section(line) || header(line).is_some() {
                break;
            }
            self.line(line, &mut hunk)?;
            self.at += 1;
        }
        if hunk.lines.is_empty() {
            return Err(self.error(Problem::NoLines));
        }
        Ok(hunk)
    }

    fn line(&self, line: &str, hunk: &mut Hunk) -> Result<(), ParseError> {
        let mut take = |kind, text: &str| {
            hunk.lines.push(Line { kind, text: text.to_owned(), ending: LineEnding::Unsaid });
        };
        match line.as_bytes().first() {
            None => take(LineKind::Context, ""),
            Some(b' ') => take(LineKind::Context, &line[1..]),
            Some(b'-') => take(LineKind::Removed, &line[1..]),
            Some(b'+') => take(LineKind::Added, &line[1..]),
            Some(b'\\') if line.starts_with(NO_NEWLINE) && !hunk.lines.is_empty() => {
                if let Some(last) = hunk.lines.last_mut() {
                    last.ending = LineEnding::Nothing;
                }
            }
            Some(_) if hunk.lines.is_empty() => return Err(self.error(Problem::Unmarked(quoted(line)))),
            Some(_) => return Err(self.error(Problem::Marker(quoted(line)))),
        }
        Ok(())
    }
}

/// Whether a line ends a section: codex trims the end of it only, so that an indented one is a line of context.
fn is_section(line: &str) -> bool {
    line.starts_with("*** ") && line.trim_end() != END_OF_FILE
}

/// What stands after `@@`.
enum Header<'a> {
    Bare,
    Context(&'a str),
    Range(&'a str),
}

fn header(line: &str) -> Option<Header<'_>> {
    let rest = line.strip_prefix("@@")?;
    if rest.trim().is_empty() {
        return Some(Header::Bare);
    }
    let text = rest.strip_prefix(' ')?;
    Some(if range::is_range(text) { Header::Range(text) } else { Header::Context(text) })
}
