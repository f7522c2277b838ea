//! A registry that changes while sessions run.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use arc_swap::ArcSwap;
use tokio::sync::broadcast;

use super::{IntoTool, Registered, Registry, RegistryBuilder, RegistryError};
use crate::{context::Host, error::UnknownTool, tool::ToolName};

/// How many changes a subscriber may be behind before it misses some.
const BACKLOG: usize = 64;

/// The tools of running sessions, which may change meanwhile. Cloning gives the same set.
///
/// Who looks tools up never waits, and sees all of a change or nothing of it. A call keeps the tool it has found: it
/// ends well though the tool is taken out.
///
/// ```
/// use tool_core::{prelude::*, registry::LiveRegistry, tool::FnTool};
///
/// # let tool = |name: &str| FnTool::raw(name, "A tool.", serde_json::json!({"type": "object"}), |_, _| async {}).unwrap();
/// let live = LiveRegistry::from(Registry::builder().add(tool("local")).build()?);
/// let mut changes = live.subscribe();
///
/// // What a server offers has changed: all of its tools are exchanged at once.
/// let offered = Registry::builder().add(tool("search")).add(tool("fetch")).namespace("web").build()?;
/// live.update(|tools| tools.without("web__*").extend(&offered))?;
///
/// assert_eq!(live.current().len(), 3);
/// assert_eq!(changes.try_recv()?.added, ["web__fetch", "web__search"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct LiveRegistry(Arc<Live>);

struct Live {
    current: ArcSwap<Registry>,
    /// The executors that run these tools. Held while a registry is put in place and told of, so that changes are told
    /// in the order they happen, and each executor has what the tools take.
    placing: Mutex<Vec<Weak<Host>>>,
    changes: broadcast::Sender<RegistryChange>,
}

/// What became of the set of tools, by their names there. All lists are sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegistryChange {
    /// Tools that were not there before.
    pub added: Vec<ToolName>,
    /// Tools that are gone.
    pub removed: Vec<ToolName>,
    /// Names that stand for another tool now, or for one that was deferred and is not, or the other way round.
    pub changed: Vec<ToolName>,
}

impl RegistryChange {
    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }

    fn between(old: &Registry, new: &Registry) -> Self {
        let mut change = Self::default();
        for tool in new.iter() {
            match old.get(tool.name().as_str()) {
                None => change.added.push(tool.name().clone()),
                Some(before) if before.is_same(tool) => {}
                Some(_) => change.changed.push(tool.name().clone()),
            }
        }
        change.removed = old.names().filter(|name| new.get(name.as_str()).is_none()).cloned().collect();
        change
    }
}

impl LiveRegistry {
    /// The tools as they are now. Costs one atomic increment; to look up one tool, [`resolve`](Self::resolve) costs
    /// less.
    #[must_use]
    pub fn current(&self) -> Arc<Registry> {
        self.0.current.load_full()
    }

    /// The tool that a model means: see [`Registry::resolve`].
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn resolve(&self, name: &str) -> Result<Arc<Registered>, UnknownTool> {
        self.0.current.load().resolve(name).cloned()
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// When its name is taken, or it cannot be used; nothing is changed then.
    pub fn add<Kind>(&self, tool: impl IntoTool<Kind>) -> Result<RegistryChange, RegistryError> {
        let tool = tool.into_tool();
        self.update(|tools| tools.add(tool.clone()))
    }

    /// Takes a tool out. Calls of it that run already end as they would have.
    ///
    /// # Errors
    /// When it is not there.
    pub fn remove(&self, name: &str) -> Result<RegistryChange, RegistryError> {
        self.update(|tools| tools.remove(name))
    }

    /// Changes the set in one step. `change` gets a builder with all tools there are, and may be asked again when
    /// somebody else was faster. Returns what became different.
    ///
    /// # Errors
    /// Everything that could not be done, every pair of tools with one name, every new tool that cannot be used
    /// ([`Tool::verify`](crate::Tool::verify)), and every state value that a new tool takes and an executor of this set
    /// does not have: bind those by [`RegistryBuilder::state`]. Nothing is changed then.
    pub fn update(&self, change: impl Fn(RegistryBuilder) -> RegistryBuilder) -> Result<RegistryChange, RegistryError> {
        loop {
            let old = self.current();
            let new = Arc::new(change(Registry::builder().extend(&old)).build()?);
            let difference = RegistryChange::between(&old, &new);
            let names = difference.added.iter().chain(&difference.changed);
            let fresh: Vec<_> = names.filter_map(|name| new.get(name.as_str())).collect();
            RegistryError::of_unusable(&fresh)?;
            let mut hosts = self.0.placing.lock().unwrap_or_else(PoisonError::into_inner);
            hosts.retain(|host| host.strong_count() > 0);
            for host in hosts.iter().filter_map(Weak::upgrade) {
                RegistryError::of_lacking(&host, &fresh)?;
            }
            if !Arc::ptr_eq(&old, &self.0.current.load()) {
                continue;
            }
            self.0.current.store(new);
            if !difference.is_empty() {
                // Nobody listens: that is fine.
                let _ = self.0.changes.send(difference.clone());
            }
            return Ok(difference);
        }
    }

    /// Notes one more executor that runs these tools.
    pub(crate) fn serve(&self, host: &Arc<Host>) {
        self.0.placing.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(host));
    }

    /// Every change from now on. Who is slow delays nobody; who is more than 64 changes behind is told so
    /// (`RecvError::Lagged`), and looks at [`current`](Self::current) anew.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<RegistryChange> {
        self.0.changes.subscribe()
    }
}

impl From<Registry> for LiveRegistry {
    fn from(registry: Registry) -> Self {
        Self(Arc::new(Live {
            current: ArcSwap::from_pointee(registry),
            placing: Mutex::default(),
            changes: broadcast::Sender::new(BACKLOG),
        }))
    }
}

impl std::fmt::Debug for LiveRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("LiveRegistry").field(&self.current()).finish()
    }
}
