//! Another machine than this one for calls to work on, for binaries that can reach one.

use std::{
    path::{Path, PathBuf},
    pin::Pin,
};

use clap::ArgMatches;
use tool_core::executor::ExecutorBuilder;

use crate::{failure::Failure, host::Configure};

/// The machine that calls work on.
#[must_use]
pub struct Machine {
    /// `None`: this machine's, as `--cwd` says.
    cwd: Option<PathBuf>,
    home: Option<PathBuf>,
    configure: Vec<Configure>,
}

impl Machine {
    /// A machine with the directory that relative paths are meant from there: absolute, and known to be one.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self { cwd: Some(cwd.into()), home: None, configure: Vec::new() }
    }

    /// This machine, with its own `--cwd` and home directory: for flags that change what tools do here.
    pub fn local() -> Self {
        Self { cwd: None, home: None, configure: Vec::new() }
    }

    /// What makes the executor's tools work there. Each adds to those before.
    pub fn executor(mut self, configure: impl FnOnce(ExecutorBuilder) -> ExecutorBuilder + 'static) -> Self {
        self.configure.push(Box::new(configure));
        self
    }

    /// The directory there that `~` in a rule stands for; without it, no rule has one.
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    pub(crate) fn home_directory(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// `None`: it is this one.
    pub(crate) fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    pub(crate) fn configure(self, builder: ExecutorBuilder) -> ExecutorBuilder {
        self.configure.into_iter().fold(builder, |builder, more| more(builder))
    }
}

/// How a binary's own flags lead to a machine.
pub(crate) struct Reach {
    /// Adds the flags to a command that runs calls.
    pub(crate) flags: fn(clap::Command) -> clap::Command,
    /// Takes the flags that were found, and the directory of `--cwd`.
    pub(crate) reach: Connect,
}

type Connect = Box<dyn FnOnce(&ArgMatches, Option<PathBuf>) -> Reaching>;

/// A machine on the way; `None` for this one.
pub(crate) type Reaching = Pin<Box<dyn Future<Output = Result<Option<Machine>, Failure>>>>;

impl Reach {
    pub(crate) fn new<A, F, R>(reach: F) -> Self
    where
        A: clap::Args + 'static,
        F: FnOnce(A, Option<PathBuf>) -> R + 'static,
        R: Future<Output = Result<Option<Machine>, String>> + 'static,
    {
        let reach = move |found: &ArgMatches, cwd: Option<PathBuf>| -> Reaching {
            match A::from_arg_matches(found) {
                Ok(flags) => {
                    let machine = reach(flags, cwd);
                    Box::pin(async { machine.await.map_err(Failure::Usage) })
                }
                Err(error) => Box::pin(async move { Err(Failure::Usage(error.to_string())) }),
            }
        };
        Self { flags: A::augment_args, reach: Box::new(reach) }
    }

    /// Adds the flags to every command that runs calls.
    pub(crate) fn add_flags(&self, mut command: clap::Command) -> clap::Command {
        for name in ["call", "batch", "mcp"] {
            command = command.mut_subcommand(name, self.flags);
        }
        command
    }
}
