//! Whether a text is JSON, without making anything of it, and what is wrong where it is not.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// How deep an argument's value may be nested: what the reader's guard against running out of stack lets pass.
const DEPTH: usize = 127;
/// How much of the text before a fault is shown, in bytes.
const NEAR: usize = 40;

/// Where a text stops being JSON.
#[derive(Debug)]
pub(super) struct Fault {
    /// Bytes before it.
    at: usize,
    /// Where the argument begins that it is in.
    from: usize,
    error: serde_json::Error,
}

/// Reads the whole text. Each member of an object is read by itself, as the fast path does, so that both allow the same
/// depth.
pub(super) fn check(text: &str) -> Result<(), Fault> {
    if !text.starts_with('{') {
        return serde_json::from_str::<Anything>(text).map(drop).map_err(|error| Fault::new(text, 0, error));
    }
    let mut fault = None;
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = reader.deserialize_map(Members { text, fault: &mut fault }).and_then(|()| reader.end());
    match (fault, read) {
        (Some(fault), _) => Err(fault),
        (None, Err(error)) => Err(Fault::new(text, 0, error)),
        (None, Ok(())) => Ok(()),
    }
}

/// Reads one value at the start of `json` as strictly as if it were wanted; gives the number of bytes read.
pub(crate) fn skip(json: &str) -> Result<usize, serde_json::Error> {
    let mut stream = serde_json::Deserializer::from_str(json).into_iter::<Anything>();
    match stream.next() {
        Some(value) => value.map(|_| stream.byte_offset()),
        None => Err(serde_json::Error::custom("a value is missing")),
    }
}

impl Fault {
    fn new(text: &str, from: usize, error: serde_json::Error) -> Self {
        let lines = text[from..].split_inclusive('\n').take(error.line().saturating_sub(1));
        let at = from + lines.map(str::len).sum::<usize>() + error.column();
        Self { at: text.floor_char_boundary(at), from, error }
    }

    /// In words, for the model.
    pub(super) fn explain(&self, text: &str) -> String {
        let before = &text[..self.at];
        let near = &before[before.ceil_char_boundary(before.len().saturating_sub(NEAR))..];
        if depth(&text[self.from..self.at]) >= DEPTH && !self.error.is_eof() {
            return format!("nested more than {DEPTH} levels deep, after `{near}`; send a flatter value");
        }
        let place = format!(" at line {} column {}", self.error.line(), self.error.column());
        let said = self.error.to_string();
        let said = said.strip_suffix(&place).unwrap_or(&said);
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let hint = if self.error.is_eof() {
            "; the text ends too early, perhaps it was cut off"
        } else {
            remedy(text, self.at).unwrap_or_default()
        };
        format!("not valid JSON: {said} at line {line} column {column}, after `{near}`{hint}")
    }
}

/// What to do about what models write most where JSON has nothing of the kind.
fn remedy(text: &str, at: usize) -> Option<&'static str> {
    let is_word = |c: char| c.is_ascii_alphabetic() || c == '-';
    // The reader stops at a word's first character or inside the word.
    let start = text[..at].char_indices().rev().take_while(|(_, c)| is_word(*c)).last().map_or(at, |(start, _)| start);
    let end = text[start..].find(|c| !is_word(c)).map_or(text.len(), |length| start + length);
    match &text[start..end] {
        "NaN" | "-NaN" | "Infinity" | "-Infinity" | "inf" | "nan" => {
            return Some("; JSON has no such number: give a finite one, or leave the argument out");
        }
        "None" | "undefined" | "nil" => return Some("; write null, or leave the argument out"),
        "True" | "False" => return Some("; write true or false"),
        _ => {}
    }
    match text[..at].chars().next_back() {
        Some('\'') => Some("; texts and names stand in double quotes"),
        Some('/') => Some("; JSON has no comments"),
        _ => None,
    }
}

/// How many brackets are open at once at most.
pub(crate) fn depth(text: &str) -> usize {
    let (mut depth, mut most, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                most = most.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// The members of the root object, each read by itself.
struct Members<'t, 'f> {
    text: &'t str,
    fault: &'f mut Option<Fault>,
}

impl<'de> Visitor<'de> for Members<'de, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((Anything, raw)) = map.next_entry::<Anything, &'de RawValue>()? {
            if let Err(error) = serde_json::from_str::<Anything>(raw.get()) {
                let from = raw.get().as_ptr() as usize - self.text.as_ptr() as usize;
                *self.fault = Some(Fault::new(self.text, from, error));
                return Err(A::Error::custom("an argument is no JSON"));
            }
        }
        Ok(())
    }
}

/// Any JSON value, read whole and dropped. serde's `IgnoredAny` is skipped, and what is skipped is not checked for half
/// characters, for numbers out of range, and for depth.
struct Anything;

impl<'de> Deserialize<'de> for Anything {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Anything {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
}
