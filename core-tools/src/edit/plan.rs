//! What a file becomes by edits that were all written against it as it is. Knows nothing of tools.

use std::{cell::OnceCell, ops::Range};

use super::{
    fit::Fit,
    matching::{Found, Nearest, NotFound, Strategy, find},
};
use crate::text_file::{Lines, Splice, adapt};

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
    Absent(Likeness),
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
    /// Nobody has looked: too many texts are not there.
    NotSought,
}

impl Plan {
    /// Finds the places of all edits in a file, and what comes there.
    ///
    /// # Errors
    /// Every problem, with the number of its edit, from 0, in order.
    pub fn of(content: &[u8], edits: &[Edit<'_>]) -> Result<Self, Vec<(usize, Problem)>> {
        let mut problems = Vec::new();
        let mut places: Vec<(Range<usize>, usize)> = Vec::new();
        let mut fits = Vec::with_capacity(edits.len());
        for (number, edit) in edits.iter().enumerate() {
            let absent = problems.iter().filter(|(_, problem)| matches!(problem, Problem::Absent(_))).count();
            match place(content, edit, absent < MAX_SOUGHT) {
                Ok(found) => {
                    let (strategy, part) = (found.strategy, found.part.clone());
                    let before = places.len();
                    places.extend(found.apart().into_iter().map(|place| (place, number)));
                    fits.push((strategy, part, places.len() - before));
                }
                Err(problem) => problems.push((number, problem)),
            }
        }
        // Places of one edit do not overlap, and those of several may in several ways: each edit is named once.
        places.sort_unstable_by_key(|(place, number)| (place.start, place.end, *number));
        let lines = OnceCell::new();
        // How far the edits before reach, and which one reaches that far.
        let mut reach = (0, 0);
        let mut named = vec![false; edits.len()];
        for (place, number) in &places {
            if place.start < reach.0 && !std::mem::replace(&mut named[*number], true) {
                let line = lines.get_or_init(|| Lines::of(content)).at(place.start) + 1;
                problems.push((*number, Problem::Overlap { with: reach.1, line }));
            }
            reach = reach.max((place.end, *number));
        }
        if !problems.is_empty() {
            problems.sort_by_key(|(number, _)| *number);
            return Err(problems);
        }
        let found: Vec<_> = fits.iter().map(|(strategy, _, count)| (*strategy, *count)).collect();
        let fits: Vec<_> = edits
            .iter()
            .zip(&fits)
            .map(|(edit, (strategy, part, _))| Fit { strategy: *strategy, old: edit.old, new: edit.new, part })
            .collect();
        let splices = splices(content, &places, &fits);
        if splices.iter().all(|splice| content[splice.range.clone()] == splice.text) {
            return Err(vec![(0, Problem::Unchanged)]);
        }
        Ok(Self { splices, found })
    }
}

fn place(content: &[u8], edit: &Edit<'_>, seek: bool) -> Result<Found, Problem> {
    let lines = || Lines::of(content);
    match find(content, edit.old) {
        Ok(found) if edit.all || found.places.len() == 1 => Ok(found),
        Ok(Found { strategy, places, .. }) => {
            let all = lines();
            let lines = places.iter().take(MAX_NAMED).map(|place| all.at(place.start) + 1).collect();
            Err(Problem::Ambiguous { strategy, count: places.len(), lines })
        }
        Err(NotFound::Empty) => Err(Problem::Empty),
        Err(NotFound::Absent) if !seek => Err(Problem::Absent(Likeness::NotSought)),
        Err(NotFound::Absent) => Err(Problem::Absent(match Nearest::of(content, edit.old) {
            Some(nearest) => Likeness::Place(Box::new(nearest)),
            None => Likeness::None,
        })),
        Err(NotFound::TooLarge { strategy, place }) => {
            let lines = lines();
            Err(Problem::TooLarge { strategy, lines: lines.at(place.start) + 1..lines.at(place.end) + 2 })
        }
    }
}

fn splices(content: &[u8], places: &[(Range<usize>, usize)], fits: &[Fit<'_>]) -> Vec<Splice> {
    let mut splices: Vec<Splice> = Vec::new();
    for (place, number) in places {
        let new = fits[*number].at(content, place);
        let text = adapt(content, place, new.as_bytes());
        match splices.last_mut().filter(|last| place.start - last.range.end < NEAR) {
            Some(last) => {
                last.text.extend_from_slice(&content[last.range.end..place.start]);
                last.text.extend_from_slice(&text);
                last.range.end = place.end;
            }
            None => splices.push(Splice { range: place.clone(), text: text.into_owned() }),
        }
    }
    splices
}
