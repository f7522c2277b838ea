//! Where in a file the hunks of a patch belong.
//!
//! As codex has it: hunks in the file's order, each from behind the one before; all places are looked for in the file as
//! it is before the patch; the first place of the strictest [`Pass`] that has one. Beyond it: a line number that the
//! patch gives decides between places that are alike; lines that are only added go behind their header; several headers
//! are looked for one after the other. Pure: lines in, places out, in near linear time.

mod index;
mod nearest;
mod pass;

use self::index::LineIndex;
pub use self::{
    nearest::{Nearest, NearestLine},
    pass::Pass,
};
use super::patch::{Hunk, Line};

/// How many places of one hunk are counted.
const MOST_PLACES: usize = 100;

/// Where a hunk belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The first of its old lines in the file, counted from 0; for lines that are only added, the line they go before.
    pub at: usize,
    /// How many of its old lines are there: blank ones at its end may have been left out.
    pub len: usize,
    /// How strict the comparison was.
    pub pass: Pass,
    /// How many places there were to choose from, up to a hundred, where nothing but their order decided.
    pub places: usize,
}

/// A hunk that belongs nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Which hunk, counted from 0.
    pub hunk: usize,
    /// The header that was not found; `None` when its old lines were not.
    pub header: Option<String>,
    /// The line from which on it was looked for, counted from 0.
    pub from: usize,
    /// What is most like it.
    pub nearest: Option<Nearest>,
}

/// Finds the places of all hunks.
///
/// # Errors
/// The first hunk that has none.
pub fn locate(lines: &[&[u8]], hunks: &[Hunk]) -> Result<Vec<Located>, Missing> {
    let mut search = Search { lines, hunks, indices: [const { None }; 4] };
    let mut from = 0;
    let mut located = Vec::with_capacity(hunks.len());
    for number in 0..hunks.len() {
        let (place, next) = search.hunk(number, from)?;
        located.push(place);
        from = next;
    }
    Ok(located)
}

struct Search<'a> {
    lines: &'a [&'a [u8]],
    hunks: &'a [Hunk],
    /// One for each pass, made when it is first needed.
    indices: [Option<LineIndex>; 4],
}

impl<'a> Search<'a> {
    fn index(&mut self, pass: Pass) -> &LineIndex {
        let asked = |hunk: &'a Hunk| {
            hunk.headers.iter().map(String::as_str).chain(hunk.old().map(|line: &Line| line.text.as_str()))
        };
        let (lines, hunks) = (self.lines, self.hunks);
        self.indices[pass as usize].get_or_insert_with(|| LineIndex::new(pass, lines, hunks.iter().flat_map(asked)))
    }

    /// The place of a hunk, and where the next is looked for.
    fn hunk(&mut self, number: usize, from: usize) -> Result<(Located, usize), Missing> {
        let hunk = &self.hunks[number];
        let mut cursor = from;
        for header in &hunk.headers {
            let found = Pass::ALL.into_iter().find_map(|pass| {
                let index = self.index(pass);
                index.all(&index.numbers(std::iter::once(header.as_str())), cursor).next()
            });
            match found {
                Some(at) => cursor = at + 1,
                None => {
                    let nearest = self.nearest(&[header.as_str()], cursor);
                    return Err(Missing { hunk: number, header: Some(header.clone()), from: cursor, nearest });
                }
            }
        }
        let old: Vec<&str> = hunk.old().map(|line| line.text.as_str()).collect();
        if old.is_empty() {
            // What goes to the end leaves the place for the next hunk where it was, as in codex.
            let (at, next) = match hunk.hint {
                _ if hunk.at_end => (self.lines.len(), cursor),
                Some(hint) => {
                    let at = hint.start.min(self.lines.len()).max(cursor);
                    (at, at)
                }
                None if hunk.headers.is_empty() => (self.lines.len(), cursor),
                None => (cursor, cursor),
            };
            return Ok((Located { at, len: 0, pass: Pass::Exact, places: 1 }, next));
        }
        let blank = old.iter().rev().take_while(|line| line.is_empty()).count();
        // A blank line may part the hunk from what follows: codex does without one, here all may go.
        for left_out in [0, 1, blank] {
            if left_out > blank || left_out >= old.len() || (left_out == 1 && blank == 0) {
                continue;
            }
            let block = &old[..old.len() - left_out];
            if let Some(place) = self.block(hunk, block, cursor) {
                let next = place.at + place.len;
                return Ok((place, next));
            }
            if left_out == blank {
                break;
            }
        }
        let nearest = self.nearest(&old[..(old.len() - blank).max(1)], cursor);
        Err(Missing { hunk: number, header: None, from: cursor, nearest })
    }

    fn block(&mut self, hunk: &Hunk, block: &[&str], from: usize) -> Option<Located> {
        let is_open = hunk.headers.is_empty() && hunk.hint.is_none() && !hunk.at_end;
        Pass::ALL.into_iter().find_map(|pass| {
            let index = self.index(pass);
            let numbers = index.numbers(block.iter().copied());
            let at = match hunk.hint {
                _ if hunk.at_end => index.at_end(&numbers, from),
                Some(hint) => index.nearest(&numbers, from, hint.start.saturating_sub(1)),
                None => index.all(&numbers, from).next(),
            }?;
            let places = if is_open { index.all(&numbers, from).take(MOST_PLACES).count() } else { 1 };
            Some(Located { at, len: block.len(), pass, places })
        })
    }

    fn nearest(&mut self, block: &[&str], from: usize) -> Option<Nearest> {
        let lines = self.lines;
        nearest::find(self.index(Pass::Punctuation), lines, block, from)
    }
}
