//! What is said of a text that is not of its language: where, and why, and none of the text, which may have secrets.

use std::ops::Range;

/// A fault at a place of a text.
pub(super) fn told(text: &str, span: Option<Range<usize>>, fault: &str) -> String {
    let before = span.and_then(|span| text.get(..span.start));
    match before {
        Some(before) => {
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            format!("{fault} on line {line} column {column}")
        }
        None => fault.to_owned(),
    }
}
