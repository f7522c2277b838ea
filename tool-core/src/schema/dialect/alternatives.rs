//! `anyOf` and `oneOf`: one list of alternatives that stands alone; at the root, one object in their place.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{
    change::{Unfit, UnfitReason},
    conjoin::{Leftover, merge},
    rewrite::{ANNOTATIONS, At, Keywords, Rewriter, required, size, types, unfit},
    words,
};

/// Two lists of alternatives are multiplied out up to this many.
const PRODUCT: usize = 64;

impl Rewriter<'_> {
    pub(super) fn alternatives(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        let Some(mut branches) = self.take_alternatives(keywords, at) else { return Ok(()) };
        // What the dialect does not take is said in words, once; the rest goes into each alternative.
        let shared: Vec<String> = keywords
            .keys()
            .filter(|keyword| !ANNOTATIONS.contains(&keyword.as_str()))
            .filter(|keyword| self.rules.takes(keyword) || *keyword == "prefixItems")
            .cloned()
            .collect();
        if !shared.is_empty() {
            let base: Keywords = shared.iter().filter_map(|keyword| keywords.shift_remove_entry(keyword)).collect();
            let base_size = size(&Value::Object(base.clone()));
            if !self.spend(base_size * branches.len()) {
                if self.rules.is_strict() {
                    return Err(unfit(at, UnfitReason::TooLarge));
                }
                keywords.extend(base);
                self.drop_keyword(at, "anyOf", "the schema is too large to say everything in each alternative");
                return Ok(());
            }
            branches = branches.into_iter().filter_map(|branch| with_base(&base, branch)).collect();
            self.rewritten(at, "anyOf", "alternatives that each say all of it");
        }
        match branches.as_slice() {
            [] => return self.nothing(keywords, at, "anyOf"),
            [Value::Object(only)] if only.len() > 1 || !only.contains_key("$ref") => {
                let only = only.clone();
                let mut leftover = Leftover::new();
                if merge(keywords, only, &mut leftover).is_err() {
                    self.nothing(keywords, at, "anyOf")?;
                }
                self.rewritten(at, "anyOf", "the only alternative");
                self.say(keywords, at, leftover)?;
                self.reference(keywords, at)?;
                self.conjoin(keywords, at)?;
                return self.alternatives(keywords, at);
            }
            _ => {}
        }
        keywords.insert("anyOf".into(), branches.into());
        Ok(())
    }

    /// The alternatives, without those that nothing fits.
    fn take_alternatives(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Option<Vec<Value>> {
        let mut list = |keyword: &str| match keywords.shift_remove(keyword) {
            Some(Value::Array(branches)) => Some(branches),
            _ => None,
        };
        let (any, one) = (list("anyOf"), list("oneOf"));
        let mut branches = match (any, one) {
            (None, None) => return None,
            (Some(any), None) => any,
            (None, Some(one)) => {
                self.rewritten(at, "oneOf", "`anyOf`");
                one
            }
            (Some(any), Some(one))
                if any.len() * one.len() <= PRODUCT
                    && self.spend(sizes(&any) * one.len() + sizes(&one) * any.len()) =>
            {
                self.rewritten(at, "oneOf", "`anyOf` of every pair with the other alternatives");
                any.iter().flat_map(|any| one.iter().map(move |one| json!({ "allOf": [any, one] }))).collect()
            }
            (Some(any), Some(one)) => {
                let text = words::also("oneOf", &one.into());
                self.describe(keywords, at, &["oneOf"], &text);
                any
            }
        };
        branches.retain(|branch| *branch != Value::Bool(false));
        for branch in &mut branches {
            if !branch.is_object() {
                *branch = json!({});
            }
        }
        Some(branches)
    }

    /// The root as one object, for the providers that want it so.
    pub(super) fn root_shape(&mut self, root: &mut Keywords) -> Result<(), Unfit> {
        let at = &At::ROOT;
        if !self.rules.root_alternatives {
            if ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|keyword| root.contains_key(*keyword)) {
                self.moves_definitions = true;
                self.flatten(root, 0)?;
            }
            for keyword in ["not", "enum", "const"].into_iter().filter(|_| self.rules.keywords.is_none()) {
                if let Some(value) = root.shift_remove(keyword) {
                    let text = words::also(keyword, &value);
                    self.describe(root, at, &[keyword], &text);
                }
            }
        }
        match types(root).as_slice() {
            ["object"] if root["type"].is_string() => Ok(()),
            [] | ["object"] => {
                root.insert("type".into(), "object".into());
                self.rewritten(at, "type", "`object`, which arguments are");
                Ok(())
            }
            several if several.contains(&"object") => {
                root.insert("type".into(), "object".into());
                self.rewritten(at, "type", "`object`, which arguments are");
                Ok(())
            }
            _ => Err(unfit(at, UnfitReason::RootNotObject)),
        }
    }

    /// References, parts and alternatives of the root become one object: it has the fields of all alternatives, and
    /// requires what all require; which go together is said in words.
    fn flatten(&mut self, whole: &mut Keywords, depth: usize) -> Result<(), Unfit> {
        let at = &At::ROOT;
        let mut seen = HashSet::new();
        loop {
            if let Some(Value::String(reference)) = whole.shift_remove("$ref") {
                let Some(pointer) = self.resolve(&reference) else {
                    return Err(unfit(at, UnfitReason::Reference(reference)));
                };
                if !seen.insert(pointer.clone()) {
                    return Err(unfit(at, UnfitReason::Recursive));
                }
                self.rewritten(at, "$ref", "what it refers to");
                let copy = self.copy(&pointer).ok_or_else(|| unfit(at, UnfitReason::TooLarge))?;
                let Value::Object(mut target) = copy else { continue };
                target.shift_remove("$defs");
                target.shift_remove("definitions");
                merge(whole, target, &mut Leftover::new()).map_err(|_| unfit(at, UnfitReason::Nothing))?;
            } else if whole.contains_key("allOf") {
                self.conjoin(whole, at)?;
            } else if whole.contains_key("anyOf") || whole.contains_key("oneOf") {
                self.one_object(whole, depth)?;
            } else {
                return Ok(());
            }
        }
    }

    fn one_object(&mut self, whole: &mut Keywords, depth: usize) -> Result<(), Unfit> {
        let at = &At::ROOT;
        let keyword = if whole.contains_key("anyOf") { "anyOf" } else { "oneOf" };
        let mut forms = Vec::new();
        for branch in self.take_alternatives(whole, at).unwrap_or_default() {
            let Value::Object(mut form) = branch else { continue };
            if depth < 16 {
                self.flatten(&mut form, depth + 1)?;
            }
            if matches!(types(&form).as_slice(), [] | ["object"]) || types(&form).contains(&"object") {
                forms.push(form);
            }
        }
        if forms.is_empty() {
            return Err(unfit(at, UnfitReason::RootNotObject));
        }
        if forms.len() > 1 {
            let text = forms.iter().map(|form| format!("\n- {}", words::form(form))).collect::<String>();
            self.describe(whole, at, &[keyword], &format!("Takes one of these forms:{text}"));
        }
        self.rewritten(at, keyword, "one object with the fields of every alternative");
        let mut properties = Map::new();
        for form in &mut forms {
            if let Some(Value::Object(more)) = form.shift_remove("properties") {
                for (name, schema) in more {
                    either(&mut properties, name, schema);
                }
            }
        }
        let needed =
            required(&forms[0]).into_iter().filter(|name| forms[1..].iter().all(|f| required(f).contains(name)));
        let mut part = Map::new();
        let needed: Vec<Value> = needed.map(Value::from).collect();
        if !needed.is_empty() {
            part.insert("required".into(), needed.into());
        }
        part.insert("properties".into(), properties.into());
        if !whole.contains_key("additionalProperties")
            && forms.iter().all(|form| form.get("additionalProperties") == Some(&Value::Bool(false)))
        {
            part.insert("additionalProperties".into(), false.into());
        }
        merge(whole, part, &mut Leftover::new()).map_err(|_| unfit(at, UnfitReason::Nothing))
    }
}

fn with_base(base: &Keywords, branch: Value) -> Option<Value> {
    let Value::Object(branch) = branch else { return None };
    let mut whole = base.clone();
    // Parts of parts are put together when the alternative itself is looked at.
    if ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|keyword| branch.contains_key(*keyword)) {
        whole.insert("allOf".into(), json!([branch]));
        return Some(whole.into());
    }
    let mut leftover = Leftover::new();
    merge(&mut whole, branch, &mut leftover).ok()?;
    if !leftover.is_empty() {
        whole.insert("allOf".into(), leftover.into_iter().map(|(keyword, value)| json!({ keyword: value })).collect());
    }
    Some(whole.into())
}

/// One more schema that a property may have.
fn either(properties: &mut Map<String, Value>, name: String, schema: Value) {
    let Some(known) = properties.get_mut(&name) else {
        properties.insert(name, schema);
        return;
    };
    if *known == schema {
        return;
    }
    if let (Some(mut options), Some(more)) = (tags(known), tags(&schema)) {
        options.extend(more.into_iter().filter(|tag| !options.contains(tag)).collect::<Vec<_>>());
        let mut tag = json!({ "enum": options });
        if let (Some(kind), true) = (known.get("type"), known.get("type") == schema.get("type")) {
            tag["type"] = kind.clone();
        }
        *known = tag;
    } else {
        *known = json!({ "anyOf": [known.take(), schema] });
    }
}

/// The values of a property that can only have certain ones, and of which nothing else is said.
fn tags(schema: &Value) -> Option<Vec<Value>> {
    let keywords = schema.as_object()?;
    if keywords.keys().any(|keyword| !matches!(keyword.as_str(), "type" | "enum" | "const")) {
        return None;
    }
    match (keywords.get("enum"), keywords.get("const")) {
        (Some(Value::Array(options)), None) => Some(options.clone()),
        (None, Some(only)) => Some(vec![only.clone()]),
        _ => None,
    }
}

fn sizes(schemas: &[Value]) -> usize {
    schemas.iter().map(size).sum()
}
