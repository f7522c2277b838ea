//! The name a model calls a tool by.

use std::{
    borrow::{Borrow, Cow},
    fmt,
    sync::Arc,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// The longest tool name every provider takes, in characters (OpenAI's limit; Anthropic and Gemini take 128).
pub const MAX_NAME_LENGTH: usize = 64;

/// A tool's name: `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`, what every provider accepts.
///
/// Names in `#[tool]` are checked when the crate compiles; names made at run time are checked here.
///
/// ```
/// use tool_core::tool::ToolName;
/// assert!(ToolName::new("read_file").is_ok());
/// assert!(ToolName::new("read file").is_err());
/// ```
#[derive(Clone)]
pub struct ToolName(Repr);

#[derive(Clone)]
enum Repr {
    Static(&'static str),
    Shared(Arc<str>),
}

/// A name that no provider would take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` is not a tool name: {reason}; use a letter or `_` first, then letters, digits, `_` or `-`, at most {MAX_NAME_LENGTH} characters in all"
)]
pub struct InvalidName {
    name: String,
    reason: &'static str,
}

impl ToolName {
    /// Takes a name made at run time.
    ///
    /// # Errors
    /// When the name does not match the pattern above.
    pub fn new(name: impl AsRef<str>) -> Result<Self, InvalidName> {
        let name = name.as_ref();
        match fault(name) {
            None => Ok(Self(Repr::Shared(name.into()))),
            Some(reason) => Err(InvalidName { name: name.to_owned(), reason }),
        }
    }

    /// A name the macro has checked already.
    pub(crate) const fn checked(name: &'static str) -> Self {
        Self(Repr::Static(name))
    }

    /// The name that is most like a text: for a call of a tool that there is not.
    pub(crate) fn like(text: &str) -> Self {
        let fit = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let mut name: String = text.chars().map(fit).take(MAX_NAME_LENGTH).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            name.insert(0, '_');
            name.truncate(MAX_NAME_LENGTH);
        }
        Self(Repr::Shared(name.into()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Static(name) => name,
            Repr::Shared(name) => name,
        }
    }
}

fn fault(name: &str) -> Option<&'static str> {
    let Some(first) = name.chars().next() else { return Some("it is empty") };
    if !(first.is_ascii_alphabetic() || first == '_') {
        return Some("it does not begin with a letter or `_`");
    }
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
        return Some("it has a character other than letters, digits, `_` and `-`");
    }
    (name.len() > MAX_NAME_LENGTH).then_some("it is too long")
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl PartialEq for ToolName {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for ToolName {}

impl PartialEq<str> for ToolName {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for ToolName {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialOrd for ToolName {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ToolName {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl std::hash::Hash for ToolName {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for ToolName {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Serialize for ToolName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ToolName {
    /// Refuses what is no name.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Cow::<str>::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
