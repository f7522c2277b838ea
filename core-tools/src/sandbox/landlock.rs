//! Files by Landlock, everything else by [`seccomp`](super::seccomp): both bind the thread that asks for them and all it
//! starts, so a thread that lives for this alone binds itself, starts the command, and ends.
//!
//! Landlock only ever adds rights, and those of a directory are those of all below it. So a directory with something
//! protected in it gets none, and its other entries get theirs one by one: nothing new can be made in it.

use std::{
    fs, io,
    os::{fd::OwnedFd, unix::fs::MetadataExt},
    path::{Path, PathBuf},
    thread,
};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope as Isolation,
};
use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, openat2},
    thread::{CapabilitySet, CapabilitySets, set_capabilities},
};

use super::{
    scope::Scope,
    seccomp::{self, Allowed},
};

/// Before this version, files could be emptied without the right to write them.
const NEEDED: ABI = ABI::V3;
/// Devices that keep nothing, and one's own terminal by its other name.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Starts something from a thread that is restricted, but for this terminal.
pub(super) fn run<T: Send>(
    scope: &Scope,
    terminal: Option<&Path>,
    start: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<T> {
    let runtime = tokio::runtime::Handle::try_current().ok();
    thread::scope(|threads| {
        let started = thread::Builder::new().name("sandbox".to_owned()).spawn_scoped(threads, || {
            let _entered = runtime.as_ref().map(tokio::runtime::Handle::enter);
            restrict_self(scope, terminal)?;
            start()
        })?;
        started.join().unwrap_or_else(|_| Err(io::Error::other("the thread that starts confined commands panicked")))
    })
}

/// Whether it holds here: restricts a thread, and tries what it then may not.
pub(super) fn check() -> io::Result<()> {
    let nothing = Scope::default();
    run(&nothing, None, || {
        let written = fs::OpenOptions::new().write(true).open("/proc/thread-self/comm");
        let connected = std::net::UdpSocket::bind(("127.0.0.1", 0));
        match (written, connected) {
            (Err(_), Err(_)) => Ok(()),
            _ => Err(io::Error::other("it is accepted, but what it forbids can be done")),
        }
    })
}

fn restrict_self(scope: &Scope, terminal: Option<&Path>) -> io::Result<()> {
    let rules = rules(scope, terminal).map_err(|error| match error {
        Fault::Io(error) => error,
        Fault::Landlock(error) => io::Error::other(format!("Landlock: {error}")),
    })?;
    let status = rules.restrict_self().map_err(|error| io::Error::other(format!("Landlock: {error}")))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "this kernel has no Landlock, or has it switched off"));
    }
    // What root may beside files: the programs it starts cannot get it back. For others it is nothing.
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    seccomp::enforce(Allowed {
        internet: scope.network,
        unix: scope.unix_sockets,
        shared_memory: false,
        // A mode inside cannot be told from one outside; where nothing may be written, none is changed.
        attributes: !scope.roots.is_empty(),
    })
}

enum Fault {
    Io(io::Error),
    Landlock(landlock::RulesetError),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<landlock::RulesetError> for Fault {
    fn from(error: landlock::RulesetError) -> Self {
        Self::Landlock(error)
    }
}

fn rules(scope: &Scope, terminal: Option<&Path>) -> Result<RulesetCreated, Fault> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        // What older kernels lack is left to the filter, as far as it can see it.
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::IoctlDev)?
        .scope(Isolation::AbstractUnixSocket | Isolation::Signal)?;
    if !scope.network {
        ruleset = ruleset.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)?;
    }
    let mut rules = Rules { ruleset: ruleset.create()?, scope };
    rules.add(open(Path::new("/"), OFlags::DIRECTORY)?, AccessFs::from_read(NEEDED))?;
    for device in DEVICES.map(Path::new).into_iter().chain(terminal) {
        // A container may lack one.
        if let Ok(file) = open(device, OFlags::empty()) {
            rules.add(file, AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev)?;
        }
    }
    for root in &scope.roots {
        rules.grant(root)?;
    }
    Ok(rules.ruleset)
}

struct Rules<'s> {
    ruleset: RulesetCreated,
    scope: &'s Scope,
}

impl Rules<'_> {
    fn add(&mut self, file: OwnedFd, access: BitFlags<AccessFs>) -> Result<(), Fault> {
        (&mut self.ruleset).add_rule(PathBeneath::new(file, access))?;
        Ok(())
    }

    /// Lets a directory be written, without what is protected in it.
    fn grant(&mut self, root: &Path) -> Result<(), Fault> {
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            if self.scope.protected.iter().any(|protected| folder.starts_with(protected)) {
                continue;
            }
            if self.scope.protected_in(&folder).next().is_none() {
                if let Ok(folder) = open(&folder, OFlags::DIRECTORY) {
                    self.add(folder, writing_in_directories())?;
                }
            } else {
                self.grant_entries(&folder, &mut folders)?;
            }
        }
        Ok(())
    }

    fn grant_entries(&mut self, folder: &Path, further: &mut Vec<PathBuf>) -> Result<(), Fault> {
        // What cannot be listed, or has gone again, needs no rule.
        let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
        for entry in entries.filter_map(Result::ok) {
            let path = entry.path();
            let Ok(metadata) = entry.metadata() else { continue };
            // Where a link leads is decided by what it leads to; a file with another name may have that outside.
            if metadata.is_dir() {
                further.push(path);
            } else if !metadata.is_symlink()
                && metadata.nlink() == 1
                && !self.scope.protected.contains(&path)
                && let Ok(file) = open(&path, OFlags::empty())
            {
                self.add(file, AccessFs::WriteFile | AccessFs::Truncate)?;
            }
        }
        Ok(())
    }
}

/// All that is writing, but for making devices.
fn writing_in_directories() -> BitFlags<AccessFs> {
    AccessFs::from_write(NEEDED) & !(AccessFs::MakeChar | AccessFs::MakeBlock)
}

/// A file to make a rule for, never what a link in its place leads to, or in that of a directory on the way to it: a
/// command that runs already may exchange one for the other.
fn open(path: &Path, kind: OFlags) -> io::Result<OwnedFd> {
    let kind = kind | OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat2(CWD, path, kind, Mode::empty(), ResolveFlags::NO_SYMLINKS)?)
}
