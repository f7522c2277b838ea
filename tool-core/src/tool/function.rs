//! Tools made at run time from closures.

use std::{borrow::Cow, future::Future, sync::Arc};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{
    Annotations, Concurrency, Grammar, InvalidName, Invocation, Tool, ToolName, ToolPolicy, ToolResult, ToolSpec,
};
use crate::{
    context::ToolContext,
    output::IntoToolOutput,
    permission::PermissionRequest,
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
pub struct FnTool {
    spec: ToolSpec,
    policy: ToolPolicy,
    validator: Validator,
    start: Arc<Start>,
}

type Start = dyn Fn(Value) -> Result<Run, String> + Send + Sync;
type Run = Box<dyn FnOnce(ToolContext) -> BoxFuture<'static, ToolResult> + Send>;

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
        let function = Arc::new(function);
        let mut tool = Self::assemble(name, description, schema::of_type::<A>(), move |value| {
            let args = serde_json::from_value::<A>(value).map_err(|error| error.to_string())?;
            Ok(run_later(function.clone(), args))
        })?;
        tool.spec.output_schema = <R::Output as IntoToolOutput>::output_schema();
        Ok(tool)
    }

    /// A tool with a schema of its own, whose arguments stay JSON.
    ///
    /// # Errors
    /// When the name is not one that providers take.
    pub fn raw<F, R>(
        name: impl AsRef<str>,
        description: impl Into<Cow<'static, str>>,
        input_schema: Value,
        function: F,
    ) -> Result<Self, InvalidName>
    where
        F: Fn(Value, ToolContext) -> R + Send + Sync + 'static,
        R: Future<Output: IntoToolOutput> + Send + 'static,
    {
        let function = Arc::new(function);
        Self::assemble(name, description, input_schema, move |value| Ok(run_later(function.clone(), value)))
    }

    fn assemble(
        name: impl AsRef<str>,
        description: impl Into<Cow<'static, str>>,
        input_schema: Value,
        start: impl Fn(Value) -> Result<Run, String> + Send + Sync + 'static,
    ) -> Result<Self, InvalidName> {
        Ok(Self {
            spec: ToolSpec::new(ToolName::new(name)?, description, input_schema.clone()),
            policy: ToolPolicy::default(),
            validator: Validator::new(input_schema),
            start: Arc::new(start),
        })
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

    /// Gives it a policy.
    #[must_use]
    pub fn policy(mut self, policy: ToolPolicy) -> Self {
        self.policy = policy;
        self
    }
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

    fn policy(&self) -> ToolPolicy {
        self.policy
    }

    fn bind(&self, arguments: &str) -> Result<Box<dyn Invocation>, InvalidArguments> {
        let (value, mended) = self.validator.read(arguments)?;
        let run = (self.start)(value).map_err(|error| InvalidArguments::malformed(error, arguments))?;
        Ok(mended.noted(Box::new(FnInvocation { run, permission: self.policy.permission })))
    }

    fn verify(&self) -> Result<(), String> {
        if self.spec.input_schema.get("type").is_none_or(|kind| kind != "object") {
            return Err("the arguments of a tool are an object: give it the type \"object\"".to_owned());
        }
        freeform::verify(&self.spec)?;
        self.validator.verify()
    }
}

struct FnInvocation {
    run: Run,
    permission: Option<&'static str>,
}

impl Invocation for FnInvocation {
    fn permission(&self, _: &ToolContext) -> Option<PermissionRequest> {
        self.permission.map(|permission| PermissionRequest::new(permission, ["*"]))
    }

    fn run<'c>(self: Box<Self>, ctx: &'c ToolContext) -> BoxFuture<'c, ToolResult> {
        (self.run)(ctx.clone())
    }
}
