//! Putting a registry together: what cannot be done is collected, and reported all at once by `build`.

use std::{any::Any, collections::HashMap, fmt, sync::Arc, time::Duration};

use super::{DESCRIBE_LIMIT, Registered, Registry, linked_tools};
use crate::{
    context::Host,
    permission::matches,
    tool::{BoundTool, InvalidName, Location, Tool, ToolName, TypedTool},
};

/// Anything that can be added to a registry: the handle of an annotated function, a [`Tool`], an `Arc<dyn Tool>`.
pub trait IntoTool<Kind> {
    /// The tool.
    fn into_tool(self) -> Arc<dyn Tool>;
}

/// Marks the handle of an annotated function.
pub struct Typed;
/// Marks a tool of any other kind.
pub struct Dynamic;
/// Marks a shared tool.
pub struct SharedTool;

impl<T: TypedTool> IntoTool<Typed> for T {
    fn into_tool(self) -> Arc<dyn Tool> {
        T::FACTS.tool()
    }
}

impl<T: Tool> IntoTool<Dynamic> for T {
    fn into_tool(self) -> Arc<dyn Tool> {
        Arc::new(self)
    }
}

impl IntoTool<SharedTool> for Arc<dyn Tool> {
    fn into_tool(self) -> Self {
        self
    }
}

/// Puts a [`Registry`] together. Steps apply in the order they are written.
#[derive(Default)]
pub struct RegistryBuilder {
    tools: Vec<Entry>,
    faults: Vec<Fault>,
}

struct Entry {
    name: ToolName,
    tool: Arc<dyn Tool>,
    deferred: bool,
    describe_limit: Duration,
}

impl Entry {
    fn new(tool: Arc<dyn Tool>) -> Self {
        Self { name: tool.name(), tool, deferred: false, describe_limit: DESCRIBE_LIMIT }
    }
}

enum Fault {
    Absent { step: &'static str, name: String },
    Name(InvalidName),
}

impl RegistryBuilder {
    /// Adds every tool that is linked into this binary; see [`Registry`] for what that takes.
    #[must_use]
    pub fn linked(mut self) -> Self {
        self.tools.extend(linked_tools().map(Entry::new));
        self
    }

    /// Adds a tool under its own name.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "a builder's step, as in `axum::Router`")]
    pub fn add<Kind>(mut self, tool: impl IntoTool<Kind>) -> Self {
        self.tools.push(Entry::new(tool.into_tool()));
        self
    }

    /// Adds a tool in place of the one that has its name, if there is one.
    #[must_use]
    pub fn replace<Kind>(mut self, tool: impl IntoTool<Kind>) -> Self {
        let entry = Entry::new(tool.into_tool());
        self.tools.retain(|known| known.name != entry.name);
        self.tools.push(entry);
        self
    }

    /// Adds all tools of another registry, under their names there.
    #[must_use]
    pub fn extend(mut self, registry: &Registry) -> Self {
        let of = |tool: &Arc<Registered>| Entry {
            name: tool.name.clone(),
            tool: tool.tool.clone(),
            deferred: tool.deferred,
            describe_limit: tool.describe_limit,
        };
        self.tools.extend(registry.iter().filter(|tool| !tool.generated).map(of));
        self
    }

    /// Binds those tools added so far that take a `&T` to this value, so that no executor need register one.
    ///
    /// With [`namespace`](Self::namespace), two values of one type can serve side by side.
    #[must_use]
    pub fn state<T: Any + Send + Sync>(mut self, value: T) -> Self {
        let state: Arc<dyn Any + Send + Sync> = Arc::new(value);
        for Entry { tool, .. } in &mut self.tools {
            let takes = tool.requirements().iter().any(|wanted| wanted.type_id == std::any::TypeId::of::<T>());
            if takes {
                *tool = Arc::new(BoundTool { inner: tool.clone(), state: state.clone() });
            }
        }
        self
    }

    /// Takes a tool out. It is a fault when it is not there.
    #[must_use]
    pub fn remove(mut self, name: &str) -> Self {
        let before = self.tools.len();
        self.tools.retain(|known| known.name != name);
        if self.tools.len() == before {
            self.faults.push(Fault::Absent { step: "remove", name: name.to_owned() });
        }
        self
    }

    /// Takes out every tool whose name matches this pattern (the wildcards of
    /// [`permission::matches`](crate::permission::matches)). There need not be one.
    #[must_use]
    pub fn without(mut self, pattern: &str) -> Self {
        self.tools.retain(|known| !matches(pattern, known.name.as_str()));
        self
    }

    /// Defers those tools added so far whose names match this pattern: what a model sees does not have them
    /// ([`Registry::specs_for`]) until it has found them by `tool_search`, which every registry with deferred tools has
    /// (unless there is another tool of that name). With hundreds of tools, that leaves room for the conversation.
    ///
    /// As in codex-rs, a deferred tool that is called without having been found is run: a model may know it from
    /// elsewhere. Anthropic's `defer_loading` says the same to its own search.
    ///
    /// ```
    /// use tool_core::{prelude::*, tool::{Audience, FnTool}};
    ///
    /// # let object = || serde_json::json!({"type": "object"});
    /// let issues = FnTool::raw("create_issue", "File a bug on GitHub.", object(), |_, _| async { "#1" })?;
    /// let events = FnTool::raw("list_events", "What is in the calendar.", object(), |_, _| async { "none" })?;
    /// let registry = Registry::builder().add(issues).add(events).defer("*").build()?;
    /// let executor = Executor::builder(registry.clone()).build()?;
    /// # tool_core::testing::block_on(async {
    /// let session = Session::new("/");
    /// let search = ToolCall::new("1", "tool_search", r#"{"query":"report a bug"}"#);
    /// executor.call(&session, search).await;
    ///
    /// let specs = registry.specs_in(&session, &Audience::new()).await;
    /// assert_eq!(specs.iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>(), ["create_issue", "tool_search"]);
    /// # });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn defer(mut self, pattern: &str) -> Self {
        for entry in self.tools.iter_mut().filter(|entry| matches(pattern, entry.name.as_str())) {
            entry.deferred = true;
        }
        self
    }

    /// How long the `describe` functions of the tools added so far may take; [`DESCRIBE_LIMIT`] unless set. A function
    /// that blocks its thread cannot be stopped.
    #[must_use]
    pub fn described_within(mut self, limit: Duration) -> Self {
        for entry in &mut self.tools {
            entry.describe_limit = limit;
        }
        self
    }

    /// Gives a tool another name. It is a fault when it is not there, or the name is not one that providers take.
    #[must_use]
    pub fn rename(mut self, from: &str, to: &str) -> Self {
        let mut found = false;
        for Entry { name, .. } in self.tools.iter_mut().filter(|entry| entry.name == from) {
            found = true;
            match ToolName::new(to) {
                Ok(new) => *name = new,
                Err(fault) => self.faults.push(Fault::Name(fault)),
            }
        }
        if !found {
            self.faults.push(Fault::Absent { step: "rename", name: from.to_owned() });
        }
        self
    }

    /// Puts `prefix` and two underscores before the names of the tools added so far: `files__read`.
    #[must_use]
    pub fn namespace(mut self, prefix: &str) -> Self {
        for Entry { name, .. } in &mut self.tools {
            match ToolName::new(format!("{prefix}__{name}")) {
                Ok(new) => *name = new,
                Err(fault) => self.faults.push(Fault::Name(fault)),
            }
        }
        self
    }

    /// The registry.
    ///
    /// # Errors
    /// Everything that could not be done, and every pair of tools with one name.
    pub fn build(self) -> Result<Registry, RegistryError> {
        let mut first: HashMap<&ToolName, &Arc<dyn Tool>> = HashMap::new();
        let mut collisions = Vec::new();
        for Entry { name, tool, .. } in &self.tools {
            if let Some(other) = first.insert(name, tool) {
                collisions.push(Collision { name: name.clone(), places: [other.location(), tool.location()] });
            }
        }
        // The linker's order is its own business; the report's is not.
        collisions.sort_by_cached_key(ToString::to_string);
        let faults: Vec<String> = self.faults.iter().map(ToString::to_string).collect();
        if !(collisions.is_empty() && faults.is_empty()) {
            return Err(RegistryError { collisions, faults });
        }
        Ok(Registry::collect(self.tools.into_iter().map(|Entry { name, tool, deferred, describe_limit }| {
            Arc::new(Registered::new(name, tool, deferred, describe_limit))
        })))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent { step, name } => write!(f, "cannot {step} `{name}`: there is no tool of that name"),
            Self::Name(fault) => fault.fmt(f),
        }
    }
}

/// Two tools with one name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Collision {
    /// The name.
    pub name: ToolName,
    /// Where the two are written, where that is known.
    pub places: [Option<Location>; 2],
}

impl fmt::Display for Collision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut places = self.places.map(|place| place.map_or("a tool made at run time".to_owned(), |p| p.to_string()));
        places.sort();
        let [one, other] = places;
        write!(f, "two tools are named `{}`: {one} and {other}; rename or remove one", self.name)
    }
}

/// Why there is no registry: all reasons. `Debug` is the same text, for a `main` that returns it.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.lines().join("\n"))]
pub struct RegistryError {
    collisions: Vec<Collision>,
    faults: Vec<String>,
}

impl RegistryError {
    /// The tools that have one name.
    #[must_use]
    pub fn collisions(&self) -> &[Collision] {
        &self.collisions
    }

    /// Asks each of these tools whether it can be used.
    pub(super) fn of_unusable(tools: &[&Arc<Registered>]) -> Result<(), Self> {
        let fault = |tool: &&Arc<Registered>| {
            let fault = tool.tool.verify().err()?;
            Some(format!("tool `{}` has a schema that cannot be used: {fault}", tool.name))
        };
        Self::of(tools.iter().filter_map(fault).collect())
    }

    /// Asks an executor whether it has the state that these tools take.
    pub(super) fn of_lacking(host: &Host, tools: &[&Arc<Registered>]) -> Result<(), Self> {
        let bind =
            |fault| format!("{fault} when the executor is built, or bind one to the tool by `RegistryBuilder::state`");
        Self::of(tools.iter().flat_map(|tool| host.lacks(tool)).map(bind).collect())
    }

    fn of(faults: Vec<String>) -> Result<(), Self> {
        if faults.is_empty() { Ok(()) } else { Err(Self { collisions: Vec::new(), faults }) }
    }

    fn lines(&self) -> Vec<String> {
        self.collisions.iter().map(ToString::to_string).chain(self.faults.iter().cloned()).collect()
    }
}

impl fmt::Debug for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
