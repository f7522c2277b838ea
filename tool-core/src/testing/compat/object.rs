//! Objects: members that are required, new, gone, or of another schema.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    atoms::Atom,
    schema::{Comparison, Direction, Found, Held, certain, escape, keys, names, parts},
};

static ANYTHING: Value = Value::Bool(true);

impl<'s> Comparison<'s> {
    pub(super) fn objects(&self, held: &Held<'_, 's>, found: &mut Vec<Found>) {
        let Held { sub, sup, atoms, at } = *held;
        if !atoms.contains(Atom::Object) {
            return;
        }
        let rest = sup.get("additionalProperties").unwrap_or(&ANYTHING);
        let place = |name: &str| format!("{at}/properties/{}", escape(name));
        let is_open = sub.iter().all(|map| is_anything(other(map)));
        let is_closed = sub.iter().any(|map| *other(map) == Value::Bool(false));
        let own: BTreeSet<&str> = sub.iter().flat_map(|map| keys(map, "properties")).collect();
        let taken: BTreeSet<&str> = keys(sup, "properties").collect();
        let required: BTreeSet<&str> = names(sub, "required").collect();
        let wanted: BTreeSet<&str> = parts(sup, "required").iter().filter_map(Value::as_str).collect();
        let is_struct = self.direction == Direction::Result && (is_open || is_closed);
        let is_gone = |name: &str| is_struct && !own.contains(name);

        for name in taken.union(&wanted).filter(|name| is_gone(name)) {
            found.push(certain(&place(name), "removed from the result"));
        }
        for name in wanted.difference(&required).filter(|name| !is_gone(name)) {
            let words = match self.direction {
                Direction::Arguments if own.contains(name) => "required now, and was not",
                Direction::Arguments => "added, and required",
                Direction::Result => "may be missing now, and was always there",
            };
            found.push(certain(&place(name), words));
        }
        for name in own.union(&taken) {
            // Callers send what was declared to them: nothing, under a name that is new. And what is gone was said.
            if is_open && !own.contains(name) {
                continue;
            }
            let schemas: Vec<&'s Value> = sub.iter().map(|map| member(map, name)).collect();
            if schemas.iter().any(|schema| **schema == Value::Bool(false)) {
                continue;
            }
            let into = sup.get("properties").and_then(|properties| properties.get(name)).unwrap_or(rest);
            if *into == Value::Bool(false) {
                let words = self.say("removed", "new in the result, which was closed");
                found.push(certain(&place(name), words));
            } else {
                found.extend(self.check(&schemas, into, &place(name)));
            }
        }
        let is_whole = sub.iter().any(|map| {
            let alone = vec![*map];
            ["patternProperties", "additionalProperties"].iter().all(|keyword| self.has(&alone, keyword, sup))
        });
        let place = format!("{at}/additionalProperties");
        let own: Vec<&'s Value> = sub.iter().map(|map| other(map)).collect();
        if *rest == Value::Bool(false) {
            if !is_whole && !own.iter().any(|schema| **schema == Value::Bool(false)) {
                let words =
                    self.say("members that are not declared are refused now", "there may be undeclared members now");
                found.push(certain(&place, words));
            }
        } else if !is_whole {
            found.extend(self.check(&own, rest, &place));
        }
        self.counts(held, ["minProperties", "maxProperties"], found);
    }
}

/// The schema of a member.
fn member<'s>(map: &'s Map<String, Value>, name: &str) -> &'s Value {
    map.get("properties").and_then(|properties| properties.get(name)).unwrap_or_else(|| other(map))
}

/// The schema of members that are not declared. Which of them a pattern takes is not looked into.
fn other(map: &Map<String, Value>) -> &Value {
    match map.get("additionalProperties") {
        Some(schema) if !map.contains_key("patternProperties") => schema,
        _ => &ANYTHING,
    }
}

fn is_anything(schema: &Value) -> bool {
    *schema == Value::Bool(true) || schema.as_object().is_some_and(Map::is_empty)
}
