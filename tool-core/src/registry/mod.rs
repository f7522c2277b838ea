//! The set of tools one agent has.
//!
//! In: tools found at link time, and those a host adds. Out: [`Registry`], which never has two tools of one name, and
//! [`LiveRegistry`], which changes while sessions run. [`Selection`] says which model and agent get which tools.
//! Not here: running them (`executor`).

mod bm25;
mod builder;
mod described;
mod live;
mod search;
mod selection;

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::{Arc, OnceLock},
    time::Duration,
};

pub(crate) use self::search::Found;
pub use self::{
    builder::{Collision, IntoTool, RegistryBuilder, RegistryError},
    described::DESCRIBE_LIMIT,
    live::{LiveRegistry, RegistryChange},
    search::TOOL_SEARCH,
    selection::{Offer, Selection, SelectionRule},
};
use crate::{
    context::Session,
    error::UnknownTool,
    permission::Ruleset,
    schema::{Dialect, Portability},
    suggest::{LONGEST, fold},
    tool::{Audience, LinkedTool, Tool, ToolName, ToolSpec},
};

/// The tools one agent has, by name and in the order of their names.
///
/// # Tools found at link time
/// [`Registry::linked`] has every `#[tool]` function of every crate that is linked into the binary. A crate that is
/// only named in `Cargo.toml` is *not* linked: the linker drops what no code names. Name it once, in the binary:
///
/// ```text
/// use my_tools as _;
/// ```
///
/// A binary whose package also has a library needs the same line for its own library, and so has a test in `tests/`.
#[derive(Clone)]
pub struct Registry {
    tools: HashMap<ToolName, Arc<Registered>, BuildHasherDefault<NameHasher>>,
    order: Vec<ToolName>,
}

/// A tool under the name it has in one registry.
pub struct Registered {
    name: ToolName,
    tool: Arc<dyn Tool>,
    spec: OnceLock<ToolSpec>,
    promise: crate::output::Promise,
    deferred: bool,
    /// Whether the registry made it itself, and makes it anew when it changes.
    generated: bool,
    describe_limit: Duration,
}

impl Registered {
    fn new(name: ToolName, tool: Arc<dyn Tool>, deferred: bool, describe_limit: Duration) -> Self {
        let (spec, promise) = (OnceLock::new(), crate::output::Promise::default());
        Self { name, tool, spec, promise, deferred, generated: false, describe_limit }
    }

    /// The name in this registry.
    #[must_use]
    pub fn name(&self) -> &ToolName {
        &self.name
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    /// Holds an output against the tool's own output schema.
    pub(crate) fn check(&self, output: &crate::output::ToolOutput) -> Result<(), crate::error::ToolError> {
        self.promise.check(&*self.tool, output)
    }

    /// Whether a model finds it by searching, and is not shown it from the start: see [`RegistryBuilder::defer`].
    #[must_use]
    pub fn is_deferred(&self) -> bool {
        self.deferred
    }

    /// Whether the registry made it itself, of the deferred tools.
    pub(crate) fn is_generated(&self) -> bool {
        self.generated
    }

    /// Whether rules deny it altogether: see [`Ruleset::disabled`].
    #[must_use]
    pub fn is_disabled(&self, rules: &Ruleset) -> bool {
        rules.disabled(self.name.as_str(), self.tool.policy().governed_by())
    }

    /// What a model sees of it, under its name in this registry.
    #[must_use]
    pub fn spec(&self) -> &ToolSpec {
        let own = self.tool.spec();
        if own.name == self.name {
            return own;
        }
        self.spec.get_or_init(|| ToolSpec { name: self.name.clone(), ..own.clone() })
    }

    /// Whether the two are one tool, shown in the same way.
    fn is_same(&self, other: &Self) -> bool {
        // What the registry makes anew is the same as long as it is there.
        self.generated && other.generated || Arc::ptr_eq(&self.tool, &other.tool) && self.deferred == other.deferred
    }
}

impl Registry {
    /// Every tool that is linked into this binary.
    ///
    /// # Errors
    /// When two have one name: all such pairs, each with both places in the source.
    pub fn linked() -> Result<Self, RegistryError> {
        Self::builder().linked().build()
    }

    /// Begins an empty registry.
    #[must_use]
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// The tool of exactly this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Registered>> {
        self.tools.get(name)
    }

    /// The tool a model means: of exactly this name, or else the only one that differs in case and separators alone.
    ///
    /// opencode only lowers the case; models also write `ApplyPatch` and `apply-patch`.
    ///
    /// # Errors
    /// When there is none, or more than one: the nearest name and all there are.
    pub fn resolve(&self, name: &str) -> Result<&Arc<Registered>, UnknownTool> {
        if let Some(tool) = self.tools.get(name) {
            return Ok(tool);
        }
        let folded = if name.len() <= LONGEST { fold(name) } else { String::new() };
        let mut alike = self.order.iter().filter(|known| fold(known.as_str()) == folded);
        match (alike.next().and_then(|known| self.tools.get(known)), alike.next()) {
            (Some(tool), None) if !folded.is_empty() => Ok(tool),
            _ => {
                let (deferred, shown) = self.order.iter().cloned().partition(|known| self.is_hidden(known));
                Err(UnknownTool::new(name, shown, deferred))
            }
        }
    }

    /// Whether a model learns of the tool of this name by searching only.
    fn is_hidden(&self, name: &ToolName) -> bool {
        self.tools.get(name).is_some_and(|tool| tool.deferred)
    }

    /// All tools, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Registered>> {
        self.order.iter().filter_map(|name| self.tools.get(name))
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &ToolName> {
        self.order.iter()
    }

    /// What a model sees of all tools that are not deferred.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.iter().filter(|tool| !tool.deferred).map(|tool| tool.spec())
    }

    /// What one model and agent see at the beginning of a session: all tools but those that are deferred, or that
    /// withhold themselves from this audience ([`Description::withheld`](crate::tool::Description::withheld)).
    ///
    /// Every tool is asked at once, and a description that panics or takes too long is left out for the tool's own, so
    /// that this takes no longer than [`DESCRIBE_LIMIT`] (or what was set in its place).
    pub async fn specs_for(&self, audience: &Audience) -> Vec<ToolSpec> {
        self.described(audience, |tool| !tool.deferred).await
    }

    /// What one model and agent see in a session by now: the same, and the deferred tools that `tool_search` has found
    /// in it. Hosts ask for it before each turn; `tool_search` describes what it finds for the audience of the last one.
    pub async fn specs_in(&self, session: &Session, audience: &Audience) -> Vec<ToolSpec> {
        let found = Found::of(session, audience);
        self.described(audience, |tool| !tool.deferred || found.contains(&tool.name)).await
    }

    async fn described(&self, audience: &Audience, is_shown: impl Fn(&Registered) -> bool) -> Vec<ToolSpec> {
        let specs = self.iter().filter(|tool| is_shown(tool)).map(|tool| tool.offered_spec(audience));
        futures_util::future::join_all(specs).await.into_iter().flatten().collect()
    }

    /// The tools that one model and agent get: each as the last rule that holds for it says, and as it is here where
    /// none does.
    #[must_use]
    pub fn for_audience(&self, audience: &Audience, selection: &Selection) -> Self {
        Self::collect(self.iter().filter_map(|tool| {
            let deferred = match selection.find(tool, audience) {
                None => tool.deferred,
                Some(Offer::Include) => false,
                Some(Offer::Defer) => true,
                Some(Offer::Exclude) => return None,
            };
            Some(if deferred == tool.deferred {
                tool.clone()
            } else {
                let (name, inner) = (tool.name.clone(), tool.tool.clone());
                Arc::new(Registered::new(name, inner, deferred, tool.describe_limit))
            })
        }))
    }

    /// What each provider's dialect makes of each tool's schema: as it is, adapted, fallen back, or unusable.
    #[must_use]
    pub fn portability(&self) -> Portability {
        Portability::of(self.iter().map(|tool| tool.spec()), &Dialect::ALL)
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The tools that `keep` wants.
    #[must_use]
    pub fn select(&self, keep: impl Fn(&Registered) -> bool) -> Self {
        Self::collect(self.iter().filter(|tool| keep(tool)).cloned())
    }

    /// The tools of a set; every tool is in the set `all`.
    #[must_use]
    pub fn set(&self, set: &str) -> Self {
        self.select(|tool| set == "all" || tool.tool.policy().sets.contains(set))
    }

    /// The tools with a tag.
    #[must_use]
    pub fn tag(&self, tag: &str) -> Self {
        self.select(|tool| tool.tool.policy().tags.contains(tag))
    }

    /// The names of all sets, sorted, without `all`.
    #[must_use]
    pub fn sets(&self) -> Vec<&str> {
        let sets: std::collections::BTreeSet<_> = self.iter().flat_map(|tool| tool.tool.policy().sets.iter()).collect();
        sets.into_iter().collect()
    }

    fn collect(tools: impl Iterator<Item = Arc<Registered>>) -> Self {
        let own = tools.filter(|tool| !tool.generated);
        let mut tools: HashMap<ToolName, Arc<Registered>, _> = own.map(|tool| (tool.name.clone(), tool)).collect();
        let mut deferred: Vec<_> = tools.values().filter(|tool| tool.deferred).cloned().collect();
        // A host's own tool of that name is to find them.
        if !deferred.is_empty() && !tools.contains_key(TOOL_SEARCH) {
            deferred.sort_by(|a, b| a.name.cmp(&b.name));
            let tool = search::tool_search(deferred);
            let name = tool.spec().name.clone();
            let search = Registered { generated: true, ..Registered::new(name.clone(), tool, false, DESCRIBE_LIMIT) };
            tools.insert(name, Arc::new(search));
        }
        let mut order: Vec<_> = tools.keys().cloned().collect();
        order.sort();
        Self { tools, order }
    }
}

/// FNV-1a: names are short, and a model that looks names up cannot choose those that stand in the table.
struct NameHasher(u64);

impl Default for NameHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn linked_tools() -> impl Iterator<Item = Arc<dyn Tool>> {
    inventory::iter::<LinkedTool>().map(|linked| linked.0.tool())
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Registry").field(&self.order).finish()
    }
}
