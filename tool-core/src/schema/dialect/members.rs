//! Objects and arrays: what is in them, and whether they are open.

use serde_json::{Map, Value, json};

use super::{
    change::{Effect, Unfit, UnfitReason},
    rewrite::{At, Keywords, Rewriter, required, types, unfit},
    rules::{Objects, Recursion},
    words,
};

impl Rewriter<'_> {
    pub(super) fn members(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        if let Some(Value::Array(branches)) = keywords.get_mut("anyOf") {
            for (index, branch) in branches.iter_mut().enumerate() {
                self.node(branch, &at.name("anyOf").index(index))?;
            }
        }
        let (is_object, is_array) = (types(keywords).contains(&"object"), types(keywords).contains(&"array"));
        if is_object {
            self.object(keywords, at)?;
        }
        if is_array {
            self.array(keywords, at)?;
        }
        Ok(())
    }

    fn object(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        self.forbidden(keywords, at);
        self.openness(keywords, at)?;
        let needed = required(keywords);
        let mut properties = match keywords.shift_remove("properties") {
            Some(Value::Object(properties)) => properties,
            _ if needed.is_empty() && !self.rules.objects.are_closed() => return Ok(()),
            _ => Map::new(),
        };
        for name in &needed {
            if !properties.contains_key(name) {
                properties.insert(name.clone(), json!({}));
                self.rewritten(at, "required", format!("a property `{name}` of any kind"));
            }
        }
        let complete = self.rules.objects == Objects::ClosedAndComplete;
        for (name, property) in &mut properties {
            let is_optional = !needed.contains(name);
            let place = at.name("properties");
            let place = place.name(name).optional(is_optional);
            let needs_exit = is_optional && self.rules.recursion == Recursion::Nullable && self.is_way_back(property);
            self.node(property, &place)?;
            if complete && is_optional {
                nullable(property);
                self.note_settled(&place, &["required"], Effect::Nullable);
            } else if needs_exit {
                nullable(property);
                self.note_settled(&place, &["type"], Effect::NullExit);
            }
        }
        if complete {
            let all: Vec<Value> = properties.keys().map(|name| name.as_str().into()).collect();
            keywords.insert("required".into(), all.into());
        }
        keywords.insert("properties".into(), properties.into());
        Ok(())
    }

    /// Properties that must not be there are not listed.
    fn forbidden(&mut self, keywords: &mut Keywords, at: &At<'_>) {
        let Some(Value::Object(properties)) = keywords.get_mut("properties") else { return };
        let forbidden: Vec<String> = properties
            .iter()
            .filter(|(_, schema)| **schema == Value::Bool(false))
            .map(|(name, _)| name.clone())
            .collect();
        properties.retain(|_, schema| *schema != Value::Bool(false));
        for name in forbidden {
            self.describe(keywords, at, &["properties"], &format!("Takes no `{name}`."));
        }
    }

    fn openness(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        let closed = self.rules.objects.are_closed();
        if keywords.contains_key("patternProperties") {
            if closed {
                return Err(unfit(at, UnfitReason::Map));
            }
            // Closed as it is, it would refuse what the patterns allow.
            if let Some(rest) = keywords.shift_remove("additionalProperties") {
                self.say_of(keywords, at, "additionalProperties", rest);
            }
        }
        match keywords.get_mut("additionalProperties") {
            Some(Value::Bool(false)) => {}
            Some(_) if closed => return Err(unfit(at, UnfitReason::Map)),
            Some(Value::Bool(true)) => {}
            Some(rest) => {
                self.node(rest, &at.name("additionalProperties").optional(true))?;
                if rest.as_object().is_some_and(Map::is_empty) {
                    *rest = true.into();
                    self.rewritten(at, "additionalProperties", "`true`");
                }
            }
            None if closed => {
                let has_none = keywords.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty);
                if has_none && !at.is_root() {
                    return Err(unfit(at, UnfitReason::AnyValue));
                }
                keywords.insert("additionalProperties".into(), false.into());
                self.note_settled(at, &["additionalProperties"], Effect::Closed);
            }
            None if self.rules.objects == Objects::Open => {
                keywords.insert("additionalProperties".into(), true.into());
                self.note_settled(at, &["additionalProperties"], Effect::Opened);
            }
            None => {}
        }
        Ok(())
    }

    fn array(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        if let Some(Value::Array(tuple)) = keywords.shift_remove("prefixItems") {
            self.tuple(keywords, tuple, at);
        }
        match keywords.get_mut("items") {
            Some(Value::Bool(true)) => {
                keywords.shift_remove("items");
                self.drop_keyword(at, "items", "a list of anything needs no word");
            }
            Some(Value::Bool(false)) => {
                keywords.shift_remove("items");
                self.describe(keywords, at, &["items"], "Takes no items.");
            }
            Some(items) => return self.node(items, &at.name("items").optional(at.is_below_optional)),
            None => {}
        }
        // `[]` of anything is a value of any kind to those who hold no such value.
        if self.rules.is_strict() { Err(unfit(at, UnfitReason::AnyValue)) } else { Ok(()) }
    }

    /// A tuple becomes a list whose items are any of its parts; which comes where is said in words.
    fn tuple(&mut self, keywords: &mut Keywords, tuple: Vec<Value>, at: &At<'_>) {
        let count = tuple.len();
        let rest = keywords.shift_remove("items");
        let most = keywords.get("maxItems").and_then(Value::as_u64);
        let is_closed = rest == Some(Value::Bool(false)) || most.is_some_and(|most| most <= count as u64);
        let mut kinds: Vec<Value> = Vec::new();
        let more = rest.clone().filter(|rest| rest.is_object() && !is_closed);
        for part in tuple.iter().cloned().chain(more) {
            if !kinds.contains(&part) {
                kinds.push(part);
            }
        }
        let is_uniform = kinds.len() == 1;
        if is_closed && most.is_none() {
            keywords.insert("maxItems".into(), count.into());
        }
        let is_listed = is_closed || rest.is_some_and(|rest| rest.is_object());
        if is_listed {
            let items = if is_uniform { kinds.swap_remove(0) } else { json!({ "anyOf": kinds }) };
            keywords.insert("items".into(), items);
            self.rewritten(at, "prefixItems", "`items` of any of the parts");
        }
        if !is_uniform || !is_closed {
            let text = words::in_order(&tuple, is_listed);
            self.describe(keywords, at, &["prefixItems"], &text);
        }
    }
}

/// The same schema or null.
fn nullable(property: &mut Value) {
    let Value::Object(keywords) = property else { return };
    let is_null = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "null");
    let has_null = match (keywords.get("anyOf"), keywords.get("enum")) {
        (Some(Value::Array(branches)), _) => branches.iter().any(is_null),
        (_, Some(Value::Array(options))) => options.iter().any(Value::is_null),
        _ => types(keywords).contains(&"null"),
    };
    if has_null {
        return;
    }
    let mut outside = Map::new();
    for annotation in ["title", "description"] {
        if let Some(text) = keywords.shift_remove(annotation) {
            outside.insert(annotation.to_owned(), text);
        }
    }
    let inner = std::mem::take(keywords);
    *keywords = outside;
    let is_leaf = inner.get("type").and_then(Value::as_str).is_some_and(|kind| !matches!(kind, "object" | "array"));
    if inner.len() == 1 && is_leaf {
        keywords.insert("type".into(), json!([inner["type"], "null"]));
    } else if let Some(Value::Array(branches)) = inner.get("anyOf").filter(|_| inner.len() == 1) {
        let mut branches = branches.clone();
        branches.push(json!({ "type": "null" }));
        keywords.insert("anyOf".into(), branches.into());
    } else {
        keywords.insert("anyOf".into(), json!([inner, { "type": "null" }]));
    }
}
