//! The prebuilt tools from a command line.

mod confined;
mod doctor;

use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use core_tools::{
    LocalWorkspace, Workspace,
    custom::load,
    workspace::{FileKind, SshWorkspace},
};
use tool_cli::{Machine, ToolFiles};

use self::confined::Confined;

/// Where calls work, and how confined.
#[derive(Debug, clap::Args)]
struct Flags {
    #[command(flatten)]
    remote: Remote,
    #[command(flatten)]
    confined: Confined,
}

async fn machine(flags: Flags, cwd: Option<PathBuf>) -> Result<Option<Machine>, String> {
    let sandbox = flags.confined.sandbox()?;
    let machine = reach(flags.remote, cwd).await?;
    let Some(sandbox) = sandbox else { return Ok(machine) };
    Ok(Some(machine.unwrap_or_else(Machine::local).executor(|builder| builder.state(sandbox))))
}

/// Where calls work.
#[derive(Debug, clap::Args)]
struct Remote {
    /// Work on this machine instead, reached by the system's `ssh` with the user's configuration: files, commands and
    /// --cwd (default: the home directory) are there. It has to connect without asking anything.
    #[arg(long = "ssh", value_name = "[USER@]HOST")]
    destination: Option<String>,
    /// The configuration of `ssh`, as for its -F.
    #[arg(long, value_name = "FILE", requires = "destination")]
    ssh_config: Option<PathBuf>,
}

async fn reach(remote: Remote, cwd: Option<PathBuf>) -> Result<Option<Machine>, String> {
    let Some(destination) = remote.destination else { return Ok(None) };
    let builder = SshWorkspace::builder(destination);
    let builder = match remote.ssh_config {
        Some(file) => builder.config(file),
        None => builder,
    };
    let workspace = builder.connect().await.map_err(|error| format!("--ssh: {error}"))?;
    let cwd = working_directory(&workspace, cwd.as_deref().unwrap_or(Path::new("~"))).await?;
    let machine = match workspace.home() {
        Some(home) => Machine::new(cwd).home(home),
        None => Machine::new(cwd),
    };
    let workspace: Arc<dyn Workspace> = Arc::new(workspace);
    Ok(Some(machine.executor(|builder| builder.state(workspace))))
}

/// The directory of `--cwd` on that machine, absolute: from the home directory, which `~` also stands for.
async fn working_directory(remote: &SshWorkspace, given: &Path) -> Result<PathBuf, String> {
    let fault = |why: &dyn std::fmt::Display| {
        format!("--cwd must be a directory on {}, and `{}` is not one: {why}", remote.host(), given.display())
    };
    let home = remote.home().unwrap_or_else(|| PathBuf::from("/"));
    let mut path = home.join(given.strip_prefix("~").unwrap_or(given));
    if path.components().any(|part| part == Component::ParentDir) {
        path = remote.real_path(&path).await.map_err(|error| fault(&error))?;
    }
    match remote.stat(&path).await {
        Ok(info) if info.kind == FileKind::Directory => Ok(path.components().collect()),
        Ok(info) => Err(fault(&format_args!("it is {}", info.kind))),
        Err(error) => Err(fault(&error)),
    }
}

async fn custom_tools(directories: Vec<PathBuf>) -> ToolFiles {
    let loaded = load(&LocalWorkspace::default(), &directories).await;
    let tools = loaded.tools.into_iter().map(|custom| custom.tool).collect();
    ToolFiles { tools, faults: loaded.faults.iter().map(ToString::to_string).collect() }
}

fn main() -> std::process::ExitCode {
    let cli = tool_cli::Cli::new().version(env!("CARGO_PKG_VERSION")).tool_files(custom_tools).machine(machine);
    cli.command("doctor", "Try what this machine can confine commands by, and tell what each stops", doctor::run).run()
}
