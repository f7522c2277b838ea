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
const ALWAYS: [&str; 16] = [
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
    // The kernel's settings are root's to write, with or without capabilities; bubblewrap covers them for others alone.
    "--remount-ro",
    "/proc",
];

/// The program, by its real path: the system's, else one that a search of the PATH finds. One in the session's working
/// directory or where commands can write is none: whoever wrote it is not to be trusted with what confines.
pub(super) fn find(path: Option<&OsStr>, cwd: &Path, scope: &Scope) -> Option<PathBuf> {
    let searched = path.into_iter().flat_map(std::env::split_paths);
    find_in(FOLDERS.into_iter().map(PathBuf::from).chain(searched), cwd, scope)
}

fn find_in(folders: impl Iterator<Item = PathBuf>, cwd: &Path, scope: &Scope) -> Option<PathBuf> {
    let cwd = cwd.canonicalize().ok();
    let files = folders.map(|folder| folder.join(NAME)).filter(|file| file.is_absolute() && file.is_file());
    let is_ours = |file: &PathBuf| {
        let is_in_cwd = cwd.as_ref().is_some_and(|cwd| cwd.parent().is_some() && file.starts_with(cwd));
        !is_in_cwd && !scope.has_in_a_root(file)
    };
    files.filter_map(|file| file.canonicalize().ok()).find(is_ours)
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
        // It has memory of its own in `/dev`. What is a mount of its own cannot be moved or replaced.
        let mut writable: Vec<_> =
            scope.roots.iter().chain(&scope.held).filter(|root| !root.starts_with("/dev")).collect();
        writable.sort_by_key(|root| root.components().count());
        for root in writable {
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_program_that_commands_or_the_project_could_have_brought_is_none() -> io::Result<()> {
        let base = tempfile::tempdir()?;
        let base = base.path().canonicalize()?;
        let [project, written, system] = ["project", "written", "system"].map(|name| base.join(name));
        for folder in [&project, &written, &system] {
            fs::create_dir(folder)?;
            File::create(folder.join(NAME))?;
        }
        let scope = Scope { roots: vec![written.clone()], ..Scope::default() };
        let found = |folders: &[&PathBuf]| find_in(folders.iter().copied().cloned(), &project, &scope);
        assert_eq!(found(&[&project, &written]), None);
        assert_eq!(found(&[&project, &written, &system]), Some(system.join(NAME)));

        // Nor is one that a link elsewhere leads to.
        fs::remove_file(system.join(NAME))?;
        std::os::unix::fs::symlink(written.join(NAME), system.join(NAME))?;
        assert_eq!(found(&[&system]), None);
        Ok(())
    }
}
