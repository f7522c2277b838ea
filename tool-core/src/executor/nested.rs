//! Calls that a tool makes: through all the stages, as the model's are.

use crate::{
    call::ToolCall,
    context::ToolContext,
    error::ToolError,
    executor::{CallTime, Executor, Outcome},
};

/// How many calls tools may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NestingLimits {
    /// A call that a tool makes has the depth 1, one that it makes again 2, and so on up to this; 8 unless set.
    pub depth: u32,
    /// So many calls may be made below one call of the model, at whatever depth; 256 unless set (pi's figure).
    pub calls: u32,
}

impl Default for NestingLimits {
    fn default() -> Self {
        Self { depth: 8, calls: 256 }
    }
}

impl ToolContext {
    /// The executor that runs this call.
    #[must_use]
    pub fn executor(&self) -> Executor {
        Executor::of(self)
    }

    /// Calls another tool of the same executor: validated, permitted, cut to size and told to observers like any call,
    /// under the id `<this call's>/<n>`, and cancelled with this call (pi's `executeTool`).
    ///
    /// ```
    /// use tool_core::{prelude::*, testing::Bench};
    ///
    /// /// Double a number.
    /// #[tool(read_only)]
    /// fn double(/** The number. */ n: i64) -> String {
    ///     (2 * n).to_string()
    /// }
    ///
    /// /// Quadruple a number.
    /// #[tool(read_only)]
    /// async fn quadruple(/** The number. */ n: i64, ctx: &ToolContext) -> Result<String, ToolError> {
    ///     let twice = ctx.call_tool("double", format!(r#"{{"n":{n}}}"#)).await.into_result()?;
    ///     let again = ctx.call_tool("double", format!(r#"{{"n":{}}}"#, twice.output())).await.into_result()?;
    ///     Ok(again.into_output())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let bench = Bench::builder().tool(DoubleTool).tool(QuadrupleTool).build();
    /// assert_eq!(bench.call("quadruple", r#"{"n":3}"#).await.output(), Some("12"));
    /// # }
    /// ```
    pub async fn call_tool(&self, name: impl Into<String>, arguments: impl Into<String>) -> Outcome {
        let (number, total) = self.count_nested();
        let id = format!("{}/{number}", self.call_id());
        let call = ToolCall::new(id, name.into(), arguments);
        let limits = self.host().nesting;
        let refusal = if self.depth() >= limits.depth {
            Some(format!(
                "Tools call one another {} deep, which is as deep as they may. Call less deeply.",
                limits.depth
            ))
        } else if total > limits.calls {
            Some(format!("One call may make at most {} calls, and these are made. Ask for less.", limits.calls))
        } else {
            None
        };
        if let Some(refusal) = refusal {
            let now = self.now();
            return Outcome::failed(&call, ToolError::failed(refusal), CallTime { start: now, end: now });
        }
        let _waits = Waits::new(self);
        // In a box, for a call holds the call that it makes.
        Box::pin(self.executor().nested(self, call)).await
    }
}

/// While it lives, the call does not count as running.
struct Waits<'c>(&'c ToolContext);

impl<'c> Waits<'c> {
    fn new(ctx: &'c ToolContext) -> Self {
        ctx.session().queue().suspend(ctx.place());
        Self(ctx)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.session().queue().resume(self.0.place());
    }
}
