//! The same words, whatever blanks are between them.

use std::ops::Range;

use memchr::{memchr, memmem::find_iter};

use super::{Found, Strategy, Text, Wanted, core, folded::small, windows::runs};

/// Whole lines with the same words in as many lines; and, for a text of one line, parts of lines.
pub(super) fn normalised(text: &Text<'_>, old: &str) -> Option<Found> {
    let part = core(old);
    let within = &old[part.clone()];
    if memchr(b'\n', within.as_bytes()).is_some() {
        return Found::whole(Strategy::WhitespaceNormalised, whole_lines(text, old), old);
    }
    let places = parts_of_lines(text, within)?;
    Found::part(Strategy::WhitespaceNormalised, places, part)
}

/// Where a word of the file begins. Its numbers are small ones, for a file can be one word after the other.
struct Word {
    line: u32,
    start: u32,
}

impl Word {
    fn all<'t>(text: &'t Text<'_>, line: usize) -> impl Iterator<Item = Self> + 't {
        let range = text.lines().content_range(line);
        let is_blank = |at: usize| text.content[at].is_ascii_whitespace();
        let begins = move |at: &usize| !is_blank(*at) && (*at == range.start || is_blank(at - 1));
        text.lines().content_range(line).filter(begins).map(move |at| Self { line: small(line), start: small(at) })
    }

    fn of<'a>(&self, text: &Text<'a>) -> &'a [u8] {
        let rest = &text.content[self.start as usize..];
        let end = rest.iter().position(u8::is_ascii_whitespace);
        &rest[..end.unwrap_or(rest.len())]
    }
}

fn whole_lines(text: &Text<'_>, old: &str) -> Vec<Range<usize>> {
    let wanted = Wanted::of(old);
    let sought: Vec<&[u8]> = wanted.lines.iter().flat_map(|line| words(line)).collect();
    let is_blank = |line: &&[u8]| line.trim_ascii().is_empty();
    let blank_before = wanted.lines.iter().take_while(|line| is_blank(line)).count();
    let count = wanted.lines.len();
    let file: Vec<Word> = (0..text.lines().len()).flat_map(|line| Word::all(text, line)).collect();
    let starts = runs(
        file.len(),
        sought.len(),
        |one, other| sought[one] == sought[other],
        |word, at| file[word].of(text) == sought[at],
    );
    let is_whole = |start: &usize| {
        let end = start + sought.len();
        let starts_line = *start == 0 || file[start - 1].line != file[*start].line;
        starts_line && file.get(end).is_none_or(|next| next.line != file[end - 1].line)
    };
    let range = |start: usize| {
        let first = (file[start].line as usize).checked_sub(blank_before)?;
        let last = file[start + sought.len() - 1].line as usize;
        // Blank lines of the text have to be there as well.
        let is_blank = |line: usize| text.lines().content(line).trim_ascii().is_empty();
        let fits = last < first + count && first + count <= text.lines().len();
        let is_blank_around = fits && (first..file[start].line as usize).chain(last + 1..first + count).all(is_blank);
        is_blank_around.then(|| text.range(first, count, wanted.ended))
    };
    starts.into_iter().filter(is_whole).filter_map(range).collect()
}

/// The words of a text of one line, wherever they follow each other in a line with blanks between them. The first may
/// be the end of a longer word, the last the beginning of one (opencode).
fn parts_of_lines(text: &Text<'_>, within: &str) -> Option<Vec<Range<usize>>> {
    let content = text.content;
    let mut sought = words(within.as_bytes());
    let first = sought.next()?;
    let mut budget = text.budget();
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
