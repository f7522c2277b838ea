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
use crate::{context::ToolContext, error::ToolError, tool::Invocation, validation::Prepared};
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
pub(crate) async fn authorize(prepared: Prepared, ctx: &ToolContext) -> Result<Granted, ToolError> {
    let (tool, gate) = (ctx.tool(), ctx.gate());
    let request = match prepared.permission(ctx) {
        // Whatever it asks for: a rule that denies a tool by its own name denies the tool.
        Some(request) if gate.rules().denies_tool(tool.as_str()) => Some(PermissionRequest {
            permission: tool.as_str().to_owned().into(),
            patterns: vec!["*".to_owned()],
            ..request
        }),
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
