//! The place that is most like a text that is not there, to show what differs.

use std::{borrow::Cow, collections::HashMap, fmt, ops::Range};

use memchr::memmem;
use rapidfuzz::distance::levenshtein;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::{BUDGET, Budget, Text, Wanted};

/// More of a line is not compared for likeness.
const MAX_LINE: usize = 1_000;
/// So many of the text's lines are looked for.
const MAX_LINES: usize = 2_000;
/// So many lines that differ are shown.
const MAX_SHOWN: usize = 12;
/// So much of a line is shown.
const MAX_WIDTH: usize = 200;
/// Less like is not worth showing.
const ALIKE: f64 = 0.5;

/// The part of a file that is most like a text, and what differs there. Its text form is for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Nearest {
    /// The lines, counted from 1.
    pub lines: Range<usize>,
    /// How many of the text's lines are there but for blanks.
    pub equal: usize,
    /// How many lines the text has.
    pub of: usize,
    differences: Vec<Difference>,
}

/// A line that only one side has.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Difference {
    /// Its number, counted from 1, where it is the file's.
    line: Option<usize>,
    text: String,
}

impl Nearest {
    /// Looks for the place: where most of the text's lines stand in the same distances, else where a line is like its
    /// longest one, else where its longest beginning stands. Nothing when nothing is like it. Takes bounded time.
    #[must_use]
    pub fn of(content: &[u8], old: &str) -> Option<Self> {
        let text = Text::of(content);
        let wanted = Wanted::of(old);
        let lines: Vec<&[u8]> = wanted.lines.iter().take(MAX_LINES).map(|line| line.trim_ascii()).collect();
        if text.lines.is_empty() || lines.iter().all(|line| line.is_empty()) {
            return None;
        }
        let start = by_votes(&text, &lines).or_else(|| by_likeness(&text, &lines));
        match start {
            Some(start) => Some(Self::at(&text, start, &lines, &wanted.lines)),
            None => by_beginning(&text, &lines),
        }
    }

    fn at(text: &Text<'_>, start: usize, wanted: &[&[u8]], whole: &[&[u8]]) -> Self {
        let end = text.lines.len().min(start + wanted.len());
        let there: Vec<&[u8]> = (start..end).map(|line| text.lines.content(line).trim_ascii()).collect();
        let mut differences = Vec::new();
        let mut equal = 0;
        for op in capture_diff_slices(Algorithm::Myers, wanted, &there) {
            if op.tag() == DiffTag::Equal {
                equal += op.old_range().len();
                continue;
            }
            // As the text and the file have them, with their blanks.
            let missing = op.old_range().map(|at| Difference { line: None, text: cut(whole[at]) });
            let other = op.new_range().map(|at| start + at);
            let other = other.map(|line| Difference { line: Some(line + 1), text: cut(text.lines.content(line)) });
            differences.extend(missing.chain(other).take(MAX_SHOWN + 1 - differences.len().min(MAX_SHOWN + 1)));
        }
        Self { lines: start + 1..end + 1, equal, of: wanted.len(), differences }
    }
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.lines;
        match end - start {
            0 | 1 => write!(f, "The nearest place is line {start}")?,
            _ => write!(f, "The nearest place is lines {start}-{}", end - 1)?,
        }
        if self.of > 1 {
            write!(f, ", where {} of its {} lines are", self.equal, self.of)?;
        }
        f.write_str(". What differs (- the text that was given, + the file):")?;
        for Difference { line, text } in self.differences.iter().take(MAX_SHOWN) {
            match line {
                Some(line) => write!(f, "\n+ line {line}: {text}")?,
                None => write!(f, "\n- {text}")?,
            }
        }
        if self.differences.len() > MAX_SHOWN {
            f.write_str("\n(and more)")?;
        }
        Ok(())
    }
}

/// The start that most of the text's lines agree on, where they stand in the file but for blanks. Long lines have more
/// to say than short ones, and one that is everywhere little.
fn by_votes(text: &Text<'_>, wanted: &[&[u8]]) -> Option<usize> {
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (at, line) in wanted.iter().enumerate().filter(|(_, line)| line.len() > 2) {
        let places = places.entry(line).or_default();
        if places.len() < 8 {
            places.push(at);
        }
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (line, content) in text.lines.iter().enumerate() {
        let content = content.trim_ascii();
        for at in places.get(content).into_iter().flatten() {
            if let Some(start) = line.checked_sub(*at) {
                *votes.entry(start).or_default() += content.len().min(80);
            }
        }
    }
    let weight: usize = wanted.iter().map(|line| line.len().min(80)).sum();
    let best = votes.into_iter().max_by_key(|(start, votes)| (*votes, std::cmp::Reverse(*start)));
    // A line that is alike says more than a common one that is equal.
    best.filter(|(_, votes)| 4 * votes >= weight).map(|(start, _)| start)
}

/// The start where a line is most like the longest one of the text.
fn by_likeness(text: &Text<'_>, wanted: &[&[u8]]) -> Option<usize> {
    let (at, longest) = wanted.iter().enumerate().max_by_key(|(_, line)| line.len().min(MAX_LINE))?;
    let longest = shown(&longest[..longest.len().min(MAX_LINE)]);
    let scorer = levenshtein::BatchComparator::new(longest.chars());
    let mut budget = Budget(BUDGET);
    let mut best = (ALIKE, None);
    for (line, content) in text.lines.iter().enumerate().skip(at) {
        let content = content.trim_ascii();
        let (shorter, longer) = (content.len().min(longest.len()), content.len().max(longest.len()));
        // The most that two lines of such lengths can be alike; also spares most lines the look.
        #[expect(clippy::cast_precision_loss, reason = "a line's length is far below 2^53")]
        if longer == 0 || content.len() > 4 * MAX_LINE || (shorter as f64) < best.0 * longer as f64 {
            continue;
        }
        if budget.spend(50 + content.len() * longest.len() / 32).is_none() {
            break;
        }
        let args = levenshtein::Args::default().score_cutoff(best.0);
        if let Some(alike) = scorer.normalized_similarity_with_args(shown(content).chars(), &args)
            && alike > best.0
        {
            best = (alike, Some(line - at));
        }
    }
    best.1
}

/// The place of the longest beginning of the text's first line, in a file of long lines.
fn by_beginning(text: &Text<'_>, wanted: &[&[u8]]) -> Option<Nearest> {
    let line = wanted.iter().find(|line| !line.is_empty())?;
    let line = &line[..line.len().min(MAX_LINE)];
    let (mut there, mut absent) = ((0, 0), line.len() + 1);
    while absent - there.0 > 1 {
        let length = there.0.midpoint(absent);
        match memmem::find(text.content, &line[..length]) {
            Some(at) => there = (length, at),
            None => absent = length,
        }
    }
    let (length, at) = there;
    if length < 8 {
        return None;
    }
    let number = text.lines.at(at);
    let end = text.lines.content_range(number).end.min(at + line.len().min(MAX_WIDTH) + 20).max(at);
    Some(Nearest {
        lines: number + 1..number + 2,
        equal: 0,
        of: 1,
        differences: vec![
            Difference { line: None, text: cut(line) },
            Difference { line: Some(number + 1), text: format!("…{}…", cut(&text.content[at..end])) },
        ],
    })
}

/// How alike two lines are, from 0 to 1: one less the Levenshtein distance in relation to the longer one. Of very long
/// lines the beginning counts.
pub(super) fn similarity(one: &[u8], other: &[u8], budget: &mut Budget) -> Option<f64> {
    if one == other {
        return Some(1.0);
    }
    let (one, other) = (&one[..one.len().min(MAX_LINE)], &other[..other.len().min(MAX_LINE)]);
    budget.spend(50 + one.len() * other.len() / 32)?;
    Some(levenshtein::normalized_similarity(shown(one).chars(), shown(other).chars()))
}

fn shown(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(line)
}

fn cut(line: &[u8]) -> String {
    let text = shown(&line[..line.len().min(4 * MAX_WIDTH)]);
    match text.char_indices().nth(MAX_WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}
