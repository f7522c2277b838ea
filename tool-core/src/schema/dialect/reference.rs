//! `$ref`: every reference leads to a definition at the root, or is outlined where a dialect takes no recursion.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    rc::Rc,
};

use serde_json::{Value, json};

use super::{
    change::{Unfit, UnfitReason},
    rewrite::{At, Keywords, Rewriter, append, constrains, escape, unfit},
    rules::Recursion,
};
use crate::schema::place::decoded;

/// Which definitions there are, and what refers to what.
pub(super) struct References<'r> {
    root: &'r Value,
    /// Pointers to definitions, and their names in the result.
    names: HashMap<String, String>,
    taken: HashSet<String>,
    waiting: VecDeque<(String, String)>,
    /// The definition that is being written; empty for the root.
    current: String,
    /// Pointers by number, and the numbers of what each refers to.
    numbers: HashMap<String, usize>,
    targets: Vec<(String, Option<Rc<[usize]>>)>,
    /// Whether one leads to another, as far as that was asked.
    leads: HashMap<(usize, usize), bool>,
    anchors: Option<HashMap<String, String>>,
}

impl<'r> References<'r> {
    pub(super) fn new(root: &'r Value) -> Self {
        Self {
            root,
            names: HashMap::new(),
            taken: HashSet::new(),
            waiting: VecDeque::new(),
            current: String::new(),
            numbers: HashMap::new(),
            targets: Vec::new(),
            leads: HashMap::new(),
            anchors: None,
        }
    }

    /// The next definition to be written.
    pub(super) fn enter(&mut self) -> Option<(String, String)> {
        let (name, pointer) = self.waiting.pop_front()?;
        self.current.clone_from(&pointer);
        Some((name, pointer))
    }

    pub(super) fn is_used(&self, pointer: &str) -> bool {
        self.names.contains_key(pointer)
    }

    /// The JSON pointer that a reference leads to, if to anything in this schema.
    fn resolve(&mut self, reference: &str) -> Option<String> {
        let own = self.root.get("$id").and_then(Value::as_str).filter(|id| !id.is_empty());
        let fragment = own.and_then(|id| reference.strip_prefix(id)).unwrap_or(reference).strip_prefix('#')?;
        let pointer = decoded(fragment);
        if !pointer.is_empty() && !pointer.starts_with('/') {
            let root = self.root;
            let anchors = self.anchors.get_or_insert_with(|| {
                let mut found = HashMap::new();
                anchors(root, &mut String::new(), &mut found);
                found
            });
            return anchors.get(&pointer).cloned();
        }
        self.root.pointer(&pointer).map(|_| pointer)
    }

    fn name(&mut self, pointer: &str) -> String {
        if let Some(name) = self.names.get(pointer) {
            return name.clone();
        }
        let last = pointer.rsplit('/').next().unwrap_or_default().replace("~1", "_").replace("~0", "_");
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
        let mut base: String = last.chars().map(plain).take(64).collect();
        if base.is_empty() {
            base = "root".to_owned();
        }
        let numbered = (2..).map(|number| format!("{base}_{number}"));
        let name = std::iter::once(base.clone()).chain(numbered).find(|name| !self.taken.contains(name));
        let name = name.unwrap_or(base);
        self.taken.insert(name.clone());
        self.names.insert(pointer.to_owned(), name.clone());
        self.waiting.push_back((name.clone(), pointer.to_owned()));
        name
    }

    fn number(&mut self, pointer: &str) -> usize {
        if let Some(number) = self.numbers.get(pointer) {
            return *number;
        }
        self.numbers.insert(pointer.to_owned(), self.targets.len());
        self.targets.push((pointer.to_owned(), None));
        self.targets.len() - 1
    }

    /// What the subschema of a number refers to, anywhere inside it.
    fn targets(&mut self, number: usize) -> Rc<[usize]> {
        if let (_, Some(known)) = &self.targets[number] {
            return known.clone();
        }
        let mut references = Vec::new();
        if let Some(schema) = self.root.pointer(&self.targets[number].0) {
            collect(schema, &mut references);
        }
        references.sort_unstable();
        references.dedup();
        let resolved: Vec<String> = references.into_iter().filter_map(|reference| self.resolve(reference)).collect();
        let targets: Rc<[usize]> = resolved.iter().map(|target| self.number(target)).collect();
        self.targets[number].1 = Some(targets.clone());
        targets
    }

    /// Whether following references from one pointer leads to another.
    fn leads(&mut self, from: &str, to: &str) -> bool {
        let (from, to) = (self.number(from), self.number(to));
        if let Some(known) = self.leads.get(&(from, to)) {
            return *known;
        }
        let mut seen = HashSet::new();
        let mut left = vec![from];
        while let Some(number) = left.pop() {
            left.extend(self.targets(number).iter().filter(|target| seen.insert(**target)));
        }
        let leads = seen.contains(&to);
        self.leads.insert((from, to), leads);
        leads
    }
}

fn collect<'v>(schema: &'v Value, references: &mut Vec<&'v str>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        Value::Object(members) => {
            for (keyword, value) in members {
                match (keyword.as_str(), value) {
                    ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => references.push(reference),
                    _ => collect(value, references),
                }
            }
        }
        _ => {}
    }
}

fn anchors(schema: &Value, pointer: &mut String, found: &mut HashMap<String, String>) {
    let length = pointer.len();
    match schema {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointer.push_str(&format!("/{index}"));
                anchors(item, pointer, found);
                pointer.truncate(length);
            }
        }
        Value::Object(members) => {
            for (keyword, value) in members {
                if let ("$anchor" | "$dynamicAnchor", Value::String(name)) = (keyword.as_str(), value) {
                    found.entry(name.clone()).or_insert_with(|| pointer.clone());
                }
                pointer.push('/');
                pointer.push_str(&escape(keyword));
                anchors(value, pointer, found);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}

impl Rewriter<'_> {
    /// A reference alone stays one; with annotations beside it, it becomes the only alternative, since most providers
    /// read nothing beside a reference; with constraints beside it, it is one of the parts that all have to hold.
    pub(super) fn reference(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        let Some(Value::String(reference)) = keywords.get("$ref") else { return Ok(()) };
        let reference = reference.clone();
        if keywords.len() == 1 {
            return self.rename_reference(keywords, at);
        }
        keywords.shift_remove("$ref");
        let part = json!({ "$ref": reference });
        if constrains(keywords) {
            match keywords.get_mut("allOf") {
                Some(Value::Array(parts)) => parts.push(part),
                _ => {
                    keywords.insert("allOf".into(), json!([part]));
                }
            }
        } else {
            keywords.insert("anyOf".into(), json!([part]));
            self.rewritten(at, "$ref", "`anyOf` of that alone, since it has words beside it");
        }
        Ok(())
    }

    /// Lets a reference that stands alone lead to a definition at the root.
    pub(super) fn rename_reference(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        let Some(Value::String(reference)) = keywords.get("$ref") else { return Ok(()) };
        let reference = reference.clone();
        let Some(pointer) = self.resolve(&reference) else {
            if self.rules.keywords.is_none() {
                return Ok(());
            }
            keywords.shift_remove("$ref");
            if self.rules.is_strict() {
                return Err(unfit(at, UnfitReason::Reference(reference)));
            }
            self.describe(keywords, at, &["$ref"], &format!("As defined by {reference}."));
            return Ok(());
        };
        let recursion = self.rules.recursion;
        if recursion == Recursion::Refused && self.is_recursive(&pointer) {
            return Err(unfit(at, UnfitReason::Recursive));
        }
        let may_stay = self.takes_recursion() || recursion == Recursion::BelowOptional && at.is_below_optional;
        if !may_stay && self.leads_back(&pointer) {
            let target = self.root.pointer(&pointer).and_then(Value::as_object);
            keywords.shift_remove("$ref");
            if let Some(kind) = target.and_then(|target| target.get("type")) {
                keywords.insert("type".into(), kind.clone());
            }
            let name = pointer.rsplit('/').next().filter(|name| !name.is_empty());
            let text = match name {
                Some(name) => format!("Of the same form as `{name}`."),
                None => "Of the same form as all the arguments.".to_owned(),
            };
            append(keywords, &text);
            self.note(at, &["$ref"], super::Effect::Described { text });
            return Ok(());
        }
        let renamed = format!("#/$defs/{}", self.references.name(&pointer));
        if renamed != reference {
            self.rewritten(at, "$ref", format!("`{renamed}`"));
            keywords.insert("$ref".into(), renamed.into());
        }
        Ok(())
    }

    pub(super) fn resolve(&mut self, reference: &str) -> Option<String> {
        self.references.resolve(reference)
    }

    /// Whether a type contains itself.
    pub(super) fn is_recursive(&mut self, pointer: &str) -> bool {
        self.references.leads(pointer, pointer)
    }

    /// Whether a type contains the one that is being written.
    pub(super) fn leads_back(&mut self, pointer: &str) -> bool {
        let current = self.references.current.clone();
        pointer == current || self.references.leads(pointer, &current)
    }

    /// Whether a property is nothing but a reference back to the type it is in.
    pub(super) fn is_way_back(&mut self, property: &Value) -> bool {
        let only = match property.get("anyOf").and_then(Value::as_array).map(Vec::as_slice) {
            Some([only]) => only,
            _ => property,
        };
        let reference = only.get("$ref").and_then(Value::as_str).map(str::to_owned);
        reference.and_then(|reference| self.resolve(&reference)).is_some_and(|pointer| self.leads_back(&pointer))
    }
}
