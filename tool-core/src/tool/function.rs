//! Tools made at run time, from closures and from declarations in JSON.

use std::{borrow::Cow, future::Future, sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{
    Annotations, Concurrency, Grammar, Icon, InvalidIcon, InvalidName, Invocation, Labels, SchemaFault, Tool, ToolName,
    ToolPolicy, ToolResult, ToolSpec,
    schema_check::{check, dismantle},
};
use crate::{
    context::ToolContext,
    output::IntoToolOutput,
    permission::{PatternKind, PermissionRequest},
    schema,
    validation::{InvalidArguments, ToolArgument, Validator},
    wire::freeform,
};

/// A tool made from a closure, for what is known only at run time.
///
/// ```
/// use tool_core::{prelude::*, tool::FnTool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Number { n: i64 }
///
/// let double = FnTool::new("double", "Double a number.", |args: Number, _ctx| async move { (args.n * 2).to_string() })?;
/// let echo = FnTool::raw("echo", "Say it again.", serde_json::json!({ "type": "object" }), |arguments, _ctx| async move {
///     arguments.to_string()
/// })?;
/// let registry = Registry::builder().add(double).add(echo).build()?;
/// assert_eq!(registry.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A declaration in JSON, as MCP's `tools/list` has it, becomes a tool in the same way: its arguments are held against
/// its own schema, with the conversions, the report and the suggestions that typed tools have.
///
/// ```
/// use tool_core::{ToolSpec, prelude::*, testing::Bench, tool::FnTool};
///
/// let spec: ToolSpec = serde_json::from_str(
///     r#"{ "name": "wait", "description": "Wait.", "inputSchema": {
///         "type": "object", "properties": { "seconds": { "type": "integer", "maximum": 60 } },
///         "required": ["seconds"], "additionalProperties": false
///     } }"#,
/// )?;
/// let wait = FnTool::declared(spec, |arguments, _ctx| async move { format!("{} s", arguments["seconds"]) })?;
/// # tool_core::testing::block_on(async {
/// let bench = Bench::new(wait.sets(["time"]).permission("wait").pattern("seconds"));
/// assert_eq!(bench.call("wait", r#"{"seconds":"5"}"#).await.output(), Some("5 s"));
/// assert!(bench.call("wait", r#"{"second":5}"#).await.text().contains("did you mean `seconds`?"));
/// # });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FnTool {
    spec: ToolSpec,
    policy: ToolPolicy,
    pattern: Option<(String, PatternKind)>,
    validator: Validator,
    start: Arc<Start>,
}

type Start = dyn Fn(Value) -> Result<Run, String> + Send + Sync;
type Run = Box<dyn FnOnce(ToolContext) -> BoxFuture<'static, ToolResult> + Send>;

/// Why there is no such tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTool {
    /// Its name is not one that providers take.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// One of its icons is none that clients may show.
    #[error(transparent)]
    Icon(#[from] InvalidIcon),
    /// The schema of its arguments cannot be used.
    #[error("the schema of the arguments of `{tool}` cannot be used: {fault}")]
    InputSchema {
        /// The tool.
        tool: ToolName,
        /// What is wrong.
        fault: SchemaFault,
    },
    /// The schema of its structured result cannot be used.
    #[error("the schema of the result of `{tool}` cannot be used: {fault}")]
    OutputSchema {
        /// The tool.
        tool: ToolName,
        /// What is wrong.
        fault: SchemaFault,
    },
}

impl FnTool {
    /// A tool whose arguments are a struct.
    ///
    /// # Errors
    /// When the name is not one that providers take.
    pub fn new<A, F, R>(
        name: impl AsRef<str>,
        description: impl Into<Cow<'static, str>>,
        function: F,
    ) -> Result<Self, InvalidName>
    where
        A: ToolArgument,
        F: Fn(A, ToolContext) -> R + Send + Sync + 'static,
        R: Future<Output: IntoToolOutput> + Send + 'static,
    {
        Ok(Self::typed(ToolName::new(name)?, description, function))
    }

    /// The same under a name that is known to be one.
    pub(crate) fn typed<A, F, R>(name: ToolName, description: impl Into<Cow<'static, str>>, function: F) -> Self
    where
        A: ToolArgument,
        F: Fn(A, ToolContext) -> R + Send + Sync + 'static,
        R: Future<Output: IntoToolOutput> + Send + 'static,
    {
        let function = Arc::new(function);
        let mut spec = ToolSpec::new(name, description, schema::of_type::<A>());
        spec.output_schema = <R::Output as IntoToolOutput>::output_schema();
        Self::assemble(spec, move |value| {
            let args = serde_json::from_value::<A>(value).map_err(|error| error.to_string())?;
            Ok(run_later(function.clone(), args))
        })
    }

    /// A tool with a schema of its own, whose arguments stay JSON.
    ///
    /// # Errors
    /// When the name is not one that providers take, or the schema cannot be used.
    pub fn raw<F, R>(
        name: impl AsRef<str>,
        description: impl Into<Cow<'static, str>>,
        input_schema: Value,
        function: F,
    ) -> Result<Self, InvalidTool>
    where
        F: Fn(Value, ToolContext) -> R + Send + Sync + 'static,
        R: Future<Output: IntoToolOutput> + Send + 'static,
    {
        match ToolName::new(name) {
            Ok(name) => Self::declared(ToolSpec::new(name, description, input_schema), function),
            Err(fault) => {
                dismantle(input_schema);
                Err(fault.into())
            }
        }
    }

    /// A tool as it is declared elsewhere, whose arguments stay JSON: by another process, another protocol, a file. A
    /// read-only one is parallel.
    ///
    /// Its schema may come from a stranger: one that is nested deeper than [`MAX_SCHEMA_DEPTH`](super::MAX_SCHEMA_DEPTH),
    /// larger than [`MAX_SCHEMA_VALUES`](super::MAX_SCHEMA_VALUES), circular, or that refers to elsewhere is refused here;
    /// nothing is ever fetched. (codex-rs holds the arguments of such tools against no schema at all.)
    ///
    /// # Errors
    /// When a schema cannot be used.
    pub fn declared<F, R>(spec: ToolSpec, function: F) -> Result<Self, InvalidTool>
    where
        F: Fn(Value, ToolContext) -> R + Send + Sync + 'static,
        R: Future<Output: IntoToolOutput> + Send + 'static,
    {
        let function = Arc::new(function);
        match faults(&spec) {
            None => {
                let annotations = spec.annotations;
                let tool = Self::assemble(spec, move |value| Ok(run_later(function.clone(), value)));
                Ok(tool.annotations(annotations))
            }
            Some(fault) => {
                dismantle(spec.input_schema);
                spec.output_schema.into_iter().for_each(dismantle);
                Err(fault)
            }
        }
    }

    fn assemble(spec: ToolSpec, start: impl Fn(Value) -> Result<Run, String> + Send + Sync + 'static) -> Self {
        let validator = Validator::new(spec.input_schema.clone());
        Self { spec, policy: ToolPolicy::default(), pattern: None, validator, start: Arc::new(start) }
    }

    /// Gives it annotations; a read-only tool becomes parallel.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.spec.annotations = annotations;
        if annotations.read_only {
            self.policy.concurrency = Concurrency::Parallel;
        }
        self
    }

    /// Makes it a freeform tool: where the provider can, the model writes the text of its one parameter as plain text
    /// under this grammar. A tool with other parameters than one text is refused when an executor
    /// is built.
    #[must_use]
    pub fn grammar(mut self, grammar: Grammar) -> Self {
        self.spec.grammar = Some(grammar);
        self
    }

    /// Gives it these icons, in place of those that it has.
    ///
    /// ```
    /// use tool_core::tool::{FnTool, Icon, InvalidTool};
    ///
    /// fn clock() -> Result<FnTool, InvalidTool> {
    ///     let schema = serde_json::json!({ "type": "object" });
    ///     let clock = FnTool::raw("now", "The time.", schema, |_, _| async { "noon" })?;
    ///     Ok(clock.icons([Icon::new("https://example.com/clock.png")?]))
    /// }
    /// # assert!(clock().is_ok());
    /// ```
    #[must_use]
    pub fn icons(mut self, icons: impl IntoIterator<Item = Icon>) -> Self {
        self.spec.icons = icons.into_iter().collect();
        self
    }

    /// Gives it a policy, in place of all that it has.
    #[must_use]
    pub fn policy(mut self, policy: ToolPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Asks for this permission before it runs.
    #[must_use]
    pub fn permission(mut self, permission: impl Into<Cow<'static, str>>) -> Self {
        self.policy.permission = Some(permission.into());
        self
    }

    /// Asks with the value of this argument as the pattern: of a list, with each of its members; with `*` where the
    /// argument is left out, and without this step.
    ///
    /// It is compared as it is written; where that has `.` or `..` in it, or begins with the working directory, both
    /// it and the path it would be have to be allowed. For a path, take [`path_pattern`](Self::path_pattern).
    #[must_use]
    pub fn pattern(mut self, argument: impl Into<String>) -> Self {
        self.pattern = Some((argument.into(), PatternKind::Text));
        self
    }

    /// The same with an argument that is a path, as a `PathBuf` of an annotated function is: rules are held against it
    /// as [`permission::path_pattern`](crate::permission::path_pattern) gives it.
    #[must_use]
    pub fn path_pattern(mut self, argument: impl Into<String>) -> Self {
        self.pattern = Some((argument.into(), PatternKind::Path));
        self
    }

    /// Stops a call that runs longer.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.policy.timeout = Some(timeout);
        self
    }

    /// Puts it in these sets.
    #[must_use]
    pub fn sets(mut self, sets: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.policy.sets = sets.into_iter().collect::<Labels>();
        self
    }

    /// Gives it these tags.
    #[must_use]
    pub fn tags(mut self, tags: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.policy.tags = tags.into_iter().collect::<Labels>();
        self
    }
}

/// What is wrong with the schemas of a declaration.
fn faults(spec: &ToolSpec) -> Option<InvalidTool> {
    let tool = || spec.name.clone();
    if let Err(fault) = usable(&spec.input_schema, true) {
        return Some(InvalidTool::InputSchema { tool: tool(), fault });
    }
    let fault = usable(spec.output_schema.as_ref()?, false).err()?;
    Some(InvalidTool::OutputSchema { tool: tool(), fault })
}

fn usable(schema: &Value, is_input: bool) -> Result<(), SchemaFault> {
    check(schema)?;
    if is_input && schema.get("type").is_none_or(|kind| kind != "object") {
        return Err(SchemaFault::NotAnObject);
    }
    Validator::new(schema.clone()).verify().map_err(SchemaFault::Invalid)
}

fn run_later<A, F, R>(function: Arc<F>, args: A) -> Run
where
    A: Send + 'static,
    F: Fn(A, ToolContext) -> R + Send + Sync + 'static,
    R: Future<Output: IntoToolOutput> + Send + 'static,
{
    Box::new(move |ctx| Box::pin(async move { function(args, ctx).await.into_tool_output() }))
}

impl Tool for FnTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn policy(&self) -> &ToolPolicy {
        &self.policy
    }

    fn bind(&self, arguments: &str) -> Result<Box<dyn Invocation>, InvalidArguments> {
        let (value, mended) = self.validator.read(arguments)?;
        let permission = self.policy.permission.as_ref().map(|permission| {
            let given = self.pattern.as_ref().and_then(|(argument, kind)| Some((texts(value.get(argument)?), *kind)));
            Declared { permission: permission.clone(), given: given.filter(|(texts, _)| !texts.is_empty()) }
        });
        let run = (self.start)(value).map_err(|error| InvalidArguments::malformed(error, arguments))?;
        Ok(mended.noted(Box::new(FnInvocation { run, permission })))
    }

    fn normalize(&self, arguments: &str) -> Option<Value> {
        self.validator.prepare(arguments).ok()
    }

    fn verify(&self) -> Result<(), String> {
        freeform::verify(&self.spec)?;
        usable(&self.spec.input_schema, true).map_err(|fault| fault.to_string())
    }
}

/// What an argument gives as patterns: as an annotated function's argument does, and JSON for what has no other text.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        other => vec![other.to_string()],
    }
}

struct FnInvocation {
    run: Run,
    permission: Option<Declared>,
}

/// The permission to ask for, and what an argument says of it.
struct Declared {
    permission: Cow<'static, str>,
    given: Option<(Vec<String>, PatternKind)>,
}

impl Invocation for FnInvocation {
    fn permission(&self, ctx: &ToolContext) -> Option<PermissionRequest> {
        let Declared { permission, given } = self.permission.as_ref()?;
        let patterns = match given {
            Some((texts, kind)) => texts.iter().flat_map(|text| kind.patterns(text, ctx)).collect(),
            None => vec!["*".to_owned()],
        };
        Some(PermissionRequest::new(permission.clone(), patterns))
    }

    fn run<'c>(self: Box<Self>, ctx: &'c ToolContext) -> BoxFuture<'c, ToolResult> {
        (self.run)(ctx.clone())
    }
}
