//! A tool's output schema, kept: what does not fit it never leaves.

use std::sync::OnceLock;

use serde_json::Value;

use super::ToolOutput;
use crate::{
    error::ToolError,
    tool::Tool,
    validation::{Mistake, Validator},
};

/// How many mistakes the model is told of. It can mend none of them; the first says enough.
const SHOWN: usize = 5;

/// What one tool promises of its results, compiled when its first result is there. Tools without an output schema
/// promise nothing, and pay nothing.
#[derive(Default)]
pub(crate) struct Promise(OnceLock<Option<Box<Validator>>>);

impl Promise {
    /// Lets an output pass, or says how it breaks the tool's own output schema.
    ///
    /// MCP demands the same of servers: a result that has an output schema must conform to it.
    pub(crate) fn check(&self, tool: &dyn Tool, output: &ToolOutput) -> Result<(), ToolError> {
        let validator = self.0.get_or_init(|| tool.spec().output_schema.clone().map(|s| Box::new(Validator::new(s))));
        match validator {
            None => Ok(()),
            Some(validator) => fits(validator, output).map_err(|faults| broken(&tool.spec().name, &faults)),
        }
    }
}

fn fits(validator: &Validator, output: &ToolOutput) -> Result<(), Vec<String>> {
    let Some(structured) = output.structured.as_deref() else {
        return Err(vec!["the schema promises JSON, and the result has only text".to_owned()]);
    };
    let is_accepted = validator.accepts(structured);
    if is_accepted == Some(true) {
        return Ok(());
    }
    let mistakes = validator.mistakes(structured);
    match (mistakes.as_slice(), is_accepted) {
        // Of what could be looked at in reasonable time, nothing is wrong.
        ([], None) => Ok(()),
        ([], Some(_)) => Err(vec!["the result does not fit".to_owned()]),
        _ => Err(mistakes.iter().map(|mistake| explain(mistake, structured)).collect()),
    }
}

fn explain(mistake: &Mistake, structured: &Value) -> String {
    let hint = match structured.pointer(&mistake.pointer) {
        Some(Value::Null) => " (a number that is NaN or infinite is written as null: JSON has no such numbers)",
        _ => "",
    };
    format!("{mistake}{hint}")
}

#[cold]
fn broken(tool: &crate::tool::ToolName, faults: &[String]) -> ToolError {
    let shown: Vec<_> = faults.iter().take(SHOWN).map(|fault| format!("\n- {fault}")).collect();
    let more = faults.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!("\n- and {more} more") } else { String::new() };
    ToolError::failed(format!(
        "The `{tool}` tool ran, and its result does not fit its own output schema. The arguments were not at fault; \
         what it did is done, so do not call it again just for this.{}{rest}",
        shown.concat()
    ))
}
