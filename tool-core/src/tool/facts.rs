//! What `#[tool]` emits of a function: a constant table of facts, and the one generic door to the function.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
    time::Duration,
};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{
    Annotations, Audience, Concurrency, Description, Grammar, Icon, Invocation, Labels, LimitOverrides, Location,
    Requirement, Tool, ToolName, ToolPolicy, ToolResult, ToolSpec,
};
use crate::{
    context::ToolContext,
    error::ToolError,
    permission::PermissionRequest,
    truncate::Keep,
    validation::{
        InvalidArguments, TypedArguments,
        param::Field,
        source::{Mismatch, Source, Unknown},
    },
    wire::freeform,
};

/// An annotated function, seen through its types. `#[tool]` implements it for the handle it makes (`WeatherTool`).
pub trait TypedTool: Send + Sync + 'static {
    /// The argument struct (`WeatherArgs`).
    type Args: Send + 'static;

    /// Everything the macro knows of the function.
    const FACTS: &'static ToolFacts;

    #[doc(hidden)]
    fn decode(source: &mut Source<'_>) -> Result<Self::Args, Mismatch>;

    #[doc(hidden)]
    fn patterns(args: &Self::Args, ctx: &ToolContext) -> Vec<String> {
        let _ = (args, ctx);
        vec!["*".to_owned()]
    }

    /// Calls the function with arguments that need no further check.
    ///
    /// # Errors
    /// When a value it takes from the context is not there.
    fn call(args: Self::Args, ctx: &ToolContext) -> Result<BoxFuture<'_, ToolResult>, ToolError>;
}

type Bind = fn(&mut Source<'_>, Option<&'static str>) -> Result<Box<dyn Invocation>, Mismatch>;
/// What `describe = path` becomes.
pub type Describe = for<'a> fn(&'a Audience) -> BoxFuture<'a, Description>;

/// Everything the macro knows of an annotated function, as a constant.
pub struct ToolFacts {
    name: &'static str,
    title: Option<&'static str>,
    description: &'static str,
    annotations: Annotations,
    concurrency: Option<Concurrency>,
    timeout: Option<Duration>,
    limits: LimitOverrides,
    permission: Option<&'static str>,
    asks: Option<&'static str>,
    sets: &'static [&'static str],
    tags: &'static [&'static str],
    unknown: Unknown,
    fields: &'static [Field],
    requires: &'static [fn() -> Option<Requirement>],
    output_schema: fn() -> Option<Value>,
    describe: Option<Describe>,
    format_error: Option<fn(&InvalidArguments) -> String>,
    grammar: Option<WrittenGrammar>,
    icons: &'static [Icon],
    location: Location,
    bind: Bind,
}

/// A grammar as a constant: a [`Grammar`] itself may own its text.
struct WrittenGrammar {
    kind: fn(Cow<'static, str>) -> Grammar,
    definition: &'static str,
}

/// The const builder that the expansion is written in.
#[doc(hidden)]
impl ToolFacts {
    #[must_use]
    pub const fn new<T: TypedTool>(name: &'static str, description: &'static str, location: Location) -> Self {
        Self {
            name,
            title: None,
            description,
            annotations: Annotations::new(false, false, false, false),
            concurrency: None,
            timeout: None,
            limits: LimitOverrides { lines: None, bytes: None, keep: None },
            permission: None,
            asks: None,
            sets: &[],
            tags: &[],
            unknown: Unknown::Reject,
            fields: &[],
            requires: &[],
            output_schema: || None,
            describe: None,
            format_error: None,
            grammar: None,
            icons: &[],
            location,
            bind: bind::<T>,
        }
    }

    #[must_use]
    pub const fn fields(mut self, fields: &'static [Field]) -> Self {
        self.fields = fields;
        self
    }

    #[must_use]
    pub const fn requires(mut self, requires: &'static [fn() -> Option<Requirement>]) -> Self {
        self.requires = requires;
        self
    }

    #[must_use]
    pub const fn returns<O>(mut self, returns: &crate::output::Returns<O>) -> Self {
        self.output_schema = returns.schema;
        self
    }

    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    #[must_use]
    pub const fn annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    #[must_use]
    pub const fn concurrency(mut self, concurrency: Concurrency) -> Self {
        self.concurrency = Some(concurrency);
        self
    }

    #[must_use]
    pub const fn timeout_ms(mut self, milliseconds: u64) -> Self {
        self.timeout = Some(Duration::from_millis(milliseconds));
        self
    }

    #[must_use]
    pub const fn keep(mut self, keep: Keep) -> Self {
        self.limits.keep = Some(keep);
        self
    }

    #[must_use]
    pub const fn lines(mut self, lines: usize) -> Self {
        self.limits.lines = Some(lines);
        self
    }

    #[must_use]
    pub const fn bytes(mut self, bytes: usize) -> Self {
        self.limits.bytes = Some(bytes);
        self
    }

    #[must_use]
    pub const fn permission(mut self, permission: &'static str) -> Self {
        self.permission = Some(permission);
        self
    }

    #[must_use]
    pub const fn asks(mut self, permission: &'static str) -> Self {
        self.asks = Some(permission);
        self
    }

    #[must_use]
    pub const fn sets(mut self, sets: &'static [&'static str]) -> Self {
        self.sets = sets;
        self
    }

    #[must_use]
    pub const fn tags(mut self, tags: &'static [&'static str]) -> Self {
        self.tags = tags;
        self
    }

    #[must_use]
    pub const fn ignore_unknown(mut self) -> Self {
        self.unknown = Unknown::Ignore;
        self
    }

    #[must_use]
    pub const fn describe(mut self, describe: Describe) -> Self {
        self.describe = Some(describe);
        self
    }

    #[must_use]
    pub const fn format_error(mut self, format: fn(&InvalidArguments) -> String) -> Self {
        self.format_error = Some(format);
        self
    }

    #[must_use]
    pub const fn lark(mut self, definition: &'static str) -> Self {
        self.grammar = Some(WrittenGrammar { kind: Grammar::Lark, definition });
        self
    }

    #[must_use]
    pub const fn regex(mut self, definition: &'static str) -> Self {
        self.grammar = Some(WrittenGrammar { kind: Grammar::Regex, definition });
        self
    }

    #[must_use]
    pub const fn icons(mut self, icons: &'static [Icon]) -> Self {
        self.icons = icons;
        self
    }
}

impl ToolFacts {
    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Where the function stands.
    #[must_use]
    pub fn location(&self) -> Location {
        self.location
    }

    /// The tool that these facts describe.
    #[must_use]
    pub fn tool(&'static self) -> Arc<dyn Tool> {
        Arc::new(FactsTool { facts: self, policy: self.policy(), arguments: OnceLock::new(), spec: OnceLock::new() })
    }

    fn policy(&self) -> ToolPolicy {
        let by_nature = if self.annotations.read_only { Concurrency::Parallel } else { Concurrency::Exclusive };
        ToolPolicy {
            concurrency: self.concurrency.unwrap_or(by_nature),
            timeout: self.timeout,
            limits: self.limits,
            permission: self.permission.map(Into::into),
            asks: self.asks.map(Into::into),
            sets: Labels::fixed(self.sets),
            tags: Labels::fixed(self.tags),
        }
    }
}

/// One generic function a tool; all else is shared.
fn bind<T: TypedTool>(
    source: &mut Source<'_>,
    permission: Option<&'static str>,
) -> Result<Box<dyn Invocation>, Mismatch> {
    let args = T::decode(source)?;
    Ok(Box::new(Bound::<T> { args, permission }))
}

struct Bound<T: TypedTool> {
    args: T::Args,
    permission: Option<&'static str>,
}

impl<T: TypedTool> Invocation for Bound<T> {
    fn permission(&self, ctx: &ToolContext) -> Option<PermissionRequest> {
        self.permission.map(|permission| PermissionRequest::new(permission, T::patterns(&self.args, ctx)))
    }

    fn run<'c>(self: Box<Self>, ctx: &'c ToolContext) -> BoxFuture<'c, ToolResult> {
        match T::call(self.args, ctx) {
            Ok(future) => future,
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }
}

/// The one adapter from facts to [`Tool`].
struct FactsTool {
    facts: &'static ToolFacts,
    policy: ToolPolicy,
    arguments: OnceLock<TypedArguments>,
    spec: OnceLock<ToolSpec>,
}

impl FactsTool {
    fn arguments(&self) -> &TypedArguments {
        self.arguments.get_or_init(|| TypedArguments::new(self.facts.fields, self.facts.unknown))
    }
}

impl Tool for FactsTool {
    fn spec(&self) -> &ToolSpec {
        self.spec.get_or_init(|| ToolSpec {
            name: ToolName::checked(self.facts.name),
            title: self.facts.title.map(Into::into),
            description: self.facts.description.into(),
            input_schema: self.arguments().schema().clone(),
            output_schema: (self.facts.output_schema)(),
            annotations: self.facts.annotations,
            grammar: self.facts.grammar.as_ref().map(|grammar| (grammar.kind)(grammar.definition.into())),
            icons: self.facts.icons.iter().cloned().collect(),
            kept: crate::schema::KeptSchemas::default(),
        })
    }

    fn name(&self) -> ToolName {
        ToolName::checked(self.facts.name)
    }

    fn policy(&self) -> &ToolPolicy {
        &self.policy
    }

    fn bind(&self, arguments: &str) -> Result<Box<dyn Invocation>, InvalidArguments> {
        let (bind, permission) = (self.facts.bind, self.facts.permission);
        let bound = self.arguments().read(arguments, |source| bind(source, permission));
        match self.facts.format_error {
            None => bound,
            Some(format) => bound.map_err(|report| {
                let wording = format(&report);
                report.worded(wording)
            }),
        }
    }

    fn normalize(&self, arguments: &str) -> Option<Value> {
        let (bind, permission) = (self.facts.bind, self.facts.permission);
        self.arguments().normalize(arguments, |source| bind(source, permission))
    }

    fn describe<'a>(&'a self, audience: &'a Audience) -> BoxFuture<'a, Option<Description>> {
        match self.facts.describe {
            None => Box::pin(std::future::ready(None)),
            Some(describe) => Box::pin(async move { Some(describe(audience).await) }),
        }
    }

    fn requirements(&self) -> Vec<Requirement> {
        self.facts.requires.iter().filter_map(|requirement| requirement()).collect()
    }

    fn location(&self) -> Option<Location> {
        Some(self.facts.location)
    }

    fn verify(&self) -> Result<(), String> {
        freeform::verify(self.spec())?;
        self.arguments().verify()
    }
}

/// An annotated function that the linker put into this binary.
pub struct LinkedTool(pub &'static ToolFacts);

inventory::collect!(LinkedTool);
