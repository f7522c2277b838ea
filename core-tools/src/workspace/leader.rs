//! The first process of a command: how it comes about, and how its end is learnt.

use std::{
    io,
    os::{fd::OwnedFd, unix::process::ExitStatusExt},
    process::Stdio,
};

use process_wrap::tokio::{CommandWrap, CommandWrapper, ProcessSession};
use rustix::process::Pid;
use tokio::process::Child;

use super::Exit;
#[cfg(target_os = "linux")]
use super::spawned::Spawned;

/// A process that leads a session of its own. Dropping it kills it, and it alone.
pub(super) enum Leader {
    /// Made as a copy of this process, which takes the longer the more memory that has.
    Forked(Child),
    /// Made without.
    #[cfg(target_os = "linux")]
    Spawned(Spawned),
}

impl Leader {
    /// Starts it with these as its stdin, stdout and stderr. `begun` is told its number, as early as that can be.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn start(
        command: &mut tokio::process::Command,
        streams: [OwnedFd; 3],
        begun: impl Fn(Pid) + Send + Sync,
    ) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(spawned) = Spawned::start(command.as_std(), &streams, &begun) {
            return spawned.map(Self::Spawned);
        }
        Self::fork(command, streams, begun)
    }

    /// The same for a command that has something to do in the child, which only a copy of this process can.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn fork(
        command: &mut tokio::process::Command,
        streams: [OwnedFd; 3],
        begun: impl Fn(Pid) + Send + Sync,
    ) -> io::Result<Self> {
        let [stdin, stdout, stderr] = streams.map(Stdio::from);
        command.stdin(stdin).stdout(stdout).stderr(stderr);
        // The wrapper's own way of waiting is for all of the group; only its beginning is wanted.
        let nothing = CommandWrap::with_new("", |_| {});
        ProcessSession.pre_spawn(command, &nothing)?;
        let forked = command.spawn().map(Self::Forked)?;
        forked.pid().inspect(|pid| begun(*pid));
        Ok(forked)
    }

    /// Its number; `None` where its end is known already.
    pub(super) fn pid(&self) -> Option<Pid> {
        match self {
            Self::Forked(child) => child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw),
            #[cfg(target_os = "linux")]
            Self::Spawned(spawned) => Some(spawned.pid()),
        }
    }

    /// Waits for its end. May be dropped and called again.
    ///
    /// # Errors
    /// When that cannot be learnt.
    pub(super) async fn wait(&mut self) -> io::Result<Exit> {
        match self {
            Self::Forked(child) => {
                let status = child.wait().await?;
                Ok(Exit::new(status.code(), status.signal()))
            }
            #[cfg(target_os = "linux")]
            Self::Spawned(spawned) => spawned.wait().await,
        }
    }
}
