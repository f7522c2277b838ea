//! What one command is confined by.

use std::{io, path::Path, sync::Arc};

use super::{backend::By, scope::Scope, stand_in::StandIns};
use crate::workspace::Command;

/// A sandbox around one command: what it may do, and what sees to that. [`Sandbox::confine`](super::Sandbox::confine)
/// makes it; a [`Workspace`](crate::Workspace) that [`confines`](crate::Workspace::confines) starts the command in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    pub(super) by: By,
    pub(super) scope: Arc<Scope>,
}

impl Confinement {
    /// What confines it, by the name of its [`Backend`](super::Backend).
    #[must_use]
    pub fn backend(&self) -> &'static str {
        self.by.name()
    }

    /// Whether it has the network.
    #[must_use]
    pub fn has_network(&self) -> bool {
        self.scope.network
    }

    /// Whether a command may write at a real path, or make it.
    pub(super) fn may_write(&self, path: &Path, exists: bool) -> bool {
        // A directory with something protected in it takes no new entries.
        let is_split = || path.parent().is_some_and(|parent| self.scope.protected_in(parent).next().is_some());
        self.scope.may_write(path) && (exists || !self.by.splits() || !is_split())
    }

    /// What it does not protect and should.
    pub(super) fn gap(&self) -> Option<&'static str> {
        let gap =
            "too many files in the project have other names outside (hard links): some can be written through these";
        self.scope.has_unknown_links.then_some(gap)
    }

    /// What it is, in a few words.
    pub(super) fn summary(&self) -> String {
        let network = if self.scope.network { "on" } else { "off" };
        let roots: Vec<_> = self.scope.roots.iter().map(|root| root.display().to_string()).collect();
        let roots = if roots.is_empty() { "nothing".to_owned() } else { roots.join(", ") };
        format!("{}; writable: {roots}; network {network}", self.backend())
    }

    /// Whether the program it gives for a command has something to do between its making and its beginning.
    pub(crate) fn acts_in_child(&self) -> bool {
        #[cfg(target_os = "linux")]
        return matches!(self.by, By::Bubblewrap(_));
        #[cfg(not(target_os = "linux"))]
        match self.by {}
    }

    /// The program to start for a command, and what has to be kept as long as it runs.
    ///
    /// # Errors
    /// When it cannot be confined.
    #[cfg(target_os = "linux")]
    pub(crate) fn command(&self, command: &Command) -> io::Result<(tokio::process::Command, StandIns)> {
        use super::bubblewrap::Wrapped;

        match &self.by {
            By::Bubblewrap(bubblewrap) => {
                let (cwd, program) = (&command.cwd, &command.program);
                let mut wrapped = Wrapped::new(bubblewrap, &self.scope, cwd, program, &command.args)?;
                let mut child = tokio::process::Command::new(&wrapped.program);
                child.args(&wrapped.args);
                let stand_ins = wrapped.attach(&mut child);
                Ok((child, stand_ins))
            }
            By::Landlock => {
                let mut child = tokio::process::Command::new(&command.program);
                child.args(&command.args);
                Ok((child, StandIns::default()))
            }
        }
    }

    /// Starts it, in this terminal where it has one.
    ///
    /// # Errors
    /// When it cannot be confined, or started.
    #[cfg(target_os = "linux")]
    pub(crate) fn start<T: Send>(
        &self,
        terminal: Option<&Path>,
        start: impl FnOnce() -> io::Result<T> + Send,
    ) -> io::Result<T> {
        match &self.by {
            By::Bubblewrap(_) => start(),
            By::Landlock => super::landlock::run(&self.scope, terminal, start),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn command(&self, _: &Command) -> io::Result<(tokio::process::Command, StandIns)> {
        match self.by {}
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn start<T: Send>(&self, _: Option<&Path>, _: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        match self.by {}
    }
}
