//! What this machine can confine commands by, found by letting commands try what they may not.

use std::{
    ffi::OsString,
    fs, io,
    net::{TcpListener, UdpSocket},
    os::unix::{fs::PermissionsExt, net::UnixListener},
    path::PathBuf,
    time::Duration,
};

use serde::Serialize;
use tempfile::TempDir;
use tool_core::CancellationToken;

use super::{Backend, Confinement, Sandbox, SandboxPolicy};
use crate::workspace::{Background, Command, End, LocalWorkspace, Sink, Workspace, follow};

/// No attempt takes longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// What was found of one backend.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Examined {
    /// Its name.
    pub backend: String,
    /// Whether commands can be confined by it: it starts, and stops all that a sandbox has to.
    pub works: bool,
    /// Why not, where it cannot even be started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// What was tried, in the same order for each.
    pub attempts: Vec<Attempt>,
}

/// One thing that a confined command tried.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Attempt {
    /// What it tried.
    pub what: &'static str,
    /// Whether it should be able to.
    pub allowed: bool,
    /// Whether it could.
    pub done: bool,
    /// Whether a backend that gets this wrong is no sandbox. What is not has its place in the guide.
    pub essential: bool,
}

impl Attempt {
    /// Whether it went as it should.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.allowed == self.done
    }
}

/// How something is tried.
enum How {
    /// By a shell, in the project; the folder around it is `$OUT`. It could where the shell ends well.
    Script(&'static str),
    /// By the connecting program, which ends well where that could.
    Connect(fn(&Outside) -> String),
    /// The same; it could where something has come.
    Send(fn(&Outside) -> String, fn(&Outside) -> bool),
}

struct Try {
    what: &'static str,
    allowed: bool,
    essential: bool,
    how: How,
}

const fn may(what: &'static str, essential: bool, script: &'static str) -> Try {
    Try { what, allowed: true, essential, how: How::Script(script) }
}

const fn may_not(what: &'static str, essential: bool, how: How) -> Try {
    Try { what, allowed: false, essential, how }
}

/// What a sandbox for a project without network lets commands do, and what not.
const TRIES: [Try; 16] = [
    may("read files outside the project", true, "cat \"$OUT/kept\" && ls / >/dev/null"),
    may("write in a directory of the project", true, "echo x >src/new && mv src/new src/other && chmod 700 src/other"),
    may("make new entries in the project's own directory", false, "echo x >new && rm new"),
    may("use /dev/null and pipes", true, "echo x | cat >/dev/null"),
    may_not("make a file outside", true, How::Script("echo x >\"$OUT/new\"")),
    may_not("change a file outside", true, How::Script("echo x >>\"$OUT/kept\"")),
    may_not("change it through a symbolic link", true, How::Script("ln -s \"$OUT/kept\" src/link; echo x >>src/link")),
    may_not("change it through a hard link made before", true, How::Script("echo x >>linked/hard")),
    may_not("change the mode of a file outside", false, How::Script("chmod 777 \"$OUT/kept\"")),
    may_not("change what is in .git", true, How::Script("echo x >>.git/config || mv .git moved || rm -r .git")),
    may_not("make settings of an agent that are not there", true, How::Script("mkdir .codex")),
    // Opened for writing, and not written.
    may_not("change the kernel's settings", true, How::Script(": >>/proc/sys/kernel/core_pattern")),
    // Not with Landlock before Linux 6.12.
    may_not("signal another process", false, How::Script("kill -0 \"$HOST\"")),
    may_not("reach a port of this machine by TCP", true, How::Connect(|outside| format!("tcp:{}", outside.tcp_port()))),
    may_not(
        "reach one by UDP",
        true,
        How::Send(|outside| format!("udp:{}", outside.udp_port()), |outside| outside.udp.recv(&mut [0; 8]).is_ok()),
    ),
    may_not(
        "reach a daemon's Unix socket",
        true,
        How::Connect(|outside| format!("unix:{}", outside.folder.path().join("socket").display())),
    ),
];

/// Tries every backend: what they stop, for a project without network. `connecting` is a program that connects to its last
/// argument, `tcp:PORT`, `udp:PORT` or `unix:PATH`, and its arguments before that; see [`connect`].
///
/// # Errors
/// When what is tried on cannot be made.
pub async fn examine(connecting: &[OsString]) -> io::Result<Vec<Examined>> {
    let mut all = Vec::new();
    for backend in Backend::EACH {
        let outside = Outside::new()?;
        let policy = SandboxPolicy::workspace_write().slash_tmp(false).tmpdir(false);
        let examined = match Sandbox::new(policy).backend(backend).confine(&outside.project(), None).await {
            Ok(confinement) => {
                let mut attempts = Vec::new();
                for one in &TRIES {
                    let done = outside.attempt(&confinement, &one.how, connecting).await;
                    let Try { what, allowed, essential, .. } = *one;
                    attempts.push(Attempt { what, allowed, done, essential });
                }
                let works = attempts.iter().all(|attempt| attempt.is_right() || !attempt.essential);
                Examined { backend: backend.to_string(), works, fault: None, attempts }
            }
            Err(fault) => {
                let fault = Some(fault.to_string());
                Examined { backend: backend.to_string(), works: false, fault, attempts: Vec::new() }
            }
        };
        all.push(examined);
    }
    Ok(all)
}

/// What [`examine`] wants its program to do: connects to `tcp:PORT` or `udp:PORT` of this machine, or to `unix:PATH`, and
/// sends a byte.
///
/// # Errors
/// When that cannot be done, or the target is another.
pub fn connect(target: &str) -> io::Result<()> {
    use std::{io::Write, net::TcpStream, os::unix::net::UnixStream};

    let port = |port: &str| port.parse::<u16>().map_err(io::Error::other);
    match target.split_once(':') {
        Some(("tcp", to)) => TcpStream::connect(("127.0.0.1", port(to)?))?.write_all(b"x"),
        Some(("udp", to)) => UdpSocket::bind(("127.0.0.1", 0))?.send_to(b"x", ("127.0.0.1", port(to)?)).map(drop),
        Some(("unix", to)) => UnixStream::connect(to)?.write_all(b"x"),
        _ => Err(io::Error::other("expected tcp:PORT, udp:PORT or unix:PATH")),
    }
}

/// What attempts are made on.
struct Outside {
    folder: TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    _unix: UnixListener,
}

impl Outside {
    fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let (path, kept) = (folder.path(), folder.path().join("kept"));
        for folder in ["project/src", "project/linked", "project/.git"] {
            fs::create_dir_all(path.join(folder))?;
        }
        fs::write(&kept, "kept\n")?;
        fs::set_permissions(&kept, fs::Permissions::from_mode(0o600))?;
        fs::write(path.join("project/.git/config"), "")?;
        fs::hard_link(&kept, path.join("project/linked/hard"))?;
        let tcp = TcpListener::bind(("127.0.0.1", 0))?;
        let udp = UdpSocket::bind(("127.0.0.1", 0))?;
        // What was sent on this machine is there when it was sent.
        udp.set_nonblocking(true)?;
        let unix = UnixListener::bind(path.join("socket"))?;
        Ok(Self { tcp, udp, _unix: unix, folder })
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn tcp_port(&self) -> u16 {
        self.tcp.local_addr().map_or(0, |address| address.port())
    }

    fn udp_port(&self) -> u16 {
        self.udp.local_addr().map_or(0, |address| address.port())
    }

    /// Whether it could be done.
    async fn attempt(&self, confinement: &Confinement, how: &How, connecting: &[OsString]) -> bool {
        let connected = |target: String| {
            let (program, args) = connecting.split_first()?;
            Some(Command::new(program, args.iter().cloned().chain([target.into()]), self.project()))
        };
        let command = match how {
            How::Script(script) => Some(Command::new("/bin/sh", ["-c", script], self.project())),
            How::Connect(target) | How::Send(target, _) => connected(target(self)),
        };
        let Some(command) = command else { return false };
        let command = command.env("OUT", self.folder.path()).env("HOST", std::process::id().to_string());
        let ended_well = self.ends_well(command.confinement(confinement.clone())).await;
        match how {
            How::Script(_) | How::Connect(_) => ended_well,
            How::Send(_, has_come) => has_come(self),
        }
    }

    async fn ends_well(&self, command: Command) -> bool {
        let Ok(running) = LocalWorkspace::default().spawn(command).await else { return false };
        let end = follow(running, Some(PATIENCE), &CancellationToken::new(), &mut Silent).await;
        matches!(end, End::Exited { exit, .. } if exit.code == Some(0))
    }
}

/// Nobody wants to see what attempts print.
struct Silent;

impl Sink for Silent {
    async fn take(&mut self, _: &[u8]) {}

    fn background(&self) -> Background {
        Background::StopAll
    }

    fn due(&self) -> Option<tokio::time::Instant> {
        None
    }

    fn report(&mut self) {}
}
