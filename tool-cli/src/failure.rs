//! Why a command could not do its work. What a tool answers is no failure of the command.

use std::{io, process::ExitCode};

use crate::print;

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line, or what it names, is wrong: status 2.
    Usage(String),
    /// The result could not be written: status 1.
    Output(io::Error),
}

impl Failure {
    /// Says it on standard error.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Usage(message) => {
                print::error(message);
                ExitCode::from(2)
            }
            Self::Output(error) => {
                print::error(&format!("cannot write to standard output: {error}"));
                ExitCode::FAILURE
            }
        }
    }
}
