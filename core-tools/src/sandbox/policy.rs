//! What confined commands may do.

use std::path::PathBuf;

/// What stays as it is inside a writable root: what a host runs, or takes for its own settings, later and unconfined
/// (codex-rs protects the first four; the others are the settings of further agents, and the
/// servers that are started for them).
pub const PROTECTED: [&str; 8] = [".git", ".agents", ".codex", ".aws", ".claude", ".opencode", ".pi", ".mcp.json"];

/// How much of the machine commands may change (codex-rs `sandbox_mode`, by its names). All may read everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SandboxMode {
    /// Nothing but devices that keep nothing.
    ReadOnly,
    /// The session's working directory, further roots, and the directories for temporary files.
    #[default]
    WorkspaceWrite,
    /// Everything: there is no sandbox.
    DangerFullAccess,
}

/// What commands may do in a [`Sandbox`](super::Sandbox).
///
/// ```
/// use core_tools::sandbox::SandboxPolicy;
/// let policy = SandboxPolicy::workspace_write().writable_root("/var/cache/build").network(true);
/// assert!(policy.has_network());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct SandboxPolicy {
    pub(super) mode: SandboxMode,
    pub(super) roots: Vec<PathBuf>,
    pub(super) slash_tmp: bool,
    pub(super) tmpdir: bool,
    pub(super) network: bool,
    pub(super) unix_sockets: bool,
    pub(super) protected: Vec<String>,
}

impl Default for SandboxPolicy {
    /// [`workspace_write`](Self::workspace_write).
    fn default() -> Self {
        Self::of(SandboxMode::default())
    }
}

impl SandboxPolicy {
    /// Everything may be read, nothing written; no network.
    pub fn read_only() -> Self {
        Self::of(SandboxMode::ReadOnly)
    }

    /// The working directory and the directories for temporary files may be written, but for [`PROTECTED`] entries of the
    /// former; no network.
    pub fn workspace_write() -> Self {
        Self::of(SandboxMode::WorkspaceWrite)
    }

    /// No sandbox at all.
    pub fn danger_full_access() -> Self {
        Self::of(SandboxMode::DangerFullAccess)
    }

    /// A mode with codex's defaults.
    pub fn of(mode: SandboxMode) -> Self {
        Self {
            mode,
            roots: Vec::new(),
            slash_tmp: true,
            tmpdir: true,
            network: false,
            unix_sockets: false,
            protected: PROTECTED.map(str::to_owned).into(),
        }
    }

    /// One more directory that may be written, absolute; one that is not there is left out (codex-rs `writable_roots`).
    pub fn writable_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.roots.push(root.into());
        self
    }

    /// Whether `/tmp` and `/dev/shm` may be written: yes unless said (codex-rs `exclude_slash_tmp`).
    pub fn slash_tmp(mut self, writable: bool) -> Self {
        self.slash_tmp = writable;
        self
    }

    /// Whether `$TMPDIR` may be written: yes unless said (codex-rs `exclude_tmpdir_env_var`).
    pub fn tmpdir(mut self, writable: bool) -> Self {
        self.tmpdir = writable;
        self
    }

    /// Whether commands have the network: no unless said (codex-rs `network_access`). Sockets of daemons on this machine
    /// are another thing: [`unix_sockets`](Self::unix_sockets).
    pub fn network(mut self, allowed: bool) -> Self {
        self.network = allowed;
        self
    }

    /// Whether commands may make Unix sockets: no unless said. Which of them they connect to then cannot be told
    /// apart, and a daemon that listens on one (Docker's, an SSH agent) does things for them outside of the sandbox.
    /// Pairs of connected sockets, which programs use among themselves, can always be had.
    pub fn unix_sockets(mut self, allowed: bool) -> Self {
        self.unix_sockets = allowed;
        self
    }

    /// The names that are protected in the working directory and the further roots, instead of [`PROTECTED`]. Without
    /// any, commands confined by Landlock may make new entries there.
    pub fn protected(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.protected = names.into_iter().map(Into::into).collect();
        self
    }

    /// How much may be changed.
    #[must_use]
    pub fn mode(&self) -> SandboxMode {
        self.mode
    }

    /// Whether commands have the network.
    #[must_use]
    pub fn has_network(&self) -> bool {
        self.network || self.mode == SandboxMode::DangerFullAccess
    }
}
