//! The part of a schema that one value is held against: references followed, alternatives decided.
//!
//! A validator explains a value that fits no alternative by what is wrong with it under each, and in a recursive type
//! that doubles with every level. Here the alternative that is meant is found first, by its tag, its kind and its keys,
//! and what is wrong is then said of that one alone (pi reports one branch too).

use std::cell::Cell;

use serde_json::{Map, Value, json};

use super::coerce::types;

/// How many places of one value are looked at; what lies beyond is not explained.
const PLACES: u32 = 20_000;
/// How many items of one list are.
const ITEMS: usize = 500;

/// The schema for this very value, without references and with one alternative each.
pub(super) fn narrow(root: &Value, value: &Value) -> Value {
    narrow_to(root, root, value)
}

/// The same for a part of the schema.
pub(super) fn narrow_to(root: &Value, schema: &Value, value: &Value) -> Value {
    let mut narrowed = Narrowing { root, places: Cell::new(PLACES) }.node(schema, value);
    if let (Some(keywords), Some(definitions)) = (narrowed.as_object_mut(), root.get("$defs")) {
        keywords.insert("$defs".into(), definitions.clone());
    }
    narrowed
}

/// Whether the part of a schema that is meant for a value declares the property at a JSON pointer into the value.
pub(super) fn declares(root: &Value, value: &Value, at: &str) -> bool {
    Narrowing { root, places: Cell::new(PLACES) }.declares(root, Some(value), at)
}

/// Whether an object can be meant for an alternative: none of its tags (properties with one possible value) says
/// another.
pub(super) fn tags_agree(branch: &Value, value: &Value) -> bool {
    let Some(members) = value.as_object() else { return true };
    let required = branch.get("required").and_then(Value::as_array);
    let is_required = |name: &String| required.is_some_and(|names| names.iter().any(|wanted| wanted == name));
    // A `null` for what may be left out says nothing: strict dialects ask models for it.
    let says = |name: &String, given: &Value| !given.is_null() || is_required(name);
    tags(branch).all(|(name, tag)| members.get(name).is_none_or(|given| given == tag || !says(name, given)))
}

pub(super) fn tags(branch: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let properties = branch.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.filter_map(|(name, property)| {
        let tag = match property.get("enum").and_then(Value::as_array).map(Vec::as_slice) {
            Some([only]) => Some(only),
            _ => property.get("const"),
        };
        tag.map(|tag| (name, tag))
    })
}

/// The schema behind references, which go round in a circle only in a schema that means nothing.
pub(super) fn follow<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..64 {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { break };
        let Some(target) = reference.strip_prefix('#').and_then(|at| root.pointer(at)) else { break };
        schema = target;
    }
    schema
}

/// Which of several alternatives a value is meant for.
enum Meant<'a> {
    One(&'a Value),
    /// None is of the value's kind.
    OtherKind,
    /// These are, but their tags say something else.
    OtherTag(Vec<&'a Value>),
}

struct Narrowing<'a> {
    root: &'a Value,
    places: Cell<u32>,
}

impl<'a> Narrowing<'a> {
    fn node(&self, schema: &'a Value, value: &Value) -> Value {
        let Some(left) = self.places.get().checked_sub(1) else { return json!({}) };
        self.places.set(left);
        let Value::Object(keywords) = follow(self.root, schema) else { return schema.clone() };
        let mut narrowed = keywords.clone();
        narrowed.shift_remove("$defs");
        for keyword in ["anyOf", "oneOf"] {
            if let Some(branches) = keywords.get(keyword).and_then(Value::as_array) {
                narrowed.shift_remove(keyword);
                let meant = self.alternative(branches, value);
                if narrowed.keys().all(|keyword| keyword == "description" || keyword == "default") {
                    return meant;
                }
                conjoin(&mut narrowed, meant);
            }
        }
        if let Some(parts) = keywords.get("allOf").and_then(Value::as_array) {
            narrowed.insert("allOf".into(), parts.iter().map(|part| self.node(part, value)).collect());
        }
        match value {
            Value::Object(members) => self.members(keywords, members, &mut narrowed),
            Value::Array(items) if !items.is_empty() => self.items(keywords, items, &mut narrowed),
            _ => {}
        }
        narrowed.into()
    }

    fn members(
        &self,
        keywords: &'a Map<String, Value>,
        members: &Map<String, Value>,
        narrowed: &mut Map<String, Value>,
    ) {
        let declared = keywords.get("properties").and_then(Value::as_object);
        let mut properties = declared.cloned().unwrap_or_default();
        let others = keywords.get("additionalProperties").filter(|schema| schema.is_object());
        for (name, member) in members {
            let schema = declared.and_then(|declared| declared.get(name)).or(others);
            if let Some(schema) = schema {
                properties.insert(name.clone(), self.node(schema, member));
            }
        }
        for (_, property) in properties.iter_mut().filter(|(name, _)| !members.contains_key(*name)) {
            // What is missing is described, no more.
            if let Some(reference) = property.get("$ref").and_then(Value::as_str) {
                *property = reference.strip_prefix('#').and_then(|at| self.root.pointer(at)).map_or(json!({}), outline);
            }
        }
        if !properties.is_empty() {
            narrowed.insert("properties".into(), properties.into());
        }
    }

    fn items(&self, keywords: &'a Map<String, Value>, items: &[Value], narrowed: &mut Map<String, Value>) {
        let tuple = keywords.get("prefixItems").and_then(Value::as_array);
        let Some(rest) = keywords.get("items").filter(|schema| schema.is_object()).or(tuple.map(|_| &Value::Null))
        else {
            return;
        };
        let of = |index: usize| tuple.and_then(|tuple| tuple.get(index)).unwrap_or(rest);
        let each = items.iter().take(ITEMS).enumerate().map(|(index, item)| match of(index) {
            Value::Null => json!({}),
            schema => self.node(schema, item),
        });
        narrowed.insert("prefixItems".into(), each.collect());
        if rest.is_object() {
            narrowed
                .insert("items".into(), if items.len() > ITEMS { json!({}) } else { outline(follow(self.root, rest)) });
        }
    }

    /// The alternative that is meant; where none is, what would have been.
    fn alternative(&self, branches: &'a [Value], value: &Value) -> Value {
        let branches: Vec<&Value> = branches.iter().map(|branch| follow(self.root, branch)).collect();
        match self.meant(&branches, value) {
            Meant::One(branch) => self.node(branch, value),
            Meant::OtherKind => json!({ "anyOf": branches.into_iter().map(outline).collect::<Vec<_>>() }),
            Meant::OtherTag(of_kind) => wrong_tags(&of_kind, value),
        }
    }

    /// The alternative that is meant, by its kind, its tag and its keys.
    fn meant(&self, branches: &[&'a Value], value: &Value) -> Meant<'a> {
        let of_kind: Vec<&Value> = branches.iter().copied().filter(|branch| self.admits_kind(branch, value)).collect();
        if of_kind.is_empty() {
            return Meant::OtherKind;
        }
        let meant: Vec<&Value> = of_kind.iter().copied().filter(|branch| tags_agree(branch, value)).collect();
        let best =
            meant.into_iter().reduce(|best, other| if score(other, value) > score(best, value) { other } else { best });
        best.map_or(Meant::OtherTag(of_kind), Meant::One)
    }

    fn declares(&self, schema: &'a Value, value: Option<&Value>, at: &str) -> bool {
        let Some((left, value)) = self.places.get().checked_sub(1).zip(value) else { return false };
        self.places.set(left);
        let schema = follow(self.root, schema);
        let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
        let is_meant = |branches: &'a Vec<Value>| {
            let branches: Vec<&Value> = branches.iter().map(|branch| follow(self.root, branch)).collect();
            matches!(self.meant(&branches, value), Meant::One(branch) if self.declares(branch, Some(value), at))
        };
        let mut parts = list("allOf").into_iter().flatten();
        if list("anyOf").is_some_and(is_meant)
            || list("oneOf").is_some_and(is_meant)
            || parts.any(|part| self.declares(part, Some(value), at))
        {
            return true;
        }
        let Some(at) = at.strip_prefix('/') else { return false };
        let (step, rest) = at.split_at(at.find('/').unwrap_or(at.len()));
        let name = step.replace("~1", "/").replace("~0", "~");
        if let Value::Array(items) = value {
            let index = name.parse::<usize>().ok();
            let of_tuple = index.and_then(|index| list("prefixItems")?.get(index));
            let schema = of_tuple.or_else(|| schema.get("items"));
            return schema.is_some_and(|schema| self.declares(schema, index.and_then(|index| items.get(index)), rest));
        }
        match schema.get("properties").and_then(|properties| properties.get(&name)) {
            Some(property) => rest.is_empty() || self.declares(property, value.get(&name), rest),
            None => {
                let others = schema.get("additionalProperties");
                others.is_some_and(|others| !rest.is_empty() && self.declares(others, value.get(&name), rest))
            }
        }
    }

    fn admits_kind(&self, branch: &'a Value, value: &Value) -> bool {
        let Value::Object(keywords) = branch else { return true };
        for keyword in ["anyOf", "oneOf"] {
            if let Some(inner) = keywords.get(keyword).and_then(Value::as_array) {
                return inner.iter().any(|inner| self.admits_kind(follow(self.root, inner), value));
            }
        }
        if let Some(options) = keywords.get("enum").and_then(Value::as_array) {
            return options.contains(value) || value.is_string() && options.iter().any(Value::is_string);
        }
        let kinds = types(keywords);
        kinds.is_empty()
            || kinds.iter().any(|kind| match value {
                Value::Null => *kind == "null",
                Value::Bool(_) => *kind == "boolean",
                Value::Number(number) => *kind == "number" || *kind == "integer" && !number.is_f64(),
                Value::String(_) => *kind == "string",
                Value::Array(_) => *kind == "array",
                Value::Object(_) => *kind == "object",
            })
    }
}

/// Both have to hold.
fn conjoin(narrowed: &mut Map<String, Value>, also: Value) {
    match narrowed.get_mut("allOf") {
        Some(Value::Array(all)) => all.push(also),
        _ => {
            narrowed.insert("allOf".into(), json!([also]));
        }
    }
}

/// How many of an object's keys an alternative declares, less those it requires and does not find.
fn score(branch: &Value, value: &Value) -> i64 {
    let Some(members) = value.as_object() else { return 0 };
    let declared = branch.get("properties").and_then(Value::as_object);
    let known = members.keys().filter(|key| declared.is_some_and(|declared| declared.contains_key(*key))).count();
    let required = branch.get("required").and_then(Value::as_array).into_iter().flatten();
    let missing = required.filter_map(Value::as_str).filter(|name| !members.contains_key(*name)).count();
    i64::try_from(known).unwrap_or(i64::MAX) - i64::try_from(missing).unwrap_or(i64::MAX)
}

/// A schema that wants, of each tag that says something no alternative has, one that some alternative has.
fn wrong_tags(branches: &[&Value], value: &Value) -> Value {
    let mut properties = Map::new();
    for (name, tag) in branches.iter().flat_map(|branch| tags(branch)) {
        if value.get(name).is_some_and(|given| given != tag) {
            let options = properties.entry(name.clone()).or_insert_with(|| json!({ "enum": [] }));
            if let Some(options) = options["enum"].as_array_mut()
                && !options.contains(tag)
            {
                options.push(tag.clone());
            }
        }
    }
    json!({ "properties": properties })
}

/// What a schema wants at its surface: enough to say it in words.
fn outline(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else { return json!({}) };
    let surface = ["type", "enum", "required", "minimum", "maximum", "minLength", "maxLength", "description"];
    keywords
        .iter()
        .filter(|(keyword, _)| surface.contains(&keyword.as_str()))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect()
}
