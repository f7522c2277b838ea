//! The workspace a call works in.

use std::{fmt, ops::Deref, sync::Arc};

use tool_core::{
    ToolContext,
    context::{ContextError, FromContext},
};

use super::{LocalWorkspace, Workspace};

/// The workspace the host registered as an `Arc<dyn Workspace>`, else the local machine. Tools take it as
/// `#[inject] workspace: ActiveWorkspace`.
#[derive(Clone)]
pub struct ActiveWorkspace(Arc<dyn Workspace>);

impl ActiveWorkspace {
    /// A workspace outside of a call.
    #[must_use]
    pub fn new(workspace: Arc<dyn Workspace>) -> Self {
        Self(workspace)
    }
}

impl FromContext<'_> for ActiveWorkspace {
    fn from_context(ctx: &ToolContext) -> Result<Self, ContextError> {
        Ok(Self(match ctx.state::<Arc<dyn Workspace>>() {
            Some(registered) => registered.clone(),
            None => Arc::new(LocalWorkspace::default()),
        }))
    }
}

impl ActiveWorkspace {
    /// The workspace, to be held for longer than a call.
    #[must_use]
    pub fn shared(&self) -> Arc<dyn Workspace> {
        self.0.clone()
    }
}

impl Deref for ActiveWorkspace {
    type Target = dyn Workspace;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for ActiveWorkspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ActiveWorkspace")
    }
}
