//! One request against rules, remembered approvals, the approval policy, and the approver, in this order.

use std::{panic::AssertUnwindSafe, pin::pin, sync::Arc};

use futures_util::{
    FutureExt,
    future::{Either, select},
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{
    Action, Approval, ApprovalSettings, Approver, Ask, PatternDetail, PermissionRequest, Reply, RequestKind, Rule,
    Ruleset,
    desk::{Desk, Open, Settled},
    policy::Verdict,
};
use crate::{
    call::CallId,
    context::ToolContext,
    error::{Denial, ToolError, span},
    tool::ToolName,
};

/// Everything that decides for one call.
pub(crate) struct Gate<'a> {
    pub(crate) rules: &'a Ruleset,
    /// The session's own rules, which come after the others.
    pub(crate) session_rules: &'a Ruleset,
    pub(crate) settings: ApprovalSettings,
    pub(crate) desk: &'a Desk,
    pub(crate) approver: &'a dyn Approver,
    pub(crate) session: &'a Arc<str>,
    pub(crate) call_id: &'a CallId,
    pub(crate) tool: &'a ToolName,
    pub(crate) read_only: bool,
    pub(crate) cancellation: &'a CancellationToken,
    pub(crate) ctx: &'a ToolContext,
}

impl Gate<'_> {
    /// What the last matching rule says.
    pub(crate) fn find(&self, permission: &str, pattern: &str) -> Option<Action> {
        self.session_rules.find(permission, pattern).or_else(|| self.rules.find(permission, pattern))
    }

    /// The last rule that decides on a pattern, what it says, and whether that is certain.
    fn decide(
        &self,
        request: &PermissionRequest,
        pattern: &str,
        detail: Option<&PatternDetail>,
    ) -> Option<(Action, bool, &Rule)> {
        let permission = &*request.permission;
        let rules = self.session_rules.backwards(permission).chain(self.rules.backwards(permission));
        let mut rules = rules.filter(|rule| !request.by_name_only || rule.names_or_restricts());
        rules.find_map(|rule| rule.says(pattern, detail).map(|(action, is_certain)| (action, is_certain, rule)))
    }

    /// Whether the rules leave nothing of a permission: what [`Ruleset::disabled`] says of it.
    pub(super) fn disables(&self, permission: &str) -> bool {
        let last = self.session_rules.last_on(permission).or_else(|| self.rules.last_on(permission));
        last.is_some_and(Rule::denies_all)
    }

    /// What is asked for a tool before what it asks for itself. `permission` is the one it declares, if any.
    ///
    /// A rule for the tool by its name counts beside those for its permission, but only against it: it may ask or refuse
    /// what they allow, never allow what they do not.
    pub(super) fn by_name(&self, permission: Option<&str>) -> Option<PermissionRequest> {
        let tool = self.tool.as_str();
        let says = match permission {
            Some(permission) => {
                let on_tool = |rules: &Ruleset| rules.on_tool(tool, permission);
                on_tool(self.session_rules).or_else(|| on_tool(self.rules))
            }
            None => self.find(tool, "*").or_else(|| self.settings.policy.doubts(self.read_only).then_some(Action::Ask)),
        };
        match says {
            None | Some(Action::Allow) => None,
            Some(Action::Ask | Action::Deny) => Some(PermissionRequest::new(tool.to_owned(), ["*"])),
        }
    }

    /// Lets a request pass, or says why not.
    pub(crate) async fn pass(&self, mut request: PermissionRequest) -> Result<(), ToolError> {
        // For nothing in particular: a list that is empty must not pass what a rule denies.
        if request.patterns.is_empty() {
            request.patterns.push("*".to_owned());
        }
        let mut open = Vec::new();
        let mut reasons = Vec::new();
        for (at, pattern) in request.patterns.iter().enumerate() {
            let detail = request.details.get(&at);
            let kind = detail.map_or(request.kind, |detail| detail.kind);
            let decided = self.decide(&request, pattern, detail);
            let (by_rule, is_certain) = match decided {
                Some((Action::Allow, ..)) => continue,
                Some((Action::Deny, true, rule)) => {
                    let permission = request.permission.clone().into_owned();
                    let justification = rule.justification.as_deref().map(str::to_owned);
                    return Err(ToolError::Denied(Denial::Rule {
                        permission,
                        pattern: pattern.clone(),
                        justification,
                    }));
                }
                // What a rule may deny is not approved for good.
                Some((Action::Deny, false, _)) => (true, false),
                Some((Action::Ask, ..)) => (kind != RequestKind::Implied, true),
                None => (false, true),
            };
            let is_approvable = is_certain && detail.is_none_or(|detail| !detail.once);
            if !(is_approvable && self.desk.covers(&request.permission, pattern)) {
                let open_one = Open { pattern: pattern.clone(), is_approvable };
                open.push((open_one, self.settings.policy.verdict(kind, by_rule, self.read_only)));
                reasons.extend(decided.and_then(|(.., rule)| rule.justification.as_deref()));
            }
        }
        if !reasons.is_empty() {
            let reasons = reasons.join("\n");
            request.metadata.entry("justification").or_insert(reasons.into());
        }
        match open.iter().map(|(_, verdict)| *verdict).max() {
            None | Some(Verdict::Pass) => Ok(()),
            Some(Verdict::Refuse) => {
                let patterns = open.into_iter().filter(|(_, verdict)| *verdict == Verdict::Refuse);
                let patterns = patterns.map(|(open, _)| open.pattern).collect();
                let (permission, policy) = (request.permission.into_owned(), self.settings.policy);
                Err(ToolError::Denied(Denial::Policy { permission, patterns, policy }))
            }
            Some(Verdict::Ask) => {
                let open = open.into_iter().filter(|(_, verdict)| *verdict == Verdict::Ask);
                self.ask(request, open.map(|(open, _)| open).collect()).await
            }
        }
    }

    /// Waits for an answer: the approver's, or another question's that settles this one too.
    async fn ask(&self, request: PermissionRequest, open: Vec<Open>) -> Result<(), ToolError> {
        let (session, call_id, tool) = (self.session.clone(), self.call_id.clone(), self.tool.clone());
        let ask = Arc::new(Ask { session, call_id, tool, request });
        let Some(mut ticket) = self.desk.open(ask.clone(), open) else { return Ok(()) };
        // A person may take longer than a tool.
        let _paused = self.ctx.pause();
        let first = self.first(&ask, &mut ticket.settled);
        let reply = match self.cancellation.run_until_cancelled(first).await {
            None => return Err(ToolError::Cancelled),
            Some(Err(Settled::Covered)) => return Ok(()),
            Some(Err(Settled::Rejected)) => {
                let (permission, patterns) = named(&ask);
                return Err(ToolError::Denied(Denial::RejectedWithAnother { permission, patterns }));
            }
            Some(Ok(reply)) => reply,
        };
        match reply {
            Reply::Once => Ok(()),
            Reply::Always => {
                let (permission, patterns) = named(&ask);
                let exact = ask.request.always.is_empty();
                let patterns = if exact { patterns } else { ask.request.always.clone() };
                let of = |pattern| Approval { permission: permission.clone(), pattern, exact };
                self.desk.remember(patterns.into_iter().map(of));
                Ok(())
            }
            Reply::Reject { feedback } => {
                if self.settings.cascade {
                    self.desk.reject_others(&ticket);
                }
                let (permission, patterns) = named(&ask);
                Err(ToolError::Denied(Denial::Rejected { permission, patterns, feedback }))
            }
            Reply::Unanswered { reason } => {
                let (permission, patterns) = named(&ask);
                Err(ToolError::Denied(Denial::Unanswered { permission, patterns, reason }))
            }
        }
    }

    /// The approver's answer, or word that the question was settled otherwise, which is looked at first.
    async fn first(&self, ask: &Ask, settled: &mut oneshot::Receiver<Settled>) -> Result<Reply, Settled> {
        match select(settled, pin!(self.answer(ask))).await {
            // The sender goes with the ticket alone; if it could go before, a refusal would be right.
            Either::Left((settled, _)) => Err(settled.unwrap_or(Settled::Rejected)),
            Either::Right((reply, _)) => Ok(reply),
        }
    }

    /// The approver's answer. One that panics or takes too long has given none, and that is a refusal.
    async fn answer(&self, ask: &Ask) -> Reply {
        let unanswered = |reason| Reply::Unanswered { reason };
        // Made inside, for it can panic there already. Nothing of it is used after a panic.
        let answer = AssertUnwindSafe(async { self.approver.approve(ask).await }).catch_unwind();
        let answer = match self.settings.answer_within {
            None => answer.await,
            Some(limit) => match tokio::time::timeout(limit, answer).await {
                Ok(answer) => answer,
                Err(_) => return unanswered(format!("no answer came within {}", span(limit))),
            },
        };
        answer.unwrap_or_else(|_| unanswered("the host's approver failed".to_owned()))
    }
}

fn named(ask: &Ask) -> (String, Vec<String>) {
    (ask.request.permission.clone().into_owned(), ask.request.patterns.clone())
}
