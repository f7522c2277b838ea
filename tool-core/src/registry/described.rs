//! What a tool says of itself to one audience, whatever its `describe` function does.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    task::Poll,
    time::Duration,
};

use futures_util::FutureExt;

use super::Registered;
use crate::tool::{Audience, Description, ToolSpec};

/// How long a description may take, unless [`RegistryBuilder::described_within`](super::RegistryBuilder::described_within)
/// says otherwise: a model's turn waits for it.
pub const DESCRIBE_LIMIT: Duration = Duration::from_secs(2);

impl Registered {
    /// What one model and agent see of it, where the tool has a `describe` function; its own spec, where that panics,
    /// takes too long, withholds the tool, or gives a schema that is no object's.
    pub async fn spec_for(&self, audience: &Audience) -> ToolSpec {
        match self.offered_spec(audience).await {
            Some(spec) => spec,
            None => self.spec().clone(),
        }
    }

    /// The same, and nothing where the tool is withheld.
    pub(super) async fn offered_spec(&self, audience: &Audience) -> Option<ToolSpec> {
        let description = self.description(audience).await;
        if description.as_ref().is_some_and(|description| description.withheld) {
            return None;
        }
        let mut spec = self.spec().clone();
        if let Some(Description { text, input_schema, .. }) = description {
            spec.description = text;
            if let Some(schema) = input_schema.filter(|schema| schema.get("type").is_some_and(|kind| kind == "object"))
            {
                spec.input_schema = schema;
            }
        }
        Some(spec)
    }

    async fn description(&self, audience: &Audience) -> Option<Description> {
        // The default hook has printed a panic; the tool's own description stands.
        let work = catch_unwind(AssertUnwindSafe(|| self.tool().describe(audience))).ok()?;
        let mut work = AssertUnwindSafe(work).catch_unwind();
        // Most are done when first looked at. The others need a timer, which only a runtime has; without one nobody
        // could wake them either.
        match std::future::poll_fn(|task| Poll::Ready(work.poll_unpin(task))).await {
            Poll::Ready(description) => description.ok().flatten(),
            Poll::Pending if tokio::runtime::Handle::try_current().is_err() => work.await.ok().flatten(),
            Poll::Pending => tokio::time::timeout(self.describe_limit, work).await.ok()?.ok().flatten(),
        }
    }
}
