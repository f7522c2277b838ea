//! A tool of a toolset, bound to one value of the shared state, so that a registry can hold two of a kind.

use std::{any::Any, sync::Arc};

use futures_util::future::BoxFuture;

use super::{
    Audience, Description, Invocation, Location, Requirement, Tool, ToolName, ToolPolicy, ToolResult, ToolSpec,
};
use crate::{
    context::ToolContext,
    permission::PermissionRequest,
    validation::{InvalidArguments, Mended},
};

/// A tool with the state value it shares with its siblings.
pub(crate) struct BoundTool {
    pub(crate) inner: Arc<dyn Tool>,
    pub(crate) state: Arc<dyn Any + Send + Sync>,
}

impl Tool for BoundTool {
    fn spec(&self) -> &ToolSpec {
        self.inner.spec()
    }

    fn name(&self) -> ToolName {
        self.inner.name()
    }

    fn policy(&self) -> &ToolPolicy {
        self.inner.policy()
    }

    fn bind(&self, arguments: &str) -> Result<Box<dyn Invocation>, InvalidArguments> {
        let inner = self.inner.bind(arguments)?;
        Ok(Box::new(BoundInvocation { inner, state: self.state.clone() }))
    }

    fn normalize(&self, arguments: &str) -> Option<serde_json::Value> {
        self.inner.normalize(arguments)
    }

    fn describe<'a>(&'a self, audience: &'a Audience) -> BoxFuture<'a, Option<Description>> {
        self.inner.describe(audience)
    }

    fn requirements(&self) -> Vec<Requirement> {
        let held = (*self.state).type_id();
        self.inner.requirements().into_iter().filter(|requirement| requirement.type_id != held).collect()
    }

    fn verify(&self) -> Result<(), String> {
        self.inner.verify()
    }

    fn location(&self) -> Option<Location> {
        self.inner.location()
    }
}

struct BoundInvocation {
    inner: Box<dyn Invocation>,
    state: Arc<dyn Any + Send + Sync>,
}

impl Invocation for BoundInvocation {
    fn permission(&self, ctx: &ToolContext) -> Option<PermissionRequest> {
        self.inner.permission(ctx)
    }

    fn mended(&self) -> Option<&Mended> {
        self.inner.mended()
    }

    fn run<'c>(self: Box<Self>, ctx: &'c ToolContext) -> BoxFuture<'c, ToolResult> {
        let Self { inner, state } = *self;
        let ctx = ctx.with_state(state);
        Box::pin(async move { inner.run(&ctx).await })
    }
}
