//! Every schema of a zoo in every dialect: only keywords that the dialect takes, nothing left to change, nothing lost.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tool_core::schema::{Change, Dialect, Effect, UnfitReason, adapt};

mod zoo;

/// The keywords of a dialect that takes a subset, once more and apart from the table that the code goes by.
fn allowed(dialect: Dialect) -> Option<Vec<&'static str>> {
    let both = "type description properties required additionalProperties items enum anyOf $ref $defs";
    let more = match dialect {
        Dialect::OpenAiStrict => {
            "title pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems"
        }
        Dialect::DeepSeekStrict => "title pattern format",
        Dialect::AnthropicStrict => "title format minItems",
        Dialect::Gemini => {
            "title default minProperties maxProperties minItems maxItems pattern minLength maxLength format minimum maximum"
        }
        Dialect::Moonshot => "default",
        Dialect::XAi => {
            "title default minItems maxItems pattern format minLength maxLength minimum maximum exclusiveMinimum \
             exclusiveMaximum multipleOf"
        }
        _ => return None,
    };
    Some(both.split_whitespace().chain(more.split_whitespace()).collect())
}

/// Calls `look` for a schema and everything in it.
fn visit<'v>(schema: &'v Value, look: &mut impl FnMut(&'v Map<String, Value>)) {
    let Some(keywords) = schema.as_object() else { return };
    look(keywords);
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            ("properties" | "$defs", Value::Object(members)) => members.values().for_each(|member| visit(member, look)),
            ("anyOf" | "allOf" | "oneOf" | "prefixItems", Value::Array(parts)) => {
                parts.iter().for_each(|part| visit(part, look));
            }
            ("items" | "additionalProperties", part) => visit(part, look),
            _ => {}
        }
    }
}

/// What holds of every result, whatever it was made from.
fn check(name: &str, schema: &Value, dialect: Dialect) {
    let Ok(adapted) = adapt(schema, dialect) else { return };
    let name = format!("{name} in {dialect}: {}", adapted.schema);
    assert_eq!(adapted.schema["type"], "object", "{name}");
    let again = adapt(&adapted.schema, dialect).unwrap_or_else(|error| panic!("{name}: again: {error}"));
    assert_eq!(again.schema, adapted.schema, "{name}");
    assert_eq!(again.changes, Vec::<Change>::new(), "{name}");
    if adapted.changes.is_empty() {
        assert_eq!(adapted.schema, *schema, "{name}: changed without a word");
    }
    if let Some(allowed) = allowed(dialect) {
        visit(&adapted.schema, &mut |keywords| {
            for keyword in keywords.keys() {
                assert!(allowed.contains(&keyword.as_str()), "{name}: {keyword}");
            }
            if let Some(reference) = keywords.get("$ref") {
                assert_eq!(keywords.len(), 1, "{name}: beside a reference");
                let pointer = reference.as_str().unwrap().strip_prefix('#').unwrap();
                assert!(adapted.schema.pointer(pointer).is_some(), "{name}: {reference}");
            }
        });
    } else {
        for keyword in ["anyOf", "oneOf", "allOf", "$ref"].into_iter().filter(|_| dialect != Dialect::Mcp) {
            assert!(!adapted.schema.as_object().unwrap().contains_key(keyword), "{name}: {keyword} at the root");
        }
    }
    if dialect.is_strict() {
        visit(&adapted.schema, &mut |keywords| strict(&name, keywords, dialect));
    }
}

fn strict(name: &str, keywords: &Map<String, Value>, dialect: Dialect) {
    let says_something = ["type", "anyOf", "enum", "$ref"].iter().any(|keyword| keywords.contains_key(*keyword));
    assert!(says_something, "{name}: a value of any kind");
    let is = |kind: &str| keywords.get("type").is_some_and(|types| types == kind);
    if is("object") {
        assert_eq!(keywords["additionalProperties"], false, "{name}");
        if dialect != Dialect::AnthropicStrict {
            let names: Vec<&String> = keywords["properties"].as_object().unwrap().keys().collect();
            assert_eq!(keywords["required"], json!(names), "{name}");
        }
    }
    if is("array") {
        assert!(keywords.contains_key("items"), "{name}: a list of anything");
    }
}

#[test]
fn the_zoo_in_every_dialect() {
    for (name, schema) in zoo::zoo() {
        for dialect in Dialect::ALL {
            check(&name, &schema, dialect);
        }
    }
}

/// What a strict dialect holds of the zoo, and why not the rest: a change here is a change of what users get.
#[test]
fn what_strict_dialects_cannot_hold() {
    let reasons = |dialect: Dialect| -> Vec<String> {
        let zoo = zoo::zoo().into_iter().filter(|(name, _)| name.ends_with(" required"));
        zoo.filter_map(|(name, schema)| Some(format!("{name}: {}", adapt(&schema, dialect).err()?))).collect()
    };
    let of_both = [
        "map required: /properties/it: a map: its keys cannot be listed beforehand",
        "map_of_maps required: /properties/it: a map: its keys cannot be listed beforehand",
        "value required: /properties/it: a value of any kind",
        "list_of_values required: /properties/it/items: a value of any kind",
        "empty required: /properties/it: a value of any kind",
    ];
    assert_eq!(reasons(Dialect::OpenAiStrict), of_both);
    assert_eq!(reasons(Dialect::DeepSeekStrict), of_both);
    let recursive = [
        "recursive required: /properties/it/properties/next: a type that contains itself",
        "list_of_recursive required: /properties/it/items/properties/next: a type that contains itself",
    ];
    let mut of_anthropic = reasons(Dialect::AnthropicStrict);
    of_anthropic.retain(|reason| !of_both.contains(&reason.as_str()));
    assert_eq!(of_anthropic, recursive);
    // Without strict mode everything goes.
    for dialect in Dialect::ALL.into_iter().filter(|dialect| !dialect.is_strict()) {
        assert_eq!(reasons(dialect), Vec::<String>::new(), "{dialect}");
    }
}

/// Each constraint alone: it is still a keyword, or it is in the description and reported.
#[test]
fn a_constraint_is_a_keyword_or_a_sentence() {
    let constraints = [
        ("integer", json!({ "minimum": 3 }), "At least 3."),
        ("integer", json!({ "maximum": 9 }), "At most 9."),
        ("number", json!({ "minimum": 1, "maximum": 14 }), "Between 1 and 14."),
        ("number", json!({ "exclusiveMinimum": 0 }), "More than 0."),
        ("number", json!({ "exclusiveMaximum": 1.5 }), "Less than 1.5."),
        ("integer", json!({ "multipleOf": 5 }), "A multiple of 5."),
        ("string", json!({ "minLength": 1 }), "At least 1 character."),
        ("string", json!({ "maxLength": 80 }), "At most 80 characters."),
        ("string", json!({ "minLength": 2, "maxLength": 2 }), "Exactly 2 characters."),
        ("string", json!({ "pattern": "^a+$" }), "Must match the regular expression `^a+$`."),
        ("string", json!({ "pattern": "^(?=a)" }), "Must match the regular expression `^(?=a)`."),
        ("string", json!({ "format": "uri" }), "In the format `uri`."),
        ("string", json!({ "contentEncoding": "base64" }), "Encoded as `base64`."),
        ("string", json!({ "not": { "enum": ["x"] } }), "Must not match the schema `{\"enum\":[\"x\"]}`."),
        ("string", json!({ "default": "x" }), "Defaults to `\"x\"`."),
        ("string", json!({ "examples": ["a", "b"] }), "For example `\"a\"` or `\"b\"`."),
        ("array", json!({ "minItems": 2, "maxItems": 5 }), "2 to 5 items."),
        ("array", json!({ "uniqueItems": true }), "No item twice."),
        (
            "array",
            json!({ "contains": { "const": "a" } }),
            "At least one item must match the schema `{\"const\":\"a\"}`.",
        ),
        ("object", json!({ "minProperties": 1 }), "At least 1 field."),
        ("object", json!({ "dependentRequired": { "a": ["b"] } }), "With `a`, also give `b`."),
        (
            "object",
            json!({ "propertyNames": { "maxLength": 3 } }),
            "The name of every field must match the schema `{\"maxLength\":3}`.",
        ),
        (
            "string",
            json!({ "if": { "minLength": 3 }, "then": { "pattern": "^a" } }),
            "If it matches the schema `{\"minLength\":3}`, then it must match `{\"pattern\":\"^a\"}`.",
        ),
    ];
    for (kind, constraint, sentence) in constraints {
        let mut property = json!({ "type": kind, "description": "It." });
        let keywords = property.as_object_mut().unwrap();
        keywords.extend(constraint.as_object().unwrap().clone());
        match kind {
            "array" => drop(keywords.insert("items".into(), json!({ "type": "string" }))),
            "object" => drop(keywords.insert("properties".into(), json!({ "a": { "type": "string" } }))),
            _ => {}
        }
        let schema = json!({ "type": "object", "properties": { "it": property }, "required": ["it"] });
        for dialect in Dialect::ALL {
            let adapted = adapt(&schema, dialect).unwrap();
            let it = &adapted.schema["properties"]["it"];
            let is_kept = constraint.as_object().unwrap().iter().all(|(keyword, value)| it.get(keyword) == Some(value));
            let about: Vec<&Change> = adapted.changes.iter().filter(|change| change.is_weaker()).collect();
            if is_kept {
                assert_eq!((it["description"].as_str(), about.len()), (Some("It."), 0), "{dialect}: {it}");
            } else {
                assert_eq!(it["description"], format!("It.\n{sentence}"), "{dialect}");
                assert_eq!(about.len(), 1, "{dialect}: {about:?}");
                assert_eq!(about[0].pointer, "/properties/it");
                assert_eq!(about[0].effect, Effect::Described { text: sentence.to_owned() });
            }
        }
    }
}

#[test]
fn limits_of_openai_strict() {
    let object = |properties: Map<String, Value>| json!({ "type": "object", "properties": properties });
    let many = |count: usize| object((0..count).map(|n| (format!("p{n}"), json!({ "type": "string" }))).collect());
    let options = |count: usize, length: usize| {
        let values: Vec<Value> = (0..count).map(|n| format!("{n:0length$}").into()).collect();
        json!({ "type": "object", "properties": { "it": { "type": "string", "enum": values } } })
    };
    let deep = |levels: usize| {
        (1..levels).fold(many(1), |inner, _| json!({ "type": "object", "properties": { "in": inner } }))
    };
    for (schema, what) in [
        (many(5000), None),
        (many(5001), Some("properties")),
        (options(250, 400), None),
        (options(251, 59), None),
        (options(251, 60), Some("characters in one large enumeration")),
        (options(1001, 4), Some("enumerated values")),
        (options(250, 481), Some("characters in names and enumerated values")),
        (deep(10), None),
        (deep(11), Some("levels of nesting")),
    ] {
        let found = match adapt(&schema, Dialect::OpenAiStrict).map_err(|unfit| unfit.reason) {
            Ok(_) => None,
            Err(UnfitReason::Limit { what, found, limit }) => {
                assert!(found > limit);
                Some(what)
            }
            Err(other) => panic!("{other}"),
        };
        assert_eq!(found, what);
        assert!(adapt(&schema, Dialect::OpenAi).unwrap().changes.is_empty());
    }
}

#[test]
fn the_root_is_one_object() {
    let union = json!({ "oneOf": [
        { "type": "object", "properties": { "op": { "const": "add" }, "path": { "type": "string" } },
            "required": ["op", "path"], "description": "Add it." },
        { "type": "object", "properties": { "op": { "const": "move" }, "from": { "type": "string" } }, "required": ["op"] },
    ] });
    for dialect in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Gemini, Dialect::Moonshot] {
        let schema = adapt(&union, dialect).unwrap().schema;
        assert_eq!(
            schema["description"],
            "Takes one of these forms:\n- `{op: \"add\", path}`: Add it.\n- `{op: \"move\", from?}`"
        );
        assert_eq!(schema["required"], json!(["op"]));
        assert_eq!(schema["properties"]["op"]["enum"], json!(["add", "move"]));
    }
    assert!(adapt(&union, Dialect::Mcp).unwrap().schema.get("oneOf").is_some());
    for root in [json!({ "type": "array" }), json!({ "anyOf": [{ "type": "string" }] }), json!(true), json!(5)] {
        for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Mcp) {
            assert_eq!(adapt(&root, dialect).unwrap_err().reason, UnfitReason::RootNotObject, "{root} in {dialect}");
        }
    }
}

#[test]
fn names_of_properties() {
    let schema = json!({ "type": "object", "properties": { "filter[id]": { "type": "string" } } });
    let why = adapt(&schema, Dialect::Anthropic).unwrap_err();
    assert_eq!(why.reason, UnfitReason::PropertyName("filter[id]".to_owned()));
    assert!(adapt(&schema, Dialect::OpenAi).is_ok());
}

/// In every dialect, within a second, and without a panic.
fn survives(name: &str, schema: &Value) {
    for dialect in Dialect::ALL {
        let started = Instant::now();
        check(name, schema, dialect);
        assert!(started.elapsed() < Duration::from_secs(20), "{name} in {dialect}: {:?}", started.elapsed());
    }
}

#[test]
fn what_refers_to_itself_is_written_out_within_bounds() {
    survives(
        "a circle of references",
        &json!({ "$ref": "#/$defs/a", "$defs": {
        "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
    );
    survives(
        "all of itself",
        &json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/a" } }, "$defs": {
        "a": { "allOf": [{ "$ref": "#/$defs/a" }, { "type": "object", "properties": { "y": { "$ref": "#/$defs/a" } } }] } } }),
    );
    // Each level has the next one twice: 2^40 written out.
    let mut doubling = Map::new();
    for level in 0..40 {
        let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
        doubling.insert(
            format!("l{level}"),
            json!({ "allOf": [
            { "type": "object", "properties": { "a": { "allOf": [next, { "type": "object" }] } } },
            { "type": "object", "properties": { "b": { "allOf": [next, { "type": "object" }] } } },
        ] }),
        );
    }
    doubling.insert("l40".into(), json!({ "type": "object", "properties": { "end": { "type": "string" } } }));
    survives(
        "doubling",
        &json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/l0" } }, "$defs": doubling }),
    );
}

#[test]
fn ten_thousand_levels_are_cut() {
    for keyword in ["items", "not", "additionalProperties", "anyOf", "default"] {
        // Taken apart again by hand below: dropping it would recurse.
        let mut schema = json!({ "type": "string" });
        for _ in 0..10_000 {
            let inner = if keyword == "anyOf" { Value::Array(vec![schema]) } else { schema };
            let mut outer = Map::new();
            outer.insert(keyword.to_owned(), inner);
            schema = Value::Object(outer);
        }
        let mut root = json!({ "type": "object" });
        root["properties"] = json!({ "x": null });
        root["properties"]["x"] = schema;
        for dialect in Dialect::ALL {
            if let Ok(adapted) = adapt(&root, dialect) {
                let is_cut =
                    |change: &Change| matches!(&change.effect, Effect::Dropped { why } if why.contains("levels"));
                assert!(adapted.changes.iter().any(is_cut), "{keyword} in {dialect}");
                assert!(serde_json::from_str::<Value>(&adapted.schema.to_string()).is_ok());
            }
        }
        let mut left = vec![root];
        while let Some(value) = left.pop() {
            match value {
                Value::Array(items) => left.extend(items),
                Value::Object(members) => left.extend(members.into_iter().map(|(_, member)| member)),
                _ => {}
            }
        }
    }
}

/// Any JSON under any keyword.
fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({})),
        Just(json!("x")),
        Just(json!(-1)),
        Just(json!({ "type": "string", "minLength": 2, "format": "uri" })),
        Just(json!({ "type": ["integer", "null"], "minimum": 0 })),
        Just(json!({ "$ref": "#" })),
        Just(json!({ "$ref": "#/properties/a" })),
        Just(json!({ "$ref": "#/$defs/d", "description": "D." })),
        Just(json!({ "enum": ["a", 1, null, {}] })),
        Just(json!({ "const": 5, "title": "Five" })),
        Just(json!({ "enum": [true] })),
    ];
    leaf.prop_recursive(4, 40, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..3);
        let wrap = |keyword: &'static str| move |value: Value| json!({ keyword: value });
        let members = prop::collection::btree_map("[ab]", inner.clone(), 0..3);
        prop_oneof![
            list.clone().prop_map(|parts| json!({ "anyOf": parts })),
            list.clone().prop_map(|parts| json!({ "oneOf": parts, "type": "object" })),
            list.clone().prop_map(|parts| json!({ "allOf": parts })),
            list.clone().prop_map(|parts| json!({ "type": "array", "prefixItems": parts })),
            (members.clone(), list).prop_map(|(members, parts)| json!({
                "type": "object", "properties": members, "anyOf": parts, "required": ["a"],
            })),
            members.clone().prop_map(|members| json!({ "type": "object", "properties": members })),
            members.prop_map(|members| json!({ "properties": members, "additionalProperties": false, "default": {} })),
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items, "maxItems": 3 })),
            inner.clone().prop_map(wrap("not")),
            inner.clone().prop_map(wrap("if")),
            inner.clone().prop_map(wrap("additionalProperties")),
            inner.prop_map(|part| json!({ "type": "object", "patternProperties": { "^x": part } })),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_time: 5000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_schema_can_be_adapted(property in any_schema(), definition in any_schema(), root in any_schema()) {
        let mut schema = json!({ "type": "object", "properties": { "a": property }, "$defs": { "d": definition } });
        for dialect in Dialect::ALL {
            check("any", &schema, dialect);
        }
        if let (Some(schema), Value::Object(root)) = (schema.as_object_mut(), root) {
            schema.extend(root);
        }
        for dialect in Dialect::ALL {
            check("any root", &schema, dialect);
        }
    }
}

#[test]
fn two_lists_of_alternatives_at_every_level_cost_bounded_time() {
    for together in [false, true] {
        let mut schema = json!({ "type": "string" });
        for _ in 0..24 {
            let pair = json!([schema, { "type": "integer" }]);
            schema = match together {
                true => json!({ "anyOf": pair, "oneOf": pair }),
                false => json!({ "allOf": [{ "anyOf": pair }, { "oneOf": [{ "minimum": 1 }, { "maxLength": 3 }] }] }),
            };
            if schema.to_string().len() > 20_000 {
                break;
            }
        }
        let root = json!({ "type": "object", "properties": { "x": schema } });
        for dialect in Dialect::ALL {
            if let Ok(adapted) = adapt(&root, dialect) {
                assert!(adapted.schema.to_string().len() < 4_000_000, "{dialect}");
            }
        }
    }
}
