//! The fast path: from JSON text straight into the slots of a tool's parameters, without a value tree between.
//!
//! The members of the object are read here, once for all tools; each value is read by its parameter's own type.

use super::{
    param::{Field, Fill, read},
    promise::Promise,
};
use crate::call::skip;

/// The text did not fit. What exactly was wrong is found out by the slow path, which looks at everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mismatch;

/// JSON text being read into slots.
pub struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) fields: &'a [Field],
    /// One a field: what its schema promises that its type does not enforce.
    pub(super) promises: &'a [Option<Promise>],
    pub(super) unknown: Unknown,
    /// On the second reading every field's error is kept, instead of stopping at the first.
    pub(super) errors: Option<Vec<(&'static str, String)>>,
}

/// What becomes of arguments that no parameter answers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// The call is refused, with a suggestion.
    Reject,
    /// They are dropped (opencode does this for all tools).
    Ignore,
}

impl Source<'_> {
    /// Reads the whole text into the slots, which stand in the order of the tool's fields.
    ///
    /// # Errors
    /// When the text is no object, a value does not fit its slot, breaks a promise of the schema, is given twice, or
    /// answers to no field.
    pub fn fill(&mut self, slots: &mut [&mut dyn Fill]) -> Result<(), Mismatch> {
        let mut cursor = Cursor { rest: self.text };
        cursor.expect(b'{')?;
        let mut next = 0;
        if !cursor.eat(b'}') {
            loop {
                let key = cursor.key()?;
                cursor.expect(b':')?;
                cursor.skip_space();
                let length = match self.position(&key, next) {
                    Some(index) => {
                        next = index + 1;
                        self.value(index, &mut *slots[index], cursor.rest)?
                    }
                    None if self.unknown == Unknown::Ignore => skip(cursor.rest).map_err(|_| Mismatch)?,
                    None => return Err(Mismatch),
                };
                cursor.pass(length);
                if cursor.eat(b',') {
                    continue;
                }
                cursor.expect(b'}')?;
                break;
            }
        }
        cursor.skip_space();
        let failed = self.errors.as_ref().is_some_and(|errors| !errors.is_empty());
        if cursor.rest.is_empty() && !failed { Ok(()) } else { Err(Mismatch) }
    }

    fn value(&mut self, index: usize, slot: &mut dyn Fill, json: &str) -> Result<usize, Mismatch> {
        if slot.is_filled() {
            return Err(Mismatch);
        }
        let promise = self.promises.get(index).and_then(Option::as_ref);
        if let Some(fault) = promise.and_then(|promise| promise.depth_fault(json)) {
            return self.refuse(index, json, || fault);
        }
        match slot.fill(json) {
            Ok(length) => match promise {
                // On the second reading looked at like what its type refused: conversion may help it, a `null` for one.
                Some(promise) if !promise.is_kept(&json[..length]) => {
                    self.refuse(index, json, || "does not keep to the schema".to_owned())
                }
                _ => Ok(length),
            },
            Err(error) => self.refuse(index, json, || plain(&error)),
        }
    }

    /// Keeps what is wrong with a value and goes on behind it, on the second reading.
    fn refuse(&mut self, index: usize, json: &str, fault: impl FnOnce() -> String) -> Result<usize, Mismatch> {
        let Some(errors) = &mut self.errors else { return Err(Mismatch) };
        errors.push((self.fields[index].name, fault()));
        skip(json).map_err(|_| Mismatch)
    }

    /// Models mostly give arguments in the schema's order, so the field after the last one is tried first.
    fn position(&self, key: &str, next: usize) -> Option<usize> {
        if self.fields.get(next).is_some_and(|field| field.name == key) {
            return Some(next);
        }
        self.fields.iter().position(|field| field.answers_to(key))
    }
}

/// serde's words without the line and column, which mean nothing inside one value.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).map_or(text.clone(), str::to_owned)
}

/// What is left of the text.
struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn pass(&mut self, length: usize) {
        self.rest = &self.rest[length..];
    }

    fn skip_space(&mut self) {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        // Mostly there is none, or one.
        while self.rest.as_bytes().first().is_some_and(is_space) {
            self.pass(1);
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.rest.as_bytes().first() == Some(&byte);
        if found {
            self.pass(1);
        }
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), Mismatch> {
        if self.eat(byte) { Ok(()) } else { Err(Mismatch) }
    }

    fn key(&mut self) -> Result<std::borrow::Cow<'a, str>, Mismatch> {
        self.skip_space();
        let inner = self.rest.strip_prefix('"').ok_or(Mismatch)?;
        let end = inner.bytes().position(|b| b == b'"' || b == b'\\' || b < 0x20).ok_or(Mismatch)?;
        if inner.as_bytes()[end] == b'"' {
            let key = &inner[..end];
            self.rest = &inner[end + 1..];
            return Ok(key.into());
        }
        let (key, length) = read::<String>(self.rest).map_err(|_| Mismatch)?;
        self.pass(length);
        Ok(key.into())
    }
}
