//! A schema as a list of alternatives, each a list of what holds at once: references followed, unions multiplied out.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::{
    atoms::{Atom, Atoms},
    schema::parts,
};

/// How many alternatives a schema may be spread into.
const MOST_ALTERNATIVES: usize = 256;
/// How many schemas may hold at once.
const MOST_CONJUNCTS: usize = 512;
/// How many schemas are walked and put together for one spread: references that are doubled at each level multiply.
const MOST_PIECES: usize = 16_384;

/// A conjunction: a value is of it when it is of all these schemas. References, `allOf`, `anyOf` and `oneOf` in them
/// have been spread out.
pub(super) type Alternative<'s> = Vec<&'s Map<String, Value>>;

/// A schema that cannot be followed.
pub(super) struct Opaque(pub(super) String);

/// Every alternative of a conjunction of schemas, references followed. `left` is what the whole comparison may spend on
/// it yet.
pub(super) fn spread_in<'s>(
    root: &'s Value,
    schemas: &[&'s Value],
    left: &Cell<usize>,
) -> Result<Vec<Alternative<'s>>, Opaque> {
    let pieces = left.get().min(MOST_PIECES);
    let mut spread = Spread { root, trail: Vec::new(), pieces };
    let mut all = Ok(vec![Vec::new()]);
    for schema in schemas {
        all = all.and_then(|all| {
            let expanded = spread.expand(schema)?;
            spread.product(&all, &expanded)
        });
    }
    left.set(left.get() - (pieces - spread.pieces));
    all
}

struct Spread<'s> {
    root: &'s Value,
    /// The references that are being followed.
    trail: Vec<&'s str>,
    /// How many schemas more may be walked and put together.
    pieces: usize,
}

impl<'s> Spread<'s> {
    fn expand(&mut self, schema: &'s Value) -> Result<Vec<Alternative<'s>>, Opaque> {
        self.spend(1)?;
        let map = match schema {
            Value::Bool(true) => return Ok(vec![Vec::new()]),
            Value::Bool(false) => return Ok(Vec::new()),
            Value::Object(map) => map,
            _ => return Err(Opaque("is no schema".to_owned())),
        };
        let mut all = vec![vec![map]];
        if let Some(reference) = map.get("$ref").and_then(Value::as_str)
            // A reference that leads to itself says nothing.
            && !self.trail.contains(&reference)
        {
            let target =
                follow(self.root, reference).ok_or_else(|| Opaque(format!("`$ref` {reference} cannot be followed")))?;
            self.trail.push(reference);
            let expanded = self.expand(target);
            self.trail.pop();
            all = self.product(&all, &expanded?)?;
        }
        for part in parts(map, "allOf") {
            let expanded = self.expand(part)?;
            all = self.product(&all, &expanded)?;
        }
        for keyword in ["anyOf", "oneOf"] {
            if map.contains_key(keyword) {
                let mut union = Vec::new();
                for branch in parts(map, keyword) {
                    union.extend(self.expand(branch)?);
                }
                all = self.product(&all, &union)?;
            }
        }
        Ok(all)
    }

    fn product(&mut self, left: &[Alternative<'s>], right: &[Alternative<'s>]) -> Result<Vec<Alternative<'s>>, Opaque> {
        if left.len() * right.len() > MOST_ALTERNATIVES {
            return Err(Opaque("has too many alternatives to compare".to_owned()));
        }
        let mut pairs = Vec::with_capacity(left.len() * right.len());
        for (left, right) in left.iter().flat_map(|left| right.iter().map(move |right| (left, right))) {
            let conjuncts = left.len() + right.len();
            if conjuncts > MOST_CONJUNCTS {
                return Err(Opaque("has too many parts that hold at once to compare".to_owned()));
            }
            self.spend(conjuncts)?;
            pairs.push([left.as_slice(), right].concat());
        }
        Ok(pairs)
    }

    fn spend(&mut self, pieces: usize) -> Result<(), Opaque> {
        let left = self.pieces.checked_sub(pieces);
        self.pieces = left.unwrap_or_default();
        left.map(drop).ok_or_else(|| Opaque("is too intricate to compare".to_owned()))
    }
}

/// All values of a schema that has only so many: an `enum`, `true` and `false`, `null`.
pub(super) fn finite(sub: &Alternative<'_>, atoms: Atoms) -> Option<Vec<Value>> {
    let mut listed: Option<Vec<Value>> = None;
    for map in sub {
        let own = match (map.get("enum"), map.get("const")) {
            (Some(Value::Array(values)), _) => values.clone(),
            (_, Some(value)) => vec![value.clone()],
            _ => continue,
        };
        listed = Some(match listed {
            None => own,
            Some(known) => known.into_iter().filter(|value| own.contains(value)).collect(),
        });
    }
    let small = [Value::Null, Value::Bool(true), Value::Bool(false)];
    match listed {
        Some(values) => Some(values.into_iter().filter(|value| atoms.takes(value)).collect()),
        None if atoms.without(Atoms::only(Atom::Null)).without(Atoms::only(Atom::Boolean)).is_empty() => {
            Some(small.into_iter().filter(|value| atoms.takes(value)).collect())
        }
        None => None,
    }
}

/// The schema that a reference within its own document means.
pub(super) fn follow<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    root.pointer(reference.strip_prefix('#')?)
}

/// A validator for one part of a document.
pub(super) fn alone(part: &Map<String, Value>, root: &Value) -> Result<jsonschema::Validator, String> {
    let mut part = part.clone();
    for definitions in ["$defs", "definitions"] {
        if let Some(known) = root.get(definitions) {
            part.insert(definitions.to_owned(), known.clone());
        }
    }
    let part = Value::Object(part);
    if has_odd_reference(&part) {
        return Err("refers to a place outside `$defs`".to_owned());
    }
    crate::validation::compile(&part).map_err(|fault| format!("cannot be used as a schema: {fault}"))
}

fn has_odd_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.iter().any(|(key, value)| match (key.as_str(), value) {
            ("$ref", Value::String(to)) => !to.starts_with("#/$defs/") && !to.starts_with("#/definitions/"),
            _ => has_odd_reference(value),
        }),
        Value::Array(items) => items.iter().any(has_odd_reference),
        _ => false,
    }
}
