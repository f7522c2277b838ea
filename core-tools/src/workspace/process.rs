//! A running process and its output.

use std::{ffi::OsString, io, path::PathBuf};

use async_trait::async_trait;

use super::ByteStream;

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
    /// Variables of its environment beside those it inherits.
    pub env: Vec<(OsString, OsString)>,
    /// What it can read from stdin, to the end.
    pub input: Vec<u8>,
    /// Whether stderr comes apart from stdout, as [`Running::errors`]; their order to each other is lost then.
    pub errors_apart: bool,
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
            env: Vec::new(),
            input: Vec::new(),
            errors_apart: false,
        }
    }

    /// With one more variable in its environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
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
}

/// A process that was started.
#[non_exhaustive]
pub struct Running {
    /// What it and its children write, stdout and stderr in the order of writing (or stdout alone). It ends when the
    /// last of them has closed it, which may be long after the process itself has ended.
    pub output: ByteStream,
    /// What they write to stderr, where the command wants that apart.
    pub errors: Option<ByteStream>,
    /// The process.
    pub process: Box<dyn Process>,
}

impl Running {
    /// A process with its output.
    #[must_use]
    pub fn new(output: ByteStream, process: Box<dyn Process>) -> Self {
        Self { output, errors: None, process }
    }

    /// The same with stderr apart.
    #[must_use]
    pub fn errors(mut self, errors: ByteStream) -> Self {
        self.errors = Some(errors);
        self
    }
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

/// A process and the group of its children. Dropping it kills the whole group.
#[async_trait]
pub trait Process: Send {
    /// Waits for the process itself, not for its children. May be dropped and called again.
    ///
    /// # Errors
    /// When its end cannot be learnt.
    async fn wait(&mut self) -> io::Result<Exit>;

    /// Signals the whole group. A group that has ended already is no error.
    fn stop(&mut self, how: Stop);

    /// Whether the group still has a process, the waited-for one apart.
    fn has_company(&self) -> bool;

    /// Lets what is left of the group run on.
    fn release(self: Box<Self>);
}
