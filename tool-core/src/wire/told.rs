//! What a model is told that no tool can tell it.

use crate::validation::excerpt_of;

/// What a result says of a call that was cut off.
pub(super) const CUT_OFF: &str = "The call was cut off before its arguments were complete, and was not run. Make it again; if it was long, split it into smaller ones.";

/// How much of what a model or a provider wrote a result repeats.
const EXCERPT: usize = 200;

/// What a result says of a call whose name was changed.
pub(super) fn renamed(called: &str, sent: &str) -> String {
    let called = excerpt_of(called, EXCERPT);
    format!(
        "\n\n(The name that was called, `{called}`, is none that a tool can have; the call stands here as `{sent}`.)"
    )
}

/// What a model is told whose call its provider could not read.
pub(super) fn malformed(said: &str) -> String {
    let said = match excerpt_of(said, 5 * EXCERPT) {
        said if said.is_empty() => String::new(),
        said => format!(" What was made out of it: {said}"),
    };
    format!(
        "Your last tool call could not be read, and was not run.{said}\nMake it again: call one of the declared tools by \
         its name, with its arguments as JSON."
    )
}
