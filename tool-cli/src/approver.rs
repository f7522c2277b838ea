//! Who answers what the rules leave open: `--yes`, a person at the terminal, or nobody.

use std::{
    io::{self, BufRead, IsTerminal, Write},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use tokio::sync::{Mutex, oneshot};
use tool_core::permission::{Approver, Ask, Reply};

use crate::{args::RunArgs, progress::Display, prompt};

/// Answers questions in one of three ways.
pub(crate) enum Answering {
    /// `--yes`.
    Yes,
    /// Nobody is there.
    Nobody,
    /// A person.
    Person(Terminal),
}

impl Answering {
    /// `stdin_is_taken` where standard input holds calls rather than a person's answers.
    pub(crate) fn new(args: &RunArgs, stdin_is_taken: bool, display: Arc<Display>) -> Self {
        if args.yes {
            Self::Yes
        } else if !stdin_is_taken && io::stdin().is_terminal() && io::stderr().is_terminal() {
            Self::Person(Terminal { display, limit: args.timeout, pending: Mutex::default() })
        } else {
            Self::Nobody
        }
    }
}

#[async_trait]
impl Approver for Answering {
    async fn approve(&self, ask: &Ask) -> Reply {
        match self {
            Self::Yes => Reply::Once,
            Self::Nobody => {
                let permission = &ask.request.permission;
                let reason = format!("there is no terminal; the operator can pass --allow {permission} or --yes");
                Reply::Unanswered { reason }
            }
            Self::Person(terminal) => terminal.approve(ask).await,
        }
    }
}

/// A person at the terminal, asked one thing at a time.
pub(crate) struct Terminal {
    display: Arc<Display>,
    limit: Option<Duration>,
    /// A read that its question did not live to see the end of.
    pending: Mutex<Option<oneshot::Receiver<io::Result<String>>>>,
}

impl Terminal {
    async fn approve(&self, ask: &Ask) -> Reply {
        let mut pending = self.pending.lock().await;
        // What was typed before this question was shown is no answer to it.
        if pending.as_mut().is_some_and(|read| !matches!(read.try_recv(), Err(oneshot::error::TryRecvError::Empty))) {
            *pending = None;
        }
        let was_shown = self.display.pause();
        forget_typed();
        show(&prompt::question(ask));
        let reply = match self.limit {
            None => ask_until_answered(ask, &mut pending).await,
            Some(limit) => {
                tokio::time::timeout(limit, ask_until_answered(ask, &mut pending)).await.unwrap_or_else(|_| {
                    Reply::Unanswered { reason: format!("no answer came within {}", humantime::format_duration(limit)) }
                })
            }
        };
        if was_shown {
            self.display.resume();
        }
        reply
    }
}

async fn ask_until_answered(ask: &Ask, pending: &mut Option<oneshot::Receiver<io::Result<String>>>) -> Reply {
    loop {
        show(&prompt::choices(ask));
        let open = OpenLine;
        let line = pending.get_or_insert_with(read_line).await;
        *pending = None;
        match line {
            Ok(Ok(line)) if !line.is_empty() => {
                std::mem::forget(open);
                if let Some(reply) = prompt::answer(&line) {
                    return reply;
                }
                show("Please answer y, a, n, or `no` and a reason.\n");
            }
            // The end of input.
            _ => return Reply::Reject { feedback: None },
        }
    }
}

/// The line the answer is typed on. Whoever answers ends it with Enter; where nobody does, it ends here.
struct OpenLine;

impl Drop for OpenLine {
    fn drop(&mut self) {
        show("\n");
    }
}

/// One line on a thread of its own: a terminal that nobody types on cannot be cancelled, and must not keep the
/// program from ending.
fn read_line() -> oneshot::Receiver<io::Result<String>> {
    let (sender, receiver) = oneshot::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        let _ = sender.send(read.map(|_| line));
    });
    receiver
}

/// Drops what was typed before the question was shown.
fn forget_typed() {
    #[cfg(unix)]
    let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
}

fn show(text: &str) {
    let mut stderr = anstream::stderr();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}
