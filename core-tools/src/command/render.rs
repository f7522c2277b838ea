//! Words as the text that a person reads and rules are held against.

use tool_core::permission::Reading;

use super::word::Word;

/// Stands for arguments that are not known.
const MORE: &str = "…";

/// The words up to this many bytes; where that is not all, more may come.
pub(super) fn shortened(words: &[Word], more: bool, longest: usize) -> (Vec<Word>, bool) {
    let mut left = longest;
    let mut kept = Vec::with_capacity(words.len().min(longest));
    for word in words {
        // A variable is shorter than what stands in it.
        let length = word.source.len().max(word.reading.start().len());
        let Some(rest) = left.checked_sub(length) else {
            let source = &word.source[..word.source.floor_char_boundary(left)];
            let start = word.reading.start();
            let start = &start[..start.floor_char_boundary(left)];
            let reading = Reading::known(start).then_anything();
            kept.push(Word { source: source.to_owned(), reading, ..Word::default() });
            return (kept, true);
        };
        kept.push(word.clone());
        left = rest;
    }
    (kept, more)
}

/// A command's text, and the same with what is not known left open.
pub(super) fn display(words: &[Word], more: bool) -> (String, Reading) {
    let (mut text, mut reading) = (String::new(), Reading::default());
    for word in words {
        if !text.is_empty() {
            text.push(' ');
            reading = reading.then(" ");
        }
        match word.text() {
            Some(known) => {
                let shown = shown(known, &word.source);
                text.push_str(&shown);
                reading = reading.then(&shown);
            }
            None => {
                text.push_str(&word.source);
                reading = reading.then_all(&word.reading);
                if word.splits && !word.is_glob {
                    reading = reading.then_anything();
                }
            }
        }
    }
    if more {
        text.push(' ');
        text.push_str(MORE);
        reading = reading.then(" ").then_anything();
    }
    (text, reading)
}

/// The words without any quotes.
pub(super) fn plain(words: &[Word], more: bool) -> Reading {
    let mut reading = Reading::default();
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            reading = reading.then(" ");
        }
        reading = reading.then_all(&word.reading);
        if word.splits {
            reading = reading.then_anything();
        }
    }
    if more { reading.then(" ").then_anything() } else { reading }
}

/// A word that is known, in quotes where it would be several without.
fn shown(known: &str, source: &str) -> String {
    let is_special = |c: char| c.is_whitespace() || c.is_control() || "\"'`;&|<>()".contains(c);
    if !known.is_empty() && !known.contains(is_special) {
        return known.to_owned();
    }
    let inner = |mark: char| source.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    let is_simple = |inner: &str| inner == known && !inner.contains(['"', '\'', '\\']);
    if inner('"').or_else(|| inner('\'')).is_some_and(is_simple) {
        return source.to_owned();
    }
    format!("'{}'", known.replace('\'', "'\\''"))
}
