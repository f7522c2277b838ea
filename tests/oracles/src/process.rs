//! Child processes that end: within their time, or by being killed with all that they started.

use std::{
    io::{self, Read, Write},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::Skipped;

/// How long a program may take to answer what it knows by heart.
pub(crate) const QUESTION_LIMIT: Duration = Duration::from_secs(30);

/// What a program left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Its exit status; `None` where a signal ended it.
    pub code: Option<i32>,
    /// All of its standard output.
    pub stdout: String,
    /// All of its standard error.
    pub stderr: String,
}

/// Runs a program to its end, whatever its exit status, with nothing on its standard input.
///
/// # Panics
/// Where it does not start, or is not done after `limit`: what it started is ended with it.
#[must_use]
pub fn finish(command: &mut Command, limit: Duration) -> Finished {
    let output = output(command, b"", limit).unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Finished { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

/// Whether a program is on the path and starts.
pub(crate) fn exists(program: &str) -> Result<(), Skipped> {
    version(program).map(drop)
}

/// What a program on the path answers to `--version`.
pub(crate) fn version(program: &str) -> Result<String, Skipped> {
    run(Command::new(program).arg("--version"), b"", QUESTION_LIMIT)
        .map(|answer| String::from_utf8_lossy(&answer).trim().to_owned())
        .map_err(|error| Skipped(format!("{program} does not start: {error}")))
}

/// Runs a program to its end and gives its standard output.
///
/// # Errors
/// It does not start, takes longer than `limit`, or exits with another status than 0; with the end of what it wrote to
/// standard error.
pub(crate) fn run(command: &mut Command, input: &[u8], limit: Duration) -> Result<Vec<u8>, String> {
    let output = output(command, input, limit)?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("{}: {}", output.status, tail(&output.stderr))),
    }
}

struct Output {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

fn output(command: &mut Command, input: &[u8], limit: Duration) -> Result<Output, String> {
    let started = Instant::now();
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut family = Family::start(command).map_err(|error| error.to_string())?;
    let child = &mut family.child;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        // A program that exits without reading its input closes the pipe: no error of ours.
        scope.spawn(move || stdin.and_then(|mut pipe| pipe.write_all(input).ok()));
        let output = scope.spawn(move || drain(stdout));
        let errors = scope.spawn(move || drain(stderr));
        let status = loop {
            match family.child.try_wait().map_err(|error| error.to_string())? {
                Some(status) => break Some(status),
                None if started.elapsed() > limit => break None,
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        // The pipes close with the last that holds them, so that the readers end as well.
        family.end();
        let stdout = output.join().expect("reading a pipe does not panic");
        let stderr = errors.join().expect("reading a pipe does not panic");
        match status {
            Some(status) => Ok(Output { status, stdout, stderr }),
            None => Err(format!("not done after {} s: {}", limit.as_secs(), tail(&stderr))),
        }
    })
}

/// A process and what it starts, in a process group of their own where there are such.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) child: Child,
}

impl Family {
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        Ok(Self { child: command.spawn()? })
    }

    /// Kills all that is left of it. What has ended before is no error.
    pub(crate) fn end(&mut self) {
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        // One that was waited for has no id of its own any more.
        if let Ok(None) = self.child.try_wait() {
            self.end();
        }
    }
}

fn drain(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What came before an error is still worth showing.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

/// The last kilobyte or so: where programs say what went wrong.
fn tail(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(1024)..]).trim().to_owned()
}
