//! A schema, or a copy of it, that is no deeper than a parser at the other end would take.
//!
//! Everything after this walks recursively, and may do so.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    as_is::is_shallow,
    change::{Change, Effect},
    rewrite::escape,
};

/// Levels of objects and lists. Parsers of JSON commonly stop at 128, and a declaration adds some of its own.
const LEVELS: usize = 120;

/// The schema, where it is not too deep; else the copy, and what is missing from it.
pub(super) fn prune(schema: &Value) -> (Cow<'_, Value>, Vec<Change>) {
    if is_shallow(schema, LEVELS) {
        return (Cow::Borrowed(schema), Vec::new());
    }
    let mut cuts = Vec::new();
    let copy = level(schema, LEVELS, &mut Vec::new(), &mut cuts).unwrap_or_default();
    (Cow::Owned(copy), cuts)
}

fn level<'v>(value: &'v Value, left: usize, path: &mut Vec<&'v str>, cuts: &mut Vec<Change>) -> Option<Value> {
    match value {
        Value::Array(_) | Value::Object(_) if left == 0 => {
            cuts.push(Change {
                pointer: path.iter().map(|part| format!("/{}", escape(part))).collect(),
                keywords: path.last().map(|last| (*last).to_owned()).into_iter().collect(),
                effect: Effect::Dropped { why: format!("it is deeper than {LEVELS} levels") },
            });
            None
        }
        // With an item missing, a list of schemas would mean something else: then the whole list goes.
        Value::Array(items) => items.iter().map(|item| level(item, left - 1, path, cuts)).collect(),
        Value::Object(members) => {
            let mut copy = Map::with_capacity(members.len());
            for (name, member) in members {
                path.push(name);
                if let Some(member) = level(member, left - 1, path, cuts) {
                    copy.insert(name.clone(), member);
                }
                path.pop();
            }
            Some(copy.into())
        }
        other => Some(other.clone()),
    }
}
