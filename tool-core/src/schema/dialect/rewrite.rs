//! The walk over a schema: every subschema goes through the passes once, parents before their parts.

use serde_json::{Map, Value, json};

use super::{
    Adapted, as_is,
    change::{Change, Effect, Unfit, UnfitReason},
    limits,
    reference::References,
    rules::{Recursion, Rules, is_plain_property},
};
use crate::schema::place::{Holds, holds};

/// How many values are copied for one schema, beside each of its own twice. Parts that refer to each other can multiply
/// without end.
const COPIES: usize = 10_000;

/// How deep a subschema may be: what refers to each other can also nest without end. Values below it, such as
/// defaults, have some levels left before `prune` would cut them the next time.
const LEVELS: usize = 90;

/// What a subschema's keywords are kept in.
pub(super) type Keywords = Map<String, Value>;

/// What says something about a schema and nothing about values.
pub(super) const ANNOTATIONS: [&str; 8] =
    ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"];

/// Whether anything but annotations is said.
pub(super) fn constrains(keywords: &Keywords) -> bool {
    keywords.keys().any(|keyword| !ANNOTATIONS.contains(&keyword.as_str()))
}

/// Where a subschema is. The pointer is written out only where there is something to report.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    parent: Option<&'a At<'a>>,
    part: Part<'a>,
    level: usize,
    /// Whether this is a property that may be left out.
    pub(super) is_optional: bool,
    /// Whether this or something above it, in the same definition, is.
    pub(super) is_below_optional: bool,
}

#[derive(Clone, Copy)]
enum Part<'a> {
    Name(&'a str),
    Index(usize),
}

impl<'a> At<'a> {
    pub(super) const ROOT: At<'static> =
        At { parent: None, part: Part::Name(""), level: 0, is_optional: false, is_below_optional: false };

    fn below(&'a self, part: Part<'a>) -> At<'a> {
        let level = self.level + 1;
        At { parent: Some(self), part, level, is_optional: false, is_below_optional: self.is_below_optional }
    }

    pub(super) fn name(&'a self, name: &'a str) -> At<'a> {
        self.below(Part::Name(name))
    }

    pub(super) fn index(&'a self, index: usize) -> At<'a> {
        self.below(Part::Index(index))
    }

    pub(super) fn optional(self, is_optional: bool) -> Self {
        Self { is_optional, is_below_optional: self.is_below_optional || is_optional, ..self }
    }

    pub(super) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    pub(super) fn last(&self) -> &str {
        match self.part {
            Part::Name(name) => name,
            Part::Index(_) => "",
        }
    }

    pub(super) fn pointer(&self) -> String {
        let Some(parent) = self.parent else { return String::new() };
        match self.part {
            Part::Name(name) => format!("{}/{}", parent.pointer(), escape(name)),
            Part::Index(index) => format!("{}/{index}", parent.pointer()),
        }
    }
}

/// A name as a part of a JSON pointer.
pub(super) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// One schema on its way into one dialect.
pub(super) struct Rewriter<'r> {
    pub(super) rules: &'static Rules,
    pub(super) root: &'r Value,
    pub(super) changes: Vec<Change>,
    pub(super) references: References<'r>,
    /// Whether references are given new names: not where a dialect takes all that draft 2020-12 has.
    pub(super) moves_definitions: bool,
    /// Whether every change so far leaves nothing that a second look would change.
    pub(super) is_settled: bool,
    copies: usize,
}

impl<'r> Rewriter<'r> {
    pub(super) fn new(rules: &'static Rules, root: &'r Value, changes: Vec<Change>) -> Self {
        let moves_definitions = rules.keywords.is_some();
        let copies = COPIES + 2 * size(root);
        let is_settled = changes.is_empty();
        Self { rules, root, changes, references: References::new(root), moves_definitions, is_settled, copies }
    }

    /// The schema, and whether it has to be looked at again.
    pub(super) fn run(mut self) -> Result<(Adapted, bool), Unfit> {
        let Value::Object(mut keywords) = self.root.clone() else {
            return Err(unfit(&At::ROOT, UnfitReason::RootNotObject));
        };
        self.root_shape(&mut keywords)?;
        self.property_names(&keywords)?;
        if self.moves_definitions {
            keywords.shift_remove("$defs");
            keywords.shift_remove("definitions");
        }
        self.keywords(&mut keywords, &At::ROOT)?;
        if self.moves_definitions {
            self.definitions(&mut keywords)?;
        }
        let schema = Value::Object(keywords);
        limits::check(&schema, self.rules)?;
        Ok((Adapted { schema, changes: self.changes }, self.is_settled))
    }

    fn property_names(&self, root: &Keywords) -> Result<(), Unfit> {
        match as_is::property_names(root).find(|name| !is_plain_property(name)) {
            Some(name) if self.rules.plain_properties => {
                Err(unfit(&At::ROOT, UnfitReason::PropertyName(name.to_owned())))
            }
            _ => Ok(()),
        }
    }

    /// Every definition that is referred to, and those that these refer to.
    fn definitions(&mut self, root: &mut Keywords) -> Result<(), Unfit> {
        let mut definitions = Map::new();
        let place = At::ROOT;
        let place = place.name("$defs");
        while let Some((name, pointer)) = self.references.enter() {
            let mut definition = match self.copy(&pointer) {
                Some(definition) => definition,
                None => {
                    let mut nothing = json!({});
                    self.cut(&mut nothing, &place.name(&name), TOO_MUCH)?;
                    nothing
                }
            };
            self.node(&mut definition, &place.name(&name))?;
            definitions.insert(name, definition);
        }
        for keyword in ["$defs", "definitions"] {
            for name in self.root.get(keyword).and_then(Value::as_object).into_iter().flat_map(Map::keys) {
                if !self.references.is_used(&format!("/{keyword}/{}", escape(name))) {
                    let at = At::ROOT;
                    self.drop_keyword(&at.name(keyword), name, "nothing refers to it");
                }
            }
        }
        if !definitions.is_empty() {
            root.insert("$defs".into(), definitions.into());
        }
        Ok(())
    }

    /// One subschema.
    pub(super) fn node(&mut self, schema: &mut Value, at: &At<'_>) -> Result<(), Unfit> {
        if at.level > LEVELS {
            return self.cut(schema, at, TOO_DEEP);
        }
        match schema {
            Value::Object(_) => {}
            Value::Bool(true) => {
                *schema = json!({});
                self.rewritten(at, "true", "`{}`");
            }
            Value::Bool(false) if self.rules.takes("not") => {
                *schema = json!({ "not": {} });
                self.rewritten(at, "false", "`not` of anything");
                return Ok(());
            }
            Value::Bool(false) if self.rules.is_strict() => return Err(unfit(at, UnfitReason::Nothing)),
            Value::Bool(false) => {
                *schema = json!({});
                if let Value::Object(keywords) = schema {
                    self.describe(keywords, at, &["false"], "No value is accepted here.");
                }
            }
            _ => {
                *schema = json!({});
                self.drop_keyword(at, at.last(), "it is no schema");
            }
        }
        match schema {
            Value::Object(keywords) => self.keywords(keywords, at),
            _ => Ok(()),
        }
    }

    fn keywords(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        if self.rules.keywords.is_none() {
            return self.parts_of_any_kind(keywords, at);
        }
        self.modernise(keywords, at);
        self.reference(keywords, at)?;
        self.conjoin(keywords, at)?;
        self.alternatives(keywords, at)?;
        self.evaluated(keywords, at);
        self.kinds(keywords, at)?;
        self.members(keywords, at)?;
        self.put_into_words(keywords, at);
        self.any_value(keywords, at)
    }

    /// In a dialect that takes everything, only the parts need a look.
    fn parts_of_any_kind(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        if self.moves_definitions {
            self.rename_reference(keywords, at)?;
        }
        for (keyword, value) in keywords.iter_mut() {
            let at = at.name(keyword);
            match (holds(keyword, value), value) {
                (Holds::ByName, Value::Object(members)) => {
                    for (name, member) in members {
                        self.node(member, &at.name(name))?;
                    }
                }
                (Holds::List, Value::Array(parts)) => {
                    for (index, part) in parts.iter_mut().enumerate() {
                        self.node(part, &at.index(index))?;
                    }
                }
                (Holds::One, part @ Value::Object(_)) => self.node(part, &at)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Pays for a number of copied values, if there is enough left.
    pub(super) fn spend(&mut self, values: usize) -> bool {
        let left = self.copies.checked_sub(values);
        self.copies = left.unwrap_or(self.copies);
        left.is_some()
    }

    /// A copy of what a pointer leads to in the schema as it was given; none where there were too many already.
    pub(super) fn copy(&mut self, pointer: &str) -> Option<Value> {
        let target = self.root.pointer(pointer)?;
        self.spend(size(target)).then(|| target.clone())
    }

    fn cut(&mut self, schema: &mut Value, at: &At<'_>, why: &str) -> Result<(), Unfit> {
        if self.rules.is_strict() {
            return Err(unfit(at, UnfitReason::TooLarge));
        }
        *schema = json!({});
        self.drop_keyword(at, at.last(), why);
        match schema {
            Value::Object(keywords) => self.any_value(keywords, at),
            _ => Ok(()),
        }
    }

    /// Whether a dialect takes recursive types as they are.
    pub(super) fn takes_recursion(&self) -> bool {
        matches!(self.rules.recursion, Recursion::Taken | Recursion::Nullable)
    }

    pub(super) fn note(&mut self, at: &At<'_>, keywords: &[&str], effect: Effect) {
        self.is_settled = false;
        self.note_settled(at, keywords, effect);
    }

    /// Notes a change behind which nothing else changes.
    pub(super) fn note_settled(&mut self, at: &At<'_>, keywords: &[&str], effect: Effect) {
        let keywords = keywords.iter().map(|keyword| (*keyword).to_owned()).collect();
        self.changes.push(Change { pointer: at.pointer(), keywords, effect });
    }

    pub(super) fn drop_keyword(&mut self, at: &At<'_>, keyword: &str, why: &str) {
        self.note(at, &[keyword], Effect::Dropped { why: why.to_owned() });
    }

    pub(super) fn rewritten(&mut self, at: &At<'_>, keyword: &str, to: impl Into<String>) {
        self.note(at, &[keyword], Effect::Rewritten { to: to.into() });
    }

    /// Adds words to a description.
    pub(super) fn describe(&mut self, keywords: &mut Keywords, at: &At<'_>, about: &[&str], text: &str) {
        append(keywords, text);
        self.note(at, about, Effect::Described { text: text.to_owned() });
    }
}

const TOO_MUCH: &str = "the schema refers to itself too often to be written out";
const TOO_DEEP: &str = "it is deeper than 90 levels";

/// Words at the end of a description.
pub(super) fn append(keywords: &mut Keywords, text: &str) {
    let description = match keywords.get("description").and_then(Value::as_str) {
        Some(known) if !known.is_empty() => format!("{known}\n{text}"),
        _ => text.to_owned(),
    };
    keywords.insert("description".into(), description.into());
}

pub(super) fn unfit(at: &At<'_>, reason: UnfitReason) -> Unfit {
    Unfit { pointer: at.pointer(), reason }
}

/// How many values there are in a value.
pub(super) fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// The types that are named.
pub(super) fn types(keywords: &Keywords) -> Vec<&str> {
    match keywords.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The names in `required`.
pub(super) fn required(keywords: &Keywords) -> Vec<String> {
    let names = keywords.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}
