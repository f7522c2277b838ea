//! A process that is started without a copy of this one being made first.
//!
//! The standard library's own way to start one in a session of its own is `fork`, which copies the tables of all this
//! process's memory: for a small host that is a third of what it takes to run a shell, and for a large one a multiple.
//! `posix_spawn` shares the memory until the program begins. It cannot change the directory in a way that every system
//! has; so the thread that calls it has a directory of its own, and ends with that.

use std::{
    ffi::{CString, OsStr, OsString},
    io,
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::Path,
    process, thread,
};

use nix::{
    sched::{CloneFlags, unshare},
    spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn},
    sys::signal::{SigSet, Signal},
};
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid};
use tokio::io::{Interest, unix::AsyncFd};

use super::Exit;

/// `POSIX_SPAWN_SETSID`, as the C libraries of Linux have it.
const OWN_SESSION: i32 = 0x80;

/// A process that leads a session of its own. Dropping it kills it.
pub(super) struct Spawned {
    pid: Pid,
    /// `None` once its end is known, and its number may be another's.
    handle: Option<AsyncFd<OwnedFd>>,
    exit: Exit,
}

impl Spawned {
    /// Starts what a command says, with these as its stdin, stdout and stderr; `None` where that cannot be done in this
    /// way, and was not tried. The command's environment is all that it gets. `begun` is told its number at once.
    pub(super) fn start(
        command: &process::Command,
        streams: &[OwnedFd; 3],
        begun: impl Fn(Pid) + Send + Sync,
    ) -> Option<io::Result<Self>> {
        let program = Path::new(command.get_program());
        let folder = command.get_current_dir()?;
        // Of a name alone, it is the child's own search path that counts.
        if !program.is_absolute() {
            return None;
        }
        let request = Request {
            program: CString::new(program.as_os_str().as_bytes()).ok()?,
            args: [command.get_program()].into_iter().chain(command.get_args()).map(text).collect::<Option<_>>()?,
            environment: command
                .get_envs()
                .filter_map(|(name, value)| Some(variable(name, value?)))
                .collect::<Option<_>>()?,
            streams,
        };
        let pid = thread::scope(|scope| {
            let own = thread::Builder::new().name("spawn".to_owned()).stack_size(64 * 1024);
            let started = own.spawn_scoped(scope, || {
                let pid = request.start_in(folder)?;
                Some(pid.inspect(|pid| begun(*pid)))
            });
            started.ok()?.join().ok()?
        })?;
        Some(pid.and_then(Self::of))
    }

    #[expect(deprecated, reason = "nothing here replaces the descriptor, which is all that speaks against it")]
    fn of(pid: Pid) -> io::Result<Self> {
        let handle = pidfd_open(pid, PidfdFlags::NONBLOCK).map_err(io::Error::from);
        let handle = handle.and_then(|handle| AsyncFd::with_interest(handle, Interest::READABLE));
        if handle.is_err() {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            reap(pid);
        }
        Ok(Self { pid, handle: Some(handle?), exit: Exit::default() })
    }

    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    pub(super) async fn wait(&mut self) -> io::Result<Exit> {
        while let Some(handle) = &self.handle {
            let mut ready = handle.readable().await?;
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            match waitid(WaitId::Pid(self.pid), options)? {
                Some(status) => {
                    self.exit = Exit::new(status.exit_status(), status.terminating_signal());
                    drop(ready);
                    self.handle = None;
                }
                None => ready.clear_ready(),
            }
        }
        Ok(self.exit)
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        if let Some(handle) = &self.handle {
            let _ = pidfd_send_signal(handle, rustix::process::Signal::KILL);
            reap(self.pid);
        }
    }
}

/// Takes the end of a killed process, which may be a moment away.
fn reap(pid: Pid) {
    let is_over = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    if matches!(is_over, Ok(None)) {
        let wait = move || waitid(WaitId::Pid(pid), WaitIdOptions::EXITED).map(drop);
        // Without a thread to wait for it, it stays a number in the system's list until this process ends.
        let _ = thread::Builder::new().name("reap".to_owned()).stack_size(64 * 1024).spawn(wait);
    }
}

struct Request<'a> {
    program: CString,
    args: Vec<CString>,
    environment: Vec<CString>,
    streams: &'a [OwnedFd; 3],
}

impl Request<'_> {
    /// Starts it from a thread that is there for nothing else; `None` where the thread gets no directory of its own.
    fn start_in(&self, folder: &Path) -> Option<io::Result<Pid>> {
        unshare(CloneFlags::CLONE_FS).ok()?;
        Some(std::env::set_current_dir(folder).and_then(|()| Ok(self.start()?)))
    }

    fn start(&self) -> nix::Result<Pid> {
        let mut files = PosixSpawnFileActions::init()?;
        for (stream, number) in self.streams.iter().zip(0..) {
            files.add_dup2(stream.as_raw_fd(), number)?;
        }
        let mut attributes = PosixSpawnAttr::init()?;
        // Rust ignores this one, and what it starts does not.
        attributes.set_sigdefault(&SigSet::from(Signal::SIGPIPE))?;
        attributes.set_sigmask(&SigSet::empty())?;
        attributes.set_flags(
            PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF
                | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK
                | PosixSpawnFlags::from_bits_retain(OWN_SESSION),
        )?;
        let pid = posix_spawn(self.program.as_c_str(), &files, &attributes, &self.args, &self.environment)?;
        Pid::from_raw(pid.as_raw()).ok_or(nix::Error::ESRCH)
    }
}

fn text(text: &OsStr) -> Option<CString> {
    CString::new(text.as_bytes()).ok()
}

fn variable(name: &OsStr, value: &OsStr) -> Option<CString> {
    let mut variable = OsString::with_capacity(name.len() + 1 + value.len());
    variable.push(name);
    variable.push("=");
    variable.push(value);
    CString::new(variable.into_vec()).ok()
}
