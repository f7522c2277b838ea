//! Servers that are programs: how they are started, and how they end with all they have started.

use std::{io, path::Path, process::Stdio, time::Duration};

use tokio::{
    process::{Child, ChildStderr, ChildStdin, ChildStdout},
    sync::watch,
    time::timeout,
};

use super::{Environment, config::StdioEndpoint};

/// How long a server may take to end once its stdin is closed, and once more when it was told to (as MCP has it).
const GRACE: Duration = Duration::from_secs(2);

/// A server's process. Dropped, it is killed with all it has started.
pub(super) struct Program {
    child: Child,
    #[cfg(unix)]
    tree: Option<super::process_tree::ProcessTree>,
    urgent: watch::Receiver<bool>,
}

/// The streams of a server that was started.
pub(super) struct Streams {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Program {
    /// Starts it, in a session of its own: it can neither read the host's terminal nor is it reached by its Ctrl-C. Once
    /// `urgent` is true, it is given no time to end.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn start(
        endpoint: &StdioEndpoint,
        environment: &Environment,
        directory: &Path,
        urgent: watch::Receiver<bool>,
    ) -> io::Result<(Self, Streams)> {
        let cwd = directory.join(endpoint.cwd.as_deref().unwrap_or(Path::new(".")));
        let program = Path::new(&endpoint.command);
        // Where a program is given by a path, it is meant from the host's directory, not from its own.
        let program = if program.components().count() > 1 { directory.join(program) } else { program.to_owned() };
        let mut command = tokio::process::Command::new(program);
        command.args(&endpoint.args).current_dir(cwd).kill_on_drop(true);
        command.env_clear().envs(environment.inherited(&endpoint.env_vars));
        command.envs(endpoint.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        {
            use process_wrap::tokio::{CommandWrap, CommandWrapper, ProcessSession};
            // Only the wrapper's beginning is wanted: its way of waiting is for all of the group.
            ProcessSession.pre_spawn(&mut command, &CommandWrap::with_new("", |_| {}))?;
        }
        let mut child = command.spawn()?;
        let piped = || io::Error::other("its streams were not piped");
        let stdin = child.stdin.take().ok_or_else(piped)?;
        let stdout = child.stdout.take().ok_or_else(piped)?;
        let stderr = child.stderr.take().ok_or_else(piped)?;
        #[cfg(unix)]
        let tree = child.id().and_then(super::process_tree::ProcessTree::of);
        let program = Self {
            child,
            #[cfg(unix)]
            tree,
            urgent,
        };
        Ok((program, Streams { stdin, stdout, stderr }))
    }

    /// Ends it, whose stdin is closed: waits, then tells it and all it has started to end, then kills what is left.
    pub(super) async fn end(mut self) {
        let mut urgent = self.urgent.clone();
        let hurry = async {
            if urgent.wait_for(|urgent| *urgent).await.is_err() {
                // Nobody is left who could be in a hurry.
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = self.end_in_peace() => {}
            () = hurry => {}
        }
        // What is left of the tree is killed as this is dropped.
    }

    async fn end_in_peace(&mut self) {
        if self.has_exited_within(GRACE).await {
            return;
        }
        self.terminate();
        self.has_exited_within(GRACE).await;
    }

    async fn has_exited_within(&mut self, limit: Duration) -> bool {
        matches!(timeout(limit, self.child.wait()).await, Ok(Ok(_)))
    }

    #[cfg(unix)]
    fn terminate(&mut self) {
        if let Some(tree) = &self.tree {
            tree.terminate();
        }
    }

    #[cfg(not(unix))]
    fn terminate(&mut self) {
        let _ = self.child.start_kill();
    }
}

#[cfg(unix)]
impl Drop for Program {
    fn drop(&mut self) {
        if let Some(tree) = &self.tree {
            tree.kill();
        }
    }
}
