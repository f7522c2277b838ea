//! From what a function returns to what a tool returns.

use std::{any::Any, borrow::Cow, fmt::Display, future::Future};

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Attachment, ToolOutput};
use crate::{context::ToolContext, error::ToolError, tool::ToolResult};

/// What an annotated function may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something a tool can return",
    label = "no tool output",
    note = "for text, return a `String` or `&'static str`: `.to_string()`, `format!(…)`",
    note = "for a value (a number, a list, a struct of your own), wrap it: `Json(value)`, which needs `serde::Serialize` and `schemars::JsonSchema`",
    note = "for a title, metadata or attachments, return a `ToolOutput`, or `Output<M>` for metadata with a type",
    note = "for nothing, return `()`; where there may be nothing, say so in words: `value.unwrap_or_else(|| \"no match\".to_owned())`",
    note = "for what can fail, return a `Result` of one of these with an error that implements `Display`; for a future, make the function an `async fn`",
    note = "or implement `tool_core::IntoToolOutput` for a type of your own"
)]
pub trait IntoToolOutput: Send + 'static {
    /// The tool's output, or its failure.
    ///
    /// # Errors
    /// When the function failed, or its result cannot be written as JSON.
    fn into_tool_output(self) -> ToolResult;

    /// The schema of the structured result, if there is one.
    #[must_use]
    fn output_schema() -> Option<Value> {
        None
    }
}

impl IntoToolOutput for ToolOutput {
    fn into_tool_output(self) -> ToolResult {
        Ok(self)
    }
}

impl IntoToolOutput for () {
    fn into_tool_output(self) -> ToolResult {
        Ok(ToolOutput::default())
    }
}

impl IntoToolOutput for String {
    fn into_tool_output(self) -> ToolResult {
        Ok(ToolOutput::text(self))
    }
}

impl IntoToolOutput for &'static str {
    fn into_tool_output(self) -> ToolResult {
        Ok(ToolOutput::text(self))
    }
}

impl IntoToolOutput for Cow<'static, str> {
    fn into_tool_output(self) -> ToolResult {
        Ok(ToolOutput::text(self))
    }
}

impl IntoToolOutput for Attachment {
    /// The media alone: the model gets its name, or its type, as the text beside it.
    fn into_tool_output(self) -> ToolResult {
        let name = self.filename.clone().unwrap_or_else(|| self.mime.clone());
        Ok(ToolOutput::text(name).attach(self))
    }
}

impl<T: IntoToolOutput, E: IntoToolError> IntoToolOutput for Result<T, E> {
    fn into_tool_output(self) -> ToolResult {
        match self {
            Ok(value) => value.into_tool_output(),
            Err(error) => Err(error.into_tool_error()),
        }
    }

    fn output_schema() -> Option<Value> {
        T::output_schema()
    }
}

/// What an annotated function may fail with: everything that can be shown, for the model reads it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an error that a tool can return",
    label = "the model cannot be told of this error",
    note = "implement `std::fmt::Display` for it, by hand or with `thiserror::Error`; it must be `Send + 'static` too",
    note = "or turn it into words where it happens: `.map_err(|error| format!(\"cannot …: {{error:?}}\"))`, `.map_err(ToolError::from_error)`"
)]
pub trait IntoToolError: Send + 'static {
    /// The error as the executor knows it. A [`ToolError`] keeps its kind; anything else is the tool's own failure.
    fn into_tool_error(self) -> ToolError;
}

#[diagnostic::do_not_recommend]
impl<E: Display + Send + 'static> IntoToolError for E {
    fn into_tool_error(self) -> ToolError {
        match (&self as &dyn Any).downcast_ref::<ToolError>() {
            Some(error) => error.clone(),
            None => ToolError::from_error(self),
        }
    }
}

/// A structured result: the model sees it as JSON text, MCP clients as `structuredContent`, and its type becomes the
/// tool's output schema. What breaks that schema (a range, a pattern, a number that is NaN) never leaves: the call fails,
/// and the model is told that its arguments were not at fault.
///
/// ```
/// use tool_core::prelude::*;
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Sum { total: i64 }
///
/// /// Add two numbers.
/// #[tool]
/// fn add(/** One. */ a: i64, /** Other. */ b: i64) -> Json<Sum> {
///     Json(Sum { total: a + b })
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: Structured> IntoToolOutput for Json<T> {
    fn into_tool_output(self) -> ToolResult {
        let value = self.0.value()?;
        Ok(ToolOutput { output: value.to_string(), structured: Some(Box::new(value)), ..ToolOutput::default() })
    }

    fn output_schema() -> Option<Value> {
        Some(T::schema())
    }
}

/// What can be a structured result: every type with `serde::Serialize` and `schemars::JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something that `Json` can hold",
    label = "no structured result",
    note = "it needs both: `#[derive(serde::Serialize, schemars::JsonSchema)]`, and to be `Send + 'static`",
    note = "for types of other crates, see whether they have a feature for `serde` and `schemars` has one for them, or use a struct of your own",
    note = "for JSON without a schema, return `Json<serde_json::Value>`"
)]
pub trait Structured: Send + 'static {
    /// The result as JSON.
    ///
    /// # Errors
    /// When it cannot be written as JSON: a map whose keys are no text.
    fn value(&self) -> Result<Value, ToolError>;

    /// Its schema, as it is written and not as it is read.
    fn schema() -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema + Send + 'static> Structured for T {
    fn value(&self) -> Result<Value, ToolError> {
        serde_json::to_value(self)
            .map_err(|error| ToolError::failed(format!("the result cannot be written as JSON: {error}")))
    }

    fn schema() -> Value {
        crate::schema::of_result::<T>()
    }
}

/// The one place where the bound on a function's return type is checked, so that a wrong type gives one error.
#[must_use]
pub const fn returns<O: IntoToolOutput>() -> Returns<O> {
    Returns { convert: O::into_tool_output, schema: O::output_schema }
}

/// How a function's return type becomes output; the three ways of calling a function are its methods.
#[derive(Clone, Copy)]
pub struct Returns<O> {
    convert: fn(O) -> ToolResult,
    pub(crate) schema: fn() -> Option<Value>,
}

impl<O> Returns<O> {
    /// Of an `async fn`.
    pub fn of_async<'c, F: Future<Output = O> + Send + 'c>(self, future: F) -> BoxFuture<'c, ToolResult>
    where
        O: 'c,
    {
        // Not `FutureExt::map`, which would be a dozen functions more for each tool.
        let convert = self.convert;
        Box::pin(async move { convert(future.await) })
    }

    /// Of a plain `fn`, called where its future is made.
    pub fn of_plain<'c>(self, value: O) -> BoxFuture<'c, ToolResult> {
        Box::pin(std::future::ready((self.convert)(value)))
    }

    /// Of a plain `fn` marked `blocking`: on tokio's pool for blocking work. Cancellation leaves it running there.
    pub fn of_blocking<'c>(
        self,
        ctx: &ToolContext,
        function: impl FnOnce(&ToolContext) -> Result<O, ToolError> + Send + 'static,
    ) -> BoxFuture<'c, ToolResult>
    where
        O: 'static,
    {
        let (ctx, owner) = (ctx.clone(), ctx.clone());
        let convert = self.convert;
        Box::pin(async move {
            let begun = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
            let mark = begun.clone();
            let work = tokio::task::spawn_blocking(move || {
                mark.store(true, std::sync::atomic::Ordering::Relaxed);
                function(&ctx).and_then(convert)
            });
            let mut work = LetGo { work, begun, ctx: owner };
            match (&mut work.work).await {
                Ok(result) => result,
                Err(join) => match join.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    Err(_) => Err(ToolError::Cancelled),
                },
            }
        })
    }
}

/// Work on the pool. Where nobody waits for it any more it is let go of, unless it has not begun.
struct LetGo {
    work: tokio::task::JoinHandle<ToolResult>,
    begun: std::sync::Arc<std::sync::atomic::AtomicBool>,
    ctx: ToolContext,
}

impl Drop for LetGo {
    fn drop(&mut self) {
        if !self.work.is_finished() {
            self.work.abort();
            if self.begun.load(std::sync::atomic::Ordering::Relaxed) {
                self.ctx.detach();
            }
        }
    }
}
