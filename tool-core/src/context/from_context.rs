//! Parameters that come from the host and not from the model.

use std::any::{Any, TypeId, type_name};

use super::ToolContext;
use crate::{error::ToolError, tool::Requirement};

/// A value that a tool gets from its context; never in the schema.
///
/// `&T` has it for every value a host registers with
/// [`ExecutorBuilder::state`](crate::executor::ExecutorBuilder::state), `&ToolContext` among them. Implement it for
/// types of your own, and mark such a parameter `#[inject]`:
///
/// ```
/// use tool_core::{context::{ContextError, FromContext}, prelude::*};
///
/// struct Here(std::path::PathBuf);
///
/// impl FromContext<'_> for Here {
///     fn from_context(ctx: &ToolContext) -> Result<Self, ContextError> {
///         Ok(Self(ctx.cwd().to_owned()))
///     }
/// }
///
/// /// Where are we?
/// #[tool(read_only)]
/// fn whereami(#[inject] here: Here) -> String {
///     here.0.display().to_string()
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be taken from a tool's context",
    label = "not in the context",
    note = "take a value that the host registers by reference: `&T`, where `T: Send + Sync + 'static`",
    note = "or implement `tool_core::context::FromContext` for it"
)]
pub trait FromContext<'c>: Sized {
    /// Takes the value.
    ///
    /// # Errors
    /// When it is not there.
    fn from_context(ctx: &'c ToolContext) -> Result<Self, ContextError>;

    /// What a host has to register for it, if anything.
    #[must_use]
    fn requirement() -> Option<Requirement> {
        None
    }
}

impl<'c, T: Any + Send + Sync> FromContext<'c> for &'c T {
    fn from_context(ctx: &'c ToolContext) -> Result<Self, ContextError> {
        ctx.state().ok_or(ContextError { type_name: type_name::<T>() })
    }

    fn requirement() -> Option<Requirement> {
        Some(Requirement { type_id: TypeId::of::<T>(), type_name: type_name::<T>() })
    }
}

/// A value that is not in the context.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the host has registered no `{type_name}`; register one with `Executor::builder(…).state(…)`")]
pub struct ContextError {
    type_name: &'static str,
}

impl ContextError {
    /// There is no value of this type.
    #[must_use]
    pub fn missing<T: ?Sized>() -> Self {
        Self { type_name: type_name::<T>() }
    }
}

impl From<ContextError> for ToolError {
    fn from(error: ContextError) -> Self {
        Self::Fatal(error.to_string().into())
    }
}

/// A parameter `&T`: its requirement, and how to get it. The one place where the bound on `T` is checked.
pub struct Shared<T: ?Sized> {
    get: for<'c> fn(&'c ToolContext) -> Result<&'c T, ContextError>,
    requirement: fn() -> Option<Requirement>,
}

/// A value taken by reference.
#[must_use]
pub const fn shared<T>() -> Shared<T>
where
    for<'c> &'c T: FromContext<'c>,
    T: 'static,
{
    Shared { get: |ctx| FromContext::from_context(ctx), requirement: <&'static T as FromContext<'static>>::requirement }
}

impl<T: ?Sized> Shared<T> {
    /// What a host has to register.
    #[must_use]
    pub const fn requirement(&self) -> fn() -> Option<Requirement> {
        self.requirement
    }

    /// The value.
    ///
    /// # Errors
    /// When it is not there.
    pub fn get<'c>(&self, ctx: &'c ToolContext) -> Result<&'c T, ToolError> {
        (self.get)(ctx).map_err(ToolError::from)
    }
}

/// A parameter marked `#[inject]` that is taken by value.
pub struct Owned<T> {
    get: fn(&ToolContext) -> Result<T, ContextError>,
    requirement: fn() -> Option<Requirement>,
}

/// A value taken by value.
#[must_use]
pub const fn owned<T>() -> Owned<T>
where
    T: for<'c> FromContext<'c>,
{
    Owned { get: |ctx| FromContext::from_context(ctx), requirement: <T as FromContext<'static>>::requirement }
}

impl<T> Owned<T> {
    /// What a host has to register.
    #[must_use]
    pub const fn requirement(&self) -> fn() -> Option<Requirement> {
        self.requirement
    }

    /// The value.
    ///
    /// # Errors
    /// When it is not there.
    pub fn get(&self, ctx: &ToolContext) -> Result<T, ToolError> {
        (self.get)(ctx).map_err(ToolError::from)
    }
}
