//! Tools that are files: `--tools DIR`, for binaries that can read them.

use std::{
    path::{PathBuf, absolute},
    pin::Pin,
    sync::Arc,
};

use tool_core::{Registry, Tool, registry::RegistryBuilder};

use crate::{
    args::{Command, FileArgs},
    failure::Failure,
    print, visible,
};

/// What a binary found in the directories of `--tools`.
#[derive(Default)]
pub struct ToolFiles {
    /// The tools; one takes the place of a linked one of its name.
    pub tools: Vec<Arc<dyn Tool>>,
    /// What could not be used: a line each, told on standard error.
    pub faults: Vec<String>,
}

/// How a binary reads directories.
pub(crate) type Load = Box<dyn FnOnce(Vec<PathBuf>) -> Pin<Box<dyn Future<Output = ToolFiles>>>>;

/// What a command names of tools that are not linked.
pub(crate) fn named(command: &Command) -> Option<&FileArgs> {
    match command {
        Command::List(args) => Some(&args.files),
        Command::Schema(args) => Some(&args.files),
        Command::Call(args) => Some(&args.run.files),
        Command::Batch(args) => Some(&args.run.files),
        Command::Mcp(args) => Some(&args.serve.run.files),
        Command::Completions { .. } => None,
    }
}

/// Adds what the files give to the registry, and says what is wrong with the others.
pub(crate) async fn add(load: Option<Load>, directories: &[PathBuf], to: Registry) -> Result<Registry, Failure> {
    if directories.is_empty() {
        return Ok(to);
    }
    let Some(load) = load else {
        return Err(Failure::Usage("this program reads no tools from files: leave out --tools".to_owned()));
    };
    let absolute = directories.iter().map(absolute).collect::<Result<Vec<_>, _>>();
    let found = load(absolute.map_err(|error| Failure::Usage(format!("--tools cannot be used: {error}")))?).await;
    for fault in &found.faults {
        print::note(&visible::line(fault));
    }
    for tool in found.tools.iter().filter(|tool| to.get(tool.spec().name.as_str()).is_some()) {
        print::note(&format!("`{}` from a file takes the place of the linked tool", tool.spec().name));
    }
    let all = found.tools.into_iter().fold(Registry::builder().extend(&to), RegistryBuilder::replace);
    all.build().map_err(|error| Failure::Usage(error.to_string()))
}

/// Hides the flag where it would do nothing.
pub(crate) fn hide(mut command: clap::Command) -> clap::Command {
    for name in ["list", "schema", "call", "batch", "mcp"] {
        command = command.mut_subcommand(name, |sub| sub.mut_arg("directories", |flag| flag.hide(true)));
    }
    command
}
