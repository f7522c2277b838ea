//! Servers that tests talk to: started, waited for, and ended with the test.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Command, Stdio},
    sync::mpsc::{self, Sender},
    thread,
    time::{Duration, Instant},
};

use crate::process::Family;

/// How long a server may take until it says that it is there.
const START_LIMIT: Duration = Duration::from_secs(60);

/// A server in a process of its own, ended with all that it started when this is dropped.
#[derive(Debug)]
pub struct Serving {
    _family: Family,
    said: String,
}

impl Serving {
    /// Starts a server and waits for the first line of its standard error or output that holds `word`.
    ///
    /// # Panics
    /// Where it does not start, or ends or goes on for a minute without saying so; with what it said instead.
    #[must_use]
    pub fn start(command: &mut Command, word: &str) -> Self {
        Self::try_start(command, word).unwrap_or_else(|said| panic!("{command:?} did not say {word:?}, but: {said}"))
    }

    /// The same, but gives what it said instead.
    ///
    /// # Errors
    /// It does not start, or ends or goes on for a minute without saying so.
    pub fn try_start(command: &mut Command, word: &str) -> Result<Self, String> {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut family = Family::start(command).map_err(|error| error.to_string())?;
        let (send, lines) = mpsc::channel();
        // Both are read to their ends: a server must not block on a pipe that nobody empties.
        forward(family.child.stdout.take(), send.clone());
        forward(family.child.stderr.take(), send);
        let (mut said, begun) = (Vec::new(), Instant::now());
        while let Ok(line) = lines.recv_timeout(START_LIMIT.saturating_sub(begun.elapsed())) {
            if line.contains(word) {
                return Ok(Self { _family: family, said: line });
            }
            said.push(line);
        }
        Err(said.join("\n"))
    }

    /// The address in the line by which it told that it is there.
    ///
    /// # Panics
    /// Where there is none in it.
    #[must_use]
    pub fn address(&self) -> &str {
        let address = self.said.split_whitespace().find(|word| word.starts_with("http://"));
        address.unwrap_or_else(|| panic!("no address in {:?}", self.said)).trim_end_matches(['.', ','])
    }
}

fn forward(pipe: Option<impl Read + Send + 'static>, lines: Sender<String>) {
    let Some(pipe) = pipe else { return };
    thread::spawn(move || {
        for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
            // Nobody waits any more once the server has said that it is there.
            let _ = lines.send(String::from_utf8_lossy(&line).trim_end().to_owned());
        }
    });
}
