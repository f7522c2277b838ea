//! Confinement by bubblewrap, where it is installed: the command gets mounts, processes and a network of its own, and the
//! filter of [`seccomp`](super::seccomp) on top, since mounts do not keep a program from connecting to a socket's path.
//!
//! Not `--die-with-parent`: it means the thread that started it, which may end long before the host does.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Seek, Write},
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use command_fds::CommandFdExt;
use rustix::fs::{MemfdFlags, memfd_create};

use super::{
    program,
    scope::Scope,
    seccomp::{self, Allowed},
    stand_in::StandIns,
};

const NAME: &str = "bwrap";
/// Where systems have it.
const FOLDERS: [&str; 3] = ["/usr/bin", "/bin", "/run/current-system/sw/bin"];
/// As much of what it complains of is told.
const MOST_SAID: usize = 300;
/// One that does not come back is none.
const PATIENCE: Duration = Duration::from_secs(10);
/// Namespaces of its own, no capabilities, and the whole machine to look at.
const ALWAYS: [&str; 14] = [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
];

/// The program: the system's, else one that a search of the PATH finds, which may lead to where commands can write.
pub(super) fn find(path: Option<&OsStr>) -> Option<PathBuf> {
    let searched = path.into_iter().flat_map(std::env::split_paths);
    let folders = FOLDERS.into_iter().map(PathBuf::from).chain(searched);
    folders.map(|folder| folder.join(NAME)).find(|file| file.is_absolute() && file.is_file())
}

/// Whether it works here: runs itself in what it makes.
pub(super) async fn check(program: &Path) -> io::Result<()> {
    let nothing = Scope::default();
    let mut wrapped = Wrapped::new(program, &nothing, Path::new("/"), program, &["--version".into()])?;
    let mut child = tokio::process::Command::new(&wrapped.program);
    child.args(&wrapped.args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    wrapped.attach(&mut child);
    let output = tokio::time::timeout(PATIENCE, child.output()).await??;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: String = said.trim().chars().take(MOST_SAID).collect();
    Err(io::Error::other(if said.is_empty() { output.status.to_string() } else { said }))
}

/// A command with what wraps it.
pub(super) struct Wrapped {
    pub(super) program: PathBuf,
    pub(super) args: Vec<OsString>,
    filter: Option<OwnedFd>,
    stand_ins: StandIns,
}

impl Wrapped {
    /// # Errors
    /// When something that is to be protected cannot be.
    pub(super) fn new(
        bubblewrap: &Path,
        scope: &Scope,
        cwd: &Path,
        program: &Path,
        args: &[OsString],
    ) -> io::Result<Self> {
        let allowed = Allowed { internet: true, unix: scope.unix_sockets, shared_memory: true, attributes: true };
        let filter = filter(&program::bytes(seccomp::filter(allowed)?))?;
        let mut all: Vec<OsString> = ALWAYS.map(OsString::from).into();
        if !scope.network {
            all.push("--unshare-net".into());
        }
        let mut bind = |how: &str, path: &Path| all.extend([how.into(), path.into(), path.into()]);
        // It has memory of its own there.
        for root in scope.roots.iter().filter(|root| !root.starts_with("/dev")) {
            bind("--bind", root);
        }
        let mut stand_ins = StandIns::default();
        for path in &scope.protected {
            if path.is_symlink() {
                let why = format!("{} is a symbolic link, which bubblewrap cannot protect", path.display());
                return Err(io::Error::new(io::ErrorKind::Unsupported, why));
            }
            match stand_ins.add(path) {
                Ok(()) => bind("--ro-bind", path),
                // Where nobody may make it, no command may.
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {}
                Err(error) => return Err(error),
            }
        }
        all.extend(["--seccomp".into(), filter.as_raw_fd().to_string().into()]);
        all.extend(["--chdir".into(), cwd.into(), "--".into(), program.into()]);
        all.extend(args.iter().cloned());
        Ok(Self { program: bubblewrap.to_owned(), args: all, filter: Some(filter), stand_ins })
    }

    /// Hands the filter to the child, and what has to be there as long as it runs to who keeps it.
    pub(super) fn attach(&mut self, child: &mut tokio::process::Command) -> StandIns {
        child.preserved_fds(self.filter.take().into_iter().collect());
        std::mem::take(&mut self.stand_ins)
    }
}

/// The filter as a file that has no name.
fn filter(bytes: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("seccomp", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}
