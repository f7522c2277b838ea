//! The types of JSON, so cut that none contains another: a number is an integer or a fraction.

use std::fmt;

use serde_json::{Map, Value, json};

/// One type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Atom {
    Null,
    Boolean,
    Object,
    Array,
    String,
    Integer,
    /// A number that is no integer.
    Fraction,
}

pub(super) const ATOMS: [Atom; 7] =
    [Atom::Null, Atom::Boolean, Atom::Object, Atom::Array, Atom::String, Atom::Integer, Atom::Fraction];

impl Atom {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Fraction => "number",
        }
    }

    pub(super) fn schema(self) -> Map<String, Value> {
        Map::from_iter([
            ("type".to_owned(), self.name().into()),
            (NOT_INTEGER.to_owned(), json!(self == Self::Fraction)),
        ])
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Object(_) => Self::Object,
            Value::Array(_) => Self::Array,
            Value::String(_) => Self::String,
            Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => Self::Integer,
            Value::Number(_) => Self::Fraction,
        }
    }
}

/// Marks the schema of fractions, which JSON Schema has no word for. No schema of a tool has this keyword.
const NOT_INTEGER: &str = "\0fraction";

/// A set of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Atoms(u8);

impl Atoms {
    pub(super) const ALL: Self = Self(0b111_1111);

    pub(super) fn only(atom: Atom) -> Self {
        Self(1 << atom as u8)
    }

    /// The types that one schema's own `type` takes.
    pub(super) fn of(map: &Map<String, Value>) -> Self {
        let named = |name: &str| match name {
            "number" if map.get(NOT_INTEGER) == Some(&Value::Bool(true)) => Self::only(Atom::Fraction),
            "number" => Self(Self::only(Atom::Integer).0 | Self::only(Atom::Fraction).0),
            name => ATOMS.iter().find(|atom| atom.name() == name).map_or(Self(0), |atom| Self::only(*atom)),
        };
        match map.get("type") {
            Some(Value::String(name)) => named(name),
            Some(Value::Array(names)) => {
                Self(names.iter().filter_map(Value::as_str).fold(0, |all, name| all | named(name).0))
            }
            _ => Self::ALL,
        }
    }

    /// The types that all of these schemas take.
    pub(super) fn of_all(maps: &[&Map<String, Value>]) -> Self {
        let mut all = Self::ALL;
        for map in maps {
            all = all.and(Self::of(map));
            let listed = match (map.get("enum"), map.get("const")) {
                (Some(Value::Array(values)), _) => values.as_slice(),
                (_, Some(value)) => std::slice::from_ref(value),
                _ => continue,
            };
            all = all.and(Self(listed.iter().fold(0, |all, value| all | Self::only(Atom::of(value)).0)));
        }
        all
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn contains(self, atom: Atom) -> bool {
        !self.and(Self::only(atom)).is_empty()
    }

    pub(super) fn takes(self, value: &Value) -> bool {
        self.contains(Atom::of(value))
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Atom> {
        ATOMS.into_iter().filter(move |atom| self.contains(*atom))
    }
}

impl fmt::Display for Atoms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ALL {
            return f.write_str("anything");
        }
        let mut shown: Vec<_> = self.iter().map(Atom::name).collect();
        if self.contains(Atom::Fraction) {
            shown.retain(|name| *name != "integer");
        }
        f.write_str(&if shown.is_empty() { "nothing".to_owned() } else { shown.join(" or ") })
    }
}
