//! What one file has: its matching lines, and those around them.

use std::{io, ops::Range};

use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::{
    pattern::Engine,
    window::{MAX_CHARS, window},
};

/// Of one match as many lines are kept, and of one file as many bytes: a pattern may match all of it.
const MAX_LINES: usize = 200;
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// A file with a NUL byte this near to its beginning is binary; farther on, what is before it is text that was found.
pub(super) const BINARY_WITHIN: u64 = 64 * 1024;

/// A line of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its number, counted from 1.
    pub(crate) number: u64,
    /// Its text without its line break, cut where it is long.
    pub(crate) text: String,
    pub(crate) role: Role,
}

/// What a line is in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A match begins in it.
    Match,
    /// A match goes on in it.
    Continued,
    /// It stands around a match.
    Context,
}

/// Takes down the lines of one file after another. Its buffers are used again, so that a file that is not wanted in the
/// end costs no allocation.
#[derive(Debug, Default)]
pub(super) struct Lines {
    text: Vec<u8>,
    spans: Vec<Span>,
    /// How many matches there are, those left out not counted.
    pub(super) matches: usize,
    /// Whether there is a further match.
    pub(super) more: bool,
    /// Where the first NUL byte is.
    pub(super) binary_at: Option<u64>,
}

#[derive(Debug)]
struct Span {
    number: u64,
    at: Range<usize>,
    role: Role,
}

impl Lines {
    /// Forgets the last file.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.spans.clear();
        (self.matches, self.more, self.binary_at) = (0, false, None);
    }

    /// Whether the file is binary, as far as it was read.
    pub(super) fn is_binary(&self) -> bool {
        self.binary_at.is_some_and(|at| at < BINARY_WITHIN)
    }

    /// The lines, for keeping.
    pub(super) fn kept(&self) -> Vec<Line> {
        let line = |span: &Span| Line {
            number: span.number,
            // Cut before it was taken down, and as good as text then.
            text: String::from_utf8_lossy(&self.text[span.at.clone()]).into_owned(),
            role: span.role,
        };
        self.spans.iter().map(line).collect()
    }

    /// Takes down a line; `found` is where the match is in it.
    pub(super) fn push(&mut self, number: u64, line: &[u8], role: Role, found: impl FnOnce() -> Option<Range<usize>>) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let start = self.text.len();
        if line.len() <= MAX_CHARS {
            self.text.extend_from_slice(line);
        } else {
            self.text.extend_from_slice(window(line, found()).as_bytes());
        }
        self.spans.push(Span { number, at: start..self.text.len(), role });
    }

    /// Whether another match may be taken down.
    pub(super) fn has_room(&self, limit: usize) -> bool {
        self.matches < limit && self.text.len() < MAX_BYTES
    }
}

/// Takes down what a search of one file finds.
pub(super) struct Taker<'a> {
    pub(super) lines: &'a mut Lines,
    pub(super) engine: &'a Engine,
    /// So many matches are taken down.
    pub(super) limit: usize,
    /// Only whether there is a match is asked for.
    pub(super) files_only: bool,
}

impl Sink for Taker<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.files_only {
            self.lines.matches = 1;
            return Ok(false);
        }
        if !self.lines.has_room(self.limit) {
            self.lines.more = true;
            return Ok(false);
        }
        self.lines.matches += 1;
        let numbers = found.line_number().unwrap_or(1)..;
        let mut role = Role::Match;
        for (number, line) in numbers.zip(found.lines()).take(MAX_LINES) {
            self.lines.push(number, line, role, || self.engine.find_at(line, 0));
            role = Role::Continued;
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.lines.push(context.line_number().unwrap_or(1), context.bytes(), Role::Context, || None);
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, at: u64) -> io::Result<bool> {
        self.lines.binary_at = Some(at);
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, _: &SinkFinish) -> io::Result<()> {
        Ok(())
    }
}
