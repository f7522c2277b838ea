//! What one file has: its matching lines, and those around them.

use std::{fmt, io, ops::Range};

use grep_searcher::{Searcher, Sink, SinkContext, SinkError, SinkFinish, SinkMatch};

use super::{
    pattern::{Engine, GaveUp},
    window::{MAX_CHARS, window},
};

/// Of one match as many lines are kept, and of one file as many bytes: a pattern may match all of it.
const MAX_LINES: usize = 200;
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// So far behind a match it may hang on what follows, where matches are told apart that follow one another.
const LOOK_AHEAD: usize = 128;
/// A file with a NUL byte this near to its beginning is binary; farther on, what is before it is text that was found.
pub(super) const BINARY_WITHIN: u64 = 64 * 1024;

impl Role {
    /// Whether a match begins in such a line.
    pub(crate) fn begins(self) -> bool {
        matches!(self, Self::Match | Self::Both)
    }
}

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
    /// A match ends in it, and another begins.
    Both,
    /// It stands for the further lines of a match, up to its number.
    Elided,
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

    /// Takes down that a match goes on up to a line.
    fn elide(&mut self, number: u64) {
        match self.spans.last_mut() {
            Some(last) if last.role == Role::Elided => last.number = number,
            _ => self.spans.push(Span { number, at: self.text.len()..self.text.len(), role: Role::Elided }),
        }
    }

    /// Whether another match may be taken down.
    pub(super) fn has_room(&self, limit: usize) -> bool {
        self.matches < limit && self.text.len() < MAX_BYTES
    }
}

/// Takes down what a search of one file finds. As a line counts once, however many matches are in it, so does one in
/// which several begin that go on.
pub(super) struct Taker<'a> {
    pub(super) lines: &'a mut Lines,
    pub(super) engine: &'a Engine,
    /// So many matches are taken down.
    pub(super) limit: usize,
    /// Only whether there is a match is asked for.
    pub(super) files_only: bool,
    pub(super) multiline: bool,
}

/// Why the search of a file ended before its end.
#[derive(Debug)]
pub(super) enum Failed {
    /// The engine gave up.
    Match(GaveUp),
    /// It could not be read, or there is too much to be held.
    Read(io::Error),
}

impl SinkError for Failed {
    fn error_message<T: fmt::Display>(message: T) -> Self {
        Self::Match(GaveUp(message.to_string()))
    }

    fn error_io(error: io::Error) -> Self {
        Self::Read(error)
    }
}

impl From<GaveUp> for Failed {
    fn from(error: GaveUp) -> Self {
        Self::Match(error)
    }
}

impl Taker<'_> {
    /// Whether there is room for a match; it counts as taken then.
    fn takes(&mut self) -> bool {
        if !self.lines.has_room(self.limit) {
            self.lines.more = true;
            return false;
        }
        self.lines.matches += 1;
        true
    }

    /// Takes down matches of several lines that follow one another. The searcher says where their lines are, not where
    /// one ends and the next begins.
    fn take_run(&mut self, found: &SinkMatch<'_>) -> Result<bool, Failed> {
        let range = found.bytes_range_in_buffer();
        // The engine is not to look through the rest of the file for what has to be in these lines.
        let text = &found.buffer()[..found.buffer().len().min(range.end + LOOK_AHEAD)];
        let engine = self.engine;
        let next = |at: usize| -> Result<Option<Range<usize>>, GaveUp> {
            let next = if at < range.end { engine.find_at(text, at)? } else { None };
            Ok(next.filter(|next| next.start < range.end))
        };
        let mut coming = next(range.start)?;
        let (mut start, mut goes_on_to, mut shown) = (range.start, range.start, 0);
        for (number, line) in (found.line_number().unwrap_or(1)..).zip(found.lines()) {
            let end = start + line.len();
            let (goes_on, mut first) = (goes_on_to > start, None);
            while let Some(here) = coming.take_if(|coming| coming.start < end) {
                first.get_or_insert(here.start - start);
                goes_on_to = here.end;
                coming = next(here.end + usize::from(here.is_empty()))?;
            }
            start = end;
            let role = match (goes_on, first) {
                (false, Some(_)) => Role::Match,
                (true, Some(_)) => Role::Both,
                (true, None) => Role::Continued,
                // What only looks like a match where the text before it is not seen.
                (false, None) => continue,
            };
            if role.begins() {
                if !self.takes() {
                    if role == Role::Both {
                        self.lines.push(number, line, Role::Continued, || None);
                    }
                    return Ok(false);
                }
                shown = 0;
            } else if shown == MAX_LINES {
                self.lines.elide(number);
                continue;
            }
            shown += 1;
            self.lines.push(number, line, role, || first.map(|first| first..first));
        }
        Ok(true)
    }
}

impl Sink for Taker<'_> {
    type Error = Failed;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Failed> {
        if self.files_only {
            self.lines.matches = 1;
            return Ok(false);
        }
        if self.multiline {
            return self.take_run(found);
        }
        let takes = self.takes();
        if takes {
            let line = found.bytes();
            // Only of a long line, and there was a match just now.
            let place = || self.engine.find_at(line, 0).ok().flatten();
            self.lines.push(found.line_number().unwrap_or(1), line, Role::Match, place);
        }
        Ok(takes)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, Failed> {
        self.lines.push(context.line_number().unwrap_or(1), context.bytes(), Role::Context, || None);
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, at: u64) -> Result<bool, Failed> {
        self.lines.binary_at = Some(at);
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, _: &SinkFinish) -> Result<(), Failed> {
        Ok(())
    }
}
