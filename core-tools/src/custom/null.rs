//! `null` for what may be left out: many programs write their absent members so.

use serde::{Deserialize, Deserializer};

/// The default for a member that is `null`; for one that is not there, `#[serde(default)]` gives it.
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
