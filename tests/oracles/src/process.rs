//! Child processes that end: within their time, or by being killed.

use std::{
    io::{Read, Write},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::Skipped;

/// Whether a program is on the path and starts.
pub(crate) fn exists(program: &str) -> Result<(), Skipped> {
    run(Command::new(program).arg("--version"), b"", Duration::from_secs(30))
        .map(drop)
        .map_err(|error| Skipped(format!("{program} does not start: {error}")))
}

/// Runs a program to its end and gives its standard output.
///
/// # Errors
/// It does not start, takes longer than `limit`, or exits with another status than 0; with the end of what it wrote to
/// standard error.
pub(crate) fn run(command: &mut Command, input: &[u8], limit: Duration) -> Result<Vec<u8>, String> {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        // A program that exits without reading its input closes the pipe: no error of ours.
        scope.spawn(move || stdin.and_then(|mut pipe| pipe.write_all(input).ok()));
        let output = scope.spawn(move || drain(stdout));
        let errors = scope.spawn(move || drain(stderr));
        let status = loop {
            match child.try_wait().map_err(|error| error.to_string())? {
                Some(status) => break Some(status),
                None if started.elapsed() > limit => {
                    // The pipes close with it, so that the readers end as well.
                    child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
                    break None;
                }
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        let output = output.join().expect("reading a pipe does not panic");
        let errors = errors.join().expect("reading a pipe does not panic");
        match status {
            Some(status) if status.success() => Ok(output),
            Some(status) => Err(format!("{status}: {}", tail(&errors))),
            None => Err(format!("not done after {} s: {}", limit.as_secs(), tail(&errors))),
        }
    })
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
