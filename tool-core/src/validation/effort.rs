//! Whether a value can be held against a schema in bounded time.
//!
//! References let a schema double at each step: of `a` made of `b` twice, `b` of `c` twice and so on, thirty steps are a
//! thousand million looks at one value; `unevaluatedProperties` has all beside it looked at again, level by level. What a
//! validator would do is counted first, each pair of a schema and a value once, which takes no longer than there are such
//! pairs. Nothing is counted lower than it is; where a validator may look or not, it is taken to look.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::coerce::{list, size};
use crate::schema::place::{REFERENCES, for_same_value, target};

/// How many looks at a value are affordable in one call: a fraction of a second.
const MOST_LOOKS: u64 = 1_000_000;
/// How many there may be for each place of a large value.
const LOOKS_A_PLACE: u64 = 64;
/// How deep schemas may lead into each other, before they are not followed any more: the stack has an end.
const DEPTH: usize = 500;
/// How many counts are kept, and how small one is that is sooner made again.
const KEPT: usize = 1 << 20;
const SMALL: u64 = 16;
/// The name of a member, as far as it matters here.
static NAME: Value = Value::Null;
const UNEVALUATED: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];

/// How many looks at a value are affordable in one call, in proportion to its size.
pub(super) fn most_looks(value: &Value) -> u64 {
    u64::try_from(size(value)).map_or(u64::MAX, |places| places.saturating_mul(LOOKS_A_PLACE)).max(MOST_LOOKS)
}

/// Whether a validator that tries everything would be done with a value after `most` looks at it and its parts.
/// References are followed within `root`.
pub(super) fn is_affordable(root: &Value, schema: &Value, value: &Value, most: u64) -> bool {
    Count { root, left: most, anchors: None, known: HashMap::new() }.node(schema, value, DEPTH).is_some()
}

/// Whether a schema has what can double.
pub(super) fn may_double(schema: &Value) -> bool {
    match schema {
        Value::Object(keywords) => {
            REFERENCES.iter().chain(&UNEVALUATED).any(|keyword| keywords.contains_key(*keyword))
                || keywords.values().any(may_double)
        }
        Value::Array(items) => items.iter().any(may_double),
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
        // Its references lead elsewhere than they seem to.
        if keywords.contains_key("$id") && !std::ptr::eq(schema, self.root) && may_double(schema) {
            return None;
        }
        let before = self.left;
        self.in_place(keywords, value, depth)?;
        if UNEVALUATED.iter().any(|keyword| keywords.contains_key(*keyword)) {
            // What these have not seen is found by looking again: at what holds, and into what that has seen.
            self.spend((before - self.left).saturating_mul(2))?;
        }
        match value {
            Value::Object(members) => self.members(keywords, members, depth),
            Value::Array(items) => self.items(keywords, items, depth),
            _ => Some(()),
        }
    }

    /// What is held against the value itself.
    fn in_place(&mut self, keywords: &'a Map<String, Value>, value: &'a Value, depth: usize) -> Option<()> {
        for_same_value(keywords).try_for_each(|part| self.node(part, value, depth))?;
        for (keyword, part) in keywords {
            match (keyword.as_str(), part, value) {
                (keyword, Value::String(reference), _) if REFERENCES.contains(&keyword) => {
                    if let Some(target) = self.resolve(reference) {
                        self.target(target, value, depth)?;
                    }
                }
                ("dependentSchemas" | "dependencies", Value::Object(parts), Value::Object(members)) => {
                    for (_, part) in parts.iter().filter(|(name, _)| members.contains_key(*name)) {
                        self.node(part, value, depth)?;
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    fn resolve(&mut self, reference: &str) -> Option<&'a Value> {
        let root = self.root;
        target(root, reference.strip_prefix('#')?, |name| {
            let named = self.anchors.get_or_insert_with(|| {
                let mut found = HashMap::new();
                anchors(root, &mut found);
                found
            });
            named.get(name).copied()
        })
    }

    fn target(&mut self, target: &'a Value, value: &'a Value, depth: usize) -> Option<()> {
        let pair = (std::ptr::from_ref(target), std::ptr::from_ref(value));
        if let Some(looks) = self.known.get(&pair) {
            return self.spend(*looks);
        }
        let before = self.left;
        self.node(target, value, depth)?;
        let looks = before - self.left;
        if looks >= SMALL {
            if self.known.len() == KEPT {
                self.known.clear();
            }
            self.known.insert(pair, looks);
        }
        Some(())
    }

    fn members(
        &mut self,
        keywords: &'a Map<String, Value>,
        members: &'a Map<String, Value>,
        depth: usize,
    ) -> Option<()> {
        let declared = keywords.get("properties").and_then(Value::as_object);
        let patterns = keywords.get("patternProperties").and_then(Value::as_object);
        let others = ["additionalProperties", "unevaluatedProperties"].map(|keyword| keywords.get(keyword));
        for (name, member) in members {
            if let Some(schema) = keywords.get("propertyNames") {
                self.node(schema, &NAME, depth)?;
            }
            for schema in patterns.into_iter().flat_map(Map::values) {
                self.node(schema, member, depth)?;
            }
            match declared.and_then(|declared| declared.get(name)) {
                Some(schema) => self.node(schema, member, depth)?,
                None => others.iter().flatten().try_for_each(|schema| self.node(schema, member, depth))?,
            }
        }
        Some(())
    }

    fn items(&mut self, keywords: &'a Map<String, Value>, items: &'a [Value], depth: usize) -> Option<()> {
        let tuple = list(keywords, "prefixItems");
        let rest = ["items", "unevaluatedItems"].map(|keyword| keywords.get(keyword));
        let contained = keywords.get("contains");
        for (index, item) in items.iter().enumerate() {
            match tuple.get(index) {
                Some(schema) => self.node(schema, item, depth)?,
                None => rest.iter().flatten().try_for_each(|schema| self.node(schema, item, depth))?,
            }
            if let Some(schema) = contained {
                self.node(schema, item, depth)?;
            }
        }
        Some(())
    }
}
