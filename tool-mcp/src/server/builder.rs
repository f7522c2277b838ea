//! Putting a server together.

use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicU64},
};

use rmcp::model::Implementation;
use tokio::sync::broadcast;
use tool_core::{
    CancellationToken,
    event::CallEvent,
    executor::{BuildError, ExecutorBuilder},
    permission::Approver,
    tool::Icon,
    truncate::SpillStore,
};

use super::{
    McpServer,
    approver::{ClientApprover, NobodyToAsk},
    completions::Completions,
    exchange::Exchanges,
    icon::icons,
    prompts::Prompts,
    resources::Resources,
    shared::Shared,
    watch,
};

/// How many tools, resources or prompts a client is told at once. Many clients ask for the first page alone.
const PAGE: usize = 1_000;
/// How many changes who announces them may be behind.
const BACKLOG: usize = 256;

/// Puts an [`McpServer`] together; begun by [`McpServer::builder`].
#[must_use]
pub struct McpServerBuilder {
    executor: ExecutorBuilder,
    cwd: PathBuf,
    implementation: Implementation,
    instructions: Option<String>,
    asks: bool,
    approver: Arc<dyn Approver>,
    spills: Option<SpillStore>,
    resources: Vec<Arc<dyn Resources>>,
    prompts: Vec<Arc<dyn Prompts>>,
    completions: Option<Arc<dyn Completions>>,
    page_size: usize,
}

impl McpServerBuilder {
    pub(super) fn new(executor: ExecutorBuilder) -> Self {
        Self {
            executor: executor.doom_loop(None),
            cwd: PathBuf::from("/"),
            implementation: Implementation::new("tool-mcp", env!("CARGO_PKG_VERSION")),
            instructions: None,
            asks: true,
            approver: Arc::new(NobodyToAsk),
            spills: None,
            resources: Vec::new(),
            prompts: Vec::new(),
            completions: None,
            page_size: PAGE,
        }
    }

    /// The directory that tools take relative paths from; `/` unless set.
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// What the server is called, and its version.
    pub fn name(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.implementation.name = name.into();
        self.implementation.version = version.into();
        self
    }

    /// What the server is called where people read it.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.implementation.title = Some(title.into());
        self
    }

    /// Pictures of the server for people, for clients of 2025-11-25 and later.
    ///
    /// ```
    /// use tool_core::{prelude::*, tool::Icon};
    /// use tool_mcp::server::McpServer;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let executor = Executor::builder(Registry::builder().build()?);
    /// let server = McpServer::builder(executor)
    ///     .name("clock", "1.0.0")
    ///     .icons([Icon::new("https://example.com/clock.svg")?.mime_type("image/svg+xml")])
    ///     .website_url("https://example.com")
    ///     .build()?;
    /// # Ok(()) }
    /// ```
    pub fn icons(mut self, icons: impl IntoIterator<Item = Icon>) -> Self {
        self.implementation.icons = self::icons(icons);
        self
    }

    /// The page that tells people of the server, for clients of 2025-11-25 and later.
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.implementation.website_url = Some(url.into());
        self
    }

    /// What a model is told of the server: what its tools are for together.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Who answers what the rules leave open where the client cannot be asked. Unless set, it is refused, with a word on
    /// how the server's operator can allow it.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Arc::new(approver);
        self
    }

    /// Whether clients that show questions (elicitation) are asked for permissions; they are unless this is `false`.
    pub fn ask_client(mut self, asks: bool) -> Self {
        self.asks = asks;
        self
    }

    /// How many identical calls in a row need the `doom_loop` permission; none do unless set, whatever the executor was
    /// given: a server does not see the turns of its clients' models, nor who else makes calls by the same client.
    pub fn doom_loop(mut self, identical: impl Into<Option<u32>>) -> Self {
        self.executor = self.executor.doom_loop(identical);
        self
    }

    /// Where whole outputs are kept that were cut for the model. Clients read them as resources, each the ones of its own
    /// session.
    pub fn spills(mut self, store: SpillStore) -> Self {
        self.spills = Some(store);
        self
    }

    /// More resources.
    pub fn resources(mut self, resources: impl Resources) -> Self {
        self.resources.push(Arc::new(resources));
        self
    }

    /// More prompts.
    pub fn prompts(mut self, prompts: impl Prompts) -> Self {
        self.prompts.push(Arc::new(prompts));
        self
    }

    /// Proposals for arguments.
    pub fn completions(mut self, completions: impl Completions) -> Self {
        self.completions = Some(Arc::new(completions));
        self
    }

    /// How many tools, resources or prompts a page of their lists has; 1,000 unless set.
    pub fn page_size(mut self, size: usize) -> Self {
        self.page_size = size.max(1);
        self
    }

    /// The server.
    ///
    /// # Errors
    /// Every tool that cannot run.
    pub fn build(self) -> Result<McpServer, BuildError> {
        let exchanges = Exchanges::default();
        let watched = exchanges.clone();
        let mut executor = self
            .executor
            .state(exchanges.clone())
            .approver(ClientApprover { exchanges: exchanges.clone(), asks: self.asks, otherwise: self.approver })
            .inline_observer(move |event: &CallEvent| watch::follow(&watched, event));
        if let Some(spills) = &self.spills {
            executor = executor.spills(spills.clone());
        }
        let shared = Shared {
            executor: executor.build()?,
            exchanges,
            rounds: super::rounds::Rounds::default(),
            stop: CancellationToken::new(),
            changes: broadcast::Sender::new(BACKLOG),
            declared: super::session::Declared::default(),
            alive: tokio_util::task::TaskTracker::new(),
            passed: super::spills::Spills::default(),
            spills: self.spills,
            resources: self.resources,
            prompts: self.prompts,
            completions: self.completions,
            implementation: self.implementation,
            instructions: self.instructions,
            page_size: self.page_size,
            cwd: self.cwd,
            sessions: AtomicU64::new(0),
        };
        Ok(McpServer { shared: Arc::new(shared) })
    }
}
