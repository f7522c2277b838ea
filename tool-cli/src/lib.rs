//! A command line over the tools that are linked into a binary.
//!
//! In: `#[tool]` functions, found at link time. Out: `list`, `schema`, `call`, `batch`, `mcp` and `completions`, in one line:
//!
//! ```no_run
//! // in the binary of the crate `my_tools`:
//! // use my_tools as _;
//! fn main() -> std::process::ExitCode {
//!     tool_cli::main()
//! }
//! ```
//!
//! A host whose tools take state, or that wants other rules, builds a [`Cli`]. Not here: what a call is and does; that
//! is `tool_core`'s. Standard output carries results alone; questions, progress and errors go to standard error.
//!
//! # Exit status
//! 0: the call completed. 1: it ended in an error, which is the tool's answer. 2: the command line itself was wrong.

mod approver;
mod args;
mod arguments;
mod batch;
mod call;
mod cli;
mod failure;
mod files;
mod host;
mod interrupt;
mod lines;
mod list;
mod machine;
mod mcp;
mod own_command;
mod permissions;
mod print;
mod progress;
mod prompt;
mod schema;
mod visible;

pub use self::{cli::Cli, files::ToolFiles, machine::Machine};

/// Runs the command line over every tool that is linked into this binary.
#[must_use]
pub fn main() -> std::process::ExitCode {
    Cli::new().run()
}

/// The README's examples, which need both this crate and `tool-core`.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
