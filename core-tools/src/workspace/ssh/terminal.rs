//! A program in a terminal on the other machine.
//!
//! Two sessions of one connection carry it. One has the terminal: the system's `ssh`, in a terminal of this machine that
//! changes nothing of what goes through; a shell there (`terminal.sh`) starts the program, and says how it ended. The other
//! (`keeper.sh`) ends all that runs in the terminal's session, on order, and when no more orders can come: so here too a
//! lost connection leaves nothing running. It also gives the terminal its size, for an `ssh` that shares a connection
//! tells of a change only where the one that made the connection has a terminal too.

use std::{
    io,
    os::unix::ffi::OsStrExt,
    pin::Pin,
    process::Stdio,
    task::{Context, Poll},
    time::Duration,
};

use async_trait::async_trait;
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use tokio::{
    io::{AsyncReadExt, AsyncWrite, AsyncWriteExt},
    process::{Child, ChildStdin},
    sync::{OwnedSemaphorePermit, mpsc, watch},
    time::timeout,
};

use super::{
    SshError,
    connection::{Connection, Said},
    output::{Last, Output},
    process::{LINGER, START, arguments, exit, failed, new_mark, refusal},
    quote::push_word,
};
use crate::workspace::{
    Command, Exit, Process, Running, Stop, Terminal, TerminalSize,
    keyboard::{self, Keyboard},
};

/// How many sessions of a connection one of these takes.
pub(super) const SESSIONS: u32 = 2;

const TERMINAL: &str = include_str!("terminal.sh");
const KEEPER: &str = include_str!("keeper.sh");
/// What the keeper says when it listens.
const HERE: &[u8; 5] = b"here\n";
/// How long the last words of an ssh may take when its session has ended.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Starts a program over a connection that has room for it.
pub(super) async fn spawn(
    host: &str,
    connection: &Connection,
    room: OwnedSemaphorePermit,
    command: Command,
    size: TerminalSize,
) -> io::Result<Running> {
    let (pty, pts) = pty_process::open().map_err(keyboard::io_error)?;
    pty.resize(size.into()).map_err(keyboard::io_error)?;
    // What is typed is for the other end as it is. ssh sees to that too, but only when the session is there.
    let mut modes = tcgetattr(&pty)?;
    modes.make_raw();
    tcsetattr(&pty, OptionalActions::Now, &modes)?;

    let mark = new_mark();
    let script = script(&mark, &command);
    // A shell of any kind can read this line, whatever the user's login shell is. Only when it is ready does more come.
    let line =
        format!("exec /bin/sh -c 'stty raw -echo && echo \"{mark} ready\" && eval \"$(head -c {})\"'", script.len());
    let ssh = pty_process::Command::from(connection.command_in_terminal(&line)).stderr(Stdio::piped());
    let mut child = ssh.spawn(pts).map_err(keyboard::io_error)?;
    let said = Said::default();
    let hears = child.stderr.take().map(|errors| tokio::spawn(said.clone().hear(errors)));
    let (reader, mut writer) = pty.into_split();
    let mut output = Output::new(&mark, reader);
    let start = async {
        loop {
            match output.status().await.unwrap_or_default() {
                Some(status) if status == "ready" => writer.write_all(&script).await?,
                other => break io::Result::Ok(other),
            }
        }
    };
    let started = timeout(START, start).await.map_err(|_| failed(host, "no answer for a minute"))??;
    let session = match started.as_deref().map(str::trim_end) {
        Some(status) => match session_of(status) {
            Some(session) => session,
            None => return Err(refusal(host, &command, status)),
        },
        None => {
            if let Some(hears) = hears {
                let _ = timeout(LAST_WORDS, hears).await;
            }
            let why = said.text().unwrap_or_else(|| "its shell ended and said nothing".to_owned());
            return Err(failed(host, &format!("it gave it no terminal ({why})")).into());
        }
    };

    let keeper = timeout(START, Keeper::start(connection, &session)).await.unwrap_or_else(|late| Err(late.into()));
    let keeper =
        keeper.map_err(|error| failed(host, &format!("what runs in a terminal there cannot be ended ({error})")))?;
    let (orders, queue) = mpsc::unbounded_channel();
    tokio::spawn(keeper.attend(child, queue, room));
    let last = output.last();
    let keyboard = RemoteKeyboard { keyboard: Keyboard(writer), orders: orders.downgrade() };
    let process = RemoteSession { host: host.to_owned(), orders: Some(orders), last, said };
    let mut running = Running::new(Box::new(output), Box::new(process));
    running.terminal = Some(Box::new(keyboard));
    Ok(running)
}

/// What the shell in the terminal is given to do.
fn script(mark: &str, command: &Command) -> Vec<u8> {
    let mut script = arguments(&[mark.as_bytes(), command.cwd.as_os_str().as_bytes()], command);
    script.extend_from_slice(TERMINAL.as_bytes());
    script.extend_from_slice(b"fi\n");
    script
}

/// What runs in a terminal there.
struct Session {
    /// That of its first process.
    number: u32,
    terminal: String,
}

/// What the shell says of it when it starts the program.
fn session_of(status: &str) -> Option<Session> {
    let (number, terminal) = status.strip_prefix("started ")?.split_once(' ')?;
    Some(Session { number: number.parse().ok()?, terminal: terminal.to_owned() })
}

/// The keyboard of a terminal there.
struct RemoteKeyboard {
    keyboard: Keyboard,
    orders: mpsc::WeakUnboundedSender<Vec<u8>>,
}

impl Terminal for RemoteKeyboard {
    fn resize(&self, size: TerminalSize) -> io::Result<()> {
        let order = format!("W{} {}\n", size.rows, size.columns).into_bytes();
        let sent = self.orders.upgrade().is_some_and(|orders| orders.send(order).is_ok());
        if sent { Ok(()) } else { Err(io::ErrorKind::NotConnected.into()) }
    }
}

impl AsyncWrite for RemoteKeyboard {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.keyboard).poll_write(task, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.keyboard).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.keyboard).poll_shutdown(task)
    }
}

/// What ends the session there.
struct Keeper {
    shell: Child,
    orders: ChildStdin,
}

impl Keeper {
    /// Begins to listen for what is ordered of a session, and says so.
    async fn start(connection: &Connection, session: &Session) -> io::Result<Self> {
        let mut script = format!("set -- {} ", session.number).into_bytes();
        push_word(&mut script, session.terminal.as_bytes());
        script.push(b'\n');
        script.extend_from_slice(KEEPER.as_bytes());
        let line = format!("exec /bin/sh -c 'eval \"$(head -c {})\"'", script.len());
        let mut ssh = connection.command(&line);
        let mut shell = ssh.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut orders = shell.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut says = shell.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        orders.write_all(&script).await?;
        let mut word = [0; HERE.len()];
        says.read_exact(&mut word).await?;
        if word != *HERE { Err(io::ErrorKind::InvalidData.into()) } else { Ok(Self { shell, orders }) }
    }

    /// Passes on orders until no more can come, and lets go of the terminal when all of them are carried out.
    async fn attend(
        mut self,
        terminal: Child,
        mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
        room: OwnedSemaphorePermit,
    ) {
        let mut is_there = true;
        while let Some(order) = queue.recv().await {
            is_there = is_there && self.orders.write_all(&order).await.is_ok();
        }
        drop(self.orders);
        let _ = timeout(LINGER, self.shell.wait()).await;
        // Where it is still there, the system over there hangs up on what is left.
        drop((terminal, room));
    }
}

struct RemoteSession {
    host: String,
    /// `None` once the session is let go of. When this is dropped before, the keeper kills it.
    orders: Option<mpsc::UnboundedSender<Vec<u8>>>,
    last: watch::Receiver<Option<Last>>,
    said: Said,
}

impl RemoteSession {
    fn order(&self, order: &[u8]) -> bool {
        self.orders.as_ref().is_some_and(|orders| orders.send(order.to_vec()).is_ok())
    }

    fn lost(&self) -> io::Error {
        let said = self.said.text().unwrap_or_else(|| "the command's shell was ended, or the connection".to_owned());
        SshError::Lost { host: self.host.clone(), said }.into()
    }
}

#[async_trait]
impl Process for RemoteSession {
    /// How it ended stands behind its output, and is known when that has been read to its end.
    async fn wait(&mut self) -> io::Result<Exit> {
        let last = self.last.wait_for(Option::is_some).await.map(|last| last.clone());
        let Ok(Some(Last::Status(status))) = last else { return Err(self.lost()) };
        let code = status.trim_end().strip_prefix("exit ").and_then(|code| code.parse().ok());
        code.map(exit).ok_or_else(|| self.lost())
    }

    fn stop(&mut self, how: Stop) {
        self.order(match how {
            Stop::Terminate => b"T\n",
            Stop::Kill => b"K\n",
        });
    }

    fn interrupt(&mut self) -> bool {
        self.order(b"I\n")
    }

    /// Who is left there is not known; so there may be somebody.
    fn has_company(&self) -> bool {
        true
    }

    fn release(mut self: Box<Self>) {
        if let Some(orders) = self.orders.take() {
            let _ = orders.send(b"R\n".to_vec());
        }
    }
}
