//! A real `sshd` of this test alone, on 127.0.0.1: own port, own keys, own configuration, as the user who runs the test.
//!
//! Where none is installed the test is skipped and says why; with `CI_REQUIRE_SSHD=1` it fails instead.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test says what is wrong by panicking")]

use std::{
    env, fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use core_tools::workspace::{SshBuilder, SshWorkspace};
use tempfile::TempDir;

/// The name that the client's configuration has for it.
pub(crate) const HOST: &str = "stand-in";

/// Stopped, with all its connections, and gone with all its files, when it is dropped.
pub(crate) struct Sshd {
    daemon: Child,
    folder: TempDir,
    /// What it says goes somewhere until its end.
    _log: BufReader<std::process::ChildStderr>,
}

impl Sshd {
    /// `None`, with the reason printed, where it cannot be had.
    pub(crate) fn start() -> Option<Self> {
        Self::with("")
    }

    /// With more lines in its configuration.
    pub(crate) fn with(more: &str) -> Option<Self> {
        match Self::try_start(more) {
            Ok(sshd) => Some(sshd),
            Err(why) => {
                assert!(env::var_os("CI_REQUIRE_SSHD").is_none_or(|wanted| wanted != "1"), "no sshd: {why}");
                println!("skipped: {why}");
                None
            }
        }
    }

    fn try_start(more: &str) -> Result<Self, String> {
        let program = program("sshd")?;
        let folder = tempfile::tempdir().unwrap();
        for key in ["host", "user"] {
            let mut keygen = Command::new("ssh-keygen");
            keygen.args(["-q", "-t", "ed25519", "-N", "", "-C", key, "-f"]).arg(folder.path().join(key));
            let made = keygen.status().map_err(|error| format!("ssh-keygen does not start: {error}"))?;
            assert!(made.success());
        }
        // Somebody else may take the port before the daemon does.
        let mut said = String::new();
        for _ in 0..5 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            write_configuration(folder.path(), port, more);
            let mut daemon = Command::new(&program)
                .args(["-D", "-e", "-f"])
                .arg(folder.path().join("sshd_config"))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .process_group(0)
                .spawn()
                .map_err(|error| format!("{} does not start: {error}", program.display()))?;
            let mut log = BufReader::new(daemon.stderr.take().unwrap());
            said.clear();
            while log.read_line(&mut said).unwrap() > 0 {
                if said.contains("Server listening") {
                    return Ok(Self { daemon, folder, _log: log });
                }
            }
            daemon.wait().unwrap();
        }
        Err(format!("sshd does not run: {}", said.trim()))
    }

    /// The configuration that a client connects to [`HOST`] by.
    pub(crate) fn config(&self) -> PathBuf {
        self.folder.path().join("ssh_config")
    }

    pub(crate) fn builder(&self) -> SshBuilder {
        SshWorkspace::builder(HOST).config(self.config())
    }

    pub(crate) async fn connect(&self) -> SshWorkspace {
        self.builder().connect().await.unwrap()
    }

    /// Ends every connection, as a machine does that is switched off; new ones can be made.
    pub(crate) fn cut(&self) {
        for session in children_of(self.daemon.id()) {
            kill(session);
        }
    }

    /// Takes no connections any more.
    pub(crate) fn stop(&mut self) {
        self.cut();
        self.daemon.kill().unwrap();
        self.daemon.wait().unwrap();
    }

    /// Trusts no key of the client's any more, or not the one it knew for the host.
    pub(crate) fn replace(&self, file: &str, content: &str) {
        fs::write(self.folder.path().join(file), content).unwrap();
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        self.cut();
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

fn write_configuration(folder: &Path, port: u16, more: &str) {
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let user = Command::new("id").arg("-un").output().unwrap().stdout;
    let user = String::from_utf8(user).unwrap();
    let at = folder.display();
    fs::write(folder.join("authorized_keys"), read("user.pub")).unwrap();
    fs::write(folder.join("known_hosts"), format!("[127.0.0.1]:{port} {}", read("host.pub"))).unwrap();
    let server = format!(
        "{more}\nListenAddress 127.0.0.1\nPort {port}\nHostKey {at}/host\nAuthorizedKeysFile {at}/authorized_keys\n\
         PidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n\
         PermitRootLogin yes\nMaxStartups 100\nSubsystem sftp internal-sftp\n"
    );
    fs::write(folder.join("sshd_config"), server).unwrap();
    let client = format!(
        "Host {HOST}\n  HostName 127.0.0.1\n  Port {port}\n  User {}\n  IdentityFile {at}/user\n  IdentitiesOnly yes\n  \
         IdentityAgent none\n  UserKnownHostsFile {at}/known_hosts\n  GlobalKnownHostsFile none\n  \
         StrictHostKeyChecking yes\n",
        user.trim()
    );
    fs::write(folder.join("ssh_config"), client).unwrap();
}

/// A program that is installed, perhaps where only an administrator looks. (`sshd` wants to be run by its whole path.)
fn program(name: &str) -> Result<PathBuf, String> {
    let path = env::var_os("PATH").unwrap_or_default();
    let admin = ["/usr/sbin", "/usr/local/sbin", "/sbin"].map(PathBuf::from);
    let folders = env::split_paths(&path).chain(admin);
    let mut programs = folders.map(|folder| folder.join(name));
    let found = programs.find(|program| program.is_file());
    // As root it wants a directory that its package makes when the service starts, which is not so in containers.
    if found.is_some() && rustix::process::geteuid().is_root() {
        let _ = fs::create_dir("/run/sshd");
    }
    found.ok_or_else(|| format!("{name} is not installed"))
}

fn children_of(parent: u32) -> Vec<i32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        rest.split(' ').nth(1).is_some_and(|found| found == parent.to_string())
    })
    .collect()
}

fn kill(pid: i32) {
    if let Some(pid) = rustix::process::Pid::from_raw(pid) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}
