//! Arguments as models sometimes write them, made into the text of the JSON object they were meant to be.
//!
//! Only what can mean one thing is mended, and each [`Repair`] is on record in the outcome. No value is ever guessed: a
//! text that was cut off is not completed, single quotes are not turned into double ones, `NaN` stands for nothing, and
//! an object is not picked out of prose. What remains is refused in words that a model can act on (`syntax`).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{mend::mend, syntax};

/// Something that was wrong with the text of a call's arguments, and had one possible meaning.
///
/// In an outcome's metadata they stand under `repairs`, by their names in `snake_case`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Repair {
    /// A byte order mark stood before the object.
    ByteOrderMark,
    /// The object stood in a Markdown code fence.
    CodeFence,
    /// The object was written into a JSON string; some models encode twice.
    DoubleEncoding,
    /// A line break or another control character stood raw in a string (pi mends it too).
    ControlCharacters,
    /// A backslash stood before a character that has no escape, as in `"\d+"`: it is a backslash (pi mends it too).
    /// Not where the same string also has an escape such as `\n`, since that may then be meant to the letter as well.
    InvalidEscapes,
    /// Half of a surrogate pair stood alone, and is U+FFFD now: a character that was split while it was streamed
    /// (opencode does the same).
    LoneSurrogates,
    /// A comma stood after the last member of an object or the last item of an array.
    TrailingComma,
}

/// The text of a JSON object, and what had to be done to have it.
#[derive(Debug)]
pub(crate) struct ObjectText<'t> {
    pub(crate) text: Cow<'t, str>,
    pub(crate) repairs: Vec<Repair>,
}

/// The JSON text of the object that argument text stands for. No text and `null` are no arguments.
///
/// # Errors
/// What is wrong with the text, for the model.
pub(crate) fn object_text(text: &str) -> Result<ObjectText<'_>, String> {
    let mut repairs = Vec::new();
    let text = object(text, &mut repairs, true)?;
    repairs.sort_unstable();
    repairs.dedup();
    Ok(ObjectText { text, repairs })
}

fn object<'t>(text: &'t str, repairs: &mut Vec<Repair>, or_in_string: bool) -> Result<Cow<'t, str>, String> {
    let mut text = text.trim();
    if let Some(rest) = text.strip_prefix('\u{feff}') {
        repairs.push(Repair::ByteOrderMark);
        text = rest.trim_start();
    }
    if let Some(inside) = unfenced(text) {
        repairs.push(Repair::CodeFence);
        text = inside;
    }
    if text.is_empty() || text == "null" {
        return Ok("{}".into());
    }
    let whole = match syntax::check(text) {
        Ok(()) => Cow::Borrowed(text),
        Err(fault) => {
            let mended = mend(text);
            if mended.repairs.is_empty() || syntax::check(&mended.text).is_err() {
                return Err(fault.explain(text));
            }
            repairs.extend(mended.repairs);
            Cow::Owned(mended.text)
        }
    };
    let kind = match whole.as_bytes().first() {
        Some(b'{') => return Ok(whole),
        Some(b'"') => {
            if let Ok(inside) = serde_json::from_str::<String>(&whole)
                && or_in_string
                && !inside.trim().is_empty()
            {
                repairs.push(Repair::DoubleEncoding);
                match object(&inside, repairs, false) {
                    Ok(object) => return Ok(Cow::Owned(object.into_owned())),
                    Err(fault) if inside.trim_start().starts_with('{') => {
                        return Err(format!("expected a JSON object of arguments, got a string; in it: {fault}"));
                    }
                    Err(_) => {}
                }
            }
            "a string"
        }
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    };
    Err(format!("expected a JSON object of arguments, got {kind}"))
}

/// What stands in a code fence, if it is an object.
fn unfenced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    let language = inside.find(|c: char| !(c.is_ascii_alphanumeric() || "_+-.".contains(c)))?;
    let inside = inside[language..].trim();
    inside.starts_with('{').then_some(inside)
}
