//! `--timeout`: every tool with its own time limit or this one, whichever is shorter.
//!
//! The limit is put on the tools rather than on a cancellation token, so that the call ends as `timed_out`, which tells
//! a model more than `cancelled`.

use std::{sync::Arc, time::Duration};

use tool_core::{
    Registry, Tool, ToolSpec,
    registry::{RegistryBuilder, RegistryError},
    tool::{Audience, Description, Invocation, Location, Requirement, ToolPolicy},
    validation::InvalidArguments,
};

/// The same tools under the same names, none of which runs longer than `limit`.
///
/// # Errors
/// Never for a registry: its names are unique already.
pub(crate) fn limited(registry: &Registry, limit: Duration) -> Result<Registry, RegistryError> {
    let tools = registry.iter().map(|tool| Limited { spec: tool.spec().clone(), inner: tool.tool().clone(), limit });
    tools.fold(Registry::builder(), RegistryBuilder::add).build()
}

struct Limited {
    spec: ToolSpec,
    inner: Arc<dyn Tool>,
    limit: Duration,
}

impl Tool for Limited {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn policy(&self) -> ToolPolicy {
        let policy = self.inner.policy();
        let timeout = policy.timeout.map_or(self.limit, |own| own.min(self.limit));
        ToolPolicy { timeout: Some(timeout), ..policy }
    }

    fn bind(&self, arguments: &str) -> Result<Box<dyn Invocation>, InvalidArguments> {
        self.inner.bind(arguments)
    }

    fn describe<'a>(
        &'a self,
        audience: &'a Audience,
    ) -> std::pin::Pin<Box<dyn Future<Output = Option<Description>> + Send + 'a>> {
        self.inner.describe(audience)
    }

    fn requirements(&self) -> Vec<Requirement> {
        self.inner.requirements()
    }

    fn verify(&self) -> Result<(), String> {
        self.inner.verify()
    }

    fn location(&self) -> Option<Location> {
        self.inner.location()
    }
}
