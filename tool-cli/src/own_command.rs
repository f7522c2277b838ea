//! Commands that a binary has beside those of every one.

use std::{pin::Pin, process::ExitCode};

use clap::ArgMatches;

/// One of them.
pub(crate) struct OwnCommand {
    name: &'static str,
    about: &'static str,
    add_args: fn(clap::Command) -> clap::Command,
    run: Run,
}

type Run = Box<dyn FnOnce(&ArgMatches) -> Result<Running, clap::Error>>;

/// It, being carried out.
pub(crate) type Running = Pin<Box<dyn Future<Output = ExitCode>>>;

impl OwnCommand {
    pub(crate) fn new<A, F, R>(name: &'static str, about: &'static str, run: F) -> Self
    where
        A: clap::Args + 'static,
        F: FnOnce(A) -> R + 'static,
        R: Future<Output = ExitCode> + 'static,
    {
        let run = move |found: &ArgMatches| -> Result<Running, clap::Error> {
            A::from_arg_matches(found).map(|args| Box::pin(run(args)) as Running)
        };
        Self { name, about, add_args: A::augment_args, run: Box::new(run) }
    }

    /// A command line that has it.
    pub(crate) fn add_to(&self, command: clap::Command) -> clap::Command {
        // The text about it is its own, not that of the type of its arguments.
        command.subcommand((self.add_args)(clap::Command::new(self.name)).about(self.about))
    }
}

/// The one that was found, begun; `None` where it is one of every binary's.
pub(crate) fn take(commands: &mut Vec<OwnCommand>, found: &ArgMatches) -> Result<Option<Running>, clap::Error> {
    let Some((name, args)) = found.subcommand() else { return Ok(None) };
    match commands.iter().position(|command| command.name == name) {
        Some(at) => (commands.swap_remove(at).run)(args).map(Some),
        None => Ok(None),
    }
}
