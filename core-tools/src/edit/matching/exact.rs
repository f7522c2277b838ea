//! The text as it is, whatever ends the lines.

use std::ops::Range;

use memchr::{memchr, memmem::Finder};

use super::{folded::Folded, with_lf};

/// Every place of the text, none overlapping the one before it; but where that is one place only, one that overlaps it
/// is told as well: nobody has said which of the two is meant.
pub(super) fn places(content: &[u8], old: &str) -> Vec<Range<usize>> {
    let old = with_lf(old);
    let is_one_line = memchr(b'\n', old.as_bytes()).is_none();
    if is_one_line || memchr(b'\r', content).is_none() {
        return raw(content, old.as_bytes());
    }
    let folded = Folded::endings(content);
    let places = match memchr(b'\n', content) {
        Some(_) => raw(folded.text(), old.as_bytes()),
        None => raw(folded.text(), old.replace('\r', "\n").as_bytes()),
    };
    places.into_iter().filter_map(|place| folded.source(&place)).collect()
}

/// Every place of some bytes, as [`places`] tells them.
pub(super) fn raw(content: &[u8], old: &[u8]) -> Vec<Range<usize>> {
    let finder = Finder::new(old);
    let mut places: Vec<_> = finder.find_iter(content).map(|at| at..at + old.len()).collect();
    if let [only] = places.as_slice() {
        let behind = only.start + 1;
        let reach = content.len().min(only.end + old.len() - 1);
        if let Some(at) = finder.find(&content[behind..reach]) {
            places.push(behind + at..behind + at + old.len());
        }
    }
    places
}
