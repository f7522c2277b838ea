//! What a model is told of its arguments: every mistake, where it is, what was wanted, what came, what to do.
//!
//! A model can act on it without seeing the schema again. pi lists all errors too; opencode and codex-rs stop at the
//! first.

use std::fmt;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    coerce::types,
    excerpt::{cut, excerpt, excerpt_of},
    members::escape,
};
use crate::{call::Repair, suggest::nearest};

/// The longest text of received arguments that a report repeats, in bytes.
const RECEIVED: usize = 2_000;
/// How many mistakes a report lists.
const SHOWN: usize = 50;
/// The longest line of a report, in bytes.
const LINE: usize = 500;
/// How many members of an enum a mistake lists.
const LISTED: usize = 20;

/// One mistake in the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Mistake {
    /// Where: a JSON pointer into the arguments; empty for the arguments as a whole. Cut after 500 bytes.
    pub pointer: String,
    /// What is wrong, and what to do. Cut after 500 bytes.
    pub message: String,
}

impl Mistake {
    /// A mistake at a JSON pointer.
    #[must_use]
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: cut(pointer.into(), LINE), message: cut(message.into(), LINE) }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, "{pointer}: {}", self.message)
    }
}

/// Mistakes as they are found: the first [`SHOWN`], and the number of the others.
#[derive(Debug, Default)]
pub(super) struct Mistakes {
    found: Vec<Mistake>,
    more: usize,
}

impl Mistakes {
    pub(super) fn push(&mut self, pointer: &str, message: impl FnOnce() -> String) {
        if self.found.len() == SHOWN {
            self.more += 1;
            return;
        }
        let mistake = Mistake::new(excerpt_of(pointer, LINE), message());
        // One fault can break several keywords that say it in the same words.
        if !self.found.contains(&mistake) {
            self.found.push(mistake);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether one was found at a place or below it.
    pub(super) fn is_below(&self, at: &str) -> bool {
        self.found.iter().any(|mistake| is_at_or_below(&mistake.pointer, at))
    }

    pub(super) fn into_vec(self) -> Vec<Mistake> {
        self.found
    }
}

/// Whether a JSON pointer leads to a place or below it.
pub(super) fn is_at_or_below(pointer: &str, at: &str) -> bool {
    pointer.strip_prefix(at).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Arguments that do not fit, with every reason.
#[derive(Debug, Clone, PartialEq)]
pub struct InvalidArguments {
    mistakes: Vec<Mistake>,
    more: usize,
    received: String,
    repairs: Vec<Repair>,
    wording: Option<String>,
}

impl InvalidArguments {
    /// A report of these mistakes in what was received.
    #[must_use]
    pub fn new(mistakes: Vec<Mistake>, received: &Value) -> Self {
        Self::of(mistakes, 0, excerpt(received, RECEIVED))
    }

    /// A report of one mistake in the arguments as a whole, which came as this text.
    #[must_use]
    pub fn malformed(fault: impl Into<String>, received: &str) -> Self {
        Self::of(vec![Mistake::new("", fault)], 0, excerpt_of(received, RECEIVED))
    }

    pub(super) fn in_text(mistakes: Mistakes, received: &str, repairs: Vec<Repair>) -> Self {
        Self { repairs, ..Self::of(mistakes.found, mistakes.more, excerpt_of(received, RECEIVED)) }
    }

    fn of(mut mistakes: Vec<Mistake>, more: usize, received: String) -> Self {
        let more = more + mistakes.len().saturating_sub(SHOWN);
        mistakes.truncate(SHOWN);
        Self { mistakes, more, received, repairs: Vec::new(), wording: None }
    }

    /// The mistakes, in the order of the schema's checks: the first fifty.
    #[must_use]
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    /// How many mistakes there are beyond those listed.
    #[must_use]
    pub fn more(&self) -> usize {
        self.more
    }

    /// The arguments as they came, before any conversion. Cut after 2,000 bytes, with `…` at the end.
    #[must_use]
    pub fn received(&self) -> &str {
        &self.received
    }

    /// What had to be mended before the text could be read at all.
    #[must_use]
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// The tool's own words for the model, instead of the report (opencode's `formatValidationError`).
    #[must_use]
    pub fn worded(mut self, wording: String) -> Self {
        self.wording = Some(wording);
        self
    }

    /// The text for the model.
    #[must_use]
    pub fn report(&self, tool: &str) -> String {
        if let Some(wording) = &self.wording {
            return wording.clone();
        }
        let mut text = format!("The {tool} tool was called with invalid arguments:\n");
        for mistake in &self.mistakes {
            text.push_str(&format!("- {}\n", cut(mistake.to_string(), LINE)));
        }
        if self.more > 0 {
            text.push_str(&format!("- and {} more\n", self.more));
        }
        text.push_str(&format!(
            "Received: {}\nCorrect {} and call `{tool}` again.",
            self.received,
            if self.mistakes.len() == 1 { "this" } else { "all of these" },
        ));
        text
    }
}

/// The errors of the validator in words.
pub(super) fn explain<'i>(
    errors: impl Iterator<Item = jsonschema::ValidationError<'i>>,
    schema: &Value,
    mistakes: &mut Mistakes,
) {
    let explainer = Explainer { schema };
    for error in errors {
        explainer.error(&error, mistakes);
    }
}

struct Explainer<'a> {
    schema: &'a Value,
}

impl Explainer<'_> {
    fn error(&self, error: &jsonschema::ValidationError<'_>, mistakes: &mut Mistakes) {
        let at = error.instance_path().as_str();
        // The schema that the failing keyword stands in.
        let node = error.schema_path().as_str().rsplit_once('/').map_or("", |(parent, _)| parent);
        let node = self.schema.pointer(node).unwrap_or(&Value::Null);
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                mistakes.push(&format!("{at}/{}", escape(name)), || missing(node, name));
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let known: Vec<&str> = node
                    .get("properties")
                    .and_then(Value::as_object)
                    .map(|properties| properties.keys().map(String::as_str).collect())
                    .unwrap_or_default();
                for name in unexpected {
                    mistakes.push(&format!("{at}/{}", escape(name)), || unknown(name, &known));
                }
            }
            _ => mistakes.push(at, || Self::wrong(error, node)),
        }
    }

    /// What is wrong with a value that is there.
    fn wrong(error: &jsonschema::ValidationError<'_>, node: &Value) -> String {
        let value = error.instance();
        let got = || describe(value);
        match error.kind() {
            // Alternatives that can be told apart are decided before (`narrow`); these are of the wrong kind all.
            ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
                format!("expected {}, got {}", expectation(node), got())
            }
            ValidationErrorKind::Type { kind } => {
                let wanted = if node.is_object() { expectation(node) } else { kinds(kind) };
                format!("expected {wanted}, got {}", got())
            }
            ValidationErrorKind::Enum { options } => {
                let mut message = format!("expected {}, got {}", one_of(options), got());
                if let (Some(text), Some(options)) = (value.as_str(), options.as_array()) {
                    let options: Vec<&str> = options.iter().filter_map(Value::as_str).collect();
                    if let Some(near) = nearest(text, options.iter().copied()) {
                        message.push_str(&format!("; did you mean \"{near}\"?"));
                    }
                }
                message
            }
            ValidationErrorKind::Constant { expected_value } => format!("expected {expected_value}, got {}", got()),
            ValidationErrorKind::Pattern { pattern } => {
                format!("expected a text that matches the pattern {pattern}, got {}", got())
            }
            ValidationErrorKind::Format { format } => format!("expected a text in the format {format}, got {}", got()),
            ValidationErrorKind::MinLength { .. } | ValidationErrorKind::MaxLength { .. } => {
                let length = value.as_str().map_or(0, |text| text.chars().count());
                format!("expected {}, got {length} characters", expectation(node))
            }
            ValidationErrorKind::MinItems { .. } | ValidationErrorKind::MaxItems { .. } => {
                format!("expected {}, got {} items", expectation(node), value.as_array().map_or(0, Vec::len))
            }
            ValidationErrorKind::Minimum { .. }
            | ValidationErrorKind::Maximum { .. }
            | ValidationErrorKind::ExclusiveMinimum { .. }
            | ValidationErrorKind::ExclusiveMaximum { .. } => format!("expected {}, got {}", expectation(node), got()),
            ValidationErrorKind::MultipleOf { multiple_of } => {
                format!("expected a multiple of {multiple_of}, got {}", got())
            }
            ValidationErrorKind::UniqueItems => "expected items that differ from each other".to_owned(),
            ValidationErrorKind::FalseSchema => "no value is allowed here".to_owned(),
            _ => "does not fit the schema".to_owned(),
        }
    }
}

fn missing(node: &Value, name: &str) -> String {
    let wanted = node.get("properties").and_then(|properties| properties.get(name));
    let mut message = format!("missing; expected {}", wanted.map_or("a value".into(), expectation));
    if let Some(text) = wanted.and_then(|schema| schema.get("description")).and_then(Value::as_str) {
        message.push_str(&format!(" ({})", text.lines().next().unwrap_or_default()));
    }
    message
}

fn unknown(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("unknown argument; did you mean `{near}`?"),
        None if known.is_empty() => "unknown argument; this takes none".to_owned(),
        None => format!("unknown argument; known are {}", known.join(", ")),
    }
}

/// What a schema wants, in a few words.
fn expectation(schema: &Value) -> String {
    let Some(keywords) = schema.as_object() else { return "a value".to_owned() };
    if let Some(options) = keywords.get("enum") {
        return one_of(options);
    }
    if let Some(value) = keywords.get("const") {
        return value.to_string();
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(branches) = keywords.get(keyword).and_then(Value::as_array) {
            let mut wanted: Vec<String> = branches.iter().map(expectation).collect();
            wanted.dedup();
            return wanted.join(" or ");
        }
    }
    let wanted: Vec<String> = types(keywords).into_iter().map(|kind| of_type(kind, keywords)).collect();
    if wanted.is_empty() { "a value".to_owned() } else { wanted.join(" or ") }
}

fn of_type(kind: &str, keywords: &Map<String, Value>) -> String {
    let limits = |least: &str, most: &str, unit: &str| match (keywords.get(least), keywords.get(most)) {
        (Some(least), Some(most)) if least == most => format!(" of {least} {unit}"),
        (Some(least), Some(most)) => format!(" of {least} to {most} {unit}"),
        (Some(least), None) => format!(" of at least {least} {unit}"),
        (None, Some(most)) => format!(" of at most {most} {unit}"),
        (None, None) => String::new(),
    };
    match kind {
        "string" => format!("a string{}", limits("minLength", "maxLength", "characters")),
        "integer" => format!("an integer{}", range(keywords)),
        "number" => format!("a number{}", range(keywords)),
        "boolean" => "true or false".to_owned(),
        "array" => match keywords.get("items") {
            Some(items @ Value::Object(_)) => {
                format!("an array{}, each {}", limits("minItems", "maxItems", "items"), expectation(items))
            }
            _ => format!("an array{}", limits("minItems", "maxItems", "items")),
        },
        "object" => match keywords.get("required").and_then(Value::as_array) {
            Some(required) if !required.is_empty() => {
                let names: Vec<&str> = required.iter().filter_map(Value::as_str).collect();
                format!("an object with {}", names.join(", "))
            }
            _ => "an object".to_owned(),
        },
        other => other.to_owned(),
    }
}

fn range(keywords: &Map<String, Value>) -> String {
    let low = keywords.get("minimum").map(|n| (n, "at least"));
    let low = low.or_else(|| keywords.get("exclusiveMinimum").map(|n| (n, "more than")));
    let high = keywords.get("maximum").map(|n| (n, "at most"));
    let high = high.or_else(|| keywords.get("exclusiveMaximum").map(|n| (n, "less than")));
    match (low, high) {
        (Some((low, "at least")), Some((high, "at most"))) => format!(" from {low} to {high}"),
        (Some((low, above)), Some((high, below))) => format!(" {above} {low} and {below} {high}"),
        (Some((bound, word)), None) | (None, Some((bound, word))) => format!(" of {word} {bound}"),
        (None, None) => String::new(),
    }
}

fn one_of(options: &Value) -> String {
    let Some(options) = options.as_array() else { return "a value".to_owned() };
    let shown: Vec<String> = options.iter().take(LISTED).map(Value::to_string).collect();
    let more = options.len().saturating_sub(LISTED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("one of {}{rest}", shown.join(", "))
}

fn kinds(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => kind.to_string(),
        TypeKind::Multiple(kinds) => kinds.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or "),
    }
}

/// A received value: its kind, and the value itself where it is short.
fn describe(value: &Value) -> String {
    const SHORT: usize = 60;
    let kind = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(_) => "",
        Value::Number(_) => "",
        Value::String(_) => "the string ",
        Value::Array(_) => "the array ",
        Value::Object(_) => "the object ",
    };
    format!("{kind}{}", excerpt(value, SHORT))
}
