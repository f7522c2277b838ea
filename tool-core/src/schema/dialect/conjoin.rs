//! `allOf`: parts that all have to hold become one schema, as far as there is one that says the same.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{
    change::{Unfit, UnfitReason},
    rewrite::{ANNOTATIONS, At, Keywords, Rewriter, constrains, types, unfit},
    words,
};

/// Keywords of a part that the whole already has, with another value that cannot hold at the same time in one keyword.
pub(super) type Leftover = Vec<(String, Value)>;

/// No value is of both types.
pub(super) struct Contradiction;

impl Rewriter<'_> {
    pub(super) fn conjoin(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        let parts = match keywords.shift_remove("allOf") {
            Some(Value::Array(parts)) => parts,
            Some(_) => {
                self.drop_keyword(at, "allOf", "it is no list");
                return Ok(());
            }
            None => return Ok(()),
        };
        if let ([part], false) = (parts.as_slice(), constrains(keywords))
            && part.as_object().is_some_and(|part| part.len() == 1 && part.contains_key("$ref"))
        {
            self.rewritten(at, "allOf", "`anyOf`, since it is one reference");
            keywords.insert("anyOf".into(), parts.into());
            return Ok(());
        }
        let mut left: Vec<Value> = parts.into_iter().rev().collect();
        let mut seen = HashSet::new();
        let mut leftover = Leftover::new();
        while let Some(part) = left.pop() {
            let Value::Object(mut part) = part else {
                match part {
                    Value::Bool(false) => self.nothing(keywords, at, "allOf")?,
                    Value::Bool(true) => {}
                    _ => self.drop_keyword(at, "allOf", "a part that is no schema"),
                }
                continue;
            };
            if let Some(Value::String(reference)) = part.shift_remove("$ref") {
                match self.resolve(&reference) {
                    Some(pointer) if !self.is_recursive(&pointer) => {
                        if seen.insert(pointer.clone()) {
                            match self.copy(&pointer) {
                                Some(target) => left.push(target),
                                None if self.rules.is_strict() => return Err(unfit(at, UnfitReason::TooLarge)),
                                None => leftover.push(("$ref".to_owned(), reference.into())),
                            }
                        }
                    }
                    _ => leftover.push(("$ref".to_owned(), reference.into())),
                }
            }
            if let Some(Value::Array(inner)) = part.shift_remove("allOf") {
                left.extend(inner.into_iter().rev());
            }
            self.modernise(&mut part, at);
            for nested in ["$defs", "definitions"] {
                part.shift_remove(nested);
            }
            if merge(keywords, part, &mut leftover).is_err() {
                self.nothing(keywords, at, "allOf")?;
            }
        }
        self.rewritten(at, "allOf", "one schema");
        self.say(keywords, at, leftover)
    }

    /// What could not be merged, in words.
    pub(super) fn say(&mut self, keywords: &mut Keywords, at: &At<'_>, leftover: Leftover) -> Result<(), Unfit> {
        for (keyword, value) in leftover {
            if ANNOTATIONS.contains(&keyword.as_str()) {
                self.drop_keyword(at, &keyword, "the schema around it says its own");
                continue;
            }
            if self.rules.is_strict() && !words::is_simple(&keyword) {
                return Err(unfit(at, UnfitReason::Intersection));
            }
            let text = words::also(&keyword, &value);
            self.describe(keywords, at, &[&keyword], &text);
        }
        Ok(())
    }

    /// What to do where no value fits.
    pub(super) fn nothing(&mut self, keywords: &mut Keywords, at: &At<'_>, keyword: &str) -> Result<(), Unfit> {
        if self.rules.is_strict() {
            return Err(unfit(at, UnfitReason::Nothing));
        }
        self.describe(keywords, at, &[keyword], "No value fits this.");
        Ok(())
    }
}

/// Adds a part to a whole, so that both hold.
pub(super) fn merge(whole: &mut Keywords, part: Keywords, leftover: &mut Leftover) -> Result<(), Contradiction> {
    for (keyword, value) in part {
        let Some(known) = whole.get_mut(&keyword) else {
            whole.insert(keyword, value);
            continue;
        };
        if *known == value {
            continue;
        }
        match keyword.as_str() {
            "type" => {
                let common = common_types(&types(whole), &value);
                match common.as_slice() {
                    [] => return Err(Contradiction),
                    [one] => whole.insert(keyword, one.as_str().into()),
                    _ => whole.insert(keyword, common.into()),
                };
            }
            "properties" => {
                if let (Value::Object(known), Value::Object(more)) = (known, value) {
                    merge_properties(known, more);
                }
            }
            "required" => {
                if let (Value::Array(known), Value::Array(more)) = (known, value) {
                    for name in more {
                        if !known.contains(&name) {
                            known.push(name);
                        }
                    }
                }
            }
            "enum" => {
                if let (Value::Array(known), Value::Array(more)) = (known, value) {
                    known.retain(|option| more.contains(option));
                    if known.is_empty() {
                        return Err(Contradiction);
                    }
                }
            }
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
                if value.as_f64() > known.as_f64() {
                    *known = value;
                }
            }
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
                if value.as_f64() < known.as_f64() {
                    *known = value;
                }
            }
            "additionalProperties" | "items" | "unevaluatedProperties" => match (&*known, value) {
                (Value::Bool(false), _) | (_, Value::Bool(true)) => {}
                (_, Value::Bool(false)) => *known = false.into(),
                (Value::Bool(true), value) => *known = value,
                (_, value) => *known = json!({ "allOf": [known.take(), value] }),
            },
            "uniqueItems" => *known = true.into(),
            "description" => {
                let text = format!("{}\n{}", known.as_str().unwrap_or_default(), value.as_str().unwrap_or_default());
                *known = text.trim().into();
            }
            _ => leftover.push((keyword, value)),
        }
    }
    Ok(())
}

fn merge_properties(known: &mut Map<String, Value>, more: Map<String, Value>) {
    for (name, schema) in more {
        match known.get_mut(&name) {
            None => {
                known.insert(name, schema);
            }
            Some(own) if *own == schema => {}
            Some(own) => *own = json!({ "allOf": [own.take(), schema] }),
        }
    }
}

fn common_types(known: &[&str], value: &Value) -> Vec<String> {
    let more: Vec<&str> = match value {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return known.iter().map(|kind| (*kind).to_owned()).collect(),
    };
    let mut common: Vec<String> = Vec::new();
    for (kind, others) in known.iter().map(|kind| (kind, &more[..])).chain(more.iter().map(|kind| (kind, known))) {
        let is_common = others.contains(kind) || *kind == "integer" && others.contains(&"number");
        if is_common && !common.iter().any(|known| known == kind) {
            common.push((*kind).to_owned());
        }
    }
    common
}
