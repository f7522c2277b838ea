//! Two JSON values, and where they differ, in words.

use serde_json::Value;

/// The longest value that is shown whole, in bytes.
const SHOWN: usize = 120;
/// How many lines of a text are shown.
const LINES: usize = 5;

/// One line for each place that differs, but for the places in `ignored` (JSON pointers, with all below them).
pub(super) fn differences(recorded: &Value, now: &Value, ignored: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    walk(Some(recorded), Some(now), String::new(), ignored, &mut found);
    found
}

fn walk(recorded: Option<&Value>, now: Option<&Value>, at: String, ignored: &[String], found: &mut Vec<String>) {
    if recorded == now || ignored.contains(&at) {
        return;
    }
    match (recorded, now) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            for name in old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))) {
                let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                walk(old.get(name), new.get(name), at, ignored, found);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            for index in 0..old.len().max(new.len()) {
                walk(old.get(index), new.get(index), format!("{at}/{index}"), ignored, found);
            }
        }
        (Some(Value::String(old)), Some(Value::String(new))) if old.contains('\n') || new.contains('\n') => {
            found.push(format!("{at}: {}", texts(old, new)));
        }
        (old, new) => found.push(format!("{at}: recorded {}, now {}", show(old), show(new))),
    }
}

/// The first lines that differ.
fn texts(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.split('\n').collect(), new.split('\n').collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let mut shown = format!("differs from line {} on", same + 1);
    for (sign, lines) in [('-', &old), ('+', &new)] {
        for line in lines.iter().skip(same).take(LINES) {
            shown.push_str(&format!("\n    {sign} {}", cut(line)));
        }
    }
    shown
}

fn show(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| cut(&value.to_string()))
}

fn cut(text: &str) -> String {
    let end = text.floor_char_boundary(SHOWN);
    format!("{}{}", &text[..end], if end < text.len() { "…" } else { "" })
}
