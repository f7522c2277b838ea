//! Every schema of a zoo in every dialect: only keywords that the dialect takes, nothing left to change, nothing lost.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use serde_json::{Map, Value, json};
use tool_core::schema::{Change, Dialect, Effect, UnfitReason, adapt};

mod dialect_law;
mod zoo;

use dialect_law::check;

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
fn names_of_properties() {
    let schema = json!({ "type": "object", "properties": { "filter[id]": { "type": "string" } } });
    let why = adapt(&schema, Dialect::Anthropic).unwrap_err();
    assert_eq!(why.reason, UnfitReason::PropertyName("filter[id]".to_owned()));
    assert!(adapt(&schema, Dialect::OpenAi).is_ok());
}
