//! The arguments of an annotated function: its fields, their schema, and both ways of reading them.

use std::{borrow::Cow, collections::HashSet};

use serde_json::{Map, Value, value::RawValue};

use super::{
    Mended, Validator,
    members::{escape, members},
    mended::differences,
    param::Field,
    promise::Promise,
    report::{InvalidArguments, Mistakes, is_at_or_below},
    source::{Mismatch, Source, Unknown},
};
use crate::{
    call::{ObjectText, object_text},
    schema,
    tool::Invocation,
};

/// Reads arguments into whatever will take them.
type Decode<'d> = dyn Fn(&mut Source<'_>) -> Result<Box<dyn Invocation>, Mismatch> + 'd;

/// A member of the arguments: its parameter's name and its text.
type Member<'t> = (Cow<'static, str>, &'t RawValue);

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

    /// The arguments as a value, under their parameters' names and with what had to be converted as it was.
    pub(crate) fn normalize(
        &self,
        text: &str,
        decode: impl Fn(&mut Source<'_>) -> Result<Box<dyn Invocation>, Mismatch>,
    ) -> Option<Value> {
        let text = object_text(text).ok()?.text;
        let (_, mut kept) = self.sort(&text, &mut Mistakes::default());
        let mut source = self.source(&text, true);
        if decode(&mut source).is_err() {
            let mut converted = kept.clone();
            self.validator.coerce(&mut converted);
            let kept = kept.as_object_mut()?;
            for (name, _) in source.errors.take().into_iter().flatten() {
                match converted.get_mut(name) {
                    Some(value) => kept.insert(name.to_owned(), value.take()),
                    None => kept.remove(name),
                };
            }
        }
        Some(kept)
    }

    #[cold]
    fn read_slowly(&self, text: &str, decode: &Decode<'_>) -> Result<Box<dyn Invocation>, InvalidArguments> {
        let ObjectText { text, repairs } =
            object_text(text).map_err(|fault| InvalidArguments::malformed(fault, text))?;
        let mut source = self.source(&text, true);
        if let Ok(read) = decode(&mut source) {
            return Ok(Mended { repairs, ..Mended::default() }.noted(read));
        }
        // What fits is kept to the letter; only what does not is converted.
        let failed: Vec<&str> = source.errors.take().into_iter().flatten().map(|(name, _)| name).collect();
        let mut mistakes = Mistakes::default();
        let (texts, kept) = self.sort(&text, &mut mistakes);
        for (name, raw) in texts.iter().filter(|(name, _)| failed.contains(&&**name)) {
            self.validator.note_repeated(format!("/{}", escape(name)), raw.get(), &kept, &mut mistakes);
        }
        let mut converted = kept.clone();
        self.validator.coerce(&mut converted);
        let mut refused = Vec::new();
        if mistakes.is_empty() {
            let candidate = assemble(&texts, &failed, &converted);
            let mut source = self.source(&candidate, true);
            if let Ok(read) = decode(&mut source) {
                let mut coerced = differences(&kept, &converted);
                // The others were taken as they came.
                coerced.retain(|at| failed.iter().any(|name| is_at_or_below(at, &format!("/{}", escape(name)))));
                return Ok(Mended { repairs, coerced }.noted(read));
            }
            refused = source.errors.take().unwrap_or_default();
        }
        self.validator.find_mistakes(&converted, &mut mistakes);
        for (name, error) in refused {
            let at = format!("/{}", escape(name));
            if !mistakes.is_below(&at) {
                mistakes.push(&at, || error);
            }
        }
        if mistakes.is_empty() {
            mistakes.push("", || "the arguments do not fit the tool's schema".to_owned());
        }
        Err(InvalidArguments::in_text(mistakes, &text, repairs))
    }

    /// The members under their parameters' names, as text and as a value. Those that stand twice are mistakes.
    fn sort<'t>(&self, text: &'t str, mistakes: &mut Mistakes) -> (Vec<Member<'t>>, Value) {
        let (mut seen, mut texts, mut kept) = (HashSet::new(), Vec::new(), Map::new());
        for (key, raw) in members(text) {
            let field = self.fields.iter().find(|field| field.answers_to(&key));
            if self.unknown == Unknown::Ignore && field.is_none() {
                continue;
            }
            let name = field.map_or_else(|| Cow::Owned(key.clone()), |field| field.name.into());
            let is_repeated = kept.insert(name.clone().into_owned(), value(raw)).is_some();
            if seen.contains(&key) {
                mistakes.push(&format!("/{}", escape(&key)), || "given twice; give it once".to_owned());
            } else if is_repeated {
                let message = || format!("given as `{key}` too; give only `{name}`");
                mistakes.push(&format!("/{}", escape(&name)), message);
            }
            seen.insert(key);
            texts.push((name, raw));
        }
        (texts, kept.into())
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
fn assemble(texts: &[Member<'_>], failed: &[&str], converted: &Value) -> String {
    let members = texts.iter().filter_map(|(name, raw)| {
        let text = match (failed.contains(&&**name), converted.get(&**name)) {
            (false, _) => raw.get().to_owned(),
            (true, Some(value)) => value.to_string(),
            (true, None) => return None,
        };
        Some(format!("{}:{text}", Value::from(&**name)))
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}
