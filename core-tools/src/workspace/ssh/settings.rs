//! Whom to connect to, and by which ssh.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use super::SshError;

/// What holds for every use: nobody is asked anything, and nothing is forwarded or run beside what is asked for. All else
/// is as the user's configuration has it, host keys above all.
const ALWAYS: [&str; 5] =
    ["BatchMode=yes", "ClearAllForwardings=yes", "PermitLocalCommand=no", "RemoteCommand=none", "LogLevel=ERROR"];

/// Whom to connect to, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) destination: String,
    pub(super) program: PathBuf,
    pub(super) config: Option<PathBuf>,
    pub(super) options: Vec<String>,
}

impl Settings {
    pub(super) fn new(destination: String) -> Self {
        Self { destination, program: "ssh".into(), config: None, options: Vec::new() }
    }

    /// Whether the destination can be one: what begins with a dash would be an option, and no host has a blank in it.
    pub(super) fn check(&self) -> Result<(), SshError> {
        let host = &self.destination;
        let is_bad = |c: char| c.is_whitespace() || c.is_control();
        if host.is_empty() || host.starts_with('-') || host.chars().any(is_bad) {
            return Err(SshError::Destination(host.clone()));
        }
        Ok(())
    }

    /// The ssh program with what every use of it has; `more` comes first, for the first word on something counts.
    fn command<'a>(&self, more: impl IntoIterator<Item = &'a OsStr>) -> tokio::process::Command {
        let mut command = tokio::process::Command::new(&self.program);
        command.args(more);
        for option in ALWAYS.into_iter().chain(self.options.iter().map(String::as_str)) {
            command.arg("-o").arg(option);
        }
        if let Some(config) = &self.config {
            command.arg("-F").arg(config);
        }
        command.kill_on_drop(true);
        command
    }

    /// The same without a terminal.
    pub(super) fn plain<'a>(&self, more: impl IntoIterator<Item = &'a OsStr>) -> tokio::process::Command {
        let mut command = self.command(more);
        // A group of its own: who interrupts this program does not mean the connection, which is needed to end what
        // runs there.
        command.arg("-T").process_group(0);
        command
    }

    /// The same over a connection that is there already, and over no other: where that is gone, ssh would make one.
    pub(super) fn over(&self, control: &Path) -> tokio::process::Command {
        let socket = control_path(control);
        self.plain(shared(&socket))
    }

    /// The same with a terminal there, whose keys all are the program's: none is for ssh. What starts it has to give it a
    /// terminal here, and a session of its own with that.
    pub(super) fn terminal_over(&self, control: &Path) -> tokio::process::Command {
        let socket = control_path(control);
        let mut command = self.command(shared(&socket));
        command.args(["-tt", "-e", "none"]);
        command
    }
}

fn control_path(control: &Path) -> OsString {
    let mut option = OsString::from("ControlPath=");
    option.push(control);
    option
}

fn shared(socket: &OsStr) -> impl Iterator<Item = &OsStr> {
    let options = ["-o", "ControlMaster=no", "-o", "ProxyCommand=false"].map(OsStr::new);
    [OsStr::new("-o"), socket].into_iter().chain(options)
}
