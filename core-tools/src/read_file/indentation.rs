//! The block around a line, by how lines are indented.

use std::collections::VecDeque;

use super::lines::shown;

/// How much a tab indents, and how much a level is (codex).
const LEVEL: u64 = 4;

/// Which block is meant.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// The number of the line it is around.
    pub(super) anchor: u64,
    /// How many levels it goes out; 0 for all.
    pub(super) levels: u64,
    pub(super) siblings: bool,
    pub(super) header: bool,
    /// How many lines it may have.
    pub(super) limit: usize,
}

/// A line that may belong to it.
#[derive(Debug, Clone)]
struct Line {
    number: u64,
    text: String,
    /// Of a blank line, that of the line before it.
    indent: u64,
    is_blank: bool,
    is_comment: bool,
}

/// Takes the lines of a file, and keeps those that may belong to the block.
#[derive(Debug)]
pub(super) struct Around {
    block: Block,
    before: VecDeque<Line>,
    anchor: Option<Line>,
    after: Vec<Line>,
    indent: u64,
}

impl Around {
    pub(super) fn new(block: Block) -> Self {
        Self { block, before: VecDeque::new(), anchor: None, after: Vec::new(), indent: 0 }
    }

    /// Takes the next line; says whether more are wanted.
    pub(super) fn push(&mut self, number: u64, bytes: &[u8]) -> bool {
        let blanks = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let is_blank = blanks == bytes.len();
        if !is_blank {
            self.indent = bytes[..blanks].iter().map(|byte| if *byte == b'\t' { LEVEL } else { 1 }).sum();
        }
        let is_far = self.block.anchor - number.min(self.block.anchor) > self.block.limit as u64;
        if is_far {
            return true;
        }
        let rest = &bytes[blanks..];
        let line = Line {
            number,
            text: shown(bytes),
            indent: self.indent,
            is_blank,
            is_comment: [&b"#"[..], b"//", b"--"].iter().any(|start| rest.starts_with(start)),
        };
        if number < self.block.anchor {
            if self.before.len() == self.block.limit {
                self.before.pop_front();
            }
            self.before.push_back(line);
        } else if number == self.block.anchor {
            self.anchor = Some(line);
        } else {
            self.after.push(line);
        }
        self.after.len() < self.block.limit
    }

    /// The lines of the block with their numbers; nothing when the file ends before the line it is around.
    ///
    /// It grows by a line on either side in turn, as long as lines are indented as far as the outermost level. Of lines
    /// at just that level the first ends its side, for it is the block's own first or last line (codex); above it,
    /// comments may follow. Blank lines at its ends are left out.
    pub(super) fn finish(self) -> Option<Vec<(u64, String)>> {
        let Self { block, mut before, anchor, after, .. } = self;
        let anchor = anchor?;
        let least = match block.levels {
            0 => 0,
            levels => anchor.indent.saturating_sub(levels.saturating_mul(LEVEL)),
        };
        let mut up = Side { least, siblings: block.siblings, header: block.header, met: false, is_open: true };
        let mut down = Side { header: false, ..up };
        let mut lines = VecDeque::from([anchor]);
        let mut after = after.into_iter();
        while lines.len() < block.limit && (up.is_open || down.is_open) {
            if let Some(line) = up.next(|| before.pop_back()) {
                lines.push_front(line);
            }
            if lines.len() < block.limit
                && let Some(line) = down.next(|| after.next())
            {
                lines.push_back(line);
            }
        }
        while lines.front().is_some_and(|line| line.is_blank) {
            lines.pop_front();
        }
        while lines.back().is_some_and(|line| line.is_blank) {
            lines.pop_back();
        }
        Some(lines.into_iter().map(|line| (line.number, line.text)).collect())
    }
}

/// One side that the block grows to.
#[derive(Debug, Clone, Copy)]
struct Side {
    least: u64,
    siblings: bool,
    header: bool,
    /// Whether a line at the outermost level has been taken.
    met: bool,
    is_open: bool,
}

impl Side {
    /// The next line, if it belongs to the block; else the side is closed.
    fn next(&mut self, next: impl FnOnce() -> Option<Line>) -> Option<Line> {
        if !self.is_open {
            return None;
        }
        let line = next().filter(|line| self.admits(line));
        self.is_open = line.is_some();
        line
    }

    fn admits(&mut self, line: &Line) -> bool {
        if line.indent != self.least || self.siblings {
            return line.indent >= self.least;
        }
        let first = !std::mem::replace(&mut self.met, true);
        first || self.header && line.is_comment
    }
}
