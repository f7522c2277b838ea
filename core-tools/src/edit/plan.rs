//! What a file becomes by edits that were all written against it as it is. Knows nothing of tools.

use std::ops::Range;

use memchr::memmem;

use super::{
    fit::Fit,
    matching::{Found, GaveUp, Nearest, NotFound, Strategy, Text},
};
use crate::text_file::{Splice, TextFile, adapt, strip_bom};

/// Places that are nearer to each other than this many bytes become one splice, so that a file in which every character
/// is replaced does not need a splice a character.
const NEAR: usize = 64;
/// So many places are named of a text that stands in several.
const MAX_NAMED: usize = 10;
/// For so many texts that are not there the nearest place is sought.
const MAX_SOUGHT: usize = 8;

/// A text that is to be replaced by another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit<'a> {
    /// What is there. Not empty.
    pub old: &'a str,
    /// What is to be there instead, taken literally.
    pub new: &'a str,
    /// Whether every place is meant.
    pub all: bool,
}

/// What edits come to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// What changes, in order. Line endings are those of the places.
    pub splices: Vec<Splice>,
    /// For each edit, in the order they were given, how its text was found and in how many places it is replaced.
    pub found: Vec<(Strategy, usize)>,
}

/// Why an edit cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The old text is empty.
    Empty,
    /// The old text is not there.
    Absent {
        /// What is most like it.
        likeness: Likeness,
        /// Why something may have been passed over.
        gave_up: Option<GaveUp>,
    },
    /// The old text stands in several places, and all were not asked for.
    Ambiguous {
        /// How it was found.
        strategy: Strategy,
        /// In how many places.
        count: usize,
        /// The lines, counted from 1, of the first ten of them.
        lines: Vec<usize>,
    },
    /// What was found is much larger than the old text.
    TooLarge {
        /// How it was found.
        strategy: Strategy,
        /// The lines of it, counted from 1.
        lines: Range<usize>,
    },
    /// It wants to replace some of what an edit before it in the file does.
    Overlap {
        /// That edit.
        with: usize,
        /// The line, counted from 1, where it begins.
        line: usize,
    },
    /// The new text would put U+FFFD, which stands for them where a file is shown, in the place of bytes that are not
    /// UTF-8.
    NotUtf8 {
        /// The line of the first of them, counted from 1.
        line: usize,
    },
    /// All edits together change nothing.
    Unchanged,
}

/// What is most like a text that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Likeness {
    /// This place.
    Place(Box<Nearest>),
    /// Nothing is like it.
    None,
    /// Nobody has looked: too many texts are not there, or the file is too long.
    NotSought,
}

impl Plan {
    /// Finds the places of all edits in a file, and what comes there.
    ///
    /// # Errors
    /// Every problem, with the number of its edit, from 0, in order.
    pub fn of(content: &[u8], edits: &[Edit<'_>]) -> Result<Self, Vec<(usize, Problem)>> {
        Self::new(content, false, edits)
    }

    /// As [`of`](Self::of), for a file's text. Where the file has a byte order mark, one in front of an old text or of what
    /// comes to the beginning means that one: it is there already, and stays.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn of_file(file: &TextFile, edits: &[Edit<'_>]) -> Result<Self, Vec<(usize, Problem)>> {
        Self::new(file.bytes(), file.is_marked(), edits)
    }

    fn new(content: &[u8], marked: bool, edits: &[Edit<'_>]) -> Result<Self, Vec<(usize, Problem)>> {
        let text = Text::of(content);
        let mut problems = Vec::new();
        let mut places: Vec<(Range<usize>, usize)> = Vec::new();
        let mut fits = Vec::with_capacity(edits.len());
        let mut found = Vec::with_capacity(edits.len());
        for (number, edit) in edits.iter().enumerate() {
            let edit = if marked { without_mark(content, edit) } else { *edit };
            let absent = problems.iter().filter(|(_, problem)| matches!(problem, Problem::Absent { .. })).count();
            match place(&text, &edit, absent < MAX_SOUGHT) {
                Ok(it) => {
                    fits.push(Fit::of(&edit, &it));
                    let (strategy, before) = (it.strategy, places.len());
                    places.extend(it.apart().into_iter().map(|place| (place, number)));
                    found.push((strategy, places.len() - before));
                }
                Err(problem) => problems.push((number, problem)),
            }
        }
        // Places of one edit do not overlap, and those of several may in several ways: each edit is named once.
        places.sort_unstable_by_key(|(place, number)| (place.start, place.end, *number));
        // How far the edits before reach, and which one reaches that far.
        let mut reach = (0, 0);
        let mut named = vec![false; edits.len()];
        for (place, number) in &places {
            if place.start < reach.0 && !std::mem::replace(&mut named[*number], true) {
                let line = text.line_number(place.start);
                problems.push((*number, Problem::Overlap { with: reach.1, line }));
            }
            reach = reach.max((place.end, *number));
        }
        if !problems.is_empty() {
            problems.sort_by_key(|(number, _)| *number);
            return Err(problems);
        }
        let splices = splices(&text, marked, &places, &fits)?;
        if splices.iter().all(|splice| content[splice.range.clone()] == splice.text) {
            return Err(vec![(0, Problem::Unchanged)]);
        }
        Ok(Self { splices, found })
    }
}

/// The mark is not in the text of a file that has one; another U+FEFF can be.
fn without_mark<'a>(content: &[u8], edit: &Edit<'a>) -> Edit<'a> {
    let bare = strip_bom(edit.old);
    let means_mark = bare.len() < edit.old.len() && !bare.is_empty();
    if means_mark && memmem::find(content, edit.old.as_bytes()).is_none() {
        return Edit { old: bare, new: strip_bom(edit.new), all: edit.all };
    }
    *edit
}

fn place(text: &Text<'_>, edit: &Edit<'_>, seek: bool) -> Result<Found, Problem> {
    match text.find(edit.old) {
        Ok(found) if edit.all || found.places.len() == 1 => Ok(found),
        Ok(Found { strategy, places, .. }) => {
            let lines = places.iter().take(MAX_NAMED).map(|place| text.line_number(place.start)).collect();
            Err(Problem::Ambiguous { strategy, count: places.len(), lines })
        }
        Err(NotFound::Empty) => Err(Problem::Empty),
        Err(NotFound::TooLarge { strategy, place }) => {
            let lines = text.line_number(place.start)..text.line_number(place.end) + 1;
            Err(Problem::TooLarge { strategy, lines })
        }
        Err(NotFound::Absent | NotFound::GaveUp(_)) => {
            let likeness = if !seek || text.is_long() {
                Likeness::NotSought
            } else {
                Nearest::within(text, edit.old).map_or(Likeness::None, |nearest| Likeness::Place(Box::new(nearest)))
            };
            Err(Problem::Absent { likeness, gave_up: text.gave_up() })
        }
    }
}

fn splices(
    text: &Text<'_>,
    marked: bool,
    places: &[(Range<usize>, usize)],
    fits: &[Fit<'_>],
) -> Result<Vec<Splice>, Vec<(usize, Problem)>> {
    let content = text.content();
    let mut splices: Vec<Splice> = Vec::new();
    let mut problems = Vec::new();
    for (place, number) in places {
        let fit = &fits[*number];
        let before = problems.len();
        fit.changes(text, place, |range, new| {
            let new = if marked && range.start == 0 { strip_bom(new) } else { new };
            if fit.strategy() != Strategy::Exact
                && new.contains(char::REPLACEMENT_CHARACTER)
                && let Err(error) = std::str::from_utf8(&content[range.clone()])
                && problems.len() == before
            {
                let line = text.line_number(range.start + error.valid_up_to());
                problems.push((*number, Problem::NotUtf8 { line }));
            }
            let new = adapt(content, &range, new.as_bytes());
            match splices.last_mut().filter(|last| range.start - last.range.end < NEAR) {
                Some(last) => {
                    last.text.extend_from_slice(&content[last.range.end..range.start]);
                    last.text.extend_from_slice(&new);
                    last.range.end = range.end;
                }
                None => splices.push(Splice { range, text: new.into_owned() }),
            }
        });
    }
    if problems.is_empty() { Ok(splices) } else { Err(problems) }
}
