//! A text written plainly, and the way back to where each part of it stands in the source.

use std::ops::Range;

use icu_normalizer::{
    ComposingNormalizerBorrowed,
    properties::{CanonicalCombiningClassMapBorrowed, CanonicalCompositionBorrowed},
};
use memchr::{memchr, memmem};

use super::{Found, Strategy, Text, exact::raw};

/// Folded text. Bytes that differ from the source's stand in units: a unit is one thing on both sides, and nothing inside
/// it has a place of its own.
#[derive(Default)]
pub(super) struct Folded {
    text: Vec<u8>,
    units: Vec<Unit>,
}

struct Unit {
    folded: Range<usize>,
    source_end: usize,
}

impl Folded {
    /// All line endings as `\n`: `\r\n`, and `\r` in a text that has no `\n`.
    pub(super) fn endings(content: &[u8]) -> Self {
        let mut folded = Self { text: Vec::with_capacity(content.len()), units: Vec::new() };
        if memchr(b'\n', content).is_none() {
            folded.text.extend(content.iter().map(|byte| if *byte == b'\r' { b'\n' } else { *byte }));
            return folded;
        }
        let mut done = 0;
        for at in memmem::find_iter(content, b"\r\n") {
            folded.text.extend_from_slice(&content[done..at]);
            done = at + 2;
            folded.unit(b"\n", done);
        }
        folded.text.extend_from_slice(&content[done..]);
        folded
    }

    /// Typographic characters and compatibility forms made plain, blanks at the ends of lines left out.
    fn typography(text: &Text<'_>) -> Self {
        let mut folded = Self { text: Vec::with_capacity(text.content.len()), units: Vec::new() };
        let fold = Fold::new();
        for line in 0..text.lines.len() {
            let Range { start, end } = text.lines.content_range(line);
            let line_end = text.lines.range(line).end;
            let content = &text.content[start..end];
            if content.is_ascii() {
                folded.text.extend_from_slice(content.trim_ascii_end());
            } else {
                fold.line(content, start, &mut folded);
                folded.trim_end();
            }
            let ending = if line_end > end { &b"\n"[..] } else { b"" };
            if folded.end_in_source() + ending.len() == line_end && text.content[end..line_end] == *ending {
                folded.text.extend_from_slice(ending);
            } else {
                folded.unit(ending, line_end);
            }
        }
        folded
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Where a part stands in the source; nothing when it begins or ends inside a unit.
    pub(super) fn source(&self, part: &Range<usize>) -> Option<Range<usize>> {
        Some(self.place(part.start)?..self.place(part.end)?)
    }

    fn place(&self, at: usize) -> Option<usize> {
        let before = self.units.partition_point(|unit| unit.folded.start < at);
        match before.checked_sub(1).map(|unit| &self.units[unit]) {
            None => Some(at),
            Some(unit) if at < unit.folded.end => None,
            Some(unit) => Some(unit.source_end + at - unit.folded.end),
        }
    }

    /// Adds what stands for the source up to there.
    fn unit(&mut self, bytes: &[u8], source_end: usize) {
        let start = self.text.len();
        self.text.extend_from_slice(bytes);
        self.units.push(Unit { folded: start..self.text.len(), source_end });
    }

    /// Where the source stands that is folded so far.
    fn end_in_source(&self) -> usize {
        match self.units.last() {
            Some(unit) => unit.source_end + self.text.len() - unit.folded.end,
            None => self.text.len(),
        }
    }

    /// Takes blanks off the end, and the units that they are.
    fn trim_end(&mut self) {
        let line = memchr::memrchr(b'\n', &self.text).map_or(0, |at| at + 1);
        let mut kept = line + self.text[line..].trim_ascii_end().len();
        while let Some(unit) = self.units.pop_if(|unit| unit.folded.end > kept) {
            if unit.folded.start < kept {
                kept = unit.folded.end;
                self.units.push(unit);
                break;
            }
        }
        self.text.truncate(kept);
    }
}

/// The tables that characters are folded by.
struct Fold {
    compatibility: ComposingNormalizerBorrowed<'static>,
    classes: CanonicalCombiningClassMapBorrowed<'static>,
    compositions: CanonicalCompositionBorrowed<'static>,
}

impl Fold {
    const fn new() -> Self {
        Self {
            compatibility: ComposingNormalizerBorrowed::new_nfkc(),
            classes: CanonicalCombiningClassMapBorrowed::new(),
            compositions: CanonicalCompositionBorrowed::new(),
        }
    }

    /// Folds a line. What is not UTF-8 stays as it is.
    fn line(&self, line: &[u8], mut at: usize, folded: &mut Folded) {
        for chunk in line.utf8_chunks() {
            self.text(chunk.valid(), at, folded);
            folded.text.extend_from_slice(chunk.invalid());
            at += chunk.valid().len() + chunk.invalid().len();
        }
    }

    fn text(&self, text: &str, at: usize, folded: &mut Folded) {
        let is_normal = self.compatibility.is_normalized(text);
        let mut rest = text;
        while !rest.is_empty() {
            let length = if is_normal { first(rest).len_utf8() } else { self.cluster(rest) };
            let (cluster, tail) = rest.split_at(length);
            rest = tail;
            let plain = self.compatibility.normalize(cluster);
            if plain == cluster && cluster.chars().all(|char| plain_form(char) == char) {
                folded.text.extend_from_slice(cluster.as_bytes());
            } else {
                let plain: String = plain.chars().map(plain_form).collect();
                folded.unit(plain.as_bytes(), at + text.len() - rest.len());
            }
        }
    }

    /// The length of the first character with all that can combine with it: those parts are normal by themselves.
    fn cluster(&self, text: &str) -> usize {
        let mut chars = text.char_indices();
        let Some((_, mut last)) = chars.next() else { return 0 };
        for (at, char) in chars {
            let combines = self.classes.get_u8(char) != 0
                || matches!(char, '\u{1160}'..='\u{11ff}' | '\u{ff9e}' | '\u{ff9f}' | '\u{ffa0}'..='\u{ffdc}')
                || self.compositions.compose(last, char).is_some();
            if !combines {
                return at;
            }
            last = char;
        }
        text.len()
    }
}

fn first(text: &str) -> char {
    text.chars().next().unwrap_or_default()
}

/// Quotes, dashes and blanks as a keyboard has them (pi's table).
fn plain_form(char: char) -> char {
    match char {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    }
}

/// Places that are equal in their plain form.
pub(super) fn typographic(text: &Text<'_>, old: &str) -> Option<Found> {
    let wanted = Folded::typography(&Text::of(old.as_bytes()));
    if wanted.text.iter().all(u8::is_ascii_whitespace) {
        return None;
    }
    let folded = Folded::typography(text);
    let places =
        raw(&folded.text, &wanted.text).into_iter().filter_map(|place| folded.source(&place)).collect::<Vec<_>>();
    let part = 0..old.trim_end_matches([' ', '\t']).len();
    (!places.is_empty()).then_some(Found { strategy: Strategy::Typographic, places, part })
}
