//! What in a file is most like lines that are not there: for the error.

use std::collections::HashMap;

use memchr::memmem::Finder;

use super::{Pass, index::LineIndex};

/// Of a line that stands in very many places, so many are looked at.
const MOST_PLACES: usize = 2000;
/// So many words of a line are looked for.
const MOST_WORDS: usize = 8;
/// Shorter words are everywhere.
const SHORTEST_WORD: usize = 3;

/// The place in a file that is most like some lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// Its first line, counted from 0.
    pub at: usize,
    /// How many of the lines are there.
    pub same: usize,
    /// How many there should be.
    pub of: usize,
    /// Line by line, what was expected and what is there.
    pub lines: Vec<NearestLine>,
}

/// One line of a place that is like what was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearestLine {
    /// As the patch has it.
    pub expected: String,
    /// As the file has it; `None` behind its end.
    pub found: Option<String>,
    /// Whether they count as the same.
    pub is_same: bool,
}

/// Finds it: where most lines are the same, and where none is, the line with most words of the longest one.
pub(super) fn find(index: &LineIndex, lines: &[&[u8]], block: &[&str], from: usize) -> Option<Nearest> {
    let at = by_lines(index, block, from).or_else(|| by_words(lines, block))?;
    let pairs = block.iter().enumerate().map(|(offset, expected)| {
        let found = lines.get(at + offset).copied();
        let is_same =
            found.is_some_and(|found| Pass::Punctuation.key(found) == Pass::Punctuation.key(expected.as_bytes()));
        let found = found.map(|found| String::from_utf8_lossy(found).into_owned());
        NearestLine { expected: (*expected).to_owned(), found, is_same }
    });
    let lines: Vec<NearestLine> = pairs.collect();
    let same = lines.iter().filter(|line| line.is_same).count();
    Some(Nearest { at, same, of: block.len(), lines })
}

/// Each line of the block votes for the places where it would fit.
fn by_lines(index: &LineIndex, block: &[&str], from: usize) -> Option<usize> {
    let numbers = index.numbers(block.iter().copied());
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (offset, number) in numbers.iter().enumerate() {
        if block[offset].trim().is_empty() {
            continue;
        }
        for place in index.places(*number).iter().take(MOST_PLACES) {
            if let Some(at) = (*place as usize).checked_sub(offset) {
                *votes.entry(at).or_default() += 1;
            }
        }
    }
    // Of places that are as like, the first one from where it was looked for.
    votes.into_iter().max_by_key(|(at, votes)| (*votes, *at >= from, std::cmp::Reverse(*at))).map(|(at, _)| at)
}

/// The line that has most of the words of the block's longest line, at least half of them by length; the block is laid so
/// that the two meet.
fn by_words(lines: &[&[u8]], block: &[&str]) -> Option<usize> {
    let (offset, longest) = block.iter().enumerate().max_by_key(|(_, line)| line.trim().len())?;
    let mut words: Vec<&str> = longest
        .split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|word| word.len() >= SHORTEST_WORD)
        .collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.dedup();
    words.truncate(MOST_WORDS);
    let all: usize = words.iter().map(|word| word.len()).sum();
    let finders: Vec<(Finder<'_>, usize)> = words.iter().map(|word| (Finder::new(*word), word.len())).collect();
    let score = |line: &[u8]| -> usize {
        finders.iter().filter(|(finder, _)| finder.find(line).is_some()).map(|(_, len)| len).sum()
    };
    let (score, at) = (0..)
        .zip(lines)
        .map(|(at, line)| (score(line), at))
        .max_by_key(|(score, at)| (*score, std::cmp::Reverse(*at)))?;
    (all > 0 && score * 2 >= all).then_some(usize::saturating_sub(at, offset))
}
