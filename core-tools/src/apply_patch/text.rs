//! The tool's one argument.

use std::fmt;

use tool_core::{
    schemars::JsonSchema,
    serde::{Deserialize, Deserializer, de},
    tool::FreeformText,
};

/// The text of a patch. Beside a string, codex's older form is taken: the command `["apply_patch", "…"]`, whose last
/// word is the patch.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(crate = "tool_core::schemars", transparent)]
pub struct PatchText(pub String);

impl FreeformText for PatchText {}

impl<'de> Deserialize<'de> for PatchText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Words)
    }
}

struct Words;

impl<'de> de::Visitor<'de> for Words {
    type Value = PatchText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text of a patch")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<PatchText, E> {
        Ok(PatchText(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<PatchText, E> {
        Ok(PatchText(text))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut words: A) -> Result<PatchText, A::Error> {
        let mut last = None;
        while let Some(word) = words.next_element::<String>()? {
            last = Some(word);
        }
        last.map(PatchText).ok_or_else(|| de::Error::invalid_length(0, &self))
    }
}
