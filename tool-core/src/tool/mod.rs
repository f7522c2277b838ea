//! What a tool is: the object-safe [`Tool`], the macro's [`TypedTool`], and [`FnTool`] for closures.
//!
//! In: JSON arguments as text. Out: an [`Invocation`], which knows the permission it needs and how to run.
//! Not here: who may call a tool (`permission`), and in which order things happen (`executor`).

mod bound;
mod facts;
mod freeform;
mod function;
mod icon;
mod name;
mod policy;
mod schema_check;
mod spec;

use std::{any::TypeId, borrow::Cow, fmt};

use futures_util::future::BoxFuture;
use serde::Serialize;

pub(crate) use self::bound::BoundTool;
#[doc(hidden)]
pub use self::freeform::freeform_text;
pub use self::{
    facts::{Describe, LinkedTool, ToolFacts, TypedTool},
    freeform::FreeformText,
    function::{FnTool, InvalidTool},
    icon::{Icon, IconSize, IconTheme, Icons, InvalidIcon},
    name::{InvalidName, MAX_NAME_LENGTH, ToolName},
    policy::{Concurrency, Labels, LimitOverrides, ToolPolicy},
    schema_check::{MAX_SCHEMA_DEPTH, MAX_SCHEMA_VALUES, SchemaFault},
    spec::{Annotations, Grammar, ToolSpec},
};
use crate::{
    context::ToolContext,
    error::ToolError,
    output::ToolOutput,
    permission::PermissionRequest,
    validation::{InvalidArguments, Mended},
};

/// What a tool's body ends with.
pub type ToolResult = Result<ToolOutput, ToolError>;

/// A capability that a model can call by name.
///
/// `#[tool]` implements it for functions, [`FnTool`] for closures; implement it yourself for tools that come from
/// elsewhere (another process, another protocol).
pub trait Tool: Send + Sync + 'static {
    /// What the model sees.
    fn spec(&self) -> &ToolSpec;

    /// The spec's name, where it can be had without the spec.
    fn name(&self) -> ToolName {
        self.spec().name.clone()
    }

    /// How the executor treats it.
    fn policy(&self) -> &ToolPolicy;

    /// Turns JSON text into something that can run.
    ///
    /// # Errors
    /// A report of every mistake in the arguments.
    fn bind(&self, arguments: &str) -> Result<Box<dyn Invocation>, InvalidArguments>;

    /// The arguments in the form that it takes them, for those who look at a call before it runs: members under the names
    /// of its parameters, values as they were converted. `None`: as they came. Asked for arguments that
    /// [`bind`](Self::bind) has taken, and only where somebody looks.
    fn normalize(&self, arguments: &str) -> Option<serde_json::Value> {
        let _ = arguments;
        None
    }

    /// The description for one model and agent (opencode's lazy `init`); `None`: the spec's own.
    fn describe<'a>(&'a self, audience: &'a Audience) -> BoxFuture<'a, Option<Description>> {
        let _ = audience;
        Box::pin(std::future::ready(None))
    }

    /// The state values that a host must register before this tool can run.
    fn requirements(&self) -> Vec<Requirement> {
        Vec::new()
    }

    /// Whether the tool can be used at all; asked once, when an executor is built.
    ///
    /// # Errors
    /// What is wrong with it, e.g. a regular expression that does not compile.
    fn verify(&self) -> Result<(), String> {
        Ok(())
    }

    /// Where it was written, for error messages.
    fn location(&self) -> Option<Location> {
        None
    }
}

/// Arguments that were accepted, bound to the tool that will take them.
pub trait Invocation: Send {
    /// The permission the tool declared, with the patterns these arguments give it.
    fn permission(&self, ctx: &ToolContext) -> Option<PermissionRequest>;

    /// What was done to the arguments before they fitted; `None` where they fitted as they came.
    fn mended(&self) -> Option<&Mended> {
        None
    }

    /// Runs the tool. Dropping the future stops it.
    fn run<'c>(self: Box<Self>, ctx: &'c ToolContext) -> BoxFuture<'c, ToolResult>;
}

/// Whom a description is made for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audience {
    /// The provider's id, e.g. `anthropic`.
    pub provider: Option<String>,
    /// The model's id.
    pub model: Option<String>,
    /// The agent's name.
    pub agent: Option<String>,
}

impl Audience {
    /// Nobody in particular: what `list` shows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// For this model.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// For this provider.
    #[must_use]
    pub fn provider(mut self, provider: impl Into<String>) -> Self {
        self.provider = Some(provider.into());
        self
    }

    /// For this agent.
    #[must_use]
    pub fn agent(mut self, agent: impl Into<String>) -> Self {
        self.agent = Some(agent.into());
        self
    }
}

/// What `describe = path` returns: a description for one audience, and a narrower schema where wanted; or that this
/// audience is not offered the tool at all.
///
/// ```
/// use tool_core::tool::{Audience, Description};
///
/// async fn describe(audience: &Audience) -> Description {
///     match audience.agent.as_deref() {
///         Some("plan") => Description::withheld(),
///         _ => "Change a file.".into(),
///     }
/// }
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Description {
    /// The description.
    pub text: Cow<'static, str>,
    /// A schema that admits less than the tool's own. What it leaves out is still accepted by the tool itself.
    pub input_schema: Option<serde_json::Value>,
    /// Whether the tool is left out of what this audience sees. A call of it is still answered; a host that wants it
    /// refused takes it out of the registry (`registry::Selection`).
    pub withheld: bool,
}

impl<T: Into<Cow<'static, str>>> From<T> for Description {
    fn from(text: T) -> Self {
        Self { text: text.into(), input_schema: None, withheld: false }
    }
}

impl Description {
    /// This audience is not offered the tool.
    #[must_use]
    pub fn withheld() -> Self {
        Self { withheld: true, ..Self::default() }
    }

    /// The same description with a narrower schema.
    #[must_use]
    pub fn with_schema(mut self, schema: serde_json::Value) -> Self {
        self.input_schema = Some(schema);
        self
    }
}

/// A place in source code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The file, as the compiler names it.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
    /// The module path.
    pub module: &'static str,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} ({})", self.file, self.line, self.module)
    }
}

/// A state value that a tool takes by reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Requirement {
    pub(crate) type_id: TypeId,
    pub(crate) type_name: &'static str,
}

impl Requirement {
    /// The value's type, as the compiler names it.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        self.type_name
    }
}
