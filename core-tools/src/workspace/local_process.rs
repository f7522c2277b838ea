//! Processes of the local machine: how they are started, and how they end with all they have started.

use std::{
    env,
    ffi::OsString,
    fs::File,
    io,
    os::{fd::OwnedFd, unix::ffi::OsStringExt},
    path::PathBuf,
    time::Duration,
};

use async_trait::async_trait;
use rustix::{
    process::{Signal, kill_process_group, test_kill_process_group},
    pty::ptsname,
};
use tokio::{io::AsyncWriteExt, net::unix::pipe, time::sleep};

use super::{
    Command, Exit, Process, Running, Stop, TerminalSize,
    environment::Inherited,
    interruptible::let_commands_be_interrupted,
    keyboard::{self, Keyboard},
    leader::Leader,
    mark::Mark,
    tree::Tree,
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
    // One pipe for both streams is what keeps their order. The child gets the only writers.
    let (reader, writer) = io::pipe()?;
    let (errors, error_writer) = match command.errors_apart {
        true => io::pipe().map(|(reader, writer)| (Some(reader), writer))?,
        false => (None, writer.try_clone()?),
    };
    let (input, stdin) = match command.input.is_empty() {
        true => (None, File::open("/dev/null")?.into()),
        false => io::pipe().map(|(reader, writer)| (Some(writer), OwnedFd::from(reader)))?,
    };
    let streams = [stdin, writer.into(), error_writer.into()];
    let mut prepared = Prepared::new(&command)?;
    let acts_in_child = command.confinement.as_ref().is_some_and(Confinement::acts_in_child);
    let mut process = prepared.spawn(|child, mark| match acts_in_child {
        true => Leader::fork(child, streams, |pid| mark.put_on(pid)),
        false => Leader::start(child, streams, |pid| mark.put_on(pid)),
    })?;
    if let Some(input) = input {
        let mut input = pipe::Sender::from_owned_fd(input.into())?;
        // A child that reads nothing of it, or not all, may do so.
        let feed = tokio::spawn(async move { input.write_all(&command.input).await.unwrap_or_default() });
        process.input = Some(AbortOnDrop(feed));
    }
    let output = pipe::Receiver::from_owned_fd(reader.into())?;
    let mut running = Running::new(Box::new(output), Box::new(process));
    running.withheld = prepared.withheld;
    Ok(match errors {
        Some(errors) => running.errors(Box::new(pipe::Receiver::from_owned_fd(errors.into())?)),
        None => running,
    })
}

/// The same in a terminal of its own.
pub(super) fn spawn_in_terminal(command: Command, size: TerminalSize) -> io::Result<Running> {
    let (pty, pts) = pty_process::open().map_err(keyboard::io_error)?;
    pty.resize(size.into()).map_err(keyboard::io_error)?;
    let mut prepared = Prepared::new(&command)?;
    prepared.terminal = ptsname(&pty, Vec::new()).ok().map(|name| OsString::from_vec(name.into_bytes()).into());
    let process = prepared.spawn(|child, mark| {
        let child = std::mem::replace(child, tokio::process::Command::new(""));
        let child = pty_process::Command::from(child).spawn(pts).map_err(keyboard::io_error)?;
        let leader = Leader::Forked(child);
        leader.pid().inspect(|pid| mark.put_on(*pid));
        Ok(leader)
    })?;
    let (reader, writer) = pty.into_split();
    let mut running = Running::new(Box::new(reader), Box::new(process));
    running.terminal = Some(Box::new(Keyboard(writer)));
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
        child.env_clear();
        for (name, value) in env::vars_os() {
            let text = name.to_string_lossy();
            match command.inherits.as_ref().map_or(Inherited::Kept, |policy| policy.decide(&text)) {
                Inherited::Kept => drop(child.env(&name, value)),
                Inherited::Withheld => withheld.push(text.into_owned()),
                Inherited::Excluded => {}
            }
        }
        withheld.sort_unstable();
        let mark = Mark::new();
        child.envs(command.env.iter().map(|(name, value)| (name, value)));
        let (name, value) = mark.variable(env::var_os(Mark::NAME).as_deref());
        child.env(name, value);
        Ok(Self { child, mark, withheld, confinement: command.confinement.clone(), terminal: None, stand_ins })
    }

    fn spawn(
        &mut self,
        start: impl FnOnce(&mut tokio::process::Command, &Mark) -> io::Result<Leader> + Send,
    ) -> io::Result<LocalProcess> {
        // Rust opens all with close-on-exec; what the host itself has inherited, or a C library opened, is not.
        close_fds::set_fds_cloexec_threadsafe(FIRST_OWN_DESCRIPTOR, &[]);
        let_commands_be_interrupted();
        let leader = match &self.confinement {
            Some(confinement) => confinement.start(self.terminal.as_deref(), || start(&mut self.child, &self.mark))?,
            None => start(&mut self.child, &self.mark)?,
        };
        if self.confinement.is_some() {
            // Who is confined itself cannot do this to others.
            leader.pid().inspect(|pid| self.mark.put_on(*pid));
        }
        let tree = leader.pid().map(|pid| Tree::new(pid, self.mark.clone()));
        Ok(LocalProcess { leader, tree, input: None, stand_ins: std::mem::take(&mut self.stand_ins), looks: LOOKS })
    }
}

/// A child that leads a session of its own. `kill_on_drop` would end the child alone; this ends its children too.
struct LocalProcess {
    leader: Leader,
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
        let exit = self.leader.wait().await?;
        if let Some(tree) = &mut self.tree {
            tree.leader_is_gone();
        }
        // bubblewrap's inner half ends a moment after its outer one.
        while self.looks > 0 && !self.stand_ins.is_empty() && self.runs_on() {
            // Counted for all calls together: each may be dropped for the next line of output.
            self.looks -= 1;
            sleep(BETWEEN_LOOKS).await;
        }
        Ok(exit)
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
