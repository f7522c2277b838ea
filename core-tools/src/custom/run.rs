//! One call of a program.

use std::{convert::Infallible, path::PathBuf, time::Duration};

use serde_json::Value;
use tokio::{select, time::sleep};
use tool_core::{ToolContext, ToolError, ToolOutput, context::FromContext};

use super::answer::Answering;
use crate::workspace::{ActiveWorkspace, Command, End, follow};

/// How long a program may go on when its result is there, before it is stopped.
const AFTER_ANSWER: Duration = Duration::from_millis(500);

/// What tells a program of its call. A manifest cannot set these.
pub(super) const OWN_VARIABLES: [&str; 3] = ["TOOL_NAME", "TOOL_DIR", "TOOL_CALL_ID"];

/// What a manifest runs.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) program: PathBuf,
    pub(super) args: Vec<String>,
    /// The manifest's.
    pub(super) directory: PathBuf,
    pub(super) cwd: Option<PathBuf>,
    pub(super) env: Vec<(String, String)>,
    /// Whether its manifest has an output schema.
    pub(super) promises: bool,
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
        let mut command = Command::new(&self.program, &self.args, &cwd).input(format!("{arguments}\n")).errors_apart();
        let [name, directory, call] = OWN_VARIABLES;
        command =
            command.env(name, ctx.tool().as_str()).env(directory, &self.directory).env(call, ctx.call_id().as_str());
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
        let mut answering = Answering::new(ctx, self.promises);
        let (answered, stop) = (answering.answered(), ctx.cancellation().child_token());
        // Nobody waits for what a program does when its result is there.
        let linger = async {
            answered.cancelled().await;
            sleep(AFTER_ANSWER).await;
            stop.cancel();
            std::future::pending::<Infallible>().await
        };
        let end = select! {
            end = follow(running, None, &stop, &mut answering) => end,
            never = linger => match never {},
        };
        match end {
            End::Exited { exit, .. } => answering.finish(Some(exit)),
            End::Cancelled if answered.is_cancelled() && !ctx.cancellation().is_cancelled() => answering.finish(None),
            // Which of the two it was, the executor knows.
            End::Cancelled | End::TimedOut => Err(ToolError::Cancelled),
            End::Lost(why) => Err(ToolError::failed(format!("What became of the program is not known: {why}"))),
        }
    }
}
