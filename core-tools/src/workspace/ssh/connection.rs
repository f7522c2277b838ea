//! One connection: an `ssh` that carries an SFTP session, and over whose control socket commands are run.

use std::{
    ffi::{OsStr, OsString},
    io,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tempfile::TempDir;
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::Child,
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::{
    SshError,
    settings::Settings,
    sftp::{End, Sftp},
};

/// How many commands run over one connection: an sshd takes ten sessions (`MaxSessions`), and one of them is for files.
const COMMANDS: usize = 8;
/// How long a connection may take to come about, unless the user's configuration says less.
const CONNECT: Duration = Duration::from_secs(60);
/// How long the last words of an ssh that has failed may take.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How much of what ssh says is kept.
const MAX_SAID: usize = 2048;
/// The longest path of a control socket: 104 bytes on some systems, and ssh needs 17 more for a moment.
const MAX_SOCKET: usize = 80;

/// A connection that came about. Dropping it ends it, and what runs over it.
pub(super) struct Connection {
    pub(super) sftp: Sftp,
    /// Where the session begins: the user's home.
    pub(super) home: PathBuf,
    control: PathBuf,
    commands: Arc<Semaphore>,
    settings: Arc<Settings>,
    _master: Child,
    _folder: TempDir,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// With what ssh says, when it does not come about.
    pub(super) async fn open(settings: &Arc<Settings>) -> Result<Self, SshError> {
        settings.check()?;
        match timeout(CONNECT, Self::try_open(settings)).await {
            Ok(connected) => connected,
            Err(_) => Err(SshError::Connect {
                host: settings.destination.clone(),
                said: format!("no answer for {} s", CONNECT.as_secs()),
            }),
        }
    }

    async fn try_open(settings: &Arc<Settings>) -> Result<Self, SshError> {
        let client = |error: io::Error| SshError::Client {
            program: settings.program.to_string_lossy().into_owned(),
            why: error.to_string(),
        };
        let folder = control_folder().map_err(client)?;
        let control = folder.path().join("c");
        let mut socket = OsString::from("ControlPath=");
        socket.push(&control);
        let mut options = vec![socket, "ControlMaster=yes".into(), "ControlPersist=no".into()];
        if !watches_itself(settings).await {
            options.extend(["ServerAliveInterval=15".into(), "ServerAliveCountMax=3".into()]);
        }
        let options = options.iter().flat_map(|option| [OsStr::new("-o"), option.as_os_str()]);
        let mut command = settings.plain(options);
        command.args(["-s", "--", &settings.destination, "sftp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut master = command.spawn().map_err(client)?;
        let (Some(input), Some(output), Some(errors)) =
            (master.stdin.take(), master.stdout.take(), master.stderr.take())
        else {
            return Err(client(io::ErrorKind::BrokenPipe.into()));
        };
        let said = Said::default();
        let hears = tokio::spawn(said.clone().hear(errors));
        let host = settings.destination.clone();
        let describe = {
            let said = said.clone();
            move |end: &End| lost(&host, end, &said).into()
        };
        let sftp = match Sftp::start(output, input, describe).await {
            Ok(sftp) => sftp,
            Err(end) => {
                let _ = timeout(LAST_WORDS, hears).await;
                return Err(refused(&settings.destination, &end, &said));
            }
        };
        let home = sftp.real_path(b".").name().await;
        let home = home.map_err(|error| SshError::Protocol {
            host: settings.destination.clone(),
            why: format!("it does not tell the home directory ({error})"),
        })?;
        Ok(Self {
            sftp,
            home: OsString::from_vec(home.to_vec()).into(),
            control,
            commands: Arc::new(Semaphore::new(COMMANDS)),
            settings: settings.clone(),
            _master: master,
            _folder: folder,
        })
    }

    pub(super) fn is_over(&self) -> bool {
        self.sftp.has_ended()
    }

    /// Leave to open so many sessions more over it, if it has room for them.
    pub(super) fn room(&self, sessions: u32) -> Option<OwnedSemaphorePermit> {
        if self.is_over() { None } else { self.commands.clone().try_acquire_many_owned(sessions).ok() }
    }

    /// An ssh that runs this line there.
    pub(super) fn command(&self, line: &str) -> tokio::process::Command {
        let mut command = self.settings.over(&self.control);
        command.args(["--", &self.settings.destination, line]);
        command
    }

    /// The same in a terminal.
    pub(super) fn command_in_terminal(&self, line: &str) -> tokio::process::Command {
        let mut command = self.settings.terminal_over(&self.control);
        command.args(["--", &self.settings.destination, line]);
        command
    }
}

/// Whether the user's configuration has ssh see to it that a dead connection is noticed.
async fn watches_itself(settings: &Settings) -> bool {
    let mut command = settings.plain([]);
    command.args(["-G", "--", &settings.destination]);
    let Ok(output) = command.stdin(Stdio::null()).output().await else { return false };
    let text = String::from_utf8_lossy(&output.stdout);
    let interval = text.lines().find_map(|line| line.strip_prefix("serveraliveinterval "));
    interval.is_some_and(|interval| interval != "0")
}

/// A folder that only this user can enter, with a path that a socket can have and that ssh takes as it is.
fn control_folder() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("core-tools-");
    let usual = std::env::temp_dir();
    let is_plain = |path: &Path| {
        let bytes = path.as_os_str().as_encoded_bytes();
        bytes.len() < MAX_SOCKET - 24 && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(byte))
    };
    if is_plain(&usual) { builder.tempdir_in(usual) } else { builder.tempdir_in("/tmp") }
}

/// What an ssh says on stderr, the last of it.
#[derive(Clone, Default)]
pub(super) struct Said(Arc<Mutex<Vec<u8>>>);

impl Said {
    pub(super) async fn hear(self, mut errors: impl AsyncRead + Unpin) {
        let mut buffer = [0; 1024];
        while let Ok(count @ 1..) = errors.read(&mut buffer).await {
            let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            said.extend_from_slice(&buffer[..count]);
            let surplus = said.len().saturating_sub(MAX_SAID);
            said.drain(..surplus);
        }
    }

    /// On one line, without a full stop; `None` if it said nothing.
    pub(super) fn text(&self) -> Option<String> {
        one_line(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a program said, to be put in a sentence.
pub(super) fn one_line(said: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(said);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = lines.join("; ");
    let text = text.trim_end_matches('.');
    (!text.is_empty()).then(|| text.to_owned())
}

fn refused(host: &str, end: &End, said: &Said) -> SshError {
    let host = host.to_owned();
    match (end, said.text()) {
        (End::Nonsense(why), _) => SshError::Protocol { host, why: why.clone() },
        (_, Some(said)) => SshError::Connect { host, said },
        (End::Stalled, None) => SshError::Connect { host, said: "no answer".to_owned() },
        (End::Closed, None) => SshError::Connect { host, said: "ssh ended and said nothing".to_owned() },
    }
}

fn lost(host: &str, end: &End, said: &Said) -> SshError {
    let host = host.to_owned();
    match end {
        End::Nonsense(why) => SshError::Protocol { host, why: why.clone() },
        End::Stalled => SshError::Lost { host, said: "no answer for a minute".to_owned() },
        End::Closed => SshError::Lost { host, said: said.text().unwrap_or_else(|| "it was closed".to_owned()) },
    }
}
