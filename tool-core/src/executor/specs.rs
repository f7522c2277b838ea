//! What one model is told of the tools.

use super::{Executor, hook};
use crate::{
    context::Session,
    permission::Ruleset,
    registry::Registered,
    tool::{Audience, ToolSpec},
};

impl Executor {
    /// What a model is told of the tools: each described for this model and agent, without those that the rules, the
    /// session's own among them, deny altogether, and with the deferred ones that
    /// `tool_search` has found in the session, as the hooks leave it. In the order of their names. Asked before each turn.
    pub async fn specs(&self, session: &Session, audience: &Audience) -> Vec<ToolSpec> {
        let rules = Ruleset::merge([&self.host.rules, session.rules()].map(Clone::clone));
        let allowed = |tool: &Registered| !rules.disabled(tool.name().as_str(), tool.tool().policy().governed_by());
        let specs = self.registry().select(allowed).specs_in(session, audience).await;
        specs.into_iter().map(|spec| hook::define(&self.host, spec, audience)).collect()
    }
}
