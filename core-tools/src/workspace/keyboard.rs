//! The keyboard of a terminal that is this machine's.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use pty_process::{OwnedWritePty, Size};
use tokio::io::AsyncWrite;

use super::{Terminal, TerminalSize};

/// Types into a terminal, and gives it another size.
pub(super) struct Keyboard(pub(super) OwnedWritePty);

impl From<TerminalSize> for Size {
    fn from(size: TerminalSize) -> Self {
        Self::new(size.rows, size.columns)
    }
}

impl Terminal for Keyboard {
    fn resize(&self, size: TerminalSize) -> io::Result<()> {
        self.0.resize(size.into()).map_err(io::Error::other)
    }
}

impl AsyncWrite for Keyboard {
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

/// What went wrong with a terminal, as an error of the system.
pub(super) fn io_error(error: pty_process::Error) -> io::Error {
    match error {
        pty_process::Error::Io(error) => error,
        error => io::Error::other(error),
    }
}
