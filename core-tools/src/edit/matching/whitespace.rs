//! The same words, whatever blanks are between them.

use std::ops::Range;

use memchr::{memchr, memmem::find_iter};

use super::{BUDGET, Budget, Found, Strategy, Text, Wanted, core, windows::runs};

/// Whole lines with the same words in as many lines; and, for a text of one line, parts of lines.
pub(super) fn normalised(text: &Text<'_>, old: &str) -> Option<Found> {
    let part = core(old);
    let within = &old[part.clone()];
    if memchr(b'\n', within.as_bytes()).is_some() {
        return Found::whole(Strategy::WhitespaceNormalised, whole_lines(text, old), old);
    }
    let places = parts_of_lines(text.content, within)?;
    (!places.is_empty()).then_some(Found { strategy: Strategy::WhitespaceNormalised, places, part })
}

fn whole_lines(text: &Text<'_>, old: &str) -> Vec<Range<usize>> {
    let wanted = Wanted::of(old);
    let sought: Vec<&[u8]> = wanted.lines.iter().flat_map(|line| words(line)).collect();
    let is_blank = |line: &&[u8]| line.trim_ascii().is_empty();
    let blank_before = wanted.lines.iter().take_while(|line| is_blank(line)).count();
    let count = wanted.lines.len();
    // Each word with its line.
    let file: Vec<(usize, &[u8])> = text
        .lines
        .iter()
        .enumerate()
        .flat_map(|(line, content)| words(content).map(move |word| (line, word)))
        .collect();
    let starts = runs(
        file.len(),
        sought.len(),
        |one, other| sought[one] == sought[other],
        |word, at| file[word].1 == sought[at],
    );
    let is_whole = |start: &usize| {
        let end = start + sought.len();
        let starts_line = *start == 0 || file[start - 1].0 != file[*start].0;
        starts_line && file.get(end).is_none_or(|next| next.0 != file[end - 1].0)
    };
    let range = |start: usize| {
        let first = file[start].0.checked_sub(blank_before)?;
        let last = file[start + sought.len() - 1].0;
        // Blank lines of the text have to be there as well.
        let is_blank = |line: usize| text.lines.content(line).trim_ascii().is_empty();
        let fits = last < first + count && first + count <= text.lines.len();
        let is_blank_around = fits && (first..file[start].0).chain(last + 1..first + count).all(is_blank);
        is_blank_around.then(|| text.range(first, count, wanted.ended))
    };
    starts.into_iter().filter(is_whole).filter_map(range).collect()
}

/// The words of a text of one line, wherever they follow each other in a line with blanks between them. The first may
/// be the end of a longer word, the last the beginning of one (opencode).
fn parts_of_lines(content: &[u8], within: &str) -> Option<Vec<Range<usize>>> {
    let mut sought = words(within.as_bytes());
    let first = sought.next()?;
    let mut budget = Budget(BUDGET);
    let mut places = Vec::new();
    'places: for start in find_iter(content, first) {
        let mut end = start + first.len();
        for word in sought.clone() {
            let blanks =
                content[end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\x0b' | b'\x0c')).count();
            budget.spend(5 + blanks + word.len() / 16)?;
            if blanks == 0 || !content[end + blanks..].starts_with(word) {
                continue 'places;
            }
            end += blanks + word.len();
        }
        places.push(start..end);
    }
    Some(places)
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}
