//! The root: one object, for the providers that want it so.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{
    Effect,
    change::{Unfit, UnfitReason},
    merge::Leftover,
    rewrite::{At, Keywords, Rewriter, required, types, unfit},
    words,
};

/// How deep alternatives of alternatives are looked into.
const DEPTH: usize = 16;

impl Rewriter<'_> {
    /// The root as one object.
    pub(super) fn root_shape(&mut self, root: &mut Keywords) -> Result<(), Unfit> {
        let at = &At::ROOT;
        if !self.rules.root_alternatives {
            if ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|keyword| root.contains_key(*keyword)) {
                self.moves_definitions = true;
                for definitions in ["$defs", "definitions"] {
                    root.shift_remove(definitions);
                }
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
    /// requires what all require; which go together, and what else each says, is said in words.
    fn flatten(&mut self, whole: &mut Keywords, depth: usize) -> Result<(), Unfit> {
        let at = &At::ROOT;
        let mut seen = HashSet::new();
        loop {
            self.modernise(whole, at);
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
                for definitions in ["$defs", "definitions"] {
                    target.shift_remove(definitions);
                }
                self.add(whole, target)?;
            } else if whole.contains_key("allOf") {
                self.conjoin(whole, at)?;
            } else if whole.contains_key("anyOf") || whole.contains_key("oneOf") {
                self.one_object(whole, depth)?;
            } else {
                self.evaluated(whole, at);
                return Ok(());
            }
        }
    }

    /// Adds a part to the root; what does not go into one keyword is said in words.
    fn add(&mut self, whole: &mut Keywords, part: Keywords) -> Result<(), Unfit> {
        let mut leftover = Leftover::new();
        self.merge(&At::ROOT, whole, part, &mut leftover).map_err(|_| unfit(&At::ROOT, UnfitReason::Nothing))?;
        self.say(whole, &At::ROOT, leftover)
    }

    fn one_object(&mut self, whole: &mut Keywords, depth: usize) -> Result<(), Unfit> {
        let at = &At::ROOT;
        let keyword = if whole.contains_key("anyOf") { "anyOf" } else { "oneOf" };
        let mut forms = Vec::new();
        for branch in self.take_alternatives(whole, at).unwrap_or_default() {
            let Value::Object(mut form) = branch else { continue };
            let flat = if depth < DEPTH { self.flatten(&mut form, depth + 1) } else { Ok(()) };
            let takes_objects = types(&form).is_empty() || types(&form).contains(&"object");
            match flat {
                Ok(()) if takes_objects => forms.push(form),
                Ok(()) => self.drop_keyword(at, keyword, "an alternative that is no object"),
                Err(why) if matches!(why.reason, UnfitReason::RootNotObject | UnfitReason::Nothing) => {
                    self.drop_keyword(at, keyword, "an alternative that no object fits");
                }
                Err(why) => return Err(why),
            }
        }
        match forms.len() {
            0 => Err(unfit(at, UnfitReason::RootNotObject)),
            1 => {
                self.rewritten(at, keyword, "the only alternative");
                forms.into_iter().try_for_each(|mut form| {
                    form.shift_remove("type");
                    self.add(whole, form)
                })
            }
            _ => self.forms(whole, keyword, forms),
        }
    }

    /// Several objects as one.
    fn forms(&mut self, whole: &mut Keywords, keyword: &str, mut forms: Vec<Keywords>) -> Result<(), Unfit> {
        let at = &At::ROOT;
        let is_map = |form: &Keywords| {
            form.contains_key("patternProperties")
                || form.get("additionalProperties").is_some_and(|rest| *rest != Value::Bool(false))
        };
        if self.rules.objects.are_closed() && forms.iter().any(is_map) {
            return Err(unfit(at, UnfitReason::Map));
        }
        let mut part = shared(&forms);
        let mut text = "Takes one of these forms:".to_owned();
        let mut changes = Vec::new();
        for form in &forms {
            text.push_str("\n- ");
            text.push_str(&words::form(form));
            let own =
                form.iter().filter(|(keyword, _)| !SHAPE.contains(&keyword.as_str()) && !part.contains_key(*keyword));
            for (keyword, said) in words::each_said(own.map(|(k, v)| (k.clone(), v.clone())).collect()) {
                let effect = match said {
                    Ok(said) => {
                        text.push(' ');
                        text.push_str(&said);
                        Effect::Described { text: said }
                    }
                    Err(why) => Effect::Dropped { why: why.to_owned() },
                };
                changes.push((keyword, effect));
            }
        }
        self.describe(whole, at, &[keyword], &text);
        for (keyword, effect) in changes {
            self.note(at, &[&keyword], effect);
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
        let needed: Vec<Value> = needed.map(Value::from).collect();
        if !needed.is_empty() {
            part.insert("required".into(), needed.into());
        }
        part.insert("properties".into(), properties.into());
        self.add(whole, part)
    }
}

/// What makes the shape of a form; everything else in it is a constraint of its own.
const SHAPE: [&str; 4] = ["type", "properties", "required", "description"];

/// Constraints that all forms have alike. Those that say something only together with others are not among them.
fn shared(forms: &[Keywords]) -> Keywords {
    let Some((first, others)) = forms.split_first() else { return Map::new() };
    let is_alone = |keyword: &str| !matches!(keyword, "if" | "then" | "else") && !SHAPE.contains(&keyword);
    let of_all = |keyword: &str, value: &Value| others.iter().all(|form| form.get(keyword) == Some(value));
    let mut shared: Keywords = first
        .iter()
        .filter(|(keyword, value)| is_alone(keyword) && of_all(keyword, value))
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
        .collect();
    // Closed without the patterns of one form, the object would refuse what that form takes.
    if !shared.contains_key("patternProperties") && forms.iter().any(|form| form.contains_key("patternProperties")) {
        shared.shift_remove("additionalProperties");
    }
    shared
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
