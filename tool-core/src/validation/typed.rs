//! The arguments of an annotated function: its fields, their schema, and both ways of reading them.

use serde_json::Value;

use super::{
    Validator,
    param::Field,
    promise::Promise,
    report::{InvalidArguments, Mistake},
    source::{Mismatch, Source, Unknown},
};
use crate::{call::parse_arguments, schema, tool::Invocation};

/// Everything that is worked out once for a tool and then used by each of its calls.
pub(crate) struct TypedArguments {
    fields: Vec<Field>,
    promises: Vec<Option<Promise>>,
    unknown: Unknown,
    validator: Validator,
    fault: Option<String>,
}

impl TypedArguments {
    pub(crate) fn new(fields: &[Field], unknown: Unknown) -> Self {
        let raw = schema::of_fields(fields, unknown);
        let mut fault = None;
        let promises = fields
            .iter()
            .map(|field| {
                let property = raw.get("properties").and_then(|properties| properties.get(field.name));
                Promise::of(property.unwrap_or(&Value::Null), raw.get("$defs")).unwrap_or_else(|error| {
                    fault = Some(format!("parameter `{}`: {error}", field.name));
                    None
                })
            })
            .collect();
        Self { fields: fields.to_vec(), promises, unknown, validator: Validator::new(schema::portable(raw)), fault }
    }

    pub(crate) fn schema(&self) -> &Value {
        self.validator.schema()
    }

    pub(crate) fn verify(&self) -> Result<(), String> {
        self.fault.clone().map_or(Ok(()), Err)
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
    fn read_slowly(
        &self,
        text: &str,
        decode: &dyn Fn(&mut Source<'_>) -> Result<Box<dyn Invocation>, Mismatch>,
    ) -> Result<Box<dyn Invocation>, InvalidArguments> {
        let mut value = parse_arguments(text).map_err(|fault| InvalidArguments::malformed(fault, text))?;
        let received = value.clone();
        let mut mistakes = self.settle_names(text, &mut value);
        self.validator.coerce(&mut value);
        mistakes.extend(self.validator.mistakes(&value));
        if !mistakes.is_empty() {
            return Err(InvalidArguments::new(mistakes, &received));
        }
        let converted = value.to_string();
        let mut source = self.source(&converted, true);
        decode(&mut source).map_err(|Mismatch| {
            let errors = source.errors.take().unwrap_or_default();
            let mut mistakes: Vec<Mistake> =
                errors.into_iter().map(|(name, error)| Mistake::new(format!("/{name}"), error)).collect();
            if mistakes.is_empty() {
                mistakes.push(Mistake::new("", "the arguments do not fit the tool's schema"));
            }
            InvalidArguments::new(mistakes, &received)
        })
    }

    /// Puts each argument under its parameter's own name, and reports those that were given twice.
    fn settle_names(&self, text: &str, value: &mut Value) -> Vec<Mistake> {
        let Some(members) = value.as_object_mut() else { return Vec::new() };
        let mut mistakes: Vec<Mistake> = crate::call::repeated_keys(text)
            .into_iter()
            .map(|key| Mistake::new(format!("/{key}"), "given twice; give it once"))
            .collect();
        for field in &self.fields {
            for alias in field.aliases {
                let Some(member) = members.shift_remove(*alias) else { continue };
                if members.insert(field.name.to_owned(), member).is_some() {
                    let message = format!("given as `{alias}` too; give only `{}`", field.name);
                    mistakes.push(Mistake::new(format!("/{}", field.name), message));
                }
            }
        }
        if self.unknown == Unknown::Ignore {
            members.retain(|key, _| self.fields.iter().any(|field| field.name == key));
        }
        mistakes
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
