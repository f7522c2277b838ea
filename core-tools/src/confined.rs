//! The flags of the command line that confine commands.

use std::path::PathBuf;

use core_tools::sandbox::{Backend, Sandbox, SandboxPolicy};

/// What commands may do.
#[derive(Debug, clap::Args)]
pub(crate) struct Confined {
    /// What commands may change: nothing, or the working directory and temporary files; `off` does not confine them.
    /// Neither has the network.
    #[arg(long, value_enum, value_name = "MODE")]
    sandbox: Option<Mode>,
    /// What confines commands; whatever works and protects most, where it is not given.
    #[arg(long, value_enum, value_name = "BACKEND", requires = "sandbox")]
    sandbox_backend: Option<By>,
    /// Let commands in the sandbox use the network.
    #[arg(long, requires = "sandbox")]
    sandbox_network: bool,
    /// Let commands in the sandbox write in this directory too.
    #[arg(long, value_name = "DIR", requires = "sandbox")]
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
    /// The sandbox that they ask for, if any.
    ///
    /// # Errors
    /// When a directory is none.
    pub(crate) fn sandbox(self) -> Result<Option<Sandbox>, String> {
        let policy = match self.sandbox {
            Some(Mode::ReadOnly) => SandboxPolicy::read_only(),
            Some(Mode::WorkspaceWrite) => SandboxPolicy::workspace_write(),
            Some(Mode::Off) | None => return Ok(None),
        };
        let backend = match self.sandbox_backend {
            Some(By::Auto) | None => Backend::Auto,
            Some(By::Bubblewrap) => Backend::Bubblewrap,
            Some(By::Landlock) => Backend::Landlock,
        };
        let mut policy = policy.network(self.sandbox_network);
        for root in self.writable_root {
            // Its links are the sandbox's to follow: commands may have made some.
            let named = std::path::absolute(&root).ok().filter(|named| named.is_dir());
            policy =
                policy.writable_root(named.ok_or_else(|| {
                    format!("--writable-root must be a directory, and `{}` is not one", root.display())
                })?);
        }
        Ok(Some(Sandbox::new(policy).backend(backend)))
    }
}
