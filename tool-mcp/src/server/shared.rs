//! What all connections of a server have in common.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use rmcp::model::{ErrorData, Implementation, ServerCapabilities, ServerConfig, Tool};
use tokio::sync::broadcast;
use tokio_util::task::TaskTracker;
use tool_core::{
    CancellationToken, Executor, Session,
    tool::Audience,
    truncate::SpillStore,
    wire::{Provider, declarations},
};

use super::{
    completions::Completions,
    exchange::Exchanges,
    page::{Page, page},
    prompts::Prompts,
    resources::Resources,
    rounds::Rounds,
    session::{ClientSession, Declared},
    spills::Spills,
};

/// What became different, for those who list it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Changed {
    Tools,
    Prompts,
    Resources,
    /// What is at this address.
    Resource(String),
}

pub(super) struct Shared {
    pub(super) executor: Executor,
    pub(super) exchanges: Exchanges,
    pub(super) rounds: Rounds,
    /// Cancelled, every call ends, and the server.
    pub(super) stop: CancellationToken,
    pub(super) changes: broadcast::Sender<Changed>,
    pub(super) declared: Declared,
    /// Open as long as a session is there.
    pub(super) alive: TaskTracker,
    /// The spills of sessions that are over with their one request: who has an address may read it.
    pub(super) passed: Spills,
    pub(super) spills: Option<SpillStore>,
    pub(super) resources: Vec<Arc<dyn Resources>>,
    pub(super) prompts: Vec<Arc<dyn Prompts>>,
    pub(super) completions: Option<Arc<dyn Completions>>,
    pub(super) implementation: Implementation,
    pub(super) instructions: Option<String>,
    pub(super) page_size: usize,
    pub(super) cwd: PathBuf,
    pub(super) sessions: AtomicU64,
}

impl Shared {
    /// A session for a client's calls.
    pub(super) fn session(&self, is_passing: bool) -> ClientSession {
        let session = Session::builder(&self.cwd).id(self.session_id()).build();
        ClientSession::new(session, is_passing, self.alive.token())
    }

    pub(super) fn session_id(&self) -> String {
        format!("mcp_{}", self.sessions.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// What a client is told of the server.
    pub(super) fn info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        capabilities.logging = Some(serde_json::Map::new());
        if self.has_resources() {
            let resources = capabilities.resources.get_or_insert_default();
            resources.list_changed = Some(true);
            resources.subscribe = (!self.resources.is_empty()).then_some(true);
        }
        if !self.prompts.is_empty() {
            capabilities.prompts.get_or_insert_default().list_changed = Some(true);
        }
        if self.completions.is_some() {
            capabilities.completions = Some(serde_json::Map::new());
        }
        let mut info = ServerConfig::new(capabilities);
        info.server_info = self.implementation.clone();
        info.instructions.clone_from(&self.instructions);
        info
    }

    pub(super) fn has_resources(&self) -> bool {
        self.spills.is_some() || !self.resources.is_empty()
    }

    /// The tools that a session's client is told of: one page of them, in the order of their names.
    pub(super) async fn tools(
        &self,
        session: &Session,
        request: Option<&rmcp::model::PaginatedRequestParams>,
    ) -> Result<Page<Tool>, ErrorData> {
        let specs = self.executor.specs(session, &Audience::new()).await;
        let Page { items: specs, next } = page(specs, request, self.page_size, |spec| spec.name.as_str())?;
        let declared = declarations(&specs, Provider::Mcp, Provider::Mcp.dialect(false));
        for left_out in declared.left_out {
            tracing::warn!("{left_out}");
        }
        let tools = declared.tools.into_iter().map(serde_json::from_value).collect::<Result<_, _>>();
        let items =
            tools.map_err(|error| ErrorData::internal_error(format!("a tool cannot be declared: {error}"), None))?;
        Ok(Page { items, next })
    }
}
