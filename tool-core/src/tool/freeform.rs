//! What the one parameter of a freeform tool has to be.

use std::{borrow::Cow, sync::Arc};

/// A type whose JSON is a text: what the one parameter of a tool with a `grammar` has to be.
///
/// A type of your own around a text may implement it:
///
/// ```
/// use tool_core::prelude::*;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// #[serde(transparent)]
/// struct Query(String);
///
/// impl tool_core::tool::FreeformText for Query {}
///
/// /// Search with words joined by AND.
/// #[tool(grammar(regex = "[a-z]+( AND [a-z]+)*"))]
/// fn search(/** What for. */ query: Query) -> String {
///     query.0
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the parameter of a tool with a `grammar`",
    label = "not a text",
    note = "the model writes plain text for it: take a `String` or a `&str`, or implement `FreeformText` for a type around one"
)]
pub trait FreeformText {}

impl FreeformText for String {}
impl FreeformText for Box<str> {}
impl FreeformText for Arc<str> {}
impl FreeformText for Cow<'static, str> {}

/// The one place where the bound on a freeform tool's parameter is checked.
pub const fn freeform_text<T: FreeformText>() {}
