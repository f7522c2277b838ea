//! The bytes of a remote file as a stream, read ahead so that the way there and back is not waited for each time.

use std::{
    collections::VecDeque,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, ReadBuf};

use super::{Answer, Handle, Reply, Sftp, Shared, packet::request};

/// As much is asked for at once; older servers give no more …
const CHUNK: u32 = 64 * 1024;
/// … and what gives less than this has no more.
const SMALL: u32 = 4 * 1024;
/// So many requests are under way at first …
const FEW: usize = 2;
/// … and at most: who reads on is worth more.
const MANY: usize = 16;

/// A regular file from some byte to its end.
pub(in crate::workspace::ssh) struct FileStream {
    file: Handle,
    shared: Arc<Shared>,
    /// What is asked for, in order.
    asked: VecDeque<Asked>,
    /// Where the next request begins.
    next: u64,
    /// The file's length as far as it is known. What is beyond is asked for by one request at a time, which finds the end.
    length: u64,
    window: usize,
    /// How much the server gives at once.
    chunk: u32,
    current: Bytes,
    ended: bool,
}

struct Asked {
    offset: u64,
    length: u32,
    answer: Answer,
}

impl FileStream {
    /// Sends the first requests at once.
    pub(in crate::workspace::ssh) fn new(sftp: &Sftp, file: Handle, offset: u64, length: u64) -> Self {
        let shared = sftp.shared.clone();
        let mut stream = Self {
            file,
            shared,
            asked: VecDeque::new(),
            next: offset,
            length,
            window: FEW,
            chunk: CHUNK,
            current: Bytes::new(),
            ended: false,
        };
        stream.ask();
        stream
    }

    fn ask(&mut self) {
        while self.asked.len() < self.window {
            let known = self.length.saturating_sub(self.next);
            let is_probing = self.asked.back().is_some_and(|last| last.offset >= self.length);
            if known == 0 && is_probing {
                return;
            }
            // The last known chunk is asked for as it is, so that a shorter answer always means something.
            let length = if known == 0 { self.chunk } else { u32::try_from(known).unwrap_or(CHUNK).min(self.chunk) };
            let answer =
                self.shared.send(request::READ, |packet| packet.bytes(&self.file.raw).u64(self.next).u32(length));
            self.asked.push_back(Asked { offset: self.next, length, answer });
            self.next = self.next.saturating_add(length.into());
        }
    }

    fn take(&mut self, asked: &Asked, reply: Reply) -> io::Result<()> {
        match reply {
            Reply::Data(bytes) if !bytes.is_empty() => {
                let end = asked.offset.saturating_add(bytes.len() as u64);
                if (bytes.len() as u64) < u64::from(asked.length) {
                    // The server gives less at once, or the file has become shorter: what is beyond is asked for
                    // anew, from here.
                    self.asked.clear();
                    self.next = end;
                    self.chunk = u32::try_from(bytes.len()).unwrap_or(CHUNK).clamp(SMALL, CHUNK);
                } else if asked.offset >= self.length {
                    // It is longer than it was said to be, by nobody knows how much.
                    self.length = u64::MAX;
                }
                self.window = (self.window * 2).min(MANY);
                self.current = bytes;
                Ok(())
            }
            Reply::Data(_) | Reply::Status(Reply::EOF) => {
                self.asked.clear();
                self.ended = true;
                Ok(())
            }
            other => Err(other.unexpected()),
        }
    }
}

impl AsyncRead for FileStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            if !this.current.is_empty() {
                let count = this.current.len().min(into.remaining());
                into.put_slice(&this.current[..count]);
                this.current.advance(count);
                return Poll::Ready(Ok(()));
            }
            if this.ended {
                return Poll::Ready(Ok(()));
            }
            this.ask();
            let Some(front) = this.asked.front_mut() else { return Poll::Ready(Ok(())) };
            let reply = ready!(Pin::new(&mut front.answer).poll(cx));
            let Some(asked) = this.asked.pop_front() else { continue };
            this.take(&asked, reply?)?;
        }
    }
}
