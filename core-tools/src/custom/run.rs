//! One call of a program.

use std::path::PathBuf;

use serde_json::Value;
use tool_core::{ToolContext, ToolError, ToolOutput, context::FromContext};

use super::answer::Answering;
use crate::workspace::{ActiveWorkspace, Command, End, follow};

/// What a manifest runs.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) program: PathBuf,
    pub(super) args: Vec<String>,
    /// The manifest's.
    pub(super) directory: PathBuf,
    pub(super) cwd: Option<PathBuf>,
    pub(super) env: Vec<(String, String)>,
}

impl Program {
    /// Runs it with these arguments to its end. Dropping the future ends it and its children; so does cancellation,
    /// which the executor's timeout is as well.
    pub(super) async fn run(&self, arguments: &Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let workspace = ActiveWorkspace::from_context(ctx).map_err(ToolError::from_error)?;
        let cwd = match &self.cwd {
            Some(cwd) => ctx.resolve(cwd),
            None => ctx.resolve("."),
        };
        let mut command = Command::new(&self.program, &self.args, &cwd)
            .input(format!("{arguments}\n"))
            .errors_apart()
            .env("TOOL_NAME", ctx.tool().as_str())
            .env("TOOL_DIR", &self.directory)
            .env("TOOL_CALL_ID", ctx.call_id().as_str());
        for (name, value) in &self.env {
            command = command.env(name, value);
        }
        let running = workspace.spawn(command).await.map_err(|error| {
            ToolError::failed(format!(
                "Cannot start {} in {}: {error}. Its file has to be executable (`chmod +x`) and begin with a `#!` line.",
                self.program.display(),
                cwd.display()
            ))
        })?;
        let mut answering = Answering::new(ctx);
        match follow(running, None, ctx.cancellation(), &mut answering).await {
            End::Exited { exit, .. } => answering.finish(exit),
            // Which of the two it was, the executor knows.
            End::Cancelled | End::TimedOut => Err(ToolError::Cancelled),
        }
    }
}
