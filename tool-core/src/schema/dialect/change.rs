//! What became of a schema's keywords, and why a schema cannot be said at all.

use std::fmt;

use serde::Serialize;

/// One thing that a dialect says otherwise than the schema it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// JSON pointer of the subschema, as far as the schema's shape stayed what it was; empty for the root.
    pub pointer: String,
    /// The keywords it is about, e.g. `minimum` and `maximum`.
    pub keywords: Vec<String>,
    /// What became of them.
    #[serde(flatten)]
    pub effect: Effect,
}

/// What became of keywords.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// Said in words, in the description of the same subschema; still enforced when the call comes.
    Described {
        /// The words.
        text: String,
    },
    /// Said with other keywords.
    Rewritten {
        /// With which.
        to: String,
    },
    /// The object takes no other properties any more.
    Closed,
    /// It is said that the object takes other properties, for a provider that assumes the contrary.
    Opened,
    /// The optional property is required and may be null, which a call's validation reads as left out.
    Nullable,
    /// The property may also be null: the type contains itself, and the provider takes it only with a way to end.
    NullExit,
    /// Left out.
    Dropped {
        /// Why nothing, or nothing that could be said, is lost.
        why: String,
    },
}

impl Change {
    /// Whether the model now reads in words, or not at all, what the schema said in keywords.
    #[must_use]
    pub fn is_weaker(&self) -> bool {
        matches!(self.effect, Effect::Described { .. } | Effect::Dropped { .. })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keywords = self.keywords.iter().map(|keyword| format!("`{keyword}`")).collect::<Vec<_>>().join(" and ");
        write!(f, "{}: ", place(&self.pointer))?;
        match &self.effect {
            Effect::Described { text } => write!(f, "{keywords} moved to the description: {text}"),
            Effect::Rewritten { to } => write!(f, "{keywords} written as {to}"),
            Effect::Closed => f.write_str("closed to other properties"),
            Effect::Opened => f.write_str("said to be open to other properties"),
            Effect::Nullable => f.write_str("required and nullable, where it was optional"),
            Effect::NullExit => f.write_str("may also be null, so that a type which contains itself can end"),
            Effect::Dropped { why } => write!(f, "{keywords} left out: {why}"),
        }
    }
}

fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "root" } else { pointer }
}

/// Why a dialect cannot hold a schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{}: {reason}", place(pointer))]
#[non_exhaustive]
pub struct Unfit {
    /// JSON pointer of the subschema; empty for the root.
    pub pointer: String,
    /// Why.
    pub reason: UnfitReason,
}

/// What a dialect cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnfitReason {
    /// The arguments of a tool are an object.
    #[error("the arguments of a tool are an object, and this schema does not take one")]
    RootNotObject,
    /// An object with keys of the caller's choosing, in a dialect that closes all objects.
    #[error("a map: its keys cannot be listed beforehand")]
    Map,
    /// A value of any kind, or an object or list of anything.
    #[error("a value of any kind")]
    AnyValue,
    /// No value at all fits.
    #[error("no value fits this")]
    Nothing,
    /// An `enum` of objects or lists.
    #[error("a choice of values that are objects or lists")]
    CompoundEnum,
    /// A type that contains itself.
    #[error("a type that contains itself")]
    Recursive,
    /// A `$ref` to another document, or to nothing.
    #[error("the reference `{0}` leads to nothing in this schema")]
    Reference(String),
    /// Parts of an `allOf` that cannot be said as one schema.
    #[error("parts that all have to hold and do not go into one schema")]
    Intersection,
    /// Deeper than any provider takes, or without end when its references are written out.
    #[error("the schema is too deep, or refers to itself too often, to be written out")]
    TooLarge,
    /// A limit of the provider's.
    #[error("{what}: {found}, and the provider takes {limit}")]
    Limit {
        /// Of what there is too much.
        what: &'static str,
        /// How much there is.
        found: usize,
        /// How much there may be.
        limit: usize,
    },
    /// A name of a property that the provider refuses, and with it the whole request.
    #[error("the property name `{0}`: the provider takes letters, digits, `_`, `.` and `-`, 1 to 64 of them")]
    PropertyName(String),
    /// A name of a tool that the provider refuses.
    #[error("the provider takes no tool of the name `{0}`")]
    ToolName(String),
}
