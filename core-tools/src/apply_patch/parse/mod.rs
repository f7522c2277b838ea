//! The text of a patch, read into a [`Patch`](super::patch::Patch). Pure: no file is looked at.

mod codex;
mod diff_action;
mod error;
mod names;
mod range;
mod unified;
mod wrapper;

pub use self::error::{ParseError, Problem};
use super::patch::Patch;

/// Reads a patch in any of the formats: codex's, a unified diff, git's diff; each perhaps in a here-document, a Markdown
/// fence or JSON.
///
/// # Errors
/// When it is none of them, or is broken. Any text gets an answer, in time linear in its length.
pub fn parse(text: &str) -> Result<Patch, ParseError> {
    let text = wrapper::unwrap(text);
    if text.trim().is_empty() {
        return Err(ParseError::Empty);
    }
    if !codex::begins(&text) && unified::is_diff(&text) { unified::parse(&text) } else { codex::parse(&text) }
}
