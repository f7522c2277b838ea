//! A program on the other machine, and its group.
//!
//! A supervisor (`supervisor.sh`) starts it there and stays beside it: orders go to its stdin, what became of the program
//! comes on its stderr, in lines with a mark that nobody else knows. When its orders end, however that comes about, it
//! kills the group: so a lost connection leaves nothing running. Nothing of a command is ever a part of a line that the
//! login shell reads; it all comes quoted over stdin.

use std::{
    hash::{BuildHasher, RandomState},
    io,
    os::unix::ffi::OsStrExt,
    process::Stdio,
    time::Duration,
};

use async_trait::async_trait;
use rustix::io::Errno;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    process::{Child, ChildStderr, ChildStdin},
    sync::{OwnedSemaphorePermit, mpsc, watch},
    time::{sleep, timeout},
};

use super::{
    SshError,
    connection::{Connection, one_line},
    output::Output,
    quote::push_word,
    status::{Part, StatusLines},
};
use crate::workspace::{Command, Exit, Process, Running, Stop};

const SUPERVISOR: &str = include_str!("supervisor.sh");
/// How long the other machine may take to start a program.
pub(super) const START: Duration = Duration::from_secs(60);
/// How long the supervisor has to end after its orders have, before its channel is closed.
pub(super) const LINGER: Duration = Duration::from_secs(2);
/// How much of what it says on stderr is kept for an error.
const MAX_SAID: usize = 2048;
/// How much of a program's stderr is held for who reads it, where that comes apart: what a pipe holds.
const ERRORS: usize = 64 * 1024;

/// What has become of a program.
#[derive(Debug, Clone)]
enum State {
    Starting,
    Running,
    /// It has ended, and had company in its group then.
    Ended(Exit, bool),
    /// Nothing more will be known of it.
    Lost(String),
}

/// Starts a program over a connection that has room for it.
pub(super) async fn spawn(
    host: &str,
    connection: &Connection,
    room: OwnedSemaphorePermit,
    command: Command,
) -> io::Result<Running> {
    let mark = new_mark();
    let script = script(&mark, &command);
    // A shell of any kind can read this line, whatever the user's login shell is.
    let line = format!("exec /bin/sh -c 'eval \"$(head -c {})\"'", script.len());
    let mut ssh = connection.command(&line);
    let mut child = ssh.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };

    let (orders, queue) = mpsc::unbounded_channel();
    let (tell, state) = watch::channel(State::Starting);
    let (errors, error_writer) = if command.errors_apart {
        let (errors, writer) = duplex(ERRORS);
        (Some(errors), Some(writer))
    } else {
        (None, None)
    };
    let status = Status { lines: StatusLines::new(&mark), stderr, tell, errors: error_writer };
    tokio::spawn(attend(child, stdin, queue, status, room));
    let _ = orders.send(script);

    let mut output = Output::new(&mark, stdout);
    let start = async {
        loop {
            match output.status().await?.as_deref() {
                Some("input") => {
                    let _ = orders.send(command.input.clone());
                }
                other => break io::Result::Ok(other.map(str::to_owned)),
            }
        }
    };
    let started = timeout(START, start).await.map_err(|_| failed(host, "no answer for a minute"))??;
    match started.as_deref() {
        Some("started") => {}
        Some(refused) => return Err(refusal(host, &command, refused)),
        None => return Err(failed(host, &why_not(state).await).into()),
    }
    let process = Box::new(RemoteProcess { host: host.to_owned(), orders: Some(orders), state });
    let running = Running::new(Box::new(output), process);
    Ok(match errors {
        Some(errors) => running.errors(Box::new(errors)),
        None => running,
    })
}

/// What the shell at the other end is given to do. Only whole does it do anything.
fn script(mark: &str, command: &Command) -> Vec<u8> {
    let length = command.input.len().to_string();
    let apart: &[u8] = if command.errors_apart { b"1" } else { b"0" };
    let mut script =
        arguments(&[mark.as_bytes(), command.cwd.as_os_str().as_bytes(), length.as_bytes(), apart], command);
    script.extend_from_slice(b"if command -v bash >/dev/null 2>&1; then exec bash --norc -c ");
    push_word(&mut script, SUPERVISOR.as_bytes());
    script.extend_from_slice(b"supervisor \"$@\"; else exec sh -c ");
    push_word(&mut script, SUPERVISOR.as_bytes());
    script.extend_from_slice(b"supervisor \"$@\"; fi; fi\n");
    script
}

/// The beginning of a script that is given these words, the program's name and the command as its arguments, and that
/// goes on, up to a `fi`, only where they came whole.
pub(super) fn arguments(first: &[&[u8]], command: &Command) -> Vec<u8> {
    let mut script = b"set -- ".to_vec();
    let mut count = 0;
    let mut word = |bytes: &[u8]| {
        push_word(&mut script, bytes);
        count += 1;
    };
    first.iter().for_each(|bytes| word(bytes));
    word(command.program.as_os_str().as_bytes());
    if !command.env.is_empty() {
        word(b"env");
        for (name, value) in &command.env {
            word(&[name.as_bytes(), b"=", value.as_bytes()].concat());
        }
    }
    word(command.program.as_os_str().as_bytes());
    command.args.iter().for_each(|argument| word(argument.as_bytes()));
    script.extend_from_slice(format!("\nif [ $# = {count} ]; then\n").as_bytes());
    script
}

/// What status lines begin with: something that nobody else knows.
pub(super) fn new_mark() -> String {
    let hasher = RandomState::new();
    format!("core-tools-{:016x}{:016x}", hasher.hash_one(1), hasher.hash_one(2))
}

/// A command that was not started.
pub(super) fn failed(host: &str, why: &str) -> SshError {
    SshError::Start { host: host.to_owned(), why: why.to_owned() }
}

/// Why a shell there did not start a command, by the status that it gave instead.
pub(super) fn refusal(host: &str, command: &Command, status: &str) -> io::Error {
    match status {
        "cwd" => named(Errno::NOENT, &format!("cannot enter {}", command.cwd.display())),
        "program" => named(Errno::NOENT, &format!("there is no program {}", command.program.display())),
        "group" => failed(host, "it has neither bash nor setsid, and commands could not be stopped").into(),
        "room" => failed(host, "there is no room there for its input, or the connection was lost").into(),
        other => failed(host, &format!("its shell said `{other}`")).into(),
    }
}

fn named(errno: Errno, what: &str) -> io::Error {
    let error = io::Error::from(errno);
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

/// What ssh or the login shell said instead of starting the program.
async fn why_not(mut state: watch::Receiver<State>) -> String {
    let lost = state.wait_for(|state| matches!(state, State::Lost(_)));
    match timeout(LINGER, lost).await {
        Ok(Ok(state)) => match &*state {
            State::Lost(said) => said.clone(),
            _ => String::new(),
        },
        _ => "its shell ended and said nothing".to_owned(),
    }
}

/// Passes on orders and takes in statuses, until the channel is closed or no more orders can come.
async fn attend(
    mut child: Child,
    mut stdin: ChildStdin,
    mut orders: mpsc::UnboundedReceiver<Vec<u8>>,
    status: Status,
    room: OwnedSemaphorePermit,
) {
    let pass_on = async {
        while let Some(order) = orders.recv().await {
            if stdin.write_all(&order).await.is_err() {
                break;
            }
        }
        if orders.is_closed() {
            drop(stdin);
            sleep(LINGER).await;
        } else {
            // The other end reads no more; what it says still counts.
            std::future::pending::<()>().await;
        }
    };
    let take_in = async {
        status.follow().await;
        let _ = child.wait().await;
    };
    tokio::select! {
        () = pass_on => {}
        () = take_in => {}
    }
    drop(room);
}

struct Status {
    lines: StatusLines,
    stderr: ChildStderr,
    tell: watch::Sender<State>,
    errors: Option<DuplexStream>,
}

impl Status {
    async fn follow(mut self) {
        let mut said = Vec::new();
        let mut buffer = vec![0; 8 * 1024];
        loop {
            while let Some(part) = self.lines.next() {
                match part {
                    Part::Status(line) => self.take(&line),
                    Part::Other(bytes) => self.pass(&bytes, &mut said).await,
                }
            }
            match self.stderr.read(&mut buffer).await {
                Ok(count @ 1..) => self.lines.push(&buffer[..count]),
                _ => break,
            }
        }
        let rest = self.lines.rest();
        self.pass(&rest, &mut said).await;
        let is_over = matches!(&*self.tell.borrow(), State::Ended(..));
        if !is_over {
            let said = one_line(&said).unwrap_or_else(|| "the command's shell was ended, or the connection".to_owned());
            let _ = self.tell.send(State::Lost(said));
        }
    }

    fn take(&mut self, line: &str) {
        let mut words = line.split(' ');
        let state = match words.next() {
            Some("started") => State::Running,
            Some("exit") => {
                let code = words.next().and_then(|word| word.parse().ok()).unwrap_or_default();
                State::Ended(exit(code), words.next() == Some("1"))
            }
            Some("errors") => {
                self.errors = None;
                return;
            }
            _ => return,
        };
        let _ = self.tell.send(state);
    }

    /// The program's own stderr, where that comes apart; before it starts, and otherwise, it is ssh's or the login shell's.
    async fn pass(&mut self, bytes: &[u8], said: &mut Vec<u8>) {
        let has_started = !matches!(&*self.tell.borrow(), State::Starting);
        match &mut self.errors {
            Some(errors) if has_started => {
                if errors.write_all(bytes).await.is_err() {
                    self.errors = None;
                }
            }
            _ => {
                said.extend_from_slice(bytes);
                let surplus = said.len().saturating_sub(MAX_SAID);
                said.drain(..surplus);
            }
        }
    }
}

/// How it ended, by what a shell says of it: it has one number for both. A program that itself exits with 128 and more,
/// as shells do for a child that was killed, is taken for one that was ended by the signal.
pub(super) fn exit(code: i32) -> Exit {
    match code {
        129..=192 => Exit::new(None, Some(code - 128)),
        code => Exit::new(Some(code), None),
    }
}

struct RemoteProcess {
    host: String,
    /// `None` once the group is let go of. When this is dropped before, the supervisor kills it.
    orders: Option<mpsc::UnboundedSender<Vec<u8>>>,
    state: watch::Receiver<State>,
}

#[async_trait]
impl Process for RemoteProcess {
    async fn wait(&mut self) -> io::Result<Exit> {
        let ended = self.state.wait_for(|state| matches!(state, State::Ended(..) | State::Lost(_))).await;
        let lost = |said: String| SshError::Lost { host: self.host.clone(), said }.into();
        match ended.as_deref() {
            Ok(State::Ended(exit, _)) => Ok(*exit),
            Ok(State::Lost(said)) => Err(lost(said.clone())),
            Ok(State::Starting | State::Running) | Err(_) => Err(lost("it was closed".to_owned())),
        }
    }

    fn stop(&mut self, how: Stop) {
        let order: &[u8] = match how {
            Stop::Terminate => b"T\n",
            Stop::Kill => b"K\n",
        };
        if let Some(orders) = &self.orders {
            let _ = orders.send(order.to_vec());
        }
    }

    fn stop_all(&mut self, how: Stop) {
        let order: &[u8] = match how {
            Stop::Terminate => b"t\n",
            Stop::Kill => b"k\n",
        };
        if let Some(orders) = &self.orders {
            let _ = orders.send(order.to_vec());
        }
    }

    /// As it was when the process ended.
    fn has_company(&self) -> bool {
        matches!(&*self.state.borrow(), State::Ended(_, true))
    }

    fn release(mut self: Box<Self>) {
        if let Some(orders) = self.orders.take() {
            let _ = orders.send(b"R\n".to_vec());
        }
    }
}
