//! From what a function returns to what a tool returns.

use std::{any::Any, borrow::Cow, fmt::Display, future::Future};

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::ToolOutput;
use crate::{context::ToolContext, error::ToolError, tool::ToolResult};

/// What an annotated function may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something a tool can return",
    label = "no tool output",
    note = "return `()`, `String`, `&'static str`, `ToolOutput`, `Json<T>`, or a `Result` of one of these with an error that implements `Display`"
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

impl<T: IntoToolOutput, E: Display + Send + 'static> IntoToolOutput for Result<T, E> {
    fn into_tool_output(self) -> ToolResult {
        match self {
            Ok(value) => value.into_tool_output(),
            // A `ToolError` keeps its kind; anything else is the tool's own failure.
            Err(error) => Err(match (&error as &dyn Any).downcast_ref::<ToolError>() {
                Some(error) => error.clone(),
                None => ToolError::from_error(error),
            }),
        }
    }

    fn output_schema() -> Option<Value> {
        T::output_schema()
    }
}

/// A structured result: the model sees it as JSON text, MCP clients as `structuredContent`, and its type becomes the
/// tool's output schema.
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

impl<T: Serialize + JsonSchema + Send + 'static> IntoToolOutput for Json<T> {
    fn into_tool_output(self) -> ToolResult {
        let value = serde_json::to_value(&self.0)
            .map_err(|error| ToolError::failed(format!("the result cannot be written as JSON: {error}")))?;
        Ok(ToolOutput { output: value.to_string(), structured: Some(Box::new(value)), ..ToolOutput::default() })
    }

    fn output_schema() -> Option<Value> {
        Some(crate::schema::of_type::<T>())
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
            let work = tokio::task::spawn_blocking(move || function(&ctx).and_then(convert));
            let mut work = LetGo { work, ctx: owner };
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
    ctx: ToolContext,
}

impl Drop for LetGo {
    fn drop(&mut self) {
        if !self.work.is_finished() {
            self.work.abort();
            self.ctx.detach();
        }
    }
}
