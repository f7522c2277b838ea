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
}

impl Command {
    /// A program with its arguments, started in a directory.
    #[must_use]
    pub fn new(
        program: impl Into<PathBuf>,
        args: impl IntoIterator<Item = impl Into<OsString>>,
        cwd: impl Into<PathBuf>,
    ) -> Self {
        Self { program: program.into(), args: args.into_iter().map(Into::into).collect(), cwd: cwd.into() }
    }
}

/// A process that was started.
#[non_exhaustive]
pub struct Running {
    /// What it and its children write, stdout and stderr in the order of writing. It ends when the last of them has
    /// closed it, which may be long after the process itself has ended.
    pub output: ByteStream,
    /// The process.
    pub process: Box<dyn Process>,
}

impl Running {
    /// A process with its output.
    #[must_use]
    pub fn new(output: ByteStream, process: Box<dyn Process>) -> Self {
        Self { output, process }
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
