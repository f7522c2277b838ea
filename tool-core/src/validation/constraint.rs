//! `range`, `length`, `pattern`, `format` and `example`: keywords put in a parameter's schema, checked against its
//! type when the crate compiles, and against each value by `promise`.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::{Bound, RangeBounds},
};

use serde::Serialize;
use serde_json::Value;

/// The schema keywords that a parameter's attributes add.
#[derive(Debug, Default)]
pub struct Constraints {
    pub(crate) keywords: Vec<(&'static str, Value)>,
    /// Keywords whose value cannot be JSON.
    pub(crate) faults: Vec<String>,
}

impl Constraints {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `range(…)`: bounds of a number.
    #[must_use]
    pub fn range<T: Number>(mut self, range: impl RangeBounds<T::Bound>) -> Self {
        match range.start_bound() {
            Bound::Included(low) => self.push("minimum", low),
            Bound::Excluded(low) => self.push("exclusiveMinimum", low),
            Bound::Unbounded => {}
        }
        match range.end_bound() {
            Bound::Included(high) => self.push("maximum", high),
            Bound::Excluded(high) => self.push("exclusiveMaximum", high),
            Bound::Unbounded => {}
        }
        self
    }

    /// `length(…)`: characters of a string, items of a collection, entries of a map.
    #[must_use]
    pub fn length<T: Measured>(mut self, range: impl RangeBounds<usize>) -> Self {
        let (least, most) = T::KEYWORDS;
        match range.start_bound() {
            Bound::Included(low) => self.push(least, low),
            Bound::Excluded(low) => self.push(least, low + 1),
            Bound::Unbounded => {}
        }
        match range.end_bound() {
            Bound::Included(high) => self.push(most, high),
            Bound::Excluded(high) => self.push(most, high.saturating_sub(1)),
            Bound::Unbounded => {}
        }
        self
    }

    /// `pattern("…")`: a regular expression that matches somewhere in the text.
    #[must_use]
    pub fn pattern<T: Text>(mut self, pattern: &'static str) -> Self {
        self.push("pattern", pattern);
        self
    }

    /// `format = "…"`: one of JSON Schema's formats.
    #[must_use]
    pub fn format<T: Text>(mut self, format: &'static str) -> Self {
        self.push("format", format);
        self
    }

    /// `example = …`: a value the model may take for a pattern.
    #[must_use]
    pub fn example(mut self, example: impl Serialize) -> Self {
        self.push("examples", &[example]);
        self
    }

    fn push(&mut self, keyword: &'static str, value: impl Serialize) {
        match serde_json::to_value(value) {
            Ok(value) => self.keywords.push((keyword, value)),
            Err(error) => self.faults.push(format!("`{keyword}` cannot be written as JSON: {error}")),
        }
    }
}

/// Types that `range(…)` is for.
#[diagnostic::on_unimplemented(
    message = "`range(…)` is for numbers, and `{Self}` is none",
    label = "not a number",
    note = "for the length of a text or a list there is `length(…)`"
)]
pub trait Number {
    /// The type of the two bounds.
    type Bound: Serialize;
}

macro_rules! numbers {
    ($($number:ty)*) => { $( impl Number for $number { type Bound = $number; } )* };
}
numbers! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 }

impl<T: Number> Number for Option<T> {
    type Bound = T::Bound;
}

/// Types that `length(…)` is for.
#[diagnostic::on_unimplemented(
    message = "`length(…)` is for texts and collections, and `{Self}` is neither",
    label = "has no length",
    note = "for the size of a number there is `range(…)`"
)]
pub trait Measured {
    /// The schema keywords for the least and the greatest length.
    const KEYWORDS: (&'static str, &'static str);
}

const CHARACTERS: (&str, &str) = ("minLength", "maxLength");
const ITEMS: (&str, &str) = ("minItems", "maxItems");
const ENTRIES: (&str, &str) = ("minProperties", "maxProperties");

impl Measured for String {
    const KEYWORDS: (&'static str, &'static str) = CHARACTERS;
}
impl Measured for std::path::PathBuf {
    const KEYWORDS: (&'static str, &'static str) = CHARACTERS;
}
impl<T> Measured for Vec<T> {
    const KEYWORDS: (&'static str, &'static str) = ITEMS;
}
impl<T, S> Measured for HashSet<T, S> {
    const KEYWORDS: (&'static str, &'static str) = ITEMS;
}
impl<T> Measured for BTreeSet<T> {
    const KEYWORDS: (&'static str, &'static str) = ITEMS;
}
impl<K, V, S> Measured for HashMap<K, V, S> {
    const KEYWORDS: (&'static str, &'static str) = ENTRIES;
}
impl<K, V> Measured for BTreeMap<K, V> {
    const KEYWORDS: (&'static str, &'static str) = ENTRIES;
}
impl<T: Measured> Measured for Option<T> {
    const KEYWORDS: (&'static str, &'static str) = T::KEYWORDS;
}

/// Types that `pattern(…)` and `format` are for.
#[diagnostic::on_unimplemented(
    message = "`pattern` and `format` are for texts, and `{Self}` is none",
    label = "not a text"
)]
pub trait Text {}

impl Text for String {}
impl Text for std::path::PathBuf {}
impl<T: Text> Text for Option<T> {}
