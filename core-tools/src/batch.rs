//! `batch`: several calls in one (opencode's tool, which it has dropped since; its model-side form is kept).
//!
//! Each call goes through all the stages, under the id `<this call's>/<n>`: those that may run beside others do, the
//! others run alone and in order. Not in any set but `all`: a provider with parallel calls of its own needs none.

use std::fmt::Write as _;

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tool_core::{Outcome, ToolContext, ToolError, ToolOutput, schemars::JsonSchema, tool};

/// So many calls are made at most; those beyond are answered with an error (opencode's figure).
const MOST: usize = 25;

/// One of the calls.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "tool_core::schemars")]
pub struct BatchedCall {
    /// The name of the tool.
    tool: String,
    /// The tool's parameters.
    #[serde(default)]
    parameters: Map<String, Value>,
}

/// Make several independent tool calls at once.
///
/// Use it where no call needs the result of another: to read or search many places, or to run commands that have
/// nothing to do with each other. The results come in the order of the calls. At most 25 calls; a batch cannot hold a
/// batch.
#[tool(parallel)]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn batch(
    /// The calls, 1 to 25.
    #[arg(length(1..))]
    tool_calls: Vec<BatchedCall>,
    ctx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let results = join_all(tool_calls.iter().enumerate().map(|(index, call)| run(index, call, ctx))).await;
    // What ends the turn ends it from here as well.
    for result in &results {
        if let Batched::Made(outcome) = result
            && let Some(error @ ToolError::Fatal(_)) = outcome.error()
        {
            return Err(error.clone());
        }
    }
    let total = results.len();
    let failed = results.iter().filter(|result| result.is_failed()).count();
    let successful = total - failed;
    let mut text = match failed {
        0 => format!("All {total} calls succeeded."),
        _ => format!("{successful} of {total} calls succeeded, {failed} failed."),
    };
    let mut output = ToolOutput::default();
    for (index, (call, result)) in tool_calls.iter().zip(results).enumerate() {
        let state = if result.is_failed() { "failed" } else { "succeeded" };
        // Writing to a string cannot fail.
        let _ = write!(text, "\n\n[{}/{total}] {} {state}:\n", index + 1, call.tool);
        match result {
            Batched::Refused(why) => text.push_str(why),
            Batched::Made(outcome) => {
                if let Ok(bounded) = outcome.status() {
                    output.attachments.extend_from_slice(bounded.attachments());
                }
                text.push_str(&outcome.into_text());
            }
        }
    }
    let details: Vec<_> = tool_calls.iter().map(|call| call.tool.as_str()).collect();
    output.output = text;
    Ok(output
        .title(format!("Batch execution ({successful}/{total} successful)"))
        .with("totalCalls", total)
        .with("successful", successful)
        .with("failed", failed)
        .with("tools", details))
}

/// What became of one of the calls.
enum Batched {
    Refused(&'static str),
    Made(Box<Outcome>),
}

impl Batched {
    fn is_failed(&self) -> bool {
        match self {
            Self::Refused(_) => true,
            Self::Made(outcome) => outcome.error().is_some(),
        }
    }
}

async fn run(index: usize, call: &BatchedCall, ctx: &ToolContext) -> Batched {
    if index >= MOST {
        return Batched::Refused(
            "A batch makes at most 25 calls, and this one was not made. Make it in another batch.",
        );
    }
    if ctx.executor().registry().resolve(&call.tool).is_ok_and(|tool| tool.name() == ctx.tool()) {
        return Batched::Refused("A batch cannot hold a batch. Make the calls that it would make in this one.");
    }
    Batched::Made(Box::new(ctx.call_tool(call.tool.clone(), json!(call.parameters).to_string()).await))
}
