//! From JSON text to typed arguments, or to a report of every mistake.
//!
//! In: the text of a [`Decoded`] call and the tool that takes it. Out: [`Prepared`], a call whose arguments the tool
//! has accepted. The fast path (`source`) reads the text straight into typed slots; only where that fails is the text
//! looked at as a value: what did not fit is converted where nothing is lost (`coerce`), and what still does not is held
//! against the part of the schema that is meant for it (`narrow`, `validator`) and explained (`report`). Not here: how a schema is made (`schema`).

mod ambiguity;
mod coerce;
pub(crate) mod constraint;
mod effort;
mod excerpt;
mod members;
mod mended;
mod narrow;
pub(crate) mod param;
mod promise;
mod report;
pub(crate) mod source;
mod typed;
mod validator;

use std::sync::Arc;

pub use self::{
    coerce::coerce,
    mended::Mended,
    report::{InvalidArguments, Mistake},
    validator::Validator,
};
pub use self::{
    constraint::{Measured, Number, Text},
    param::ToolArgument,
};
pub(crate) use self::{excerpt::excerpt_of, promise::type_bounds, typed::TypedArguments, validator::compile};
use crate::{
    call::Decoded,
    context::ToolContext,
    permission::PermissionRequest,
    tool::{Invocation, Tool},
};

/// A call whose arguments its tool has accepted. Only [`prepare`] makes one.
pub struct Prepared {
    invocation: Box<dyn Invocation>,
}

impl Prepared {
    /// What the tool asks leave for.
    #[must_use]
    pub fn permission(&self, ctx: &ToolContext) -> Option<PermissionRequest> {
        self.invocation.permission(ctx)
    }

    /// What was done to the arguments before they fitted.
    #[must_use]
    pub fn mended(&self) -> Option<&Mended> {
        self.invocation.mended()
    }

    pub(crate) fn into_invocation(self) -> Box<dyn Invocation> {
        self.invocation
    }
}

/// Hands a decoded call's arguments to its tool.
///
/// # Errors
/// The tool's report of every mistake in them.
pub fn prepare(tool: &Arc<dyn Tool>, call: &Decoded) -> Result<Prepared, InvalidArguments> {
    Ok(Prepared { invocation: tool.bind(call.arguments())? })
}
