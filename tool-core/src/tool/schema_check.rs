//! Whether a schema that came from elsewhere can be worked with at all.
//!
//! Everything that reads a schema goes down into it, so one that is too deep, or that leads back to itself without going
//! into the value, is refused before anything else sees it. This walk itself needs no stack.

use std::collections::HashMap;

use serde_json::Value;

use crate::schema::place::{REFERENCES, for_same_value, target};

/// How deep a schema may be nested, in levels of JSON: as deep as arguments may be.
pub const MAX_SCHEMA_DEPTH: usize = 128;
/// How many values a schema may be made of: keywords, members of an `enum` and all. OpenAI takes 5,000 properties.
pub const MAX_SCHEMA_VALUES: usize = 50_000;

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaFault {
    /// The arguments of a tool are an object.
    #[error("the arguments of a tool are an object: expected a schema with the type \"object\"")]
    NotAnObject,
    /// Nested too deep.
    #[error("it is nested deeper than {MAX_SCHEMA_DEPTH} levels: make it flatter")]
    TooDeep,
    /// Too large.
    #[error("it is made of more than {MAX_SCHEMA_VALUES} values: leave out what the model need not know")]
    TooLarge,
    /// A reference to elsewhere; nothing is ever fetched.
    #[error("the reference `{0}` leads out of the schema, and nothing is fetched: put what it means under \"$defs\"")]
    Elsewhere(String),
    /// A reference to what is not there.
    #[error("the reference `{0}` leads nowhere: there is nothing at that place in the schema")]
    Dangling(String),
    /// A schema that is defined by nothing but itself.
    #[error("the schema at `{0}` is defined by nothing but itself: its references go round in a circle")]
    Circular(String),
    /// A keyword's value that the keyword does not take, a regular expression that does not compile.
    #[error("{0}")]
    Invalid(String),
}

/// Keywords whose value is data, in which `$ref` is a name like any other.
const DATA: [&str; 5] = ["const", "enum", "default", "examples", "example"];

/// Looks at the size of a schema, at its depth and at its references.
pub(super) fn check(schema: &Value) -> Result<(), SchemaFault> {
    let found = Survey::of(schema)?;
    let mut targets: HashMap<*const Value, &Value> = HashMap::new();
    for (node, reference) in &found.references {
        let fragment = reference.strip_prefix('#').ok_or_else(|| SchemaFault::Elsewhere((*reference).to_owned()))?;
        let target = target(schema, fragment, |_| found.anchors.get(fragment).copied());
        targets
            .insert(std::ptr::from_ref(*node), target.ok_or_else(|| SchemaFault::Dangling((*reference).to_owned()))?);
    }
    circle(schema, &targets)
}

/// Everything a schema holds, found without recursion.
struct Survey<'s> {
    /// Schemas that are a reference, and where to.
    references: Vec<(&'s Value, &'s str)>,
    anchors: HashMap<&'s str, &'s Value>,
}

impl<'s> Survey<'s> {
    fn of(schema: &'s Value) -> Result<Self, SchemaFault> {
        let mut survey = Self { references: Vec::new(), anchors: HashMap::new() };
        let mut values = 0_usize;
        // What is still to be looked at: how deep it lies, whether it is data, whether its keys are names of properties.
        let mut rest = vec![(schema, 1_usize, false, false)];
        while let Some((value, depth, is_data, is_table)) = rest.pop() {
            values += 1;
            if depth > MAX_SCHEMA_DEPTH {
                return Err(SchemaFault::TooDeep);
            }
            if values + rest.len() > MAX_SCHEMA_VALUES {
                return Err(SchemaFault::TooLarge);
            }
            match value {
                Value::Array(items) => rest.extend(items.iter().map(|item| (item, depth + 1, is_data, false))),
                Value::Object(members) => {
                    if !is_data && !is_table {
                        survey.note(value, members);
                    }
                    rest.extend(members.iter().map(|(key, member)| {
                        let is_data = is_data || !is_table && DATA.contains(&key.as_str());
                        (member, depth + 1, is_data, !is_table && TABLES.contains(&key.as_str()))
                    }));
                }
                _ => {}
            }
        }
        Ok(survey)
    }

    fn note(&mut self, schema: &'s Value, keywords: &'s serde_json::Map<String, Value>) {
        for keyword in REFERENCES {
            if let Some(reference) = keywords.get(keyword).and_then(Value::as_str) {
                self.references.push((schema, reference));
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = keywords.get(keyword).and_then(Value::as_str) {
                self.anchors.insert(anchor, schema);
            }
        }
    }
}

/// Keywords whose value is an object from names to schemas.
const TABLES: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// Looks for a schema that leads back to itself for the same value: depth first, on a stack of its own.
fn circle(root: &Value, targets: &HashMap<*const Value, &Value>) -> Result<(), SchemaFault> {
    let mut done: HashMap<*const Value, bool> = HashMap::new();
    // Every schema is a place to begin at, wherever it stands.
    for start in targets.values().copied().chain([root]) {
        let mut path = vec![(start, false)];
        while let Some((node, is_left)) = path.pop() {
            let key = std::ptr::from_ref(node);
            if is_left {
                done.insert(key, true);
                continue;
            }
            match done.get(&key) {
                Some(true) => continue,
                Some(false) => return Err(SchemaFault::Circular(place(root, node))),
                None => {}
            }
            done.insert(key, false);
            path.push((node, true));
            path.extend(in_place(node, targets).map(|next| (next, false)));
        }
    }
    Ok(())
}

/// The schemas that hold for the same value.
fn in_place<'s>(
    node: &'s Value,
    targets: &HashMap<*const Value, &'s Value>,
) -> impl Iterator<Item = &'s Value> + use<'s> {
    let target = targets.get(&std::ptr::from_ref(node)).copied();
    let dependent = node.get("dependentSchemas").and_then(Value::as_object).into_iter().flat_map(|all| all.values());
    target.into_iter().chain(node.as_object().into_iter().flat_map(for_same_value)).chain(dependent)
}

/// Where a schema stands, for the message.
fn place(root: &Value, wanted: &Value) -> String {
    let mut rest = vec![(root, "#".to_owned())];
    while let Some((value, at)) = rest.pop() {
        if std::ptr::eq(value, wanted) {
            return at;
        }
        match value {
            Value::Object(members) => rest.extend(members.iter().map(|(key, value)| (value, format!("{at}/{key}")))),
            Value::Array(items) => rest.extend(items.iter().enumerate().map(|(i, value)| (value, format!("{at}/{i}")))),
            _ => {}
        }
    }
    "#".to_owned()
}

/// Takes a value apart level by level: to drop a very deep one in one go would need a stack as deep.
pub(super) fn dismantle(value: Value) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => rest.extend(members.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}
