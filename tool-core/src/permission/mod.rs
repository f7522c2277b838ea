//! Whether a call may happen.
//!
//! In: a [`Prepared`] call and what it asks for. Out: [`Granted`], the proof that nobody objects. In this order:
//!
//! 1. the rules: a [`Ruleset`], and the session's own after it; the last that matches allows, refuses, or asks;
//! 2. what the session was allowed "always" ([`Session::approvals`](crate::Session::approvals));
//! 3. the [`ApprovalPolicy`]: whether anybody is asked;
//! 4. the [`Approver`], whose [`Reply`] may settle the session's other open questions too.
//!
//! opencode's rulesets and replies, codex's policies; but a remembered approval never overrides a configured deny
//! (opencode's does, and its users complain).

mod approver;
mod config;
mod desk;
mod gate;
mod host_executable;
mod pattern;
mod policy;
mod prefix;
mod reading;
mod remembered;
mod request;
mod rule;
mod wildcard;

pub use self::{
    approver::{AllowAll, Approver, DenyAll, Reply},
    pattern::path_pattern,
    policy::{ApprovalPolicy, ApprovalSettings, Granular},
    reading::Reading,
    remembered::Approval,
    request::{Ask, PatternDetail, PermissionRequest, RequestKind},
    rule::{Action, Rule, Ruleset},
    wildcard::matches,
};
pub(crate) use self::{desk::Desk, gate::Gate, pattern::PatternKind};
use crate::{
    context::ToolContext,
    error::{Denial, ToolError},
    tool::{Invocation, ToolPolicy},
    validation::Prepared,
};

/// A call that may run. Only `authorize` makes one.
pub struct Granted {
    invocation: Box<dyn Invocation>,
}

impl Granted {
    pub(crate) fn into_invocation(self) -> Box<dyn Invocation> {
        self.invocation
    }
}

/// Asks for what the tool declared. A tool that declares nothing is asked about only where a rule names it, or the
/// policy doubts it. One that the rules disable altogether is refused, whatever its body would ask for, or forget to.
///
/// # Errors
/// [`ToolError::Denied`], or [`ToolError::Cancelled`] while waiting for an answer.
pub(crate) async fn authorize(
    prepared: Prepared,
    policy: &ToolPolicy,
    ctx: &ToolContext,
) -> Result<Granted, ToolError> {
    let gate = ctx.gate();
    let declared = prepared.permission(ctx);
    if let Some(permission) = policy.asks.as_deref()
        && gate.disables(permission)
    {
        let (tool, permission) = (ctx.tool().clone(), permission.to_owned());
        return Err(ToolError::Denied(Denial::Disabled { tool, permission }));
    }
    // A box each, so that calls that ask for nothing do not carry the room for it.
    let name = declared.as_ref().map(|request| &*request.permission).or(policy.asks.as_deref());
    if let Some(request) = gate.by_name(name) {
        Box::pin(gate.pass(request)).await?;
    }
    if let Some(request) = declared {
        Box::pin(gate.pass(request)).await?;
    }
    Ok(Granted { invocation: prepared.into_invocation() })
}
