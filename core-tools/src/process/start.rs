//! How commands are started.

use tool_core::{ToolContext, ToolError};

use super::{Shell, environment::equip};
use crate::{
    sandbox::Confinement,
    workspace::{Background, Command, FileKind, Place, Running, TerminalSize, Workspace},
};

/// The kernel takes no argument of 128 KiB and more (`MAX_ARG_STRLEN`).
const LONGEST_ARGUMENT: usize = 120 * 1024;
/// Tells tests that need a network that there is none (codex-rs).
const NO_NETWORK: &str = "CODEX_SANDBOX_NETWORK_DISABLED";
/// Reads a command from stdin and runs it as if it had come by `-c`: with nothing to read, and no arguments.
const FROM_STDIN: &str = r#"set -- "$(cat)"; exec </dev/null; eval "shift; $1""#;

/// A command, and where it is to run.
pub(crate) struct Start<'a> {
    pub(crate) ctx: &'a ToolContext,
    pub(crate) workspace: &'a dyn Workspace,
    pub(crate) place: &'a Place,
    pub(crate) confinement: Option<&'a Confinement>,
}

impl Start<'_> {
    /// Starts a script in a shell.
    ///
    /// # Errors
    /// When there is no such directory, or it cannot be started.
    pub(crate) async fn script(
        &self,
        shell: &Shell,
        script: &str,
        login: bool,
        terminal: Option<TerminalSize>,
    ) -> Result<Running, ToolError> {
        let flags = if login { "-lc" } else { "-c" };
        let command = |script: &str| Command::new(shell.path(), [flags, script], &self.place.real);
        if script.contains('\0') {
            return Err(ToolError::failed(
                "The command has a NUL byte in it, which no command can have. Write it anew.",
            ));
        }
        if script.len() < LONGEST_ARGUMENT {
            return self.start(command(script), terminal).await;
        }
        if terminal.is_some() {
            return Err(ToolError::failed(format!(
                "A command of {} bytes cannot be run in a terminal, {LONGEST_ARGUMENT} is the most: write it to a file and run that, or leave `tty` out.",
                script.len()
            )));
        }
        self.start(command(FROM_STDIN).input(script), None).await
    }

    /// Starts a program with its arguments, without a shell.
    ///
    /// # Errors
    /// As of [`script`](Self::script).
    pub(crate) async fn program(&self, program: &str, args: &[String]) -> Result<Running, ToolError> {
        if let Some(long) = args.iter().map(String::len).find(|length| *length >= LONGEST_ARGUMENT) {
            return Err(ToolError::failed(format!(
                "An argument has {long} bytes, and none can have more than {LONGEST_ARGUMENT}: write it to a file, and give the file's name."
            )));
        }
        self.start(Command::new(program, args, &self.place.real), None).await
    }

    async fn start(&self, command: Command, terminal: Option<TerminalSize>) -> Result<Running, ToolError> {
        let folder = self.place.path.display();
        let not_there = |why: &dyn std::fmt::Display| {
            ToolError::failed(format!("Cannot run in {folder}: {why}. Give an existing directory as `workdir`."))
        };
        match self.workspace.stat(&self.place.real).await {
            Ok(info) if info.kind == FileKind::Directory => {}
            Ok(info) => return Err(not_there(&format_args!("it is {}", info.kind))),
            Err(error) => return Err(not_there(&error)),
        }
        let program = command.program.display().to_string();
        let mut command = equip(self.ctx, command, terminal.is_some());
        if let Some(confinement) = self.confinement {
            command = command.confinement(confinement.clone());
            if !confinement.has_network() {
                command = command.env(NO_NETWORK, "1");
            }
        }
        let started = match terminal {
            Some(size) => self.workspace.spawn_in_terminal(command, size).await,
            None => self.workspace.spawn(command).await,
        };
        started.map_err(|error| ToolError::failed(format!("Cannot start {program} in {folder}: {error}")))
    }
}

/// What becomes of background processes: as the host says, else as the tool does.
pub(crate) fn background(ctx: &ToolContext, own: Background) -> Background {
    ctx.state::<Background>().copied().unwrap_or(own)
}
