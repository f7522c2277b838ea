//! A tool's output schema, kept: what does not fit it never leaves.

use std::sync::OnceLock;

use serde_json::Value;

use super::ToolOutput;
use crate::{
    error::ToolError,
    tool::Tool,
    validation::{Mistake, Validator, compile},
};

/// How many mistakes the model is told of. It can mend none of them; the first says enough.
const SHOWN: usize = 5;

/// What one tool promises of its results, compiled when its first result is there. Tools without an output schema
/// promise nothing, and pay nothing.
#[derive(Default)]
pub(crate) struct Promise(OnceLock<Option<Box<Compiled>>>);

struct Compiled {
    schema: Value,
    /// Or why it cannot be used.
    validator: Result<jsonschema::Validator, String>,
}

impl Promise {
    /// Lets an output pass, or says how it breaks the tool's own output schema.
    ///
    /// MCP demands the same of servers: a result that has an output schema must conform to it.
    pub(crate) fn check(&self, tool: &dyn Tool, output: &ToolOutput) -> Result<(), ToolError> {
        let compiled = self.0.get_or_init(|| {
            let schema = tool.spec().output_schema.clone()?;
            let validator = compile(&schema);
            Some(Box::new(Compiled { schema, validator }))
        });
        match compiled {
            None => Ok(()),
            Some(compiled) => compiled.check(output).map_err(|faults| broken(&tool.spec().name, &faults)),
        }
    }
}

impl Compiled {
    fn check(&self, output: &ToolOutput) -> Result<(), Vec<String>> {
        let validator = self.validator.as_ref().map_err(|fault| vec![format!("the schema cannot be used: {fault}")])?;
        let Some(structured) = output.structured.as_deref() else {
            return Err(vec!["the schema promises JSON, and the result has only text".to_owned()]);
        };
        if validator.is_valid(structured) {
            return Ok(());
        }
        let mistakes = Validator::new(self.schema.clone()).mistakes(structured);
        if mistakes.is_empty() {
            return Err(vec!["the result does not fit".to_owned()]);
        }
        Err(mistakes.iter().map(|mistake| explain(mistake, structured)).collect())
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
