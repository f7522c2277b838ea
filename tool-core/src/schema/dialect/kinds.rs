//! `type` and `enum`, and the older spellings of keywords.

use serde_json::{Map, Value, json};

use super::{
    change::{Unfit, UnfitReason},
    rewrite::{ANNOTATIONS, At, Keywords, Rewriter, types, unfit},
    rules::{AnyValue, Enums, TypeLists},
    words,
};
use crate::schema::place::is_of;

const KINDS: [&str; 7] = ["string", "number", "integer", "boolean", "object", "array", "null"];

const NOT_OF_THE_TYPE: &str = "values that are not of the type";

/// Keywords that name or date a schema; a model learns nothing from them.
const BOOKKEEPING: [&str; 11] = [
    "$schema",
    "$id",
    "id",
    "$comment",
    "$vocabulary",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "readOnly",
    "writeOnly",
    "contentSchema",
];

impl Rewriter<'_> {
    /// Older and foreign spellings become those of draft 2020-12; what is malformed goes.
    pub(super) fn modernise(&mut self, keywords: &mut Keywords, at: &At<'_>) {
        let known: Vec<String> = keywords.keys().cloned().collect();
        for keyword in &known {
            if BOOKKEEPING.contains(&keyword.as_str()) {
                keywords.shift_remove(keyword);
                self.drop_keyword(at, keyword, "it says nothing of the value");
            } else if keyword == "nullable" {
                keywords.shift_remove(keyword);
                self.drop_keyword(at, keyword, "JSON Schema has no such keyword, and validation does not go by it");
            } else if matches!(keyword.as_str(), "$defs" | "definitions") {
                keywords.shift_remove(keyword);
                self.rewritten(at, keyword, "definitions at the root");
            } else if keywords.get(keyword).is_some_and(|value| is_malformed(keyword, value)) {
                keywords.shift_remove(keyword);
                self.drop_keyword(at, keyword, "its value has the wrong form");
            }
        }
        for (old, new) in [("$dynamicRef", "$ref"), ("$recursiveRef", "$ref")] {
            self.respell(keywords, at, old, new);
        }
        if keywords.get("items").is_some_and(Value::is_array) {
            self.respell(keywords, at, "items", "prefixItems");
            self.respell(keywords, at, "additionalItems", "items");
        }
        if let Some(constant) = keywords.shift_remove("const") {
            let agrees = keywords.get("enum").and_then(Value::as_array).is_none_or(|all| all.contains(&constant));
            keywords.insert("enum".into(), if agrees { json!([constant]) } else { json!([]) });
            self.rewritten(at, "const", "`enum` of one");
        }
        if let Some(Value::Object(all)) = keywords.shift_remove("dependencies") {
            let (names, schemas): (Map<_, _>, Map<_, _>) = all.into_iter().partition(|(_, needs)| needs.is_array());
            for (keyword, part) in [("dependentRequired", names), ("dependentSchemas", schemas)] {
                if part.is_empty() {
                    continue;
                }
                match keywords.get_mut(keyword) {
                    Some(Value::Object(known)) => known.extend(part),
                    _ => drop(keywords.insert(keyword.into(), part.into())),
                }
                self.rewritten(at, "dependencies", format!("`{keyword}`"));
            }
        }
    }

    pub(super) fn respell(&mut self, keywords: &mut Keywords, at: &At<'_>, old: &str, new: &str) {
        if keywords.contains_key(new) && new != "items" {
            return;
        }
        if let Some(value) = keywords.shift_remove(old) {
            keywords.insert(new.to_owned(), value);
            self.rewritten(at, old, format!("`{new}`"));
        }
    }

    /// Names the type where it is only implied, and parts a list of types where the dialect does not take it.
    pub(super) fn kinds(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        if keywords.contains_key("anyOf") || keywords.contains_key("$ref") {
            return Ok(());
        }
        if let Some(Value::Array(kinds)) = keywords.get("type")
            && let [only] = kinds.as_slice()
        {
            let only = only.clone();
            keywords.insert("type".into(), only);
            self.rewritten(at, "type", "the only type in its list");
        }
        let untyped = self.rules.enums == Enums::Untyped && keywords.contains_key("enum");
        if types(keywords).is_empty() && !untyped {
            let implied = implied(keywords);
            if !implied.is_empty() {
                self.rewritten(at, "type", "what the other keywords imply");
                let one = implied.len() == 1;
                keywords.insert("type".into(), if one { implied[0].into() } else { implied.into() });
            }
        }
        let mut kinds: Vec<String> = types(keywords).into_iter().map(str::to_owned).collect();
        if kinds.is_empty() && untyped {
            kinds = implied(keywords).into_iter().map(str::to_owned).collect();
        }
        let is_idle = |keyword: &&String| {
            let about = keyword_kinds(keyword);
            !kinds.is_empty() && about.is_some_and(|about| !kinds.iter().any(|kind| about.contains(&kind.as_str())))
        };
        for keyword in keywords.keys().filter(is_idle).cloned().collect::<Vec<_>>() {
            keywords.shift_remove(&keyword);
            self.drop_keyword(at, &keyword, "it is about another type");
        }
        if self.has_to_be_split(keywords) {
            self.split(keywords, at);
        }
        self.enumeration(keywords, at)
    }

    fn has_to_be_split(&self, keywords: &Keywords) -> bool {
        if types(keywords).len() < 2 {
            return false;
        }
        let is_enum = keywords.contains_key("enum");
        let beside = |keyword: &String| {
            keyword != "type"
                && !ANNOTATIONS.contains(&keyword.as_str())
                && (self.rules.takes(keyword) || keyword == "prefixItems")
        };
        match self.rules.type_lists {
            _ if is_enum && self.rules.enums == Enums::Untyped => false,
            TypeLists::Never => true,
            TypeLists::Any => is_enum && self.rules.enums != Enums::Any,
            TypeLists::Bare => {
                keywords.keys().any(beside) || types(keywords).iter().any(|kind| matches!(*kind, "object" | "array"))
            }
        }
    }

    /// One alternative a type, each with the keywords that are about it.
    fn split(&mut self, keywords: &mut Keywords, at: &At<'_>) {
        let kinds: Vec<String> = types(keywords).into_iter().map(str::to_owned).collect();
        let options = keywords.shift_remove("enum");
        let about: Vec<(String, Value)> = keywords
            .iter()
            .filter(|(keyword, _)| keyword_kinds(keyword).is_some())
            .map(|(keyword, value)| (keyword.clone(), value.clone()))
            .collect();
        if let Some(Value::Array(options)) = &options
            && !options.iter().all(|option| kinds.iter().any(|kind| is_of(option, kind)))
        {
            self.drop_keyword(at, "enum", NOT_OF_THE_TYPE);
        }
        let mut branches = Vec::new();
        for kind in &kinds {
            let mut branch = Map::new();
            branch.insert("type".into(), kind.as_str().into());
            if let Some(Value::Array(options)) = &options {
                let own: Vec<Value> = options.iter().filter(|option| is_of(option, kind)).cloned().collect();
                if own.is_empty() {
                    continue;
                }
                if kind != "null" {
                    branch.insert("enum".into(), own.into());
                }
            }
            for (keyword, value) in &about {
                if keyword_kinds(keyword).is_some_and(|about| about.contains(&kind.as_str())) {
                    branch.insert(keyword.clone(), value.clone());
                }
            }
            branches.push(Value::Object(branch));
        }
        for (keyword, _) in about {
            keywords.shift_remove(&keyword);
        }
        keywords.shift_remove("type");
        keywords.insert("anyOf".into(), branches.into());
        self.rewritten(at, "type", "`anyOf` of the types");
    }

    fn enumeration(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        let Some(Value::Array(options)) = keywords.get("enum") else { return Ok(()) };
        let kinds = types(keywords);
        let fitting: Vec<Value> = options
            .iter()
            .filter(|option| kinds.is_empty() || kinds.iter().any(|kind| is_of(option, kind)))
            .cloned()
            .collect();
        if fitting.len() < options.len() {
            self.drop_keyword(at, "enum", NOT_OF_THE_TYPE);
            keywords.insert("enum".into(), fitting.clone().into());
        }
        if fitting.is_empty() {
            keywords.shift_remove("enum");
            return self.nothing(keywords, at, "enum");
        }
        let all = |test: fn(&Value) -> bool| fitting.iter().all(test);
        let is_primitive = |option: &Value| !option.is_object() && !option.is_array();
        let is_taken = match self.rules.enums {
            Enums::Any => true,
            Enums::Primitive | Enums::Untyped => all(is_primitive),
            Enums::Texts => all(Value::is_string),
            Enums::TextsOrNumbers => all(Value::is_string) || all(Value::is_number),
        };
        if is_taken {
            if self.rules.enums == Enums::Untyped && keywords.shift_remove("type").is_some() {
                self.drop_keyword(at, "type", "the values in `enum` say it");
            }
            return Ok(());
        }
        if self.rules.is_strict() {
            return Err(unfit(at, UnfitReason::CompoundEnum));
        }
        if types(keywords).is_empty() {
            let implied = implied(keywords);
            keywords.insert("type".into(), if implied.len() == 1 { implied[0].into() } else { implied.into() });
        }
        keywords.shift_remove("enum");
        if all(Value::is_null) || all(Value::is_boolean) && fitting.len() > 1 {
            self.drop_keyword(at, "enum", "the type says it");
        } else {
            let text = words::one_of(&fitting);
            self.describe(keywords, at, &["enum"], &text);
        }
        Ok(())
    }

    /// What stands for a value of any kind.
    pub(super) fn any_value(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        if ["type", "anyOf", "enum", "$ref"].iter().any(|keyword| keywords.contains_key(*keyword)) {
            return Ok(());
        }
        match self.rules.any_value {
            AnyValue::Empty => Ok(()),
            AnyValue::Refused => Err(unfit(at, UnfitReason::AnyValue)),
            AnyValue::Listed => {
                keywords.insert("type".into(), json!(["string", "number", "boolean", "object", "array", "null"]));
                self.rewritten(at, "{}", "a list of all types");
                Ok(())
            }
        }
    }
}

/// Whether a keyword's value is not of the form that the keyword has.
fn is_malformed(keyword: &str, value: &Value) -> bool {
    match keyword {
        "type" => match value {
            Value::String(kind) => !KINDS.contains(&kind.as_str()),
            Value::Array(kinds) => {
                kinds.is_empty() || !kinds.iter().all(|kind| kind.as_str().is_some_and(|kind| KINDS.contains(&kind)))
            }
            _ => true,
        },
        "properties" | "patternProperties" | "dependentSchemas" | "dependentRequired" | "dependencies" => {
            !value.is_object()
        }
        "required" => value.as_array().is_none_or(|names| !names.iter().all(Value::is_string)),
        "enum" | "anyOf" | "oneOf" | "allOf" | "prefixItems" => !value.is_array(),
        "additionalProperties" => !value.is_object() && !value.is_boolean(),
        "description" | "title" | "pattern" | "format" | "$ref" => !value.is_string(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => !value.is_number(),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.as_f64().is_none_or(|count| count < 0.0)
        }
        _ => false,
    }
}

/// The types that the other keywords are about.
fn implied(keywords: &Keywords) -> Vec<&'static str> {
    if let Some(Value::Array(options)) = keywords.get("enum") {
        let kinds = KINDS
            .into_iter()
            .filter(|kind| *kind != "number" || !options.iter().all(|o| is_of(o, "integer") || !o.is_number()));
        return kinds
            .filter(|kind| *kind != "integer" || options.iter().filter(|o| o.is_number()).all(|o| is_of(o, "integer")))
            .filter(|kind| options.iter().any(|option| is_of(option, kind)))
            .collect();
    }
    let mut found = Vec::new();
    for keyword in keywords.keys() {
        if let Some(about) = keyword_kinds(keyword) {
            let kind = about[0];
            if !found.contains(&kind) && keyword != "format" {
                found.push(kind);
            }
        }
    }
    found
}

/// The types that a keyword constrains.
fn keyword_kinds(keyword: &str) -> Option<&'static [&'static str]> {
    Some(match keyword {
        "minLength" | "maxLength" | "pattern" | "contentEncoding" | "contentMediaType" => &["string"],
        "format" => &["string", "number", "integer"],
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => &["number", "integer"],
        "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains" | "minContains"
        | "maxContains" | "unevaluatedItems" => &["array"],
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties" => &["object"],
        _ => return None,
    })
}
