//! Arguments as models sometimes write them, made into the JSON object they were meant to be.
//!
//! Nothing is guessed: no text and `null` are no arguments, a string that holds a JSON object is that object (some
//! models encode twice), and a raw line break inside a string is the line break (pi repairs it too).

use serde::{
    Deserializer as _,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value};

/// The object that argument text stands for.
///
/// # Errors
/// What is wrong with the text, for the model.
pub(crate) fn parse_arguments(text: &str) -> Result<Value, String> {
    let parsed = if text.trim().is_empty() { Ok(Value::Null) } else { serde_json::from_str::<Value>(text) };
    let value = match parsed {
        Ok(value) => value,
        Err(error) => serde_json::from_str(&escape_controls(text)).map_err(|_| syntax(text, &error))?,
    };
    match value {
        Value::Object(_) => Ok(value),
        Value::Null => Ok(Map::new().into()),
        Value::String(inner) => match serde_json::from_str::<Value>(&inner) {
            Ok(value @ Value::Object(_)) => Ok(value),
            _ => Err("expected a JSON object of arguments, got a string".to_owned()),
        },
        other => Err(format!("expected a JSON object of arguments, got {}", kind(&other))),
    }
}

fn syntax(text: &str, error: &serde_json::Error) -> String {
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let before: String = line.chars().take(error.column()).collect();
    let near: String = before.chars().skip(before.chars().count().saturating_sub(40)).collect();
    let hint = if error.is_eof() { "; the text ends too early, perhaps it was cut off" } else { "" };
    format!("not valid JSON: {error}, after `{near}`{hint}")
}

/// Control characters inside JSON strings, escaped as JSON wants them.
fn escape_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        if in_string && c < ' ' {
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

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The keys that stand more than once in the outermost object, which a parsed value no longer shows.
pub(crate) fn repeated_keys(text: &str) -> Vec<String> {
    struct Keys;
    impl<'de> Visitor<'de> for Keys {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let (mut seen, mut repeated) = (std::collections::HashSet::new(), Vec::new());
            while let Some((key, IgnoredAny)) = map.next_entry::<String, _>()? {
                if !seen.insert(key.clone()) && !repeated.contains(&key) {
                    repeated.push(key);
                }
            }
            Ok(repeated)
        }
    }
    serde_json::Deserializer::from_str(text).deserialize_map(Keys).unwrap_or_default()
}
