//! What is called compatible, against values.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{of_input, of_output};

/// A small schema. Names and numbers are few, so that two schemas often nearly agree.
fn schema() -> impl Strategy<Value = Value> {
    let small = 0..4_i64;
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!({ "type": "boolean" })),
        Just(json!({ "type": "null" })),
        (small.clone(), small.clone(), any::<bool>(), prop_oneof![Just("integer"), Just("number")]).prop_map(
            |(least, span, is_open, kind)| {
                let keyword = if is_open { "exclusiveMinimum" } else { "minimum" };
                json!({ "type": kind, keyword: least, "maximum": least + span })
            }
        ),
        (prop_oneof![Just("integer"), Just("number")], 1..4_i64)
            .prop_map(|(kind, step)| json!({ "type": kind, "multipleOf": step })),
        (0..3_u64, 0..3_u64)
            .prop_map(|(least, span)| json!({ "type": "string", "minLength": least, "maxLength": least + span })),
        prop_oneof![Just("^a"), Just("b$")].prop_map(|pattern| json!({ "type": "string", "pattern": pattern })),
        proptest::sample::subsequence(vec![json!("a"), json!("bb"), json!(1), json!(2.5), Value::Null], 1..4)
            .prop_map(|values| json!({ "enum": values })),
        Just(json!({ "type": ["string", "null"] })),
        Just(json!({ "not": { "type": "string" } })),
    ];
    leaf.prop_recursive(3, 20, 3, |inner| {
        prop_oneof![
            (inner.clone(), 0..3_u64, any::<bool>()).prop_map(|(items, most, is_unique)| {
                json!({ "type": "array", "items": items, "maxItems": most, "uniqueItems": is_unique })
            }),
            (inner.clone(), inner.clone())
                .prop_map(|(first, items)| json!({ "type": "array", "prefixItems": [first], "items": items })),
            object(inner.clone()),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| json!({ "anyOf": [one, other] })),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| json!({ "oneOf": [one, other] })),
            (inner.clone(), inner).prop_map(|(one, other)| json!({ "allOf": [one, other] })),
        ]
    })
}

/// An object with some of the members `a`, `b` and `c`.
fn object(inner: impl Strategy<Value = Value> + Clone) -> impl Strategy<Value = Value> {
    let rest = prop_oneof![2 => Just(None), 2 => Just(Some(json!(false))), 1 => inner.clone().prop_map(Some)];
    let names = proptest::sample::subsequence(vec!["a", "b", "c"], 0..=3);
    (names, proptest::collection::vec((inner, any::<bool>()), 3), rest).prop_map(|(names, schemas, rest)| {
        let mut object = json!({ "type": "object", "properties": {}, "required": [] });
        for (name, (schema, is_required)) in names.into_iter().zip(schemas) {
            object["properties"][name] = schema;
            if is_required {
                object["required"].as_array_mut().unwrap().push(json!(name));
            }
        }
        if let Some(rest) = rest {
            object["additionalProperties"] = rest;
        }
        object
    })
}

/// One schema, and another that is like it but for one place.
fn near() -> impl Strategy<Value = (Value, Value)> {
    (schema(), schema(), any::<prop::sample::Index>()).prop_map(|(old, other, at)| {
        let mut places = Vec::new();
        collect(&old, String::new(), &mut places);
        let mut new = old.clone();
        let place = at.get(&places);
        *new.pointer_mut(place).unwrap() = other;
        (old, new)
    })
}

/// The places of all schemas within a schema.
fn collect(schema: &Value, at: String, places: &mut Vec<String>) {
    let Some(map) = schema.as_object() else { return };
    for (keyword, value) in map {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(members)) => {
                members.iter().for_each(|(name, member)| collect(member, format!("{at}/properties/{name}"), places));
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(parts)) => {
                parts.iter().enumerate().for_each(|(n, part)| collect(part, format!("{at}/{keyword}/{n}"), places));
            }
            ("items" | "additionalProperties", part) => collect(part, format!("{at}/{keyword}"), places),
            _ => {}
        }
    }
    places.push(at);
}

/// A value that a caller who knows the schema could send; not always one that fits.
fn value(schema: &Value, rng: &mut impl FnMut(u64) -> u64) -> Value {
    let Some(map) = schema.as_object() else { return json!("a") };
    for keyword in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(parts)) = map.get(keyword) {
            let part = rng(parts.len() as u64);
            return value(&parts[usize::try_from(part).unwrap()], rng);
        }
    }
    if let Some(Value::Array(values)) = map.get("enum") {
        return values[usize::try_from(rng(values.len() as u64)).unwrap()].clone();
    }
    let kinds = ["string", "integer", "number", "boolean", "null", "array", "object"];
    let kind = match map.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => kinds[usize::try_from(rng(kinds.len() as u64)).unwrap()].as_str().unwrap(),
        _ => kinds[usize::try_from(rng(7)).unwrap()],
    };
    match kind {
        "string" => json!(["", "a", "b", "ab", "aab", "bbbb"][usize::try_from(rng(6)).unwrap()]),
        "integer" => json!(rng(9)),
        "number" => json!([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 6.0][usize::try_from(rng(8)).unwrap()]),
        "boolean" => json!(rng(2) == 0),
        "null" => Value::Null,
        "array" => {
            let prefix = map.get("prefixItems").and_then(Value::as_array).cloned().unwrap_or_default();
            let items = map.get("items").cloned().unwrap_or(json!({}));
            (0..rng(4)).map(|n| value(prefix.get(usize::try_from(n).unwrap()).unwrap_or(&items), rng)).collect()
        }
        _ => {
            let mut object = Map::new();
            for (name, member) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if rng(4) > 0 {
                    object.insert(name.clone(), value(member, rng));
                }
            }
            // Under names that nobody declares; and under any, where the schema says what is there.
            if let Some(rest @ Value::Object(_)) = map.get("additionalProperties") {
                object.insert(["b", "z"][usize::try_from(rng(2)).unwrap()].to_owned(), value(rest, rng));
            }
            Value::Object(object)
        }
    }
}

fn dice(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |most| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most.max(1)
    }
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::draft202012::new(schema).expect("a schema")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_schema_is_compatible_with_itself(schema in schema()) {
        // In other words, with more around it, and as one alternative of two.
        let mut worded = schema.clone();
        worded["description"] = json!("In other words.");
        let of_a = |schema: &Value| json!({ "type": "object", "properties": { "a": schema } });
        for (old, new) in [
            (schema.clone(), worded.clone()),
            (of_a(&schema), of_a(&worded)),
            (schema.clone(), json!({ "anyOf": [{ "type": "null" }, worded] })),
        ] {
            let report = of_input(&old).compare(&of_input(&new));
            prop_assert!(report.is_compatible(), "{} to {}: {}", old, new, report);
            let report = of_output(&new).compare(&of_output(&old));
            prop_assert!(report.is_compatible(), "of results, {} to {}: {}", new, old, report);
        }
    }

    #[test]
    fn one_more_optional_property_is_compatible(object in object(schema().boxed()), more in schema()) {
        // But where anything else has a schema of its own already.
        prop_assume!(!object.get("additionalProperties").is_some_and(Value::is_object));
        let mut wider = object.clone();
        wider["properties"]["z"] = more;
        let report = of_input(&object).compare(&of_input(&wider));
        prop_assert!(report.is_compatible(), "{}", report);
    }

    #[test]
    fn what_was_taken_is_taken_where_it_is_called_compatible((old, new) in near(), seed in any::<u64>()) {
        let mut rng = dice(seed);
        let (before, after) = (validator(&old), validator(&new));
        if of_input(&old).compare(&of_input(&new)).is_compatible() {
            for _ in 0..30 {
                let value = value(&old, &mut rng);
                if before.is_valid(&value) {
                    prop_assert!(after.is_valid(&value), "{} took {}, and {} does not", old, value, new);
                }
            }
        }
        // Of results: what the new tool makes, readers of the old one could get.
        if of_output(&old).compare(&of_output(&new)).is_compatible() {
            for _ in 0..30 {
                let value = value(&new, &mut rng);
                if after.is_valid(&value) {
                    prop_assert!(before.is_valid(&value), "{} makes {}, and {} did not", new, value, old);
                }
            }
        }
    }
}
