//! The arguments of an annotated function: its fields, their schema, and both ways of reading them.

use serde_json::{Map, Value, value::RawValue};

use super::{
    Validator,
    members::{escape, members, repeated},
    param::Field,
    promise::Promise,
    report::{InvalidArguments, Mistake},
    source::{Mismatch, Source, Unknown},
};
use crate::{call::object_text, schema, tool::Invocation};

/// Reads arguments into whatever will take them.
type Decode<'d> = dyn Fn(&mut Source<'_>) -> Result<Box<dyn Invocation>, Mismatch> + 'd;

/// Everything that is worked out once for a tool and then used by each of its calls.
pub(crate) struct TypedArguments {
    fields: Vec<Field>,
    promises: Vec<Option<Promise>>,
    unknown: Unknown,
    validator: Validator,
    faults: Vec<String>,
}

impl TypedArguments {
    pub(crate) fn new(fields: &[Field], unknown: Unknown) -> Self {
        let mut faults = Vec::new();
        let raw = schema::of_fields(fields, unknown, &mut faults);
        let promise = |field: &Field| {
            let property = raw.get("properties").and_then(|properties| properties.get(field.name));
            Promise::of(property.unwrap_or(&Value::Null), raw.get("$defs"), field.is_overridden)
        };
        let promises = fields.iter().map(promise).collect();
        Self { fields: fields.to_vec(), promises, unknown, validator: Validator::new(schema::portable(raw)), faults }
    }

    pub(crate) fn schema(&self) -> &Value {
        self.validator.schema()
    }

    pub(crate) fn verify(&self) -> Result<(), String> {
        let mut faults = self.faults.clone();
        for (field, promise) in self.fields.iter().zip(&self.promises) {
            let Some(promise) = promise else { continue };
            if let Err(error) = promise.verify() {
                faults.push(format!("parameter `{}`: {error}", field.name));
            } else if let Some(default) = field.default.map(|make| make()).filter(|default| !default.is_null())
                // The author's mistake: found when the author runs it.
                && cfg!(debug_assertions)
                && !promise.is_kept_by(&default)
            {
                faults.push(format!("parameter `{}`: its default {default} breaks its own constraints", field.name));
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
    }

    /// Reads the text with `decode`, and where that fails, finds out everything that is wrong with it.
    ///
    /// `decode` gives what is the same type for all tools, so that this is compiled once and not once a tool.
    pub(crate) fn read(
        &self,
        text: &str,
        decode: impl Fn(&mut Source<'_>) -> Result<Box<dyn Invocation>, Mismatch>,
    ) -> Result<Box<dyn Invocation>, InvalidArguments> {
        decode(&mut self.source(text, false)).or_else(|Mismatch| self.read_slowly(text, &decode))
    }

    #[cold]
    fn read_slowly(&self, text: &str, decode: &Decode<'_>) -> Result<Box<dyn Invocation>, InvalidArguments> {
        let text = object_text(text).map_err(|fault| InvalidArguments::malformed(fault, text))?;
        let mut source = self.source(&text, true);
        if let Ok(read) = decode(&mut source) {
            return Ok(read);
        }
        // What fits is kept to the letter; only what does not is converted.
        let failed: Vec<&str> = source.errors.take().into_iter().flatten().map(|(name, _)| name).collect();
        let (mut received, mut mistakes, mut kept) = (Map::new(), Vec::new(), Map::new());
        let mut texts: Vec<(String, &RawValue)> = Vec::new();
        for (key, raw) in members(&text) {
            let field = self.fields.iter().find(|field| field.answers_to(&key));
            if self.unknown == Unknown::Ignore && field.is_none() {
                continue;
            }
            let name = field.map_or(key.as_str(), |field| field.name);
            if received.insert(key.clone(), value(raw)).is_some() {
                mistakes.push(Mistake::new(format!("/{}", escape(&key)), "given twice; give it once"));
            } else if kept.insert(name.to_owned(), value(raw)).is_some() {
                let message = format!("given as `{key}` too; give only `{name}`");
                mistakes.push(Mistake::new(format!("/{}", escape(name)), message));
            }
            if failed.contains(&name) {
                let twice = repeated(format!("/{}", escape(name)), raw.get());
                mistakes.extend(twice.into_iter().map(|at| Mistake::new(at, "given twice; give it once")));
            }
            texts.push((name.to_owned(), raw));
        }
        let received = Value::Object(received);
        let mut converted = Value::Object(kept);
        self.validator.coerce(&mut converted);
        let mut refused = Vec::new();
        if mistakes.is_empty() {
            let candidate = assemble(&texts, &failed, &converted);
            let mut source = self.source(&candidate, true);
            if let Ok(read) = decode(&mut source) {
                return Ok(read);
            }
            refused = source.errors.take().unwrap_or_default();
        }
        mistakes.extend(self.validator.mistakes(&converted));
        for (name, error) in refused {
            let at = format!("/{}", escape(name));
            let is_below =
                |pointer: &str| pointer.strip_prefix(&at).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            if !mistakes.iter().any(|mistake| is_below(&mistake.pointer)) {
                mistakes.push(Mistake::new(at, error));
            }
        }
        if mistakes.is_empty() {
            mistakes.push(Mistake::new("", "the arguments do not fit the tool's schema"));
        }
        Err(InvalidArguments::new(mistakes, &received))
    }

    fn source<'a>(&'a self, text: &'a str, thorough: bool) -> Source<'a> {
        Source {
            text,
            fields: &self.fields,
            promises: &self.promises,
            unknown: self.unknown,
            errors: thorough.then(Vec::new),
        }
    }
}

fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

/// The object again: members that fit as they came, the others converted, those that conversion left out not at all.
fn assemble(texts: &[(String, &RawValue)], failed: &[&str], converted: &Value) -> String {
    let members = texts.iter().filter_map(|(name, raw)| {
        let text = match (failed.contains(&name.as_str()), converted.get(name)) {
            (false, _) => raw.get().to_owned(),
            (true, Some(value)) => value.to_string(),
            (true, None) => return None,
        };
        Some(format!("{}:{text}", Value::from(name.as_str())))
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}
