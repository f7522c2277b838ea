//! Calls that a tool makes: through all the stages, as the model's are.

use crate::{
    call::ToolCall,
    context::ToolContext,
    error::ToolError,
    executor::{Executor, Outcome, Place},
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
    /// The executor that runs this call: for its tools, and for calls in other sessions, or after this one.
    ///
    /// A call that it makes in this call's own session would stand in line behind this one, and behind all that came
    /// since. It could wait for this one's own end, and is refused at once while this one runs: a tool calls others by
    /// [`call_tool`](Self::call_tool).
    #[must_use]
    pub fn executor(&self) -> Executor {
        Executor::of(self)
    }

    /// Calls another tool of the same executor: validated, permitted, cut to size and told to observers like any call,
    /// under the id `<this call's>/<n>`, and cancelled with this call (pi's `executeTool`). What the turn was told of the
    /// order of its calls holds for it too. After this call has ended it is refused.
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
        let refusal = if let Some(over) = self.over() {
            Some(over)
        } else if self.depth() >= limits.depth {
            let deep = limits.depth;
            Some(ToolError::failed(format!(
                "Tools call one another {deep} deep, which is as deep as they may. Call less deeply."
            )))
        } else if total > limits.calls {
            let most = limits.calls;
            Some(ToolError::failed(format!(
                "One call may make at most {most} calls, and these are made. Ask for less."
            )))
        } else {
            None
        };
        let _waits = Waits::new(self);
        // In a box, for a call holds the call that it makes.
        Box::pin(self.executor().nested(self, call, refusal)).await
    }
}

/// While it lives, the call does not count as running.
struct Waits<'c>(&'c ToolContext, Option<Place>);

impl<'c> Waits<'c> {
    fn new(ctx: &'c ToolContext) -> Self {
        let place = ctx.place();
        Self(ctx, ctx.session().queue().suspend(place).then_some(place))
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        if let Some(place) = self.1 {
            self.0.session().queue().resume(place);
        }
    }
}
