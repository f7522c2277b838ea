//! What can confine commands here, found by trying.

use std::{fmt, path::Path};

use super::scope::Scope;

/// What confines commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// bubblewrap where it works, for it protects more at no cost to what commands may do; else Landlock.
    #[default]
    Auto,
    /// The program `bwrap`: mounts, processes and a network of the command's own.
    Bubblewrap,
    /// Landlock and seccomp, in this process: about as fast as no sandbox.
    Landlock,
}

impl Backend {
    /// Those that are one, in the order they are preferred.
    pub const EACH: [Self; 2] = [Self::Bubblewrap, Self::Landlock];

    fn each(self) -> Vec<Self> {
        if self == Self::Auto { Self::EACH.into() } else { vec![self] }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
        })
    }
}

/// A backend that works.
#[cfg(target_os = "linux")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum By {
    /// This program.
    Bubblewrap(std::path::PathBuf),
    Landlock,
}

/// There is none.
#[cfg(not(target_os = "linux"))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum By {}

impl By {
    #[cfg(target_os = "linux")]
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Bubblewrap(_) => "bubblewrap",
            Self::Landlock => "landlock",
        }
    }

    /// Whether a directory with something protected in it takes no new entries.
    #[cfg(target_os = "linux")]
    pub(super) fn splits(&self) -> bool {
        matches!(self, Self::Landlock)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn splits(&self) -> bool {
        match *self {}
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn name(&self) -> &'static str {
        match *self {}
    }
}

/// All that work, the preferred first, and why the others do not.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) works: Vec<By>,
    pub(super) faults: Vec<String>,
}

impl Found {
    /// Tries each that is wanted, for a first session in this directory.
    pub(super) async fn of(wanted: Backend, cwd: &Path, scope: &Scope) -> Self {
        let mut found = Self::default();
        for backend in wanted.each() {
            match find(backend, cwd, scope).await {
                Ok(by) => found.works.push(by),
                Err(why) => found.faults.push(format!("{backend}: {why}")),
            }
        }
        found
    }
}

#[cfg(target_os = "linux")]
async fn find(backend: Backend, cwd: &Path, scope: &Scope) -> Result<By, String> {
    use super::{bubblewrap, landlock};

    let unusable = |error: std::io::Error| error.to_string();
    match backend {
        Backend::Bubblewrap => {
            let program = bubblewrap::find(std::env::var_os("PATH").as_deref(), cwd, scope);
            let program = program
                .ok_or_else(|| "there is no `bwrap` on the PATH outside of where commands can write".to_owned())?;
            bubblewrap::check(&program).await.map_err(unusable)?;
            Ok(By::Bubblewrap(program))
        }
        Backend::Auto | Backend::Landlock => {
            let tried = tokio::task::spawn_blocking(landlock::check).await;
            tried.map_err(std::io::Error::other).and_then(|tried| tried).map_err(unusable)?;
            Ok(By::Landlock)
        }
    }
}

#[cfg(not(target_os = "linux"))]
async fn find(_: Backend, _: &Path, _: &Scope) -> Result<By, String> {
    Err("it is for Linux, and this is another system".to_owned())
}
