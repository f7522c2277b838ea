//! What a dialect has no keyword for, in a model's words.

use serde_json::{Map, Value};

use super::{
    change::Effect,
    rewrite::{ANNOTATIONS, At, Keywords, Rewriter, append, required, types},
    rules::{Objects, Patterns},
};
use crate::suggest::fold;

/// A schema inside a sentence is no longer than this.
const LONGEST_SCHEMA: usize = 1000;

/// Bounds that are said together.
const PAIRS: [(&str, &str); 4] =
    [("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties")];

impl Rewriter<'_> {
    /// Takes the keywords out that the dialect does not know, and puts them into the description.
    pub(super) fn put_into_words(&mut self, keywords: &mut Keywords, at: &At<'_>) {
        let mut unknown = Map::new();
        let names: Vec<String> = keywords.keys().cloned().collect();
        for name in names {
            if !self.takes(&name, keywords)
                && let Some(value) = keywords.shift_remove(&name)
            {
                unknown.insert(name, value);
            }
        }
        if unknown.is_empty() {
            return;
        }
        let nullable = self.rules.objects == Objects::ClosedAndComplete && at.is_optional;
        let mut said = Vec::new();
        while let Some((keyword, value)) = unknown.iter().next().map(|(k, v)| (k.clone(), v.clone())) {
            unknown.shift_remove(&keyword);
            let pair = PAIRS.iter().find(|(low, high)| keyword == *low || keyword == *high);
            let other = pair.and_then(|(low, high)| unknown.shift_remove(if keyword == *low { *high } else { *low }));
            if let (Some((low, high)), Some(other)) = (pair, other) {
                let (least, most) = if keyword == *low { (value, other) } else { (other, value) };
                let text = range(low, &least, &most);
                self.note_settled(at, &[low, high], Effect::Described { text: text.clone() });
                said.push(text);
                continue;
            }
            let text = if keyword == "title" && fold(value.as_str().unwrap_or_default()) == fold(at.last()) {
                Err("the name says it")
            } else if keyword == "default" && nullable && !value.is_null() {
                Ok(format!("Defaults to {} if null.", code(&value)))
            } else {
                sentence(&keyword, &value, &mut unknown)
            };
            match text {
                Ok(text) => {
                    self.note_settled(at, &[&keyword], Effect::Described { text: text.clone() });
                    said.push(text);
                }
                Err(why) => self.note_settled(at, &[&keyword], Effect::Dropped { why: why.to_owned() }),
            }
        }
        if !said.is_empty() {
            append(keywords, &said.join(" "));
        }
    }

    /// One keyword that cannot stay, in words.
    pub(super) fn say_of(&mut self, keywords: &mut Keywords, at: &At<'_>, keyword: &str, value: Value) {
        for (keyword, said) in each_said(Map::from_iter([(keyword.to_owned(), value)])) {
            match said {
                Ok(text) => self.describe(keywords, at, &[&keyword], &text),
                Err(why) => self.drop_keyword(at, &keyword, why),
            }
        }
    }

    fn takes(&self, keyword: &str, keywords: &Keywords) -> bool {
        if !self.rules.takes(keyword) {
            return false;
        }
        let Some(value) = keywords.get(keyword) else { return true };
        match keyword {
            "format" => {
                let is_known = |known: &[&str]| value.as_str().is_some_and(|format| known.contains(&format));
                self.rules.formats.is_none_or(is_known) && types(keywords) == ["string"]
            }
            "pattern" => value.as_str().is_some_and(|pattern| is_taken(pattern, self.rules.patterns)),
            "minItems" => value.as_u64().is_some_and(|least| least <= self.rules.min_items),
            _ => true,
        }
    }
}

fn is_taken(pattern: &str, patterns: Patterns) -> bool {
    // After an odd number of backslashes a character is an escape.
    let mut escaped = false;
    let mut rest = pattern;
    let mut is_regular = true;
    let mut has_boundary = false;
    while let Some(c) = rest.chars().next() {
        if escaped {
            is_regular &= !matches!(c, '1'..='9' | 'k');
            has_boundary |= matches!(c, 'b' | 'B');
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else {
            is_regular &= !["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| rest.starts_with(look));
        }
        rest = &rest[c.len_utf8()..];
    }
    match patterns {
        Patterns::Any => true,
        Patterns::Regular => is_regular,
        // `^a|b$` begins and ends so and is not one anchored whole.
        Patterns::Anchored => {
            is_regular && !has_boundary && pattern.starts_with('^') && pattern.ends_with('$') && !pattern.contains('|')
        }
    }
}

fn range(low: &str, least: &Value, most: &Value) -> String {
    let unit = match low {
        "minLength" => "characters",
        "minItems" => "items",
        "minProperties" => "fields",
        _ => return format!("Between {least} and {most}."),
    };
    match (least == most, least.as_u64()) {
        (true, Some(1)) => format!("Exactly 1 {}.", unit.trim_end_matches('s')),
        (true, _) => format!("Exactly {least} {unit}."),
        (false, _) => format!("{least} to {most} {unit}."),
    }
}

/// Whether a keyword can be said in a sentence that a model reads as easily as the keyword.
pub(super) fn is_simple(keyword: &str) -> bool {
    matches!(keyword, "pattern" | "format" | "multipleOf" | "contentEncoding" | "contentMediaType" | "propertyNames")
}

/// A keyword that holds beside others of its kind.
pub(super) fn also(keyword: &str, value: &Value) -> String {
    sentence(keyword, value, &mut Map::new()).unwrap_or_else(|_| format!("Also: {keyword} {}.", code(value)))
}

/// What is said of each of some keywords that stand beside each other, or why there is nothing to say.
pub(super) fn each_said(mut keywords: Keywords) -> Vec<(String, Result<String, &'static str>)> {
    let mut all = Vec::new();
    while let Some(keyword) = keywords.keys().next().cloned() {
        let Some(value) = keywords.shift_remove(&keyword) else { break };
        let said = match (keyword.as_str(), &value) {
            ("additionalProperties", Value::Bool(false)) => Ok("Takes no other fields.".to_owned()),
            ("additionalProperties", Value::Bool(true)) => Err("an object is open without it"),
            ("additionalProperties", rest) => {
                schema(rest).map(|text| format!("Other fields must match the schema {text}."))
            }
            (keyword, value) => sentence(keyword, value, &mut keywords),
        };
        all.push((keyword, said));
    }
    all
}

/// One keyword; others that it makes one sentence with are taken from `more`. Or why there is nothing to say.
fn sentence(keyword: &str, value: &Value, more: &mut Map<String, Value>) -> Result<String, &'static str> {
    const NOTHING: &str = "it says nothing";
    let nothing_if = |is_nothing: bool, text: String| if is_nothing { Err(NOTHING) } else { Ok(text) };
    let is_zero = value.as_f64() == Some(0.0);
    match keyword {
        "minimum" => Ok(format!("At least {value}.")),
        "maximum" => Ok(format!("At most {value}.")),
        "exclusiveMinimum" => Ok(format!("More than {value}.")),
        "exclusiveMaximum" => Ok(format!("Less than {value}.")),
        "multipleOf" => Ok(format!("A multiple of {value}.")),
        "minLength" => nothing_if(is_zero, format!("At least {}.", count(value, "character"))),
        "maxLength" => Ok(format!("At most {}.", count(value, "character"))),
        "minItems" => nothing_if(is_zero, format!("At least {}.", count(value, "item"))),
        "maxItems" => Ok(format!("At most {}.", count(value, "item"))),
        "minProperties" => nothing_if(is_zero, format!("At least {}.", count(value, "field"))),
        "maxProperties" => Ok(format!("At most {}.", count(value, "field"))),
        "uniqueItems" => nothing_if(*value == Value::Bool(false), "No item twice.".to_owned()),
        "pattern" => Ok(format!("Must match the regular expression {}.", bare(value))),
        "format" => match value.as_str().and_then(crate::validation::type_bounds) {
            Some(_) => Err("it names a type of a programming language"),
            None => Ok(format!("In the format {}.", bare(value))),
        },
        "contentEncoding" => Ok(format!("Encoded as {}.", bare(value))),
        "contentMediaType" => Ok(format!("Holds {}.", bare(value))),
        "title" => nothing_if(value.as_str().is_none_or(str::is_empty), format!("{}.", text(value))),
        "default" => nothing_if(value.is_null(), format!("Defaults to {}.", code(value))),
        "examples" => {
            let examples: Vec<String> = value.as_array().into_iter().flatten().take(8).map(code).collect();
            nothing_if(examples.is_empty(), format!("For example {}.", examples.join(" or ")))
        }
        "example" => Ok(format!("For example {}.", code(value))),
        "deprecated" => nothing_if(*value != Value::Bool(true), "Deprecated.".to_owned()),
        "enum" => Ok(one_of(value.as_array().map_or(&[], Vec::as_slice))),
        "const" => Ok(format!("Always {}.", code(value))),
        "$ref" => Ok(format!("As defined by {}.", text(value))),
        "not" => Ok(format!("Must not match the schema {}.", schema(value)?)),
        "anyOf" | "oneOf" => Ok(format!("Must match one of the schemas {}.", schema(value)?)),
        "allOf" => Ok(format!("Must match all of the schemas {}.", schema(value)?)),
        "if" => {
            let mut part = |keyword: &str, word: &str| match more.shift_remove(keyword) {
                Some(value) => schema(&value).map(|text| format!(", {word} it must match {text}")),
                None => Ok(String::new()),
            };
            let (then, otherwise) = (part("then", "then")?, part("else", "else")?);
            let is_empty = then.is_empty() && otherwise.is_empty();
            nothing_if(is_empty, format!("If it matches the schema {}{then}{otherwise}.", schema(value)?))
        }
        "then" | "else" => match more.shift_remove("if") {
            Some(condition) => {
                more.insert(keyword.to_owned(), value.clone());
                sentence("if", &condition, more)
            }
            None => Err("there is no `if` to it"),
        },
        "contains" => Ok(format!("At least one item must match the schema {}.", schema(value)?)),
        "minContains" => Ok(format!("At least {value} such items.")),
        "maxContains" => Ok(format!("At most {value} such items.")),
        "propertyNames" => Ok(format!("The name of every field must match the schema {}.", schema(value)?)),
        "patternProperties" => each(value, |pattern, part| {
            Ok(format!("Fields whose name matches `{pattern}` must match the schema {}.", schema(part)?))
        }),
        "dependentRequired" => each(value, |name, needs| {
            let needs: Vec<String> = needs.as_array().into_iter().flatten().map(bare).collect();
            Ok(format!("With `{name}`, also give {}.", needs.join(", ")))
        }),
        "dependentSchemas" => {
            each(value, |name, part| Ok(format!("With `{name}`, it must match the schema {}.", schema(part)?)))
        }
        "unevaluatedProperties" | "unevaluatedItems" | "additionalItems" if !value.is_boolean() => {
            Ok(format!("Anything else in it must match the schema {}.", schema(value)?))
        }
        // They say what they say without them.
        "unevaluatedProperties" | "unevaluatedItems" | "additionalItems" => Err(NOTHING),
        "required" => {
            let names: Vec<String> = value.as_array().into_iter().flatten().map(bare).collect();
            nothing_if(names.is_empty(), format!("Needs {}.", names.join(", ")))
        }
        "items" | "properties" | "additionalProperties" | "prefixItems" => Err("it is about another type"),
        _ => Err("it is no keyword of JSON Schema"),
    }
}

fn each(value: &Value, say: impl Fn(&str, &Value) -> Result<String, &'static str>) -> Result<String, &'static str> {
    let said: Vec<String> =
        value.as_object().into_iter().flatten().map(|(k, v)| say(k, v)).collect::<Result<_, _>>()?;
    if said.is_empty() { Err("it says nothing") } else { Ok(said.join(" ")) }
}

fn count(value: &Value, unit: &str) -> String {
    if value.as_u64() == Some(1) { format!("1 {unit}") } else { format!("{value} {unit}s") }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.trim_end_matches('.').to_owned())
}

/// A value as JSON.
fn code(value: &Value) -> String {
    format!("`{value}`")
}

/// A text without its quotes.
fn bare(value: &Value) -> String {
    format!("`{}`", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

fn schema(value: &Value) -> Result<String, &'static str> {
    let text = value.to_string();
    if text.len() > LONGEST_SCHEMA { Err("it is too long to be said in words") } else { Ok(format!("`{text}`")) }
}

/// A choice of values.
pub(super) fn one_of(options: &[Value]) -> String {
    match options {
        [only] => format!("Always {}.", code(only)),
        _ => format!("One of {}.", options.iter().map(code).collect::<Vec<_>>().join(", ")),
    }
}

/// The parts of a tuple: their types, where the rest of them is said elsewhere; else all of them.
pub(super) fn in_order(parts: &[Value], is_said_elsewhere: bool) -> String {
    let each = parts.iter().enumerate().map(|(index, part)| {
        if !is_said_elsewhere && has_more_than_its_kind(part) {
            return format!("{}. {}", index + 1, schema_or_anything(part));
        }
        let kind = kind(part);
        match part.get("description").and_then(Value::as_str) {
            Some(text) => format!("{}. {kind}: {text}", index + 1),
            None => format!("{}. {kind}", index + 1),
        }
    });
    format!("In this order: {}.", each.collect::<Vec<_>>().join("; ").trim_end_matches('.'))
}

fn has_more_than_its_kind(part: &Value) -> bool {
    let own = |keyword: &String| !matches!(keyword.as_str(), "type" | "enum" | "description" | "$ref");
    part.as_object().is_some_and(|keywords| keywords.keys().any(own))
}

fn kind(schema: &Value) -> String {
    let Some(keywords) = schema.as_object() else { return "anything".to_owned() };
    if let Some(options) = keywords.get("enum").and_then(Value::as_array) {
        return options.iter().map(code).collect::<Vec<_>>().join(" or ");
    }
    match types(keywords).as_slice() {
        [] if keywords.keys().all(|keyword| ANNOTATIONS.contains(&keyword.as_str())) => "anything".to_owned(),
        [] => match keywords.get("$ref").and_then(Value::as_str).and_then(|target| target.rsplit('/').next()) {
            Some(name) => format!("`{name}`"),
            None => schema_or_anything(schema),
        },
        kinds => kinds.join(" or "),
    }
}

fn schema_or_anything(value: &Value) -> String {
    schema(value).unwrap_or_else(|_| "one of several kinds".to_owned())
}

/// One form of an object: its fields, those that may be left out with a question mark.
pub(super) fn form(keywords: &Keywords) -> String {
    let needed = required(keywords);
    let properties = keywords.get("properties").and_then(Value::as_object);
    let mut fields: Vec<String> = Vec::new();
    for (name, schema) in properties.into_iter().flatten() {
        let tag = schema.get("const").or_else(|| match schema.get("enum").and_then(Value::as_array) {
            Some(options) if options.len() == 1 => options.first(),
            _ => None,
        });
        let mark = if needed.contains(name) { "" } else { "?" };
        fields.push(match tag {
            Some(tag) => format!("{name}{mark}: {tag}"),
            None => format!("{name}{mark}"),
        });
    }
    let undeclared = needed.into_iter().filter(|name| properties.is_none_or(|all| !all.contains_key(name)));
    fields.extend(undeclared);
    let form = format!("`{{{}}}`", fields.join(", "));
    match keywords.get("description").and_then(Value::as_str) {
        Some(text) => format!("{form}: {text}"),
        None => form,
    }
}
