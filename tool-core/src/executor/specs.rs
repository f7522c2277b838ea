//! What one model is told of the tools.

use super::{Executor, hook};
use crate::{
    context::Session,
    registry::TOOL_SEARCH,
    tool::{Audience, ToolSpec},
};

impl Executor {
    /// What a model is told of the tools: each described for this model and agent, without those that the rules, the
    /// session's own among them, deny altogether, and with the deferred ones that
    /// `tool_search` has found in the session, as the hooks leave it. In the order of their names. Asked before each turn.
    pub async fn specs(&self, session: &Session, audience: &Audience) -> Vec<ToolSpec> {
        let rules = self.host.rules_in(session);
        let specs =
            self.registry().select(|tool| !tool.is_disabled(&rules)).specs_in(session, audience).await.into_iter();
        // Once more: what finds the others is made anew for those that are left.
        let specs = specs.filter(|spec| spec.name != TOOL_SEARCH || !rules.disabled(TOOL_SEARCH, None));
        specs.map(|spec| hook::define(&self.host, spec, audience)).collect()
    }
}
