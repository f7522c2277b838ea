//! Validation and conversion by any JSON Schema.
#![no_main]

use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};
use tool_core::validation::Validator;
use tool_fuzz::{REPORT, name, value};

#[derive(Debug)]
struct Case {
    schema: Value,
    arguments: Value,
}

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let mut schema = schema(u, 3)?;
        // As it is for every tool.
        schema["type"] = "object".into();
        schema["$defs"] = json!({ "a": self::schema(u, 2)?, "b": self::schema(u, 2)? });
        let mut members = Map::new();
        for _ in 0..u.int_in_range(0..=3)? {
            members.insert(name(u)?.to_owned(), value(u, 4)?);
        }
        Ok(Self { schema, arguments: members.into() })
    }
}

fn schema(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let mut keywords = Map::new();
    for _ in 0..u.int_in_range(0..=3)? {
        let below = |u: &mut Unstructured<'_>| if depth == 0 { Ok(json!({})) } else { schema(u, depth - 1) };
        let (keyword, says) = match u.int_in_range(0..=13)? {
            0 => ("type", kind(u)?.into()),
            1 => ("type", json!([kind(u)?, kind(u)?])),
            2 | 3 => ("properties", json!({ name(u)?: below(u)?, name(u)?: below(u)? })),
            4 => ("required", json!([name(u)?])),
            5 => ("additionalProperties", if bool::arbitrary(u)? { false.into() } else { below(u)? }),
            6 => ("items", below(u)?),
            7 => ("prefixItems", json!([below(u)?, below(u)?])),
            8 => ("anyOf", json!([below(u)?, below(u)?])),
            9 => ("oneOf", json!([below(u)?, below(u)?])),
            10 => ("allOf", json!([below(u)?])),
            11 => ("$ref", ["#/$defs/a", "#/$defs/b", "#"][u.int_in_range(0..=2)?].into()),
            12 => ("enum", json!([value(u, 1)?, value(u, 0)?])),
            _ => match u.int_in_range(0..=4)? {
                0 => ("minimum", i8::arbitrary(u)?.into()),
                1 => ("maxLength", u.int_in_range(0..=4)?.into()),
                2 => ("maxItems", u.int_in_range(0..=3)?.into()),
                3 => ("uniqueItems", true.into()),
                _ => ("pattern", "^[a-z]*$".into()),
            },
        };
        keywords.insert(keyword.to_owned(), says);
    }
    Ok(keywords.into())
}

fn kind(u: &mut Unstructured<'_>) -> Result<&'static str> {
    Ok(["object", "array", "string", "number", "integer", "boolean", "null"][u.int_in_range(0..=6)?])
}

fuzz_target!(|case: Case| {
    let Case { schema, arguments } = case;
    let validator = Validator::new(schema.clone());
    if validator.verify().is_err() {
        return;
    }
    match validator.read(&arguments.to_string()) {
        Ok((value, mended)) => {
            assert!(validator.mistakes(&value).is_empty(), "{value} in {schema}: {:?}", validator.mistakes(&value));
            for at in &mended.coerced {
                assert!(arguments.pointer(at).is_some(), "{at} in {arguments}");
                let now = value.pointer(at);
                assert!(
                    is_lossless(arguments.pointer(at).unwrap_or(&Value::Null), now),
                    "{at}: {arguments} to {value}"
                );
            }
            if mended.coerced.is_empty() {
                assert_eq!(arguments, value);
            }
            // What was converted is taken as it is the second time.
            let (again, _) = validator.read(&value.to_string()).expect("it was accepted");
            assert_eq!(again, value, "{schema}");
        }
        Err(report) => {
            assert!(!report.mistakes().is_empty());
            assert!(report.report("x").len() <= REPORT);
        }
    }
});

/// Whether what came can be had again from what it became.
fn is_lossless(before: &Value, after: Option<&Value>) -> bool {
    match (before, after) {
        // A property that is `null` is one that is not there.
        (Value::Null, after) => after.is_none_or(|after| after == &json!([null])),
        (before, Some(after)) if before == after => true,
        (Value::String(text), Some(Value::Bool(flag))) => text.trim().eq_ignore_ascii_case(&flag.to_string()),
        (Value::String(text), Some(Value::Number(number))) => text.trim().parse::<f64>().ok() == number.as_f64(),
        (Value::String(text), Some(after @ (Value::Array(_) | Value::Object(_)))) => {
            let held = serde_json::from_str::<Value>(text);
            held.is_ok_and(|held| is_lossless(&held, Some(after)))
                || after.as_array().is_some_and(|items| items.len() == 1 && is_lossless(before, items.first()))
        }
        (Value::Number(number), Some(Value::String(text))) => number.to_string() == *text,
        (Value::Bool(flag), Some(Value::String(text))) => flag.to_string() == *text,
        (Value::Number(before), Some(Value::Number(after))) => before.as_f64() == after.as_f64(),
        (Value::Array(before), Some(Value::Array(after))) if before.len() == after.len() => {
            before.iter().zip(after).all(|(before, after)| is_lossless(before, Some(after)))
        }
        (Value::Object(before), Some(Value::Object(after))) => {
            before.iter().all(|(name, value)| is_lossless(value, after.get(name)))
        }
        (before, Some(Value::Array(items))) => items.len() == 1 && is_lossless(before, items.first()),
        _ => false,
    }
}
