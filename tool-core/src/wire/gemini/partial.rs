//! `partialArgs`: arguments that come value by value, each with the JSON path of its place (Vertex AI).

use serde_json::{Map, Value};

use crate::wire::format::{append, member};

/// One step of a path.
enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

/// Puts one partial argument into `args`. A text goes on where an earlier piece ended. A path that cannot be followed
/// is an error, without words: the call then counts as incomplete.
pub(super) fn put(args: &mut Value, partial: &Value) -> Result<(), ()> {
    let value = if let Some(piece) = partial.get("stringValue").and_then(Value::as_str) {
        Value::String(piece.to_owned())
    } else if let Some(number) = partial.get("numberValue") {
        whole_number(number)
    } else if let Some(flag) = partial.get("boolValue") {
        flag.clone()
    } else if partial.get("nullValue").is_some() {
        Value::Null
    } else {
        return Ok(());
    };
    let place = place(args, member(partial, "jsonPath"))?;
    match (place, value) {
        (Value::String(held), Value::String(piece)) => append(held, &piece),
        (place, value) => *place = value,
    }
    Ok(())
}

/// A double with no fraction is the integer that it was meant to be.
fn whole_number(number: &Value) -> Value {
    match number.as_f64() {
        Some(double) if double.fract() == 0.0 && double.abs() < 9_007_199_254_740_992.0 => {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
            let integer = double as i64;
            integer.into()
        }
        _ => number.clone(),
    }
}

fn place<'v>(args: &'v mut Value, path: &str) -> Result<&'v mut Value, ()> {
    let mut at = args;
    for step in steps(path)? {
        at = match step {
            Step::Key(key) => {
                if at.is_null() {
                    *at = Value::Object(Map::new());
                }
                at.as_object_mut().ok_or(())?.entry(key).or_insert(Value::Null)
            }
            Step::Item(index) => {
                if at.is_null() {
                    *at = Value::Array(Vec::new());
                }
                let items = at.as_array_mut().ok_or(())?;
                // One behind the last at most: a large number must not make a large array.
                if index == items.len() {
                    items.push(Value::Null);
                }
                items.get_mut(index).ok_or(())?
            }
        };
    }
    Ok(at)
}

/// `$.a['b'][0]`, the singular paths of RFC 9535 without escapes.
fn steps(path: &str) -> Result<Vec<Step<'_>>, ()> {
    let mut rest = path.strip_prefix('$').ok_or(())?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let step;
        if let Some(behind) = rest.strip_prefix('.') {
            let end = behind.find(['.', '[']).unwrap_or(behind.len());
            (step, rest) = (Step::Key(&behind[..end]), &behind[end..]);
        } else if let Some((quote, behind)) = quoted(rest) {
            let (key, behind) = behind.split_once([quote]).ok_or(())?;
            (step, rest) = (Step::Key(key), behind.strip_prefix(']').ok_or(())?);
        } else {
            let (index, behind) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).ok_or(())?;
            (step, rest) = (Step::Item(index.parse().map_err(drop)?), behind);
        }
        steps.push(step);
    }
    Ok(steps)
}

fn quoted(rest: &str) -> Option<(char, &str)> {
    let behind = rest.strip_prefix("['").map(|behind| ('\'', behind));
    behind.or_else(|| rest.strip_prefix("[\"").map(|behind| ('"', behind)))
}
