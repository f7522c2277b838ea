//! One parameter of a tool: a typed constant the macro emits, and the slot that its value is read into.
//!
//! A table of these replaces derived `Deserialize` and `JsonSchema` code: what is generic is generic over the
//! parameter's type alone, so that two hundred tools with `String` parameters share one copy.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{
    Deserializer, Serialize,
    de::{DeserializeOwned, IgnoredAny, value::Error as ValueError},
    forward_to_deserialize_any,
};
use serde_json::Value;

use super::{constraint::Constraints, source::Mismatch};

/// A type that a tool parameter can have: it is read from JSON and describes itself as a schema.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a tool parameter",
    label = "needs `Deserialize` and `JsonSchema`",
    note = "for a type of your own: `#[derive(serde::Deserialize, schemars::JsonSchema)]`",
    note = "for a value that comes from the host and not from the model: take it by reference, or mark it `#[inject]`"
)]
pub trait ToolArgument: DeserializeOwned + JsonSchema + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> ToolArgument for T {}

/// What is known of a parameter without its type.
#[derive(Clone, Copy)]
pub struct Field {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) description: &'static str,
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
    pub(crate) optional: fn() -> bool,
    pub(crate) default: Option<fn() -> Value>,
    pub(crate) constraints: Option<fn() -> Constraints>,
    /// Whether an attribute of serde's or schemars' may have changed what the type alone says.
    pub(crate) is_overridden: bool,
}

impl Field {
    pub(crate) fn is_required(&self) -> bool {
        self.default.is_none() && !(self.optional)()
    }

    pub(crate) fn answers_to(&self, key: &str) -> bool {
        self.name == key || self.aliases.contains(&key)
    }
}

/// A parameter with its type: facts and the three functions that depend on the type.
pub struct Param<T> {
    field: Field,
    read: Read<T>,
    missing: fn() -> Option<T>,
    default: Option<fn() -> T>,
}

type Read<T> = fn(&str) -> Result<(T, usize), serde_json::Error>;

/// The one place where the bound on a parameter's type is checked, so that a wrong type gives one error.
#[must_use]
pub const fn param<T: ToolArgument>(name: &'static str, description: &'static str) -> Param<T> {
    Param {
        field: Field {
            name,
            aliases: &[],
            description,
            schema: subschema::<T>,
            optional: is_optional::<T>,
            default: None,
            constraints: None,
            is_overridden: false,
        },
        read: read::<T>,
        missing: missing::<T>,
        default: None,
    }
}

impl<T> Param<T> {
    /// Other names that are accepted.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.field.aliases = aliases;
        self
    }

    /// The value when none is given; it also stands in the schema.
    #[must_use]
    pub const fn default(mut self, make: fn() -> T, json: fn() -> Value) -> Self {
        self.default = Some(make);
        self.field.default = Some(json);
        self
    }

    /// What the schema promises beyond the type.
    #[must_use]
    pub const fn constraints(mut self, constraints: fn() -> Constraints) -> Self {
        self.field.constraints = Some(constraints);
        self
    }

    /// Says that attributes may have changed the schema: it is checked whole, whatever the type enforces.
    #[must_use]
    pub const fn overridden(mut self) -> Self {
        self.field.is_overridden = true;
        self
    }

    /// The facts without the type.
    #[must_use]
    pub const fn field(&self) -> Field {
        self.field
    }

    /// An empty slot for this parameter.
    #[must_use]
    pub const fn slot(&self) -> Slot<T> {
        Slot { read: self.read, value: None }
    }

    /// The value read, or the default, or `None` for an `Option`.
    ///
    /// # Errors
    /// When there is none of these.
    pub fn take(&self, slot: Slot<T>) -> Result<T, Mismatch> {
        match slot.value {
            Some(value) => Ok(value),
            None => match self.default {
                Some(make) => Ok(make()),
                None => (self.missing)().ok_or(Mismatch),
            },
        }
    }
}

/// Where a parameter's value is read into.
pub struct Slot<T> {
    read: Read<T>,
    value: Option<T>,
}

/// A slot without its type.
pub trait Fill {
    /// Reads the value at the start of `json`; gives the number of bytes read.
    ///
    /// # Errors
    /// What serde found wrong.
    fn fill(&mut self, json: &str) -> Result<usize, serde_json::Error>;

    /// Whether a value was read.
    fn is_filled(&self) -> bool;
}

impl<T> Fill for Slot<T> {
    fn fill(&mut self, json: &str) -> Result<usize, serde_json::Error> {
        let (value, length) = (self.read)(json)?;
        self.value = Some(value);
        Ok(length)
    }

    fn is_filled(&self) -> bool {
        self.value.is_some()
    }
}

/// Reads one JSON value at the start of `json` and says how many bytes it took.
pub(crate) fn read<T: DeserializeOwned>(json: &str) -> Result<(T, usize), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let value = T::deserialize(&mut reader)?;
    // Where the reader stands is known to a stream alone.
    Ok((value, reader.into_iter::<IgnoredAny>().byte_offset()))
}

fn subschema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// A type is optional when it can be made from nothing: what serde's own derive goes by, so that an alias of
/// `Option` is optional too.
fn missing<T: DeserializeOwned>() -> Option<T> {
    T::deserialize(Absent).ok()
}

fn is_optional<T: DeserializeOwned>() -> bool {
    missing::<T>().is_some()
}

struct Absent;

impl<'de> Deserializer<'de> for Absent {
    type Error = ValueError;

    fn deserialize_any<V: serde::de::Visitor<'de>>(self, _: V) -> Result<V::Value, ValueError> {
        Err(serde::de::Error::custom("missing"))
    }

    fn deserialize_option<V: serde::de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_none()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// A default as the schema shows it.
///
/// # Panics
/// Never: a default that cannot be written as JSON is left out of the schema as `null`.
pub fn default_json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
