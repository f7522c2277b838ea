//! Processes of the local machine: how they are started, and how they end with all they have started.

use std::{
    env,
    ffi::OsString,
    io,
    os::unix::{ffi::OsStringExt, process::ExitStatusExt},
    path::PathBuf,
    pin::Pin,
    process::Stdio,
    task::{Context, Poll},
    time::Duration,
};

use async_trait::async_trait;
use process_wrap::tokio::{CommandWrap, CommandWrapper, ProcessSession};
use pty_process::{OwnedWritePty, Size};
use rustix::{
    process::{Pid, Signal, kill_process_group, test_kill_process_group},
    pty::ptsname,
};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    net::unix::pipe,
    process::Child,
    time::sleep,
};

use super::{
    Command, Exit, Process, Running, Stop, Terminal, TerminalSize,
    interruptible::let_commands_be_interrupted,
    tree::{Mark, Tree},
};
use crate::sandbox::{Confinement, StandIns};

/// As often is looked, right after a confined command's end, whether its last process is gone too …
const LOOKS: usize = 50;
/// … with so much time between …
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);
/// … and so much after that, for what it left in the background.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// Descriptors from here on are not for children.
const FIRST_OWN_DESCRIPTOR: i32 = 3;

/// Starts it in a session of its own, so that it can neither read the host's terminal nor be stopped for trying.
pub(super) fn spawn(command: Command) -> io::Result<Running> {
    // One pipe for both streams is what keeps their order. The child gets the only writers, for the builder that holds
    // ours is gone when this block ends.
    let (mut process, withheld, reader, errors) = {
        let (reader, writer) = io::pipe()?;
        let (errors, error_writer) = match command.errors_apart {
            true => io::pipe().map(|(reader, writer)| (Some(reader), writer))?,
            false => (None, writer.try_clone()?),
        };
        let mut prepared = Prepared::new(&command)?;
        prepared.child.stdin(if command.input.is_empty() { Stdio::null() } else { Stdio::piped() });
        prepared.child.stdout(writer).stderr(error_writer);
        // The wrapper's own way of waiting is for all of the group; only its beginning is wanted.
        let nothing = CommandWrap::with_new("", |_| {});
        ProcessSession.pre_spawn(&mut prepared.child, &nothing)?;
        (prepared.spawn(tokio::process::Command::spawn)?, prepared.withheld, reader, errors)
    };
    if let Some(mut stdin) = process.child.stdin.take() {
        // A child that reads nothing of it, or not all, may do so.
        let feed = tokio::spawn(async move { stdin.write_all(&command.input).await.unwrap_or_default() });
        process.input = Some(AbortOnDrop(feed));
    }
    let output = pipe::Receiver::from_owned_fd(reader.into())?;
    let mut running = Running::new(Box::new(output), Box::new(process));
    running.withheld = withheld;
    Ok(match errors {
        Some(errors) => running.errors(Box::new(pipe::Receiver::from_owned_fd(errors.into())?)),
        None => running,
    })
}

/// The same in a terminal of its own.
pub(super) fn spawn_in_terminal(command: Command, size: TerminalSize) -> io::Result<Running> {
    let (pty, pts) = pty_process::open().map_err(io::Error::other)?;
    pty.resize(Size::from(size)).map_err(io::Error::other)?;
    let mut prepared = Prepared::new(&command)?;
    prepared.terminal = ptsname(&pty, Vec::new()).ok().map(|name| OsString::from_vec(name.into_bytes()).into());
    let process = prepared.spawn(|child| {
        let child = std::mem::replace(child, tokio::process::Command::new(""));
        pty_process::Command::from(child).spawn(pts).map_err(|error| match error {
            pty_process::Error::Io(error) => error,
            error => io::Error::other(error),
        })
    })?;
    let (reader, writer) = pty.into_split();
    let mut running = Running::new(Box::new(reader), Box::new(process));
    running.terminal = Some(Box::new(LocalTerminal(writer)));
    running.withheld = prepared.withheld;
    Ok(running)
}

/// What both ways of starting have in common.
struct Prepared {
    child: tokio::process::Command,
    mark: Mark,
    withheld: Vec<String>,
    confinement: Option<Confinement>,
    /// The name of the terminal it gets, if any.
    terminal: Option<PathBuf>,
    stand_ins: StandIns,
}

impl Prepared {
    fn new(command: &Command) -> io::Result<Self> {
        let (mut child, stand_ins) = match &command.confinement {
            Some(confinement) => confinement.command(command)?,
            None => {
                let mut child = tokio::process::Command::new(&command.program);
                child.args(&command.args);
                (child, StandIns::default())
            }
        };
        child.current_dir(&command.cwd).kill_on_drop(true);
        let mut withheld = Vec::new();
        if let Some(policy) = &command.inherits {
            child.env_clear();
            for (name, value) in env::vars_os() {
                if policy.keeps(&name.to_string_lossy()) {
                    child.env(name, value);
                } else if policy.withholds(&name.to_string_lossy()) {
                    withheld.push(name.to_string_lossy().into_owned());
                }
            }
            withheld.sort_unstable();
        }
        let mark = Mark::new();
        child.envs(command.env.iter().map(|(name, value)| (name, value)));
        let (name, value) = mark.variable(env::var_os(Mark::NAME).as_deref());
        child.env(name, value);
        Ok(Self { child, mark, withheld, confinement: command.confinement.clone(), terminal: None, stand_ins })
    }

    fn spawn(
        &mut self,
        start: impl FnOnce(&mut tokio::process::Command) -> io::Result<Child> + Send,
    ) -> io::Result<LocalProcess> {
        // Rust opens all with close-on-exec; what the host itself has inherited, or a C library opened, is not.
        close_fds::set_fds_cloexec_threadsafe(FIRST_OWN_DESCRIPTOR, &[]);
        let_commands_be_interrupted();
        let child = match &self.confinement {
            Some(confinement) => confinement.start(self.terminal.as_deref(), || start(&mut self.child))?,
            None => start(&mut self.child)?,
        };
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let tree = leader.map(|leader| Tree::new(leader, self.mark.clone()));
        Ok(LocalProcess { child, tree, input: None, stand_ins: std::mem::take(&mut self.stand_ins), looks: LOOKS })
    }
}

/// A child that leads a session of its own. `kill_on_drop` would end the child alone; this ends its children too.
struct LocalProcess {
    child: Child,
    /// What it starts; `None` once that is to be left alone.
    tree: Option<Tree>,
    /// What writes its stdin; given up when the process is.
    input: Option<AbortOnDrop>,
    /// What its confinement needs as long as any of it runs.
    stand_ins: StandIns,
    /// How often may still be looked whether that is so.
    looks: usize,
}

struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl LocalProcess {
    /// Whether anything of it runs still.
    fn runs_on(&self) -> bool {
        self.tree.as_ref().is_some_and(|tree| !tree.members().is_empty())
    }

    fn signal_group(&self, signal: Signal) {
        if let Some(tree) = &self.tree {
            // The one way to fail that can happen here is that nobody is left.
            let _ = kill_process_group(tree.leader(), signal);
            if signal == Signal::TERM {
                // A process that was stopped hears of it only when it goes on.
                let _ = kill_process_group(tree.leader(), Signal::CONT);
            }
        }
    }
}

fn signal(how: Stop) -> Signal {
    match how {
        Stop::Terminate => Signal::TERM,
        Stop::Kill => Signal::KILL,
    }
}

#[async_trait]
impl Process for LocalProcess {
    async fn wait(&mut self) -> io::Result<Exit> {
        let status = self.child.wait().await?;
        if let Some(tree) = &mut self.tree {
            tree.leader_is_gone();
        }
        // bubblewrap's inner half ends a moment after its outer one.
        while self.looks > 0 && !self.stand_ins.is_empty() && self.runs_on() {
            // Counted for all calls together: each may be dropped for the next line of output.
            self.looks -= 1;
            sleep(BETWEEN_LOOKS).await;
        }
        Ok(Exit::new(status.code(), status.signal()))
    }

    fn stop(&mut self, how: Stop) {
        self.signal_group(signal(how));
    }

    fn stop_all(&mut self, how: Stop) {
        // Who left the group is looked for first: when its parents are gone it is harder to find.
        if let Some(tree) = &self.tree {
            tree.signal_all(signal(how));
        }
        self.signal_group(signal(how));
    }

    fn interrupt(&mut self) -> bool {
        self.signal_group(Signal::INT);
        true
    }

    fn has_company(&self) -> bool {
        self.tree.as_ref().is_some_and(|tree| test_kill_process_group(tree.leader()).is_ok())
    }

    fn has_relatives(&self) -> bool {
        self.has_company() || self.tree.as_ref().is_some_and(|tree| !tree.members().is_empty())
    }

    fn release(mut self: Box<Self>) {
        if !self.stand_ins.is_empty() && self.runs_on() {
            let (tree, stand_ins) = (self.tree.take(), std::mem::take(&mut self.stand_ins));
            tokio::spawn(async move {
                while tree.as_ref().is_some_and(|tree| !tree.members().is_empty()) {
                    sleep(LOOK_AGAIN).await;
                }
                drop(stand_ins);
            });
        }
        self.tree = None;
    }
}

impl Drop for LocalProcess {
    fn drop(&mut self) {
        self.stop_all(Stop::Kill);
    }
}

struct LocalTerminal(OwnedWritePty);

impl From<TerminalSize> for Size {
    fn from(size: TerminalSize) -> Self {
        Self::new(size.rows, size.columns)
    }
}

impl Terminal for LocalTerminal {
    fn resize(&self, size: TerminalSize) -> io::Result<()> {
        self.0.resize(size.into()).map_err(io::Error::other)
    }
}

impl AsyncWrite for LocalTerminal {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(task, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(task)
    }
}
