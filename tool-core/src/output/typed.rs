//! Metadata with a type, for the one who writes it and for the one who reads it.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{IntoToolOutput, Metadata, ToolOutput};
use crate::{error::ToolError, executor::Outcome, tool::ToolResult};

/// An output whose metadata has a type (opencode's `Tool.define<Parameters, Metadata>`): a tool that returns it cannot
/// forget a fact, and a host reads it back by [`Outcome::metadata_as`].
///
/// ```
/// use tool_core::{output::Output, prelude::*, testing::Bench};
///
/// #[derive(serde::Serialize, serde::Deserialize, Debug, PartialEq)]
/// struct Ran { exit: i32, command: String }
///
/// /// Run a command.
/// #[tool(register = false)]
/// fn run(/** What to run. */ command: String) -> Output<Ran> {
///     ToolOutput::text("done").typed(Ran { exit: 0, command })
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let outcome = Bench::new(RunTool).call("run", r#"{"command":"ls"}"#).await;
/// assert_eq!(outcome.metadata_as::<Ran>()?, Ran { exit: 0, command: "ls".into() });
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Output<M> {
    /// Everything else.
    pub output: ToolOutput,
    /// The metadata: what serialises to an object. Its members are put beside those that `output` has, and replace
    /// those of the same name.
    pub metadata: M,
}

impl ToolOutput {
    /// The same with metadata of a type.
    #[must_use]
    pub fn typed<M: Serialize>(self, metadata: M) -> Output<M> {
        Output { output: self, metadata }
    }
}

impl<M: Serialize + Send + 'static> IntoToolOutput for Output<M> {
    fn into_tool_output(mut self) -> ToolResult {
        let members = serde_json::to_value(&self.metadata)
            .map_err(|error| ToolError::failed(format!("the tool's metadata cannot be written as JSON: {error}")))?;
        match members {
            Value::Object(members) => self.output.metadata.extend(members),
            // `()`, and an `Option` without a value.
            Value::Null => {}
            other => {
                return Err(ToolError::failed(format!("expected the tool's metadata to be an object, got {other}")));
            }
        }
        Ok(self.output)
    }
}

/// Metadata that is not of the type it was read as.
#[derive(Debug, thiserror::Error)]
#[error("the metadata of `{tool}` is no {wanted}: {source}; it is {metadata}")]
pub struct MetadataError {
    tool: String,
    wanted: &'static str,
    metadata: Value,
    source: serde_json::Error,
}

impl Outcome {
    /// The metadata as the type that the tool declares with [`Output`].
    ///
    /// The executor's own facts stand beside the tool's, so the type must not refuse members it does not know; what
    /// failed before the tool had its say has no metadata of the tool's.
    ///
    /// # Errors
    /// When it is something else: another tool's, or that of an error.
    pub fn metadata_as<M: DeserializeOwned>(&self) -> Result<M, MetadataError> {
        let metadata: Metadata = self.metadata();
        serde_json::from_value(metadata.clone().into()).map_err(|source| MetadataError {
            tool: self.tool().to_owned(),
            wanted: std::any::type_name::<M>(),
            metadata: metadata.into(),
            source,
        })
    }
}
