//! Arguments as models sometimes write them, made into the text of the JSON object they were meant to be.
//!
//! Nothing is guessed: no text and `null` are no arguments, a string that holds a JSON object is that object (some
//! models encode twice), a raw line break inside a string is the line break (pi repairs it too), and half a character is
//! U+FFFD.

use std::borrow::Cow;

use serde_json::Value;

/// The JSON text of the object that argument text stands for.
///
/// # Errors
/// What is wrong with the text, for the model.
pub(crate) fn object_text(text: &str) -> Result<Cow<'_, str>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
    if text.is_empty() || text == "null" {
        return Ok("{}".into());
    }
    // Read whole, not skipped: what is skipped is not checked for half characters.
    let whole = match serde_json::from_str::<Value>(text) {
        Ok(_) => Cow::Borrowed(text),
        Err(error) => {
            let escaped = mend_surrogates(&escape_controls(text));
            serde_json::from_str::<Value>(&escaped).map_err(|_| syntax(text, &error))?;
            Cow::Owned(escaped)
        }
    };
    match whole.as_bytes().first() {
        Some(b'{') => Ok(whole),
        Some(b'"') => match serde_json::from_str::<String>(&whole) {
            Ok(inner) if is_object(&inner) => Ok(inner.into()),
            _ => Err("expected a JSON object of arguments, got a string".to_owned()),
        },
        Some(b'[') => Err("expected a JSON object of arguments, got an array".to_owned()),
        Some(b't' | b'f') => Err("expected a JSON object of arguments, got a boolean".to_owned()),
        _ => Err("expected a JSON object of arguments, got a number".to_owned()),
    }
}

fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<Value>(text).is_ok()
}

fn syntax(text: &str, error: &serde_json::Error) -> String {
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let end = line.floor_char_boundary(error.column());
    let near = &line[line.ceil_char_boundary(end.saturating_sub(40))..end];
    let hint = if error.is_eof() { "; the text ends too early, perhaps it was cut off" } else { "" };
    format!("not valid JSON: {error}, after `{near}`{hint}")
}

/// Halves of a surrogate pair that stand alone, as U+FFFD: what is left of a character that was split while it was
/// streamed (opencode does the same).
fn mend_surrogates(text: &str) -> String {
    let unit = |at: usize| {
        let escape = text.get(at..at + 6).filter(|escape| escape.starts_with("\\u"));
        escape.and_then(|escape| u16::from_str_radix(&escape[2..], 16).ok())
    };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        let here = at + found;
        out.push_str(&text[at..here]);
        let length = match (unit(here), unit(here + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                at = here + 6;
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 1 + text[here + 1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&text[here..here + length]);
        at = here + length;
    }
    out.push_str(&text[at..]);
    out
}

/// Control characters inside JSON strings, escaped as JSON wants them.
fn escape_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        if in_string && c < ' ' {
            if escaped {
                // A backslash before a raw line break, as in a shell's continued line, is a backslash.
                out.push('\\');
            }
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
            escaped = false;
            continue;
        }
        if c == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = in_string && c == '\\' && !escaped;
        out.push(c);
    }
    out
}
