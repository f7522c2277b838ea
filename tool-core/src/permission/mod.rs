//! Whether a call may happen.
//!
//! In: a [`Prepared`] call and what it asks for. Out: [`Granted`], the proof that nobody objects. Rules decide first;
//! what they leave open is put to the [`Approver`]. opencode's rulesets and replies; but a remembered approval never
//! overrides a configured deny (opencode's does, and its users complain).

mod approver;
mod gate;
mod request;
mod rule;
mod wildcard;

pub use self::{
    approver::{AllowAll, Approver, DenyAll, Reply},
    request::{Ask, PermissionRequest},
    rule::{Action, Rule, Ruleset},
    wildcard::matches,
};
use crate::{
    error::ToolError,
    tool::{Invocation, ToolName},
    validation::Prepared,
};
pub(crate) use gate::Gate;

/// A call that may run. Only [`authorize`] makes one.
pub struct Granted {
    invocation: Box<dyn Invocation>,
}

impl Granted {
    pub(crate) fn into_invocation(self) -> Box<dyn Invocation> {
        self.invocation
    }
}

/// Asks for what the tool declared. A tool that declares nothing is not asked about, but rules that name it hold.
///
/// # Errors
/// [`ToolError::Denied`], or [`ToolError::Cancelled`] while waiting for an answer.
pub(crate) async fn authorize(prepared: Prepared, tool: &ToolName, gate: &Gate<'_>) -> Result<Granted, ToolError> {
    let request = match prepared.permission() {
        Some(request) => Some(request),
        None => match gate.rules().find(tool.as_str(), "*") {
            None | Some(Action::Allow) => None,
            Some(Action::Ask | Action::Deny) => Some(PermissionRequest::new(tool.as_str().to_owned(), ["*"])),
        },
    };
    if let Some(request) = request {
        // In a box, so that calls that ask for nothing do not carry the room for it.
        Box::pin(gate.pass(request)).await?;
    }
    Ok(Granted { invocation: prepared.into_invocation() })
}
