//! Whether a value can be held against a schema in bounded time.
//!
//! References let a schema double at each step: of `a` made of `b` twice, `b` of `c` twice and so on, thirty steps are a
//! thousand million looks at one value. What a validator would do is counted first, each pair of a schema and a value
//! once, which takes no longer than there are such pairs.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::coerce::list;
use crate::schema::place::decoded;

/// How many looks at a value are affordable in one call: a fraction of a second.
pub(crate) const MOST_LOOKS: u64 = 10_000_000;
/// How deep schemas may lead into each other for one value, before it is not followed any more.
const DEPTH: usize = 2_000;
/// How many counts are kept.
const KEPT: usize = 1 << 20;
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Whether a validator that tries everything would be done with a value after `most` looks at it and its parts.
/// References are followed within `root`.
pub(crate) fn is_affordable(root: &Value, schema: &Value, value: &Value, most: u64) -> bool {
    Count { root, left: most, anchors: None, known: HashMap::new() }.node(schema, value, DEPTH).is_some()
}

/// Whether a schema has references: no other can double.
pub(crate) fn has_references(schema: &Value) -> bool {
    match schema {
        Value::Object(keywords) => {
            REFERENCES.iter().any(|keyword| keywords.contains_key(*keyword)) || keywords.values().any(has_references)
        }
        Value::Array(items) => items.iter().any(has_references),
        _ => false,
    }
}

/// Every named place of a schema.
fn anchors<'a>(schema: &'a Value, found: &mut HashMap<&'a str, &'a Value>) {
    match schema {
        Value::Object(keywords) => {
            let names = ["$anchor", "$dynamicAnchor"].into_iter().filter_map(|keyword| keywords.get(keyword)?.as_str());
            found.extend(names.map(|name| (name, schema)));
            keywords.values().for_each(|part| anchors(part, found));
        }
        Value::Array(items) => items.iter().for_each(|part| anchors(part, found)),
        _ => {}
    }
}

struct Count<'a> {
    root: &'a Value,
    left: u64,
    anchors: Option<HashMap<&'a str, &'a Value>>,
    /// What a schema that is referred to took for a value.
    known: HashMap<(*const Value, *const Value), u64>,
}

impl<'a> Count<'a> {
    fn spend(&mut self, looks: u64) -> Option<()> {
        self.left = self.left.checked_sub(looks)?;
        Some(())
    }

    /// None where it is more than is affordable.
    fn node(&mut self, schema: &'a Value, value: &'a Value, depth: usize) -> Option<()> {
        self.spend(1)?;
        let (Value::Object(keywords), depth) = (schema, depth.checked_sub(1)?) else { return Some(()) };
        for reference in REFERENCES.into_iter().filter_map(|keyword| keywords.get(keyword)?.as_str()) {
            if let Some(target) = self.resolve(reference) {
                self.target(target, value, depth)?;
            }
        }
        for part in ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|keyword| list(keywords, keyword)) {
            self.node(part, value, depth)?;
        }
        for part in ["not", "if", "then", "else"].into_iter().filter_map(|keyword| keywords.get(keyword)) {
            self.node(part, value, depth)?;
        }
        match value {
            Value::Object(members) => self.members(keywords, members, value, depth),
            Value::Array(items) => self.items(keywords, items, depth),
            _ => Some(()),
        }
    }

    fn resolve(&mut self, reference: &str) -> Option<&'a Value> {
        let root = self.root;
        let fragment = decoded(reference.strip_prefix('#')?);
        if fragment.is_empty() || fragment.starts_with('/') {
            return root.pointer(&fragment);
        }
        let named = self.anchors.get_or_insert_with(|| {
            let mut found = HashMap::new();
            anchors(root, &mut found);
            found
        });
        named.get(fragment.as_str()).copied()
    }

    fn target(&mut self, target: &'a Value, value: &'a Value, depth: usize) -> Option<()> {
        let pair = (std::ptr::from_ref(target), std::ptr::from_ref(value));
        if let Some(looks) = self.known.get(&pair) {
            return self.spend(*looks);
        }
        let before = self.left;
        self.node(target, value, depth)?;
        if self.known.len() == KEPT {
            self.known.clear();
        }
        self.known.insert(pair, before - self.left);
        Some(())
    }

    fn members(
        &mut self,
        keywords: &'a Map<String, Value>,
        members: &'a Map<String, Value>,
        whole: &'a Value,
        depth: usize,
    ) -> Option<()> {
        let declared = keywords.get("properties").and_then(Value::as_object);
        let dependent = keywords.get("dependentSchemas").and_then(Value::as_object);
        for (_, schema) in dependent.into_iter().flatten().filter(|(name, _)| members.contains_key(*name)) {
            self.node(schema, whole, depth)?;
        }
        let patterns = keywords.get("patternProperties").and_then(Value::as_object);
        // Which names a pattern matches is not asked: all may.
        let others =
            ["additionalProperties", "unevaluatedProperties"].into_iter().filter_map(|keyword| keywords.get(keyword));
        let others: Vec<&Value> = others.chain(patterns.into_iter().flat_map(Map::values)).collect();
        for (name, member) in members {
            match declared.and_then(|declared| declared.get(name)) {
                Some(schema) => self.node(schema, member, depth)?,
                None => others.iter().try_for_each(|schema| self.node(schema, member, depth))?,
            }
        }
        Some(())
    }

    fn items(&mut self, keywords: &'a Map<String, Value>, items: &'a [Value], depth: usize) -> Option<()> {
        let tuple = list(keywords, "prefixItems");
        let rest = ["items", "unevaluatedItems"].into_iter().filter_map(|keyword| keywords.get(keyword));
        let rest: Vec<&Value> = rest.collect();
        let contained = keywords.get("contains");
        for (index, item) in items.iter().enumerate() {
            match tuple.get(index) {
                Some(schema) => self.node(schema, item, depth)?,
                None => rest.iter().try_for_each(|schema| self.node(schema, item, depth))?,
            }
            if let Some(schema) = contained {
                self.node(schema, item, depth)?;
            }
        }
        Some(())
    }
}
