//! The prebuilt tools from a command line.

use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use core_tools::{
    LocalWorkspace, Workspace,
    custom::load,
    sandbox::{Backend, Sandbox, SandboxPolicy},
    workspace::{FileKind, SshWorkspace},
};
use tool_cli::{Machine, ToolFiles};

/// Where calls work, and how confined.
#[derive(Debug, clap::Args)]
struct Flags {
    #[command(flatten)]
    remote: Remote,
    #[command(flatten)]
    confined: Confined,
}

/// What commands may do.
#[derive(Debug, clap::Args)]
struct Confined {
    /// What commands may change: nothing, or the working directory and temporary files; `off` does not confine them.
    /// Neither has the network.
    #[arg(long, value_enum, value_name = "MODE", default_value_t = Mode::Off, hide_default_value = true)]
    sandbox: Mode,
    /// What confines commands; whatever works and protects most, where it is not given.
    #[arg(long, value_enum, value_name = "BACKEND", default_value_t = By::Auto, hide_default_value = true)]
    sandbox_backend: By,
    /// Let commands in the sandbox use the network.
    #[arg(long)]
    sandbox_network: bool,
    /// Let commands in the sandbox write in this directory too.
    #[arg(long, value_name = "DIR")]
    writable_root: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Mode {
    /// Nothing.
    ReadOnly,
    /// The working directory, without `.git` and the settings of agents, and temporary files.
    WorkspaceWrite,
    /// Everything.
    #[value(alias = "danger-full-access")]
    Off,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum By {
    /// bubblewrap, else Landlock.
    Auto,
    /// The program `bwrap`.
    Bubblewrap,
    /// Landlock and seccomp, without a program.
    Landlock,
}

impl Confined {
    fn sandbox(self) -> Result<Option<Sandbox>, String> {
        let policy = match self.sandbox {
            Mode::ReadOnly => SandboxPolicy::read_only(),
            Mode::WorkspaceWrite => SandboxPolicy::workspace_write(),
            Mode::Off => return Ok(None),
        };
        let backend = match self.sandbox_backend {
            By::Auto => Backend::Auto,
            By::Bubblewrap => Backend::Bubblewrap,
            By::Landlock => Backend::Landlock,
        };
        let mut policy = policy.network(self.sandbox_network);
        for root in self.writable_root {
            let root =
                root.canonicalize().ok().filter(|real| real.is_dir()).ok_or_else(|| {
                    format!("--writable-root must be a directory, and `{}` is not one", root.display())
                })?;
            policy = policy.writable_root(root);
        }
        Ok(Some(Sandbox::new(policy).backend(backend)))
    }
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
    tool_cli::Cli::new().version(env!("CARGO_PKG_VERSION")).tool_files(custom_tools).machine(machine).run()
}
