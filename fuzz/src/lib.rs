//! What several fuzz targets need.

use arbitrary::{Arbitrary, Result, Unstructured};
use serde_json::{Map, Value};

/// The longest report, in bytes: fifty lines of five hundred, what was received, and the frame.
pub const REPORT: usize = 50 * 512 + 3_000;

/// A JSON value made of few names and odd texts, so that schemas and values meet.
pub fn value(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    Ok(match u.int_in_range(0..=if depth == 0 { 5 } else { 8 })? {
        0 => Value::Null,
        1 => bool::arbitrary(u)?.into(),
        2 => i8::arbitrary(u)?.into(),
        3 => match u.int_in_range(0..=3)? {
            0 => i64::arbitrary(u)?.into(),
            1 => u64::arbitrary(u)?.into(),
            2 => serde_json::Number::from_f64(f64::arbitrary(u)?).map_or(Value::Null, Value::Number),
            _ => (f64::from(i16::arbitrary(u)?) / 2.0).into(),
        },
        4 => text(u)?.into(),
        5 => value(u, 0)?.to_string().into(),
        6 => (0..u.int_in_range(0..=4)?).map(|_| value(u, depth - 1)).collect::<Result<Vec<_>>>()?.into(),
        _ => {
            let mut members = Map::new();
            for _ in 0..u.int_in_range(0..=4)? {
                members.insert(name(u)?.into(), value(u, depth - 1)?);
            }
            members.into()
        }
    })
}

/// One of few names.
pub fn name<'a>(u: &mut Unstructured<'a>) -> Result<&'a str> {
    Ok(["a", "b", "kind", "left", "a/b", "~", ""][u.int_in_range(0..=6)?])
}

fn text(u: &mut Unstructured<'_>) -> Result<String> {
    const KNOWN: [&str; 14] =
        ["", "5", "-1", "5.0", "007", "1e3", " 7 ", "true", "FALSE", "null", "{}", "[]", "add", "[1,\"2\"]"];
    if bool::arbitrary(u)? { Ok(KNOWN[u.int_in_range(0..=13)?].to_owned()) } else { String::arbitrary(u) }
}
