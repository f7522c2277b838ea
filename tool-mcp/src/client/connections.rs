//! All servers of a host, and what they offer.

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use arc_swap::ArcSwap;
use futures_util::future::join_all;
use serde_json::Value;
use tokio::{sync::watch, task::spawn_blocking};
use tool_core::{
    CancellationToken, Registry, Tool,
    registry::{LiveRegistry, RegistryBuilder, RegistryError},
};

use super::{
    Environment, ServerStatus,
    config::ServerConfig,
    host::{McpHost, Roots},
    resources,
    server::{Server, Surrounded},
    tools::{Offered, SET},
};

/// Connections to MCP servers, whose tools are tools of a registry.
///
/// The servers are started at once, and each is started anew when it fails. Dropping the last clone ends them all, with
/// their processes; [`shutdown`](Self::shutdown) waits for that. Cloning gives the same connections.
///
/// ```no_run
/// use tool_core::{Executor, Registry, registry::LiveRegistry};
/// use tool_mcp::client::{Environment, McpConnections, config::{McpConfig, Surroundings}};
///
/// # async fn host() -> Result<(), Box<dyn std::error::Error>> {
/// let environment = Environment::of_process();
/// let here = Surroundings::new("/project").environment(environment.clone());
/// let config = McpConfig::load(".mcp.json".as_ref(), &here);
/// for fault in config.faults.iter().chain(&config.warnings) {
///     eprintln!("{fault}");
/// }
/// let connections = McpConnections::builder("/project").environment(environment).servers(config.servers).connect().await;
/// for status in connections.status().iter().filter(|status| status.state.failure().is_some()) {
///     eprintln!("{status}");
/// }
/// // All tools, those of servers included; what servers change changes there.
/// let tools = LiveRegistry::from(Registry::linked()?);
/// connections.attach(&tools);
/// let executor = Executor::builder(tools).build()?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct McpConnections(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    /// Dropped with the last handle, which ends all that runs.
    _stop: tokio_util::sync::DropGuard,
}

/// What those who work for the connections have of them.
struct Shared {
    servers: Vec<Arc<Server>>,
    offered: ArcSwap<Offered>,
    building: Mutex<()>,
    /// Counts what is offered anew.
    changes: watch::Sender<u64>,
    surrounded: Arc<Surrounded>,
    /// The servers' tasks, until they are waited for.
    running: Mutex<Vec<tokio::task::JoinHandle<()>>>,
    resource_tools: Vec<Arc<dyn Tool>>,
}

/// Puts connections together.
pub struct McpConnectionsBuilder {
    servers: Vec<ServerConfig>,
    directory: PathBuf,
    environment: Environment,
    host: Option<Arc<dyn McpHost>>,
    #[cfg(feature = "http-client")]
    credentials: Option<Arc<dyn super::credentials::CredentialStore>>,
}

impl McpConnectionsBuilder {
    /// Adds servers. One takes the place of a server of its name.
    #[must_use]
    pub fn servers(mut self, servers: impl IntoIterator<Item = ServerConfig>) -> Self {
        for server in servers {
            self.servers.retain(|known| known.name != server.name);
            self.servers.push(server);
        }
        self
    }

    /// The variables that servers get some of, and that configurations speak of; none unless set.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Who answers what servers ask for. Unless set: [`Roots`], with the working directory.
    #[must_use]
    pub fn host(mut self, host: impl McpHost) -> Self {
        self.host = Some(Arc::new(host));
        self
    }

    /// Where credentials of people who signed in are kept for the next run. Unless set, they last as long as the
    /// connections.
    #[cfg(feature = "http-client")]
    #[must_use]
    pub fn credentials(mut self, store: impl super::credentials::CredentialStore) -> Self {
        self.credentials = Some(Arc::new(store));
        self
    }

    /// Starts all servers, and waits until each is ready or has failed; no longer than the longest `startup_timeout`, but
    /// for the time in which a person signs in. It fails never: [`McpConnections::status`] says what did not work.
    pub async fn connect(self) -> McpConnections {
        let connections = self.start();
        connections.settled().await;
        connections
    }

    /// Starts all servers, and waits for none. Their tools come as they are ready.
    ///
    /// # Panics
    /// Outside of a tokio runtime with time and I/O.
    #[must_use]
    pub fn start(self) -> McpConnections {
        let Self { servers, directory, environment, host, .. } = self;
        let stop = CancellationToken::new();
        let host = host.unwrap_or_else(|| Arc::new(Roots(vec![directory.clone()])));
        let programs = watch::Sender::new(false);
        let surrounded = Arc::new(Surrounded {
            environment,
            directory,
            host,
            #[cfg(feature = "http-client")]
            credentials: self.credentials,
            stop: stop.clone(),
            programs,
        });
        let servers: Vec<_> = servers.into_iter().map(|config| Server::new(config, surrounded.clone())).collect();
        let shared = Arc::new(Shared {
            resource_tools: resources::tools(&servers),
            servers,
            offered: ArcSwap::default(),
            building: Mutex::default(),
            changes: watch::Sender::new(0),
            surrounded,
            running: Mutex::default(),
        });
        let mut running = Vec::new();
        for server in &shared.servers {
            running.push(tokio::spawn(server.clone().run()));
            tokio::spawn(follow(shared.clone(), server.clone()));
        }
        shared.running.lock().unwrap_or_else(PoisonError::into_inner).extend(running);
        McpConnections(Arc::new(Inner { shared, _stop: stop.drop_guard() }))
    }
}

/// Offers anew what a server changed, until all is to stop.
async fn follow(shared: Arc<Shared>, server: Arc<Server>) {
    let mut watched = server.watch();
    loop {
        watched.borrow_and_update();
        shared.clone().offer().await;
        tokio::select! {
            changed = watched.changed() => if changed.is_err() { return },
            () = shared.surrounded.stop.cancelled() => return,
        }
    }
}

impl Shared {
    /// Makes tools of what the servers declare. With thousands of schemas that takes its time, so no task waits for it.
    async fn offer(self: Arc<Self>) {
        let _ = spawn_blocking(move || {
            let _building = self.building.lock().unwrap_or_else(PoisonError::into_inner);
            let offered = Offered::of(&self.servers, &self.offered.load());
            self.offered.store(Arc::new(offered));
            self.changes.send_modify(|changes| *changes += 1);
        })
        .await;
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let offered = self.offered.load();
        let own = offered.tools.iter().map(|offered| offered.tool.clone());
        own.chain(self.resource_tools.iter().cloned()).collect()
    }

    /// Puts the tools in a registry, in place of those that were put there before. A name that somebody else's tool has
    /// stays theirs.
    fn put(
        &self,
        registry: &LiveRegistry,
        wants: &dyn Fn(&dyn Tool) -> bool,
        put: &mut Vec<Arc<dyn Tool>>,
    ) -> Result<(), RegistryError> {
        let current = registry.current();
        let address = |tool: &Arc<dyn Tool>| Arc::as_ptr(tool).cast::<()>();
        let ours: HashSet<_> = put.iter().map(address).collect();
        let is_free = |tool: &Arc<dyn Tool>| {
            current.get(tool.name().as_str()).is_none_or(|known| ours.contains(&address(known.tool())))
        };
        let tools: Vec<_> = self.tools().into_iter().filter(|tool| wants(&**tool) && is_free(tool)).collect();
        let wanted: HashSet<_> = tools.iter().map(address).collect();
        // What is there and stays is not touched.
        let gone: Vec<_> = put.iter().filter(|tool| !wanted.contains(&address(tool))).map(|tool| tool.name()).collect();
        let fresh: Vec<_> = tools.iter().filter(|tool| !ours.contains(&address(tool))).collect();
        registry.update(|builder| {
            let builder = gone.iter().fold(builder, |builder, name| builder.without(name.as_str()));
            fresh.iter().fold(builder, |builder, tool| builder.add(Arc::clone(tool)))
        })?;
        *put = tools;
        Ok(())
    }
}

impl McpConnections {
    /// Connections of a host that works in this directory, which is absolute. Relative paths of configurations are meant
    /// from there, and servers are told that they are to work there.
    #[must_use]
    pub fn builder(directory: impl Into<PathBuf>) -> McpConnectionsBuilder {
        McpConnectionsBuilder {
            servers: Vec::new(),
            directory: directory.into(),
            environment: Environment::default(),
            host: None,
            #[cfg(feature = "http-client")]
            credentials: None,
        }
    }

    /// Waits until every server is ready or has failed, and its tools are offered.
    pub async fn settled(&self) {
        let shared = &self.0.shared;
        join_all(shared.servers.iter().map(|server| async {
            let mut watched = server.watch();
            let _ = watched.wait_for(super::server::View::is_settled).await;
        }))
        .await;
        shared.clone().offer().await;
    }

    /// The tools of all servers as they are now, and those that read resources.
    #[must_use]
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.shared.tools()
    }

    /// A registry with the tools as they are now beside those of another; that one's stay where names are the same.
    ///
    /// # Errors
    /// None of its own: the names differ.
    pub fn over(&self, registry: &Registry) -> Result<Registry, RegistryError> {
        let fresh = self.tools().into_iter().filter(|tool| registry.get(tool.name().as_str()).is_none());
        fresh.fold(Registry::builder().extend(registry), RegistryBuilder::add).build()
    }

    /// Puts the tools in a registry, and keeps them there as the servers have them, until the connections end; then they
    /// stay, and say so when they are called. What could not be put there is told to `tracing`.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn attach(&self, registry: &LiveRegistry) {
        self.attach_where(registry, |_| true);
    }

    /// The same with those tools alone that are wanted.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn attach_where(&self, registry: &LiveRegistry, wants: impl Fn(&dyn Tool) -> bool + Send + Sync + 'static) {
        let (shared, registry) = (self.0.shared.clone(), registry.clone());
        let mut changes = shared.changes.subscribe();
        let mut put = Vec::new();
        let mut refresh = move |shared: &Shared| {
            if let Err(error) = shared.put(&registry, &wants, &mut put) {
                tracing::warn!(%error, "the tools of MCP servers could not be put in the registry");
            }
        };
        changes.borrow_and_update();
        refresh(&shared);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    changed = changes.changed() => if changed.is_err() { return },
                    () = shared.surrounded.stop.cancelled() => return,
                }
                changes.borrow_and_update();
                refresh(&shared);
            }
        });
    }

    /// How every server is, in the order of the configuration.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        let offered = self.0.shared.offered.load();
        let of = |server: &Arc<Server>| {
            let name = &server.config.name;
            let tools = offered.tools.iter().filter(|tool| tool.server == *name).count();
            let notes = offered.notes.iter().filter(|(of, _)| of == name).map(|(_, note)| note.clone()).collect();
            server.status(tools, notes)
        };
        self.0.shared.servers.iter().map(of).collect()
    }

    /// Starts a server anew that has failed for good: what was missing may be there now. Of others, nothing. Says whether
    /// there is a server of that name.
    pub fn restart(&self, server: &str) -> bool {
        let found = self.servers().iter().find(|known| known.config.name == server);
        found.inspect(|server| server.restart()).is_some()
    }

    /// A tool as its server declares it: MCP's own form, with the schema as it came, and the server's name for it.
    #[must_use]
    pub fn declaration(&self, name: &str) -> Option<Value> {
        let offered = self.0.shared.offered.load();
        offered.tools.iter().find(|tool| tool.name == name).map(|tool| tool.declared.declaration.clone())
    }

    /// Counts up whenever the tools may have changed.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.shared.changes.subscribe()
    }

    pub(super) fn servers(&self) -> &[Arc<Server>] {
        &self.0.shared.servers
    }

    /// Ends all connections, and waits for the servers' processes to end; those that will not are killed. Calls that
    /// still run end with an error.
    pub async fn shutdown(self) {
        let shared = self.0.shared.clone();
        shared.surrounded.stop.cancel();
        let running = std::mem::take(&mut *shared.running.lock().unwrap_or_else(PoisonError::into_inner));
        join_all(running).await;
        // One that was being started is nobody's any more.
        shared.surrounded.no_program_is_left().await;
    }

    /// Ends all connections, and kills the servers' processes, which are given no time to end: for a host that is itself
    /// being killed. [`shutdown`](Self::shutdown) waits for it.
    pub fn kill(&self) {
        let surrounded = &self.0.shared.surrounded;
        surrounded.programs.send_replace(true);
        surrounded.stop.cancel();
    }

    /// The set that all these tools are in, for [`Selection`](tool_core::registry::Selection).
    pub const SET: &str = SET;
}

impl std::fmt::Debug for McpConnections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.status()).finish()
    }
}
