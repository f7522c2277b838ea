//! A running process and its output.

use std::{ffi::OsString, io, path::PathBuf};

use async_trait::async_trait;
use tokio::io::AsyncWrite;

use super::{ByteStream, EnvironmentPolicy};
use crate::sandbox::Confinement;

/// What to run, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The directory it starts in.
    pub cwd: PathBuf,
    /// What it inherits of the workspace's environment: everything, without a policy.
    pub inherits: Option<EnvironmentPolicy>,
    /// Variables of its environment beside those it inherits.
    pub env: Vec<(OsString, OsString)>,
    /// What it can read from stdin, to the end.
    pub input: Vec<u8>,
    /// Whether stderr comes apart from stdout, as [`Running::errors`]; their order to each other is lost then.
    pub errors_apart: bool,
    /// What it is confined by; only a workspace that says [`confines`](super::Workspace::confines) is given one.
    pub confinement: Option<Confinement>,
}

impl Command {
    /// A program with its arguments, started in a directory.
    #[must_use]
    pub fn new(
        program: impl Into<PathBuf>,
        args: impl IntoIterator<Item = impl Into<OsString>>,
        cwd: impl Into<PathBuf>,
    ) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            cwd: cwd.into(),
            inherits: None,
            env: Vec::new(),
            input: Vec::new(),
            errors_apart: false,
            confinement: None,
        }
    }

    /// With one more variable in its environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// With no more of the workspace's environment than a policy leaves.
    #[must_use]
    pub fn inherits(mut self, policy: EnvironmentPolicy) -> Self {
        self.inherits = Some(policy);
        self
    }

    /// With these bytes to read from stdin.
    #[must_use]
    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// With stderr apart from stdout.
    #[must_use]
    pub fn errors_apart(mut self) -> Self {
        self.errors_apart = true;
        self
    }

    /// Confined.
    #[must_use]
    pub fn confinement(mut self, confinement: Confinement) -> Self {
        self.confinement = Some(confinement);
        self
    }
}

/// A process that was started.
#[non_exhaustive]
pub struct Running {
    /// What it and its children write, stdout and stderr in the order of writing (or stdout alone). It ends when the
    /// last of them has closed it, which may be long after the process itself has ended.
    pub output: ByteStream,
    /// What they write to stderr, where the command wants that apart.
    pub errors: Option<ByteStream>,
    /// The terminal it runs in, where it does; the output is what is shown there.
    pub terminal: Option<Box<dyn Terminal>>,
    /// The names of the variables that its policy kept from it, in order.
    pub withheld: Vec<String>,
    /// The process.
    pub process: Box<dyn Process>,
}

impl Running {
    /// A process with its output.
    #[must_use]
    pub fn new(output: ByteStream, process: Box<dyn Process>) -> Self {
        Self { output, errors: None, terminal: None, withheld: Vec::new(), process }
    }

    /// The same with stderr apart.
    #[must_use]
    pub fn errors(mut self, errors: ByteStream) -> Self {
        self.errors = Some(errors);
        self
    }
}

/// The keyboard of the terminal a process runs in: what is written here it reads, and Ctrl-C and the like mean there what
/// they mean to a person.
pub trait Terminal: AsyncWrite + Send + Unpin {
    /// Gives the terminal another size, and tells who runs in it.
    ///
    /// # Errors
    /// When the terminal is gone.
    fn resize(&self, size: TerminalSize) -> io::Result<()>;
}

/// How many characters a terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

impl Default for TerminalSize {
    /// 24 lines of 80 (codex-rs).
    fn default() -> Self {
        Self { rows: 24, columns: 80 }
    }
}

/// What becomes of the children that are left when a command's shell has ended. A host registers one as state of its
/// executor; without it each tool has its own, as its documentation says.
///
/// A command that takes too long or is cancelled is ended with all it has started, whatever is said here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Background {
    /// All run on. What they print is lost, and those that print on may be ended by that.
    Keep,
    /// Those that still hold the command's output are stopped, with their group; who was detached runs on (`bash`).
    #[default]
    StopAttached,
    /// Those of the command's group are stopped; who made a session of its own runs on (codex-rs).
    StopGroup,
    /// All are stopped, wherever they went.
    StopAll,
}

/// How a process ended: with an exit code, or by a signal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exit {
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
}

impl Exit {
    /// How it ended.
    #[must_use]
    pub fn new(code: Option<i32>, signal: Option<i32>) -> Self {
        Self { code, signal }
    }
}

/// How hard to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// SIGTERM: it may clean up.
    Terminate,
    /// SIGKILL.
    Kill,
}

/// A process and the group of its children. Dropping it kills all that it has started.
#[async_trait]
pub trait Process: Send {
    /// Waits for the process itself, not for its children. May be dropped and called again.
    ///
    /// # Errors
    /// When its end cannot be learnt.
    async fn wait(&mut self) -> io::Result<Exit>;

    /// Signals the whole group. A group that has ended already is no error.
    fn stop(&mut self, how: Stop);

    /// Signals the group and all else that the process has started, as far as that can be found: children that left the
    /// group, and their children.
    fn stop_all(&mut self, how: Stop) {
        self.stop(how);
    }

    /// Sends the whole group SIGINT, as Ctrl-C does. Says whether that can be done here.
    fn interrupt(&mut self) -> bool {
        false
    }

    /// Whether anything that the process has started still runs, outside its group too, as far as that can be found.
    fn has_relatives(&self) -> bool {
        self.has_company()
    }

    /// Whether the group still has a process, the waited-for one apart.
    fn has_company(&self) -> bool;

    /// Lets what is left of the group run on.
    fn release(self: Box<Self>);
}
