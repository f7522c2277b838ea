//! What a program prints, told from what its login shell and its supervisor print.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use tokio::{
    io::{AsyncRead, AsyncReadExt, ReadBuf},
    sync::watch,
};

use super::status::{Part, StatusLines};

/// How much may be printed by a login shell before the program starts.
const MAX_NOISE: usize = 256 * 1024;
/// How much is read at once: what a pipe holds.
const READ: usize = 64 * 1024;

/// The program's output: what comes between the status that it has started and the one after that, its last.
pub(super) struct Output<R> {
    lines: StatusLines,
    stdout: R,
    noise: usize,
    buffer: Box<[u8]>,
    current: Bytes,
    has_ended: bool,
    last: watch::Sender<Option<Last>>,
}

/// How an output came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Last {
    /// With a status, which says this.
    Status(String),
    /// Without one.
    Cut,
}

impl<R: AsyncRead + Unpin> Output<R> {
    pub(super) fn new(mark: &str, stdout: R) -> Self {
        Self {
            lines: StatusLines::new(mark),
            stdout,
            noise: 0,
            buffer: vec![0; READ].into(),
            current: Bytes::new(),
            has_ended: false,
            last: watch::Sender::new(None),
        }
    }

    /// Where it is said how it came to its end, as soon as that was read.
    pub(super) fn last(&self) -> watch::Receiver<Option<Last>> {
        self.last.subscribe()
    }

    /// The next status line; `None` where there is none. What else comes is the login shell's.
    pub(super) async fn status(&mut self) -> io::Result<Option<String>> {
        loop {
            match self.lines.next() {
                Some(Part::Status(status)) => return Ok(Some(status)),
                Some(Part::Other(noise)) => self.noise += noise.len(),
                None => {
                    let count = self.stdout.read(&mut self.buffer).await?;
                    if count == 0 || self.noise > MAX_NOISE {
                        return Ok(None);
                    }
                    self.lines.push(&self.buffer[..count]);
                }
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Output<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            if !this.current.is_empty() {
                let count = this.current.len().min(into.remaining());
                into.put_slice(&this.current.split_to(count));
                return Poll::Ready(Ok(()));
            }
            if this.has_ended {
                return Poll::Ready(Ok(()));
            }
            match this.lines.next() {
                Some(Part::Other(bytes)) => this.current = bytes,
                Some(Part::Status(status)) => {
                    this.has_ended = true;
                    this.last.send_replace(Some(Last::Status(status)));
                }
                None => {
                    let mut buffer = ReadBuf::new(&mut this.buffer);
                    // A terminal's end is an error.
                    let read = ready!(Pin::new(&mut this.stdout).poll_read(cx, &mut buffer));
                    if read.is_err() || buffer.filled().is_empty() {
                        // The connection is lost; what came is all there is.
                        this.current = this.lines.rest();
                        this.has_ended = true;
                        this.last.send_replace(Some(Last::Cut));
                    } else {
                        this.lines.push(buffer.filled());
                    }
                }
            }
        }
    }
}
