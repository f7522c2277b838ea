//! `-12,3 +12,4 @@ fn name`, as it stands after `@@` in a diff.

use super::error::{Problem, quoted};
use crate::apply_patch::patch::Hint;

/// Whether a text looks like a range: no line of a program begins so.
pub(super) fn is_range(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let is_side = |word: Option<&str>, mark| {
        word.and_then(|word| word.strip_prefix(mark)).is_some_and(|side| side.starts_with(|c: char| c.is_ascii_digit()))
    };
    is_side(words.next(), '-') && is_side(words.next(), '+')
}

/// The old side of a range. What stands behind the second `@@` is the line git found above the place; it may be far away
/// and cut, and is left out.
pub(super) fn parse(text: &str) -> Result<Hint, Problem> {
    Ok(both(text)?.0)
}

/// Both sides of a range.
pub(super) fn both(text: &str) -> Result<(Hint, Hint), Problem> {
    let mut words = text.split_ascii_whitespace();
    let mut side = |mark| side(words.next()?.strip_prefix(mark)?);
    match (side('-'), side('+')) {
        (Some(old), Some(new)) => Ok((old, new)),
        _ => Err(Problem::Range(quoted(text))),
    }
}

fn side(text: &str) -> Option<Hint> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some(Hint { start: start.parse().ok()?, count: count.parse().ok()? })
}
