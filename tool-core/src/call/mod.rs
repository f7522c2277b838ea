//! One request by a model, and its decoding under limits.
//!
//! In: [`ToolCall`], as a provider or a host hands it over. Out: [`Decoded`], whose arguments are known to be no larger
//! than allowed. JSON is read as text here and typed in `validation`. Text that is no JSON is mended where it can mean one
//! thing only ([`Repair`]); an argument may be nested 127 levels deep.

mod mend;
mod repair;
mod syntax;

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

pub use self::repair::Repair;
pub(crate) use self::{
    repair::{ObjectText, object_text},
    syntax::{depth, skip},
};
use crate::error::ToolError;

/// The largest arguments taken by default: 16 MiB. No provider sends as much; a broken client may.
pub const MAX_ARGUMENT_BYTES: usize = 16 * 1024 * 1024;

/// The id that pairs a call with its result.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(Cow<'static, str>);

impl CallId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: Into<Cow<'static, str>>> From<T> for CallId {
    fn from(id: T) -> Self {
        Self(id.into())
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// One request by a model to use a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// Pairs the call with its result.
    pub id: CallId,
    /// The tool's name as the model wrote it.
    pub name: Cow<'static, str>,
    /// The arguments: JSON text, as the model wrote it.
    pub arguments: String,
}

impl ToolCall {
    /// A call as a provider hands it over.
    ///
    /// ```
    /// let call = tool_core::ToolCall::new("call_1", "weather", r#"{"city":"Lisbon"}"#);
    /// assert_eq!(call.name, "weather");
    /// ```
    #[must_use]
    pub fn new(id: impl Into<CallId>, name: impl Into<Cow<'static, str>>, arguments: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}

/// A call whose arguments are within the limits. Only [`decode`] makes one.
#[derive(Debug)]
pub struct Decoded {
    arguments: String,
}

impl Decoded {
    /// The arguments as JSON text.
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.arguments
    }

    /// The arguments as a value; `null` where they are no JSON.
    pub(crate) fn value(&self) -> serde_json::Value {
        object_text(&self.arguments).ok().and_then(|object| serde_json::from_str(&object.text).ok()).unwrap_or_default()
    }
}

/// Takes a call's arguments if they are no larger than `most` bytes.
///
/// # Errors
/// [`ToolError::InvalidArguments`] when they are.
pub fn decode(tool: &crate::tool::ToolName, arguments: String, most: usize) -> Result<Decoded, ToolError> {
    if arguments.len() <= most {
        return Ok(Decoded { arguments });
    }
    let fault = format!("expected at most {most} bytes of arguments, got {}; send less in one call", arguments.len());
    let start = &arguments[..arguments.floor_char_boundary(200)];
    Err(ToolError::invalid(tool.clone(), crate::validation::InvalidArguments::malformed(fault, start)))
}
