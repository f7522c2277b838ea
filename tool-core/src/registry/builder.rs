//! Putting a registry together: what cannot be done is collected, and reported all at once by `build`.

use std::{any::Any, collections::HashMap, fmt, sync::Arc};

use super::{Registered, Registry, linked_tools};
use crate::tool::{BoundTool, InvalidName, Location, Tool, ToolName, TypedTool};

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
    tools: Vec<(ToolName, Arc<dyn Tool>)>,
    faults: Vec<Fault>,
}

enum Fault {
    Absent { step: &'static str, name: String },
    Name(InvalidName),
}

impl RegistryBuilder {
    /// Adds every tool that is linked into this binary; see [`Registry`] for what that takes.
    #[must_use]
    pub fn linked(mut self) -> Self {
        self.tools.extend(linked_tools().map(|tool| (tool.spec().name.clone(), tool)));
        self
    }

    /// Adds a tool under its own name.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "a builder's step, as in `axum::Router`")]
    pub fn add<Kind>(mut self, tool: impl IntoTool<Kind>) -> Self {
        let tool = tool.into_tool();
        self.tools.push((tool.spec().name.clone(), tool));
        self
    }

    /// Adds all tools of another registry, under their names there.
    #[must_use]
    pub fn extend(mut self, registry: &Registry) -> Self {
        self.tools.extend(registry.iter().map(|tool| (tool.name.clone(), tool.tool.clone())));
        self
    }

    /// Binds those tools added so far that take a `&T` to this value, so that no executor need register one.
    ///
    /// With [`namespace`](Self::namespace), two values of one type can serve side by side.
    #[must_use]
    pub fn state<T: Any + Send + Sync>(mut self, value: T) -> Self {
        let state: Arc<dyn Any + Send + Sync> = Arc::new(value);
        for (_, tool) in &mut self.tools {
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
        self.tools.retain(|(known, _)| known != name);
        if self.tools.len() == before {
            self.faults.push(Fault::Absent { step: "remove", name: name.to_owned() });
        }
        self
    }

    /// Gives a tool another name. It is a fault when it is not there, or the name is not one that providers take.
    #[must_use]
    pub fn rename(mut self, from: &str, to: &str) -> Self {
        let mut found = false;
        for (name, _) in self.tools.iter_mut().filter(|(name, _)| name == from) {
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
        for (name, _) in &mut self.tools {
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
        for (name, tool) in &self.tools {
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
        let spec = std::sync::OnceLock::new;
        Ok(Registry::collect(
            self.tools
                .into_iter()
                .map(|(name, tool)| Arc::new(Registered { name, tool, spec: spec(), promise: Default::default() })),
        ))
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

    fn lines(&self) -> Vec<String> {
        self.collisions.iter().map(ToString::to_string).chain(self.faults.iter().cloned()).collect()
    }
}

impl fmt::Debug for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
