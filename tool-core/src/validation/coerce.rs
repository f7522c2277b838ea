//! Lossless conversions of what models write into what a schema wants.
//!
//! Only what means the same is converted: `"5"` to 5, 5.0 to 5, `"true"`, a JSON text that holds the wanted object or
//! list, one value where a list is wanted, an integer where a text is wanted, `null` for an optional property. pi also
//! truncates 3.7 to 3 and takes blanks for 0; that changes what was said, so it is an error here.

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::HashMap,
};

use serde_json::{Map, Number, Value};

use super::{
    ambiguity::{Reader, is_explosive},
    effort::{is_affordable, may_double},
    narrow::{narrow_to, tags_agree},
};
use crate::schema::place::is_of;

/// How deep a `$ref` is followed into itself.
const DEPTH: usize = 64;
/// How many alternatives are tried for one call: what a model writes must not make its reading take long.
const TRIES: u32 = 200;
/// How many looks at a value a validator may take for one of them; else it is given a schema for its very value.
const LOOKS: u64 = 50_000;
/// How many tries one counts for that compiles a schema for its very value.
const COMPILING: u32 = 10;
/// How many places are looked at for each one that the value has, alternatives and references included.
const VISITS: usize = 8;
/// And how many more, whatever the value's size.
const SPARE: usize = 100_000;

/// Converts `value` in place where `schema` wants something else and the conversion loses nothing. Says whether
/// anything was converted.
///
/// The work is in proportion to the value's size; a schema whose alternatives ask for more is followed no further.
pub fn coerce(schema: &Value, value: &mut Value) -> bool {
    let coercion = Coercion {
        root: schema,
        tries: Cell::new(TRIES),
        visits: Cell::new(size(value) * VISITS + SPARE),
        changed: Cell::new(false),
        explosive: OnceCell::new(),
        may_double: OnceCell::new(),
        compiled: RefCell::default(),
    };
    coercion.node(schema, value, DEPTH);
    coercion.changed.get()
}

struct Coercion<'a> {
    root: &'a Value,
    tries: Cell<u32>,
    visits: Cell<usize>,
    changed: Cell<bool>,
    explosive: OnceCell<bool>,
    may_double: OnceCell<bool>,
    /// The alternatives that were tried, by where they stand in the schema.
    compiled: RefCell<HashMap<*const Value, Option<jsonschema::Validator>>>,
}

impl Coercion<'_> {
    /// Whether so many places more may be looked at.
    fn spend(&self, places: usize) -> bool {
        let left = self.visits.get().checked_sub(places);
        self.visits.set(left.unwrap_or_default());
        left.is_some()
    }

    fn node(&self, schema: &Value, value: &mut Value, depth: usize) {
        let (Value::Object(keywords), Some(depth)) = (schema, depth.checked_sub(1)) else { return };
        if !self.spend(1) {
            return;
        }
        if let Some(target) = keywords.get("$ref").and_then(Value::as_str).and_then(|r| self.target(r)) {
            self.node(target, value, depth);
        }
        for part in list(keywords, "allOf") {
            self.node(part, value, depth);
        }
        self.convert(keywords, value, depth);
        match value {
            Value::Object(members) => self.members(keywords, members, depth),
            Value::Array(items) => self.items(keywords, items, depth),
            _ => {}
        }
        self.alternative(keywords, value, depth);
    }

    fn target(&self, reference: &str) -> Option<&Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    fn members(&self, keywords: &Map<String, Value>, members: &mut Map<String, Value>, depth: usize) {
        let none = Map::new();
        let properties = keywords.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required: Vec<&str> = list(keywords, "required").iter().filter_map(Value::as_str).collect();
        for (name, schema) in properties {
            let Some(member) = members.get_mut(name) else { continue };
            if member.is_null() && !required.contains(&name.as_str()) && !self.admits(schema, "null", depth) {
                members.shift_remove(name);
                self.changed.set(true);
            } else {
                self.node(schema, member, depth);
            }
        }
        if let Some(schema) = keywords.get("additionalProperties") {
            for (_, member) in members.iter_mut().filter(|(name, _)| !properties.contains_key(*name)) {
                self.node(schema, member, depth);
            }
        }
    }

    fn items(&self, keywords: &Map<String, Value>, items: &mut [Value], depth: usize) {
        let tuple = list(keywords, "prefixItems");
        for (index, item) in items.iter_mut().enumerate() {
            if let Some(schema) = tuple.get(index).or_else(|| keywords.get("items")) {
                self.node(schema, item, depth);
            }
        }
    }

    /// The first alternative that the value fits after conversion, unless it fits one as it is. Where its tag or its
    /// kind leaves one alternative alone, that one is taken at once.
    fn alternative(&self, keywords: &Map<String, Value>, value: &mut Value, depth: usize) {
        for keyword in ["anyOf", "oneOf"] {
            let all = list(keywords, keyword);
            let branches: Vec<&Value> = all.iter().filter(|branch| self.may_be_meant(branch, value)).collect();
            if let [only] = branches.as_slice() {
                self.without_foreign_nulls(only, all, value);
                self.node(only, value, depth);
                continue;
            }
            if let Some(branch) = branches.iter().find(|branch| self.fits(branch, value)) {
                // It fits, but perhaps as 5.0 does an integer.
                self.node(branch, value, depth);
                continue;
            }
            let (places, changed) = (size(value), self.changed.get());
            for branch in &branches {
                if !self.spend(places) {
                    break;
                }
                let mut attempt = value.clone();
                self.without_foreign_nulls(branch, all, &mut attempt);
                self.node(branch, &mut attempt, depth);
                if self.fits(branch, &attempt) {
                    *value = attempt;
                    break;
                }
                self.changed.set(changed);
            }
        }
    }

    fn may_be_meant(&self, branch: &Value, value: &Value) -> bool {
        tags_agree(self.follow(branch), value)
    }

    fn follow<'s>(&'s self, schema: &'s Value) -> &'s Value {
        schema.get("$ref").and_then(Value::as_str).and_then(|r| self.target(r)).unwrap_or(schema)
    }

    /// A strict dialect that takes no alternatives at the root lists the properties of all of them, and the model gives
    /// `null` for those of the others.
    fn without_foreign_nulls<'s>(
        &'s self,
        branch: &'s Value,
        all: impl IntoIterator<Item = &'s Value>,
        value: &mut Value,
    ) {
        let Some(members) = value.as_object_mut().filter(|members| members.values().any(Value::is_null)) else {
            return;
        };
        let own = self.follow(branch);
        if own.get("additionalProperties") != Some(&Value::Bool(false)) {
            return;
        }
        let all: Vec<&Value> = all.into_iter().map(|other| self.follow(other)).collect();
        let has = |schema: &Value, name: &str| schema.get("properties").is_some_and(|all| all.get(name).is_some());
        let before = members.len();
        members.retain(|name, member| !member.is_null() || has(own, name) || !all.iter().any(|other| has(other, name)));
        self.changed.set(self.changed.get() || members.len() != before);
    }

    /// Whether a value fits as it is. Once too much was tried, nothing does.
    fn fits(&self, schema: &Value, value: &Value) -> bool {
        if self.tries.get() == 0 {
            return false;
        }
        let is_explosive = *self.explosive.get_or_init(|| is_explosive(self.root, self.root, Reader::Validator));
        let may_double = *self.may_double.get_or_init(|| may_double(self.root));
        let is_costly = is_explosive || may_double && !is_affordable(self.root, schema, value, LOOKS);
        let cost = if is_costly { COMPILING } else { 1 };
        let Some(left) = self.tries.get().checked_sub(cost) else { return false };
        self.tries.set(left);
        if !self.spend(size(value)) {
            return false;
        }
        if is_costly {
            let narrowed = narrow_to(self.root, schema, value);
            return is_affordable(&narrowed, &narrowed, value, LOOKS)
                && super::validator::compile(&narrowed).is_ok_and(|validator| validator.is_valid(value));
        }
        let mut compiled = self.compiled.borrow_mut();
        let validator = compiled.entry(std::ptr::from_ref(schema)).or_insert_with(|| {
            let mut schema = schema.clone();
            for definitions in ["$defs", "definitions"] {
                if let (Some(keywords), Some(all)) = (schema.as_object_mut(), self.root.get(definitions)) {
                    keywords.insert(definitions.into(), all.clone());
                }
            }
            super::validator::compile(&schema).ok()
        });
        validator.as_ref().is_some_and(|validator| validator.is_valid(value))
    }

    fn convert(&self, keywords: &Map<String, Value>, value: &mut Value, depth: usize) {
        let wanted = types(keywords);
        if wanted.is_empty() || wanted.iter().any(|kind| is(value, kind)) {
            return;
        }
        let converted = wanted.iter().find_map(|kind| match (*kind, &*value) {
            ("integer", Value::String(text)) => integer(text),
            ("integer", Value::Number(number)) => whole(number),
            ("number", Value::String(text)) => number(text),
            ("boolean", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                _ => None,
            },
            // A fraction is not written as it came any more: 1.10 is 1.1 by now.
            ("string", Value::Number(number)) => {
                (number.is_i64() || number.is_u64()).then(|| Value::String(number.to_string()))
            }
            ("string", Value::Bool(flag)) => Some(Value::String(flag.to_string())),
            (kind @ ("object" | "array"), Value::String(text)) => {
                serde_json::from_str::<Value>(text).ok().filter(|inner| is(inner, kind))
            }
            _ => None,
        });
        if let Some(converted) = converted {
            *value = converted;
            self.changed.set(true);
        } else if wanted == ["array"] && !value.is_null() && self.spend(size(value)) {
            let changed = self.changed.get();
            let mut single = value.clone();
            if let Some(schema) = keywords.get("items") {
                self.node(schema, &mut single, depth);
                if !self.fits(schema, &single) {
                    self.changed.set(changed);
                    return;
                }
            }
            *value = Value::Array(vec![single]);
            self.changed.set(true);
        }
    }

    fn admits(&self, schema: &Value, kind: &str, depth: usize) -> bool {
        let (Value::Object(keywords), Some(depth)) = (schema, depth.checked_sub(1)) else { return true };
        if !self.spend(1) {
            return true;
        }
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            return self.target(reference).is_none_or(|target| self.admits(target, kind, depth));
        }
        if !list(keywords, "allOf").iter().all(|part| self.admits(part, kind, depth)) {
            return false;
        }
        for keyword in ["anyOf", "oneOf"] {
            let branches = list(keywords, keyword);
            if !branches.is_empty() && !branches.iter().any(|branch| self.admits(branch, kind, depth)) {
                return false;
            }
        }
        let is_listed = |value: &Value| is(value, kind);
        let listed = types(keywords);
        (listed.is_empty() || listed.contains(&kind))
            && keywords.get("enum").and_then(Value::as_array).is_none_or(|options| options.iter().any(is_listed))
            && keywords.get("const").is_none_or(is_listed)
    }
}

/// How many places a value has; a long text, which may hold a value itself, has several.
pub(super) fn size(value: &Value) -> usize {
    match value {
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::String(text) => 1 + text.len() / 4,
        _ => 1,
    }
}

pub(super) fn list<'a>(keywords: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    keywords.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The types a schema names.
pub(super) fn types(keywords: &Map<String, Value>) -> Vec<&str> {
    match keywords.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Whether a value is of a type already. 5.0 is an integer to JSON Schema, but not to serde: it is converted.
fn is(value: &Value, kind: &str) -> bool {
    is_of(value, kind) && !(kind == "integer" && value.is_f64())
}

/// An integer written as a text; a fraction may follow, if it is nothing.
fn integer(text: &str) -> Option<Value> {
    let text = text.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !is_number(digits) || !is_number(fraction) || fraction.bytes().any(|b| b != b'0') {
        return None;
    }
    whole.parse::<i64>().map(Value::from).or_else(|_| whole.parse::<u64>().map(Value::from)).ok()
}

fn number(text: &str) -> Option<Value> {
    serde_json::from_str::<Number>(text.trim()).ok().map(Value::Number)
}

/// The integer that a number with an empty fraction stands for, while floats tell all integers apart.
fn whole(number: &Number) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < EXACT)?;
    #[expect(clippy::cast_possible_truncation, reason = "whole and within the exact range of a float")]
    Some(Value::from(float as i64))
}
