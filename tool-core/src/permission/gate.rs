//! One request against rules, remembered approvals, and the approver, in this order.

use tokio_util::sync::CancellationToken;

use super::{Action, Approver, Ask, PermissionRequest, Reply, Ruleset};
use crate::{
    call::CallId,
    context::Approvals,
    error::{Denial, ToolError},
    tool::ToolName,
};

/// Everything that decides for one call.
pub(crate) struct Gate<'a> {
    pub(crate) rules: &'a Ruleset,
    pub(crate) approvals: &'a Approvals,
    pub(crate) approver: &'a dyn Approver,
    pub(crate) call_id: &'a CallId,
    pub(crate) tool: &'a ToolName,
    pub(crate) cancellation: &'a CancellationToken,
}

impl Gate<'_> {
    pub(super) fn rules(&self) -> &Ruleset {
        self.rules
    }

    /// Lets a request pass, or says why not.
    pub(crate) async fn pass(&self, mut request: PermissionRequest) -> Result<(), ToolError> {
        let mut open = false;
        // For nothing in particular: a list that is empty must not pass what a rule denies.
        if request.patterns.is_empty() {
            request.patterns.push("*".to_owned());
        }
        for pattern in &request.patterns {
            match self.rules.find(&request.permission, pattern) {
                Some(Action::Allow) => {}
                Some(Action::Deny) => {
                    let permission = request.permission.clone().into_owned();
                    return Err(ToolError::Denied(Denial::Rule { permission, pattern: pattern.clone() }));
                }
                Some(Action::Ask) | None => open |= !self.approvals.covers(&request.permission, pattern),
            }
        }
        if open { self.ask(request).await } else { Ok(()) }
    }

    async fn ask(&self, request: PermissionRequest) -> Result<(), ToolError> {
        let ask = Ask { call_id: self.call_id.clone(), tool: self.tool.clone(), request };
        let reply = self.cancellation.run_until_cancelled(self.approver.approve(&ask)).await;
        let PermissionRequest { permission, patterns, always, .. } = ask.request;
        let permission = permission.into_owned();
        match reply {
            None => Err(ToolError::Cancelled),
            Some(Reply::Once) => Ok(()),
            Some(Reply::Always) => {
                if always.is_empty() {
                    self.approvals.remember_exactly(&permission, patterns);
                } else {
                    self.approvals.remember(&permission, always);
                }
                Ok(())
            }
            Some(Reply::Reject { feedback }) => {
                Err(ToolError::Denied(Denial::Rejected { permission, patterns, feedback }))
            }
            Some(Reply::Unanswered { reason }) => {
                Err(ToolError::Denied(Denial::Unanswered { permission, patterns, reason }))
            }
        }
    }
}
