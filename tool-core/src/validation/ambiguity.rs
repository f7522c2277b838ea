//! Whether telling a type's alternatives apart can take time that doubles with every level of a value.
//!
//! Of `enum E { All(Vec<E>), Any(Vec<E>) }`, untagged, a reader tries one alternative to the last leaf, then the other,
//! at every level: forty brackets would keep it busy for weeks. serde's derive and validators of JSON Schema do so
//! alike; here such values are held to a depth, or the alternative is chosen first (`narrow`).

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    coerce::types,
    narrow::{follow, tags},
};
use crate::schema::place::for_same_value;

/// How deep a value of such a type may be nested.
pub(super) const MOST_LEVELS: usize = 20;

/// Who tells the alternatives apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// serde's derive, which looks at the tag first.
    Derive,
    /// A validator of JSON Schema, which looks at properties as they come.
    Validator,
}

/// Whether some list of alternatives has two that lead back to it and that `reader` cannot tell apart by what is on the
/// surface. References are followed within `root`.
pub(super) fn is_explosive(root: &Value, schema: &Value, reader: Reader) -> bool {
    let mut nodes = HashSet::new();
    reach(root, schema, &mut nodes, None);
    // Where nothing refers to anything, nothing leads back.
    if !nodes.iter().any(|node| node.0.get("$ref").is_some()) {
        return false;
    }
    nodes.iter().any(|node| {
        alternatives(node.0).any(|branches| {
            let leads_back = |branch: &&Value| reach(root, branch, &mut HashSet::new(), Some(node.0));
            let back: Vec<&Value> = branches.iter().filter(leads_back).map(|branch| follow(root, branch)).collect();
            let alike =
                |(index, one): (usize, &&Value)| back[..index].iter().any(|other| !are_apart(one, other, reader));
            back.iter().enumerate().any(alike)
        })
    })
}

/// Whether no value can be meant for both, which is seen without looking into its parts.
fn are_apart(one: &Value, other: &Value, reader: Reader) -> bool {
    let (Some(a), Some(b)) = (one.as_object(), other.as_object()) else { return false };
    let (kinds, other_kinds) = (types(a), types(b));
    if !kinds.is_empty() && !other_kinds.is_empty() && !kinds.iter().any(|kind| other_kinds.contains(kind)) {
        return true;
    }
    // As serde tags from outside: one property, named for the alternative.
    let only = |keywords: &Map<String, Value>| {
        let properties = keywords.get("properties").and_then(Value::as_object).filter(|all| all.len() == 1)?;
        properties.keys().next().cloned()
    };
    if let (Some(one), Some(other)) = (only(a), only(b)) {
        return one != other;
    }
    reader == Reader::Derive && tags(one).any(|(name, tag)| tags(other).any(|(n, t)| n == name && t != tag))
}

/// Whether some schema leads back to itself for one and the same value, so that no value is ever done with.
pub(super) fn is_endless(root: &Value) -> bool {
    let mut nodes = HashSet::new();
    reach(root, root, &mut nodes, None);
    let mut done = HashSet::new();
    nodes.into_iter().any(|node| {
        // The way down to where the search is, each with what is still to be looked at below it.
        let mut way = vec![(node, same_value(root, node.0))];
        while let Some((at, open)) = way.last_mut() {
            let (at, next) = (*at, open.pop().map(Node));
            match next {
                Some(next) if done.contains(&next) => {}
                Some(next) if way.iter().any(|(passed, _)| *passed == next) => return true,
                Some(next) => way.push((next, same_value(root, next.0))),
                None => {
                    done.insert(at);
                    way.pop();
                }
            }
        }
        false
    })
}

/// The schemas that a value is held against together with this one.
fn same_value<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let Some(keywords) = schema.as_object() else { return Vec::new() };
    let target = keywords.get("$ref").and_then(Value::as_str).and_then(|at| root.pointer(at.strip_prefix('#')?));
    let dependent = keywords.get("dependentSchemas").and_then(Value::as_object).into_iter().flat_map(Map::values);
    target.into_iter().chain(for_same_value(keywords)).chain(dependent).collect()
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Vec<Value>> {
    ["anyOf", "oneOf"].into_iter().filter_map(|keyword| schema.get(keyword)?.as_array())
}

/// A schema by where it stands, not by what it says.
#[derive(Clone, Copy)]
struct Node<'a>(&'a Value);

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Node<'_> {}

impl std::hash::Hash for Node<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

/// Collects everything that can be reached; with `wanted`, says whether that is among it.
fn reach<'a>(root: &'a Value, from: &'a Value, seen: &mut HashSet<Node<'a>>, wanted: Option<&'a Value>) -> bool {
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        if !seen.insert(Node(next)) {
            continue;
        }
        if wanted.is_some_and(|wanted| std::ptr::eq(wanted, next)) {
            return true;
        }
        match next {
            Value::Object(keywords) => {
                let target = keywords.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix('#'));
                open.extend(target.and_then(|at| root.pointer(at)));
                // Definitions are reached by reference alone.
                let data = ["$defs", "enum", "const", "default", "examples", "required"];
                open.extend(keywords.iter().filter(|(k, _)| !data.contains(&k.as_str())).map(|(_, value)| value));
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    false
}
