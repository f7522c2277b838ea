//! What holds of every schema in a dialect, whatever it was made from.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use serde_json::{Map, Value, json};
use tool_core::schema::{Change, Dialect, adapt};

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

/// Holds a schema against all of it.
pub(crate) fn check(name: &str, schema: &Value, dialect: Dialect) {
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
