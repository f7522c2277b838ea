//! Two schemas that both have to hold, as one.

use serde_json::{Map, Value};

use super::rewrite::{At, Keywords, Rewriter, constrains, size, types};

/// Keywords of a part that the whole already has, with another value that cannot hold at the same time in one keyword.
pub(super) type Leftover = Vec<(String, Value)>;

/// No value is of both types.
pub(super) struct Contradiction;

/// Keywords that look at the same value as the one they stand in, and may know parts of it.
const IN_PLACE: [&str; 6] = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];

/// `unevaluated…` and what says the same where no keyword of [`IN_PLACE`] stands beside it.
const UNEVALUATED: [(&str, &str); 2] =
    [("unevaluatedProperties", "additionalProperties"), ("unevaluatedItems", "items")];

impl Rewriter<'_> {
    /// Adds a part to a whole, so that both hold.
    pub(super) fn merge(
        &mut self,
        at: &At<'_>,
        whole: &mut Keywords,
        mut part: Keywords,
        leftover: &mut Leftover,
    ) -> Result<(), Contradiction> {
        if constrains(whole) {
            plainly(&mut part, leftover);
        }
        self.spread_members(whole, &mut part, leftover);
        self.spread_items(at, whole, &mut part, leftover);
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
                "additionalProperties" | "items" | "unevaluatedProperties" => *known = both(known.take(), value),
                "uniqueItems" => *known = true.into(),
                "description" => {
                    let text =
                        format!("{}\n{}", known.as_str().unwrap_or_default(), value.as_str().unwrap_or_default());
                    *known = text.trim().into();
                }
                _ => leftover.push((keyword, value)),
            }
        }
        Ok(())
    }

    /// Applies what each says of other fields to those that only the other one names.
    fn spread_members(&mut self, whole: &mut Keywords, part: &mut Keywords, leftover: &mut Leftover) {
        if !self.spread_rest(part, whole) {
            leftover.extend(part.shift_remove_entry("additionalProperties"));
        }
        if !self.spread_rest(whole, part) {
            leftover.extend(whole.shift_remove_entry("additionalProperties"));
        }
    }

    /// Whether it could be said with keywords.
    fn spread_rest(&mut self, from: &Keywords, to: &mut Keywords) -> bool {
        let Some(rest) = from.get("additionalProperties").filter(|rest| !is_anything(rest)) else { return true };
        let own = from.get("properties").and_then(Value::as_object);
        let patterns = from.get("patternProperties");
        let has_other_patterns = to.get("patternProperties").is_some_and(|theirs| Some(theirs) != patterns);
        let Some(Value::Object(members)) = to.get_mut("properties") else { return !has_other_patterns };
        let new = |name: &str| own.is_none_or(|own| !own.contains_key(name));
        let count = members.keys().filter(|name| new(name)).count();
        if has_other_patterns || count > 0 && (patterns.is_some() || !self.spend(count * size(rest))) {
            return false;
        }
        for (_, member) in members.iter_mut().filter(|(name, _)| new(name)) {
            *member = both(rest.clone(), member.take());
        }
        true
    }

    /// Brings two tuples to one, each with what the other says of items behind its own.
    fn spread_items(&mut self, at: &At<'_>, whole: &mut Keywords, part: &mut Keywords, leftover: &mut Leftover) {
        let known = whole.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        let more = part.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        if known + more == 0 {
            return;
        }
        let rests = [(&*whole, known, more), (&*part, more, known)];
        let copied = rests.map(|(of, own, all)| of.get("items").map_or(0, size) * all.saturating_sub(own));
        if !self.spend(copied.iter().sum::<usize>() + known.max(more)) {
            leftover
                .extend(["prefixItems", "items"].into_iter().filter_map(|keyword| part.shift_remove_entry(keyword)));
            return;
        }
        let mut tuple = Vec::new();
        for index in 0..known.max(more) {
            let item = both(item(whole, index), item(part, index));
            if item == Value::Bool(false) {
                whole.insert("items".into(), item);
                self.drop_keyword(at, "prefixItems", "an item that another part has no place for");
                break;
            }
            tuple.push(item);
        }
        part.shift_remove("prefixItems");
        whole.insert("prefixItems".into(), tuple.into());
    }

    /// Says `unevaluated…` by the plain keyword, where they say the same.
    pub(super) fn evaluated(&mut self, keywords: &mut Keywords, at: &At<'_>) {
        for (own, plain) in UNEVALUATED {
            let is_plain = !looks_beside(own, keywords) && !keywords.contains_key(plain);
            if is_plain && keywords.get(own) == Some(&Value::Bool(false)) {
                self.respell(keywords, at, own, plain);
            }
        }
    }
}

/// Says by the plain keywords what a part says of things it does not know, before it is put into a whole that knows more.
pub(super) fn plainly(part: &mut Keywords, leftover: &mut Leftover) {
    for (own, plain) in UNEVALUATED {
        if let Some(rest) = part.shift_remove(own) {
            if looks_beside(own, part) {
                leftover.push((own.to_owned(), rest));
            } else {
                part.entry(plain).or_insert(rest);
            }
        }
    }
}

/// What is left over of a part may know things that `unevaluated…` would then be wrong about: that is left over too.
pub(super) fn leave_unevaluated(whole: &mut Keywords, leftover: &mut Leftover) {
    if leftover.iter().any(|(keyword, _)| IN_PLACE.contains(&keyword.as_str())) {
        leftover.extend(UNEVALUATED.iter().filter_map(|(own, _)| whole.shift_remove_entry(*own)));
    }
}

/// Whether another keyword than the plain ones may know what `unevaluated…` is then not about.
fn looks_beside(unevaluated: &str, keywords: &Keywords) -> bool {
    IN_PLACE.iter().any(|keyword| keywords.contains_key(*keyword))
        || unevaluated == "unevaluatedItems" && keywords.contains_key("contains")
}

/// What is said of the item at an index.
fn item(keywords: &Keywords, index: usize) -> Value {
    let own = keywords.get("prefixItems").and_then(|tuple| tuple.get(index));
    own.or_else(|| keywords.get("items")).cloned().unwrap_or(Value::Bool(true))
}

fn is_anything(schema: &Value) -> bool {
    matches!(schema, Value::Bool(true)) || schema.as_object().is_some_and(Map::is_empty)
}

/// A schema that says both.
fn both(one: Value, other: Value) -> Value {
    match (one, other) {
        (Value::Bool(false), _) | (_, Value::Bool(false)) => false.into(),
        (one, other) if is_anything(&one) || one == other => other,
        (one, other) if is_anything(&other) => one,
        (Value::Object(mut all), other) if all.len() == 1 && all.get("allOf").is_some_and(Value::is_array) => {
            if let Some(Value::Array(parts)) = all.get_mut("allOf") {
                parts.push(other);
            }
            all.into()
        }
        (one, other) => Map::from_iter([("allOf".to_owned(), Value::Array(vec![one, other]))]).into(),
    }
}

fn merge_properties(known: &mut Map<String, Value>, more: Map<String, Value>) {
    for (name, schema) in more {
        match known.get_mut(&name) {
            None => {
                known.insert(name, schema);
            }
            Some(own) => *own = both(own.take(), schema),
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
