//! A sandbox around the commands that tools run (codex-rs's modes).
//!
//! In: a [`SandboxPolicy`], what commands may do, which a host registers in a [`Sandbox`] as state of its executor; without
//! one, nothing is confined. Out: a [`Confinement`] for every command of `bash`, `exec_command`, `shell` and
//! `shell_command`. In this order:
//!
//! 1. what the policy comes to on this machine: real paths, and what is `protected` in them (`scope`);
//! 2. what can see to it here, found by trying (`backend`): `bubblewrap`, or `landlock`, both with a filter of system
//!    calls (`seccomp`). Where nothing can, or the workspace is another machine, that is said and asked about;
//! 3. a question where the model wants a command to run without it, and one where the sandbox seems to have stopped a
//!    command (`denial`); both ask for `escalate` (`leave`).
//!
//! What each backend stops and does not stop is in `docs/guide/sandbox.md`; [`examine`] tries it.

#![cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "nothing confines commands there yet"))]

mod backend;
#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod calls;
mod confinement;
mod denial;
mod examine;
#[cfg(target_os = "linux")]
mod landlock;
mod leave;
mod linked;
mod policy;
#[cfg(target_os = "linux")]
mod program;
mod protected;
mod scope;
#[cfg(target_os = "linux")]
mod seccomp;
mod stand_in;

use std::{
    ffi::OsStr,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{sync::OnceCell, task::spawn_blocking};

pub use self::{
    backend::Backend,
    confinement::Confinement,
    examine::{Attempt, Examined, connect, examine},
    leave::SandboxPermissions,
    policy::{PROTECTED, SandboxMode, SandboxPolicy},
};
use self::{
    backend::{By, Found},
    linked::Links,
    scope::Scope,
};
pub(crate) use self::{
    leave::{Again, Leave, State as SandboxState, Wish, admit},
    stand_in::StandIns,
};

/// The sandbox of a host's commands: registered as state of the executor.
///
/// ```
/// use core_tools::sandbox::{Backend, Sandbox, SandboxPolicy};
/// use tool_core::{Executor, Registry};
///
/// let sandbox = Sandbox::new(SandboxPolicy::workspace_write()).backend(Backend::Landlock);
/// let executor = Executor::builder(Registry::linked()?).state(sandbox).build()?;
/// # let _ = executor;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Sandbox {
    policy: SandboxPolicy,
    backend: Backend,
    /// What works here, once it was tried.
    found: Arc<OnceCell<Found>>,
    links: Arc<Mutex<Links>>,
}

/// Why a command cannot be confined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no sandbox can be had: {why}")]
pub struct NoSandbox {
    why: String,
}

impl NoSandbox {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self { why: why.into() }
    }
}

impl Sandbox {
    /// A sandbox that lets commands do so much, by whatever works here.
    pub fn new(policy: SandboxPolicy) -> Self {
        Self { policy, backend: Backend::default(), found: Arc::default(), links: Arc::default() }
    }

    /// By this alone.
    pub fn backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self.found = Arc::default();
        self
    }

    /// What commands may do.
    pub fn policy(&self) -> &SandboxPolicy {
        &self.policy
    }

    /// Whether anything is confined at all.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.policy.mode != SandboxMode::DangerFullAccess
    }

    /// The confinement for a command on this machine, for a session in this working directory. `tmpdir` is what the
    /// command finds in `$TMPDIR`. What works here is tried the first time.
    ///
    /// # Errors
    /// When nothing works here.
    pub async fn confine(&self, cwd: &Path, tmpdir: Option<&OsStr>) -> Result<Confinement, NoSandbox> {
        let (policy, folder, tmpdir) = (self.policy.clone(), cwd.to_owned(), tmpdir.map(OsStr::to_owned));
        let links = self.links.clone();
        let scope = spawn_blocking(move || {
            let mut links = links.lock().unwrap_or_else(PoisonError::into_inner);
            Scope::of(&policy, &folder, tmpdir.as_deref(), &mut links)
        });
        let scope = scope.await;
        let scope = scope.map_err(|error| NoSandbox::new(error.to_string()))?;
        let found = self.found.get_or_init(|| Found::of(self.backend, cwd, &scope)).await;
        let mut faults = found.faults.clone();
        for by in &found.works {
            match fault(by, &scope) {
                None => return Ok(Confinement { by: by.clone(), scope: Arc::new(scope) }),
                Some(fault) => faults.push(format!("{}: {fault}", by.name())),
            }
        }
        Err(NoSandbox::new(faults.join("; ")))
    }
}

/// Why a backend that works cannot protect all that is to be.
#[cfg(target_os = "linux")]
fn fault(by: &By, scope: &Scope) -> Option<&'static str> {
    match by {
        By::Landlock => None,
        By::Bubblewrap(program) if scope.has_in_a_root(program) => Some("commands can write where the program is"),
        // It could be exchanged for another.
        By::Bubblewrap(_) => {
            let has_link = scope.protected.iter().any(|path| path.is_symlink());
            has_link.then_some("a protected directory is a symbolic link, which it cannot protect")
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn fault(by: &By, _: &Scope) -> Option<&'static str> {
    match *by {}
}
