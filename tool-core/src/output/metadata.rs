//! Facts about a result, by name.

use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::LazyLock,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// Free-form facts for people and user interfaces; the model does not see them. It is used as the JSON object it is, and
/// takes no more room than a pointer, for most results have none.
///
/// ```
/// use tool_core::output::Metadata;
/// let mut metadata = Metadata::new();
/// metadata.insert("count".into(), 2.into());
/// assert_eq!(metadata["count"], 2);
/// assert_eq!(serde_json::to_value(&metadata)?, serde_json::json!({ "count": 2 }));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Metadata(Option<Box<Map<String, Value>>>);

static EMPTY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

impl Metadata {
    /// None.
    #[must_use]
    pub const fn new() -> Self {
        Self(None)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|facts| facts.is_empty())
    }

    /// The fact of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.as_ref()?.get(name)
    }
}

impl Deref for Metadata {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Map<String, Value> {
        self.0.as_deref().unwrap_or_else(|| &EMPTY)
    }
}

impl DerefMut for Metadata {
    fn deref_mut(&mut self) -> &mut Map<String, Value> {
        self.0.get_or_insert_default()
    }
}

impl From<Map<String, Value>> for Metadata {
    fn from(facts: Map<String, Value>) -> Self {
        Self((!facts.is_empty()).then(|| Box::new(facts)))
    }
}

impl From<Metadata> for Map<String, Value> {
    fn from(metadata: Metadata) -> Self {
        metadata.0.map(|facts| *facts).unwrap_or_default()
    }
}

impl From<Metadata> for Value {
    fn from(metadata: Metadata) -> Self {
        Self::Object(metadata.into())
    }
}

impl FromIterator<(String, Value)> for Metadata {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(facts: I) -> Self {
        facts.into_iter().collect::<Map<_, _>>().into()
    }
}

impl IntoIterator for Metadata {
    type Item = (String, Value);
    type IntoIter = serde_json::map::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        Map::from(self).into_iter()
    }
}

impl<'m> IntoIterator for &'m Metadata {
    type Item = (&'m String, &'m Value);
    type IntoIter = serde_json::map::Iter<'m>;

    fn into_iter(self) -> Self::IntoIter {
        (**self).iter()
    }
}

impl PartialEq for Metadata {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self::from)
    }
}
