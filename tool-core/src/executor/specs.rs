//! What one model is told of the tools.

use super::{Executor, hook};
use crate::tool::{Audience, ToolSpec};

impl Executor {
    /// What a model is told of the tools: each described for this model and agent, without those that the rules deny
    /// altogether, as the hooks leave it. In the order of their names.
    pub async fn specs(&self, audience: &Audience) -> Vec<ToolSpec> {
        let specs = self.host.registry.select(|tool| !self.host.rules.denies_tool(tool.name().as_str()));
        let specs = specs.specs_for(audience).await;
        specs.into_iter().map(|spec| hook::define(&self.host, spec, audience)).collect()
    }
}
