//! Finding the text that is to be replaced, as a model remembers it. Knows nothing of tools.
//!
//! In: a file's bytes and the text that a model wrote. Out: the places where it stands, and by which [`Strategy`] they
//! were found. Line endings never matter: `\n` in the text stands for whatever ends the file's lines.
//!
//! The exact text comes first. Only where it is absent are laxer strategies tried, in opencode's order, and the first one
//! that finds anything decides: if it finds two places, there are two, and no laxer strategy is asked which is meant (in
//! opencode, `foo();` beside an indented `foo();` silently changes the second). Two of opencode's nine strategies are
//! not here, for under this rule they never find what an earlier one has not: indentation-flexible (line-trimmed takes
//! all that it takes) and multi-occurrence (which is exact).
//!
//! Time is linear in the file and the text, but for the strategies that compare lines for likeness; those have a
//! [budget](BUDGET), and find nothing when it is spent.

mod block;
mod escape;
mod exact;
mod folded;
mod nearest;
mod whitespace;
mod windows;

use std::{borrow::Cow, fmt, ops::Range};

use memchr::memchr_iter;

pub use self::nearest::Nearest;
use crate::text_file::Lines;

/// What a strategy that compares for likeness may spend, in about nanoseconds.
const BUDGET: usize = 30_000_000;

/// How a text was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// It stands there as it is, but for line endings.
    Exact,
    /// Whole lines that are equal without the blanks around each.
    LineTrimmed,
    /// Equal once typographic quotes, dashes and blanks are plain, characters are in their compatibility form (NFKC), and
    /// lines have no blanks at their ends (pi's only lax strategy). Rewrites only what it matched, not the whole lines.
    Typographic,
    /// At least three lines, of which the first and the last are equal without the blanks around them, and those between
    /// alike to 65 %. The number of lines may differ by a quarter. Of several such blocks one is taken only where it is
    /// far more alike than the others.
    BlockAnchor,
    /// The same words, whatever blanks are between them.
    WhitespaceNormalised,
    /// Equal once the escapes in the text (`\n`, `\"`, …) or those in the file's lines are undone.
    EscapeNormalised,
    /// Equal without the blanks and line breaks around the whole text.
    TrimmedBoundary,
    /// A block of as many lines, of which the first and the last are equal without the blanks around them, and at least
    /// half of those between.
    ContextAware,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::LineTrimmed => "line-trimmed",
            Self::Typographic => "typographic",
            Self::BlockAnchor => "block-anchor",
            Self::WhitespaceNormalised => "whitespace-normalised",
            Self::EscapeNormalised => "escape-normalised",
            Self::TrimmedBoundary => "trimmed-boundary",
            Self::ContextAware => "context-aware",
        })
    }
}

/// Where a text stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// How it was found.
    pub strategy: Strategy,
    /// The places, in order, at least one. They may overlap.
    pub places: Vec<Range<usize>>,
    /// The part of the text that stands there; a lax strategy leaves out blanks at its ends.
    pub part: Range<usize>,
}

impl Found {
    fn whole(strategy: Strategy, places: Vec<Range<usize>>, old: &str) -> Option<Self> {
        (!places.is_empty()).then_some(Self { strategy, places, part: 0..old.len() })
    }

    /// The places from the first one on that do not overlap: what replacing all of them means.
    #[must_use]
    pub fn apart(self) -> Vec<Range<usize>> {
        let mut places = self.places;
        let mut done = 0;
        places.retain(|place| {
            let is_apart = place.start >= done;
            if is_apart {
                done = place.end;
            }
            is_apart
        });
        places
    }
}

/// Why there is no place to replace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotFound {
    /// The text is empty, which stands everywhere.
    #[error("the text is empty")]
    Empty,
    /// No strategy finds it.
    #[error("the text is not in the file")]
    Absent,
    /// What a lax strategy found is much larger than the text, so that a replacement would remove what nobody has named
    /// (opencode's guard).
    #[error("the place that was found is much larger than the text")]
    TooLarge {
        /// How it was found.
        strategy: Strategy,
        /// What was found.
        place: Range<usize>,
    },
}

/// Finds a text in a file.
///
/// # Errors
/// When it is empty or not there, or when only much more than it is there.
///
/// ```
/// use core_tools::edit::matching::{Strategy, find};
/// let found = find(b"fn a() {\r\n\tb();\r\n}\r\n", "fn a() {\n    b();\n}")?;
/// assert_eq!(found.strategy, Strategy::LineTrimmed);
/// assert_eq!(found.places, [0..18]);
/// # Ok::<(), core_tools::edit::matching::NotFound>(())
/// ```
pub fn find(content: &[u8], old: &str) -> Result<Found, NotFound> {
    if old.is_empty() {
        return Err(NotFound::Empty);
    }
    if let Some(found) = Found::whole(Strategy::Exact, exact::places(content, old), old) {
        return Ok(found);
    }
    // Blanks alone are equal to nearly anything under the others.
    if content.is_empty() || old.trim().is_empty() {
        return Err(NotFound::Absent);
    }
    let text = Text::of(content);
    let strategies: [fn(&Text<'_>, &str) -> Option<Found>; 7] = [
        windows::line_trimmed,
        folded::typographic,
        block::anchored,
        whitespace::normalised,
        escape::normalised,
        trimmed_boundary,
        block::context_aware,
    ];
    let found = strategies.into_iter().find_map(|strategy| strategy(&text, old)).ok_or(NotFound::Absent)?;
    match found.places.iter().find(|place| is_too_large(&content[(*place).clone()], old)) {
        Some(place) => Err(NotFound::TooLarge { strategy: found.strategy, place: place.clone() }),
        None => Ok(found),
    }
}

/// A file and its lines.
struct Text<'a> {
    content: &'a [u8],
    lines: Lines<'a>,
}

impl<'a> Text<'a> {
    fn of(content: &'a [u8]) -> Self {
        Self { content, lines: Lines::of(content) }
    }

    /// The bytes of so many lines; without the ending of the last one, unless it is asked for.
    fn range(&self, first: usize, count: usize, ending: bool) -> Range<usize> {
        let last = first + count - 1;
        let end = if ending { self.lines.range(last).end } else { self.lines.content_range(last).end };
        self.lines.start(first)..end
    }
}

/// The lines of the text that is looked for. What follows its last line break is no line when it is empty.
struct Wanted<'a> {
    lines: Vec<&'a [u8]>,
    /// Whether it ends with a line break.
    ended: bool,
}

impl<'a> Wanted<'a> {
    fn of(old: &'a str) -> Self {
        let ended = old.ends_with('\n');
        let text = old.strip_suffix('\n').unwrap_or(old);
        let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line).as_bytes()).collect();
        Self { lines, ended }
    }
}

fn trimmed_boundary(text: &Text<'_>, old: &str) -> Option<Found> {
    let part = core(old);
    if part.len() == old.len() {
        return None;
    }
    let places = exact::places(text.content, &old[part.clone()]);
    (!places.is_empty()).then_some(Found { strategy: Strategy::TrimmedBoundary, places, part })
}

/// The text without the blanks and line breaks around it.
fn core(old: &str) -> Range<usize> {
    let start = old.len() - old.trim_start().len();
    start..old.trim_end().len()
}

fn is_too_large(place: &[u8], old: &str) -> bool {
    let breaks = |text: &[u8]| memchr_iter(b'\n', text).count();
    let (lines, wanted) = (breaks(place) + 1, breaks(old.as_bytes()) + 1);
    let (length, wanted_length) = (place.trim_ascii().len(), old.trim().len());
    lines >= (wanted + 3).max(2 * wanted) || (wanted > 1 && length > (wanted_length + 500).max(4 * wanted_length))
}

/// What is left of a [`BUDGET`].
struct Budget(usize);

impl Budget {
    /// Takes a part; nothing when it is spent, which ends the strategy.
    fn spend(&mut self, cost: usize) -> Option<()> {
        self.0 = self.0.checked_sub(cost)?;
        Some(())
    }
}

/// Text with `\n` for its line endings.
fn with_lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { text.into() }
}
