//! Messages as lines of JSON, from a client that may send anything.
//!
//! In: a stream. Out: the requests that may be worked at now. What is held of a client is bounded: one line, the requests
//! that are being answered, those read ahead of them, and the answers that it has not taken. Beyond that nothing is read
//! from it until it has.

use std::{
    collections::VecDeque,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ClientNotification, ErrorData, GetExtensions, JsonRpcMessage, ServerJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{Mutex, Notify, OwnedSemaphorePermit, Semaphore},
};
use tool_core::CancellationToken;

use super::{message, weight};

/// The longest line, in bytes. A call's arguments may have 16 MiB, and more where they are escaped.
const LONGEST: usize = 32 * 1024 * 1024;
/// How much may be worked at, in KiB of what it takes once it is read.
const ROOM: usize = 128 * 1024;
/// How much room a request takes at least, in KiB: so 256 of them are worked at at once.
const LEAST: usize = 512;
/// How many requests are read ahead, so that a cancellation or an answer behind them is heard.
const AHEAD: usize = 1_024;
/// How much they may take together, in bytes.
const AHEAD_BYTES: usize = 32 * 1024 * 1024;
/// How many messages may wait for the client to take them.
const UNSENT: usize = 256;

/// The transport of one connection.
pub(super) struct Lines<R, W> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of a line that is too long is being skipped.
    skips: bool,
    output: Arc<Output<W>>,
    room: Arc<Semaphore>,
    ahead: VecDeque<(ClientJsonRpcMessage, usize)>,
    ahead_bytes: usize,
    is_over: bool,
    /// No more is read.
    ended: CancellationToken,
    stop: CancellationToken,
}

struct Output<W> {
    writer: Mutex<Option<W>>,
    unsent: AtomicUsize,
    sent: Notify,
}

/// Room that a request takes as long as it is being answered.
#[derive(Clone)]
struct Room {
    _permit: Arc<OwnedSemaphorePermit>,
}

/// The end of input.
struct End;

enum Read {
    Line,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    /// `ended` is cancelled when the client's input is at its end; `stop` ends it as well.
    pub(super) fn new(input: R, output: W, ended: CancellationToken, stop: CancellationToken) -> Self {
        let output = Output { writer: Mutex::new(Some(output)), unsent: AtomicUsize::new(0), sent: Notify::new() };
        Self {
            input: BufReader::with_capacity(64 * 1024, input),
            line: Vec::new(),
            skips: false,
            output: Arc::new(output),
            room: Arc::new(Semaphore::new(ROOM)),
            ahead: VecDeque::new(),
            ahead_bytes: 0,
            is_over: false,
            ended,
            stop,
        }
    }

    /// Reads on to the end of a line. Dropped in the middle, it goes on where it was.
    async fn read(&mut self) -> io::Result<Read> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                return Ok(Read::End);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            let fits = !self.skips && self.line.len() + taken <= LONGEST;
            if fits {
                self.line.extend_from_slice(&available[..taken]);
            } else {
                self.skips = true;
                self.line = Vec::new();
            }
            self.input.consume(taken);
            if end.is_some() {
                return Ok(if std::mem::take(&mut self.skips) { Read::TooLong } else { Read::Line });
            }
        }
    }

    /// What a line says; an answer where it says nothing that can be understood.
    fn understand(&mut self) -> Option<Result<(ClientJsonRpcMessage, usize), Box<ServerJsonRpcMessage>>> {
        let line = std::mem::take(&mut self.line);
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
        let understood = (!text.is_empty()).then(|| {
            let values = weight::values(text);
            message::parse(text, values).map(|message| (message, weight::of(text.len(), values)))
        });
        // A line of usual length leaves its room to the next.
        if line.capacity() <= 1024 * 1024 {
            self.line = line;
            self.line.clear();
        }
        understood
    }

    /// Takes in the next line: what is to be handed on, or nothing yet. Of a request, only
    /// that it has come.
    async fn next_line(&mut self) -> Result<Option<ClientJsonRpcMessage>, End> {
        let read = match self.read().await {
            Ok(read) => read,
            Err(error) => {
                tracing::warn!("cannot read from the client any more: {error}");
                Read::End
            }
        };
        let understood = match read {
            Read::End => return Err(End),
            Read::Line => self.understand(),
            Read::TooLong => {
                let most = LONGEST / (1024 * 1024);
                let message = format!("the line is longer than {most} MiB, and was skipped: send less in one message");
                Some(Err(message::refusal(ErrorData::invalid_request(message, None), None)))
            }
        };
        match understood {
            None => {}
            Some(Ok((message @ JsonRpcMessage::Request(_), bytes))) => {
                self.ahead.push_back((message, bytes));
                self.ahead_bytes += bytes;
            }
            Some(Ok((message, _))) => {
                self.forget(&message);
                return Ok(Some(message));
            }
            Some(Err(answer)) => self.reply(*answer),
        }
        Ok(None)
    }

    /// Takes out of the requests that were read ahead the one that a message cancels. It is never begun, nor answered.
    fn forget(&mut self, message: &ClientJsonRpcMessage) {
        let JsonRpcMessage::Notification(notification) = message else { return };
        let ClientNotification::CancelledNotification(cancelled) = &notification.notification else { return };
        let Some(id) = &cancelled.params.request_id else { return };
        let is_it = |(message, _): &(ClientJsonRpcMessage, usize)| matches!(message, JsonRpcMessage::Request(request) if request.id == *id);
        if let Some((_, bytes)) = self.ahead.iter().position(is_it).and_then(|at| self.ahead.remove(at)) {
            self.ahead_bytes -= bytes;
        }
    }

    fn reply(&self, answer: ServerJsonRpcMessage) {
        let sent = self.output.clone().send(answer);
        tokio::spawn(async move {
            let _ = sent.await;
        });
    }

    /// Room for the first of the requests that were read ahead.
    async fn room(room: Arc<Semaphore>, bytes: usize) -> Room {
        let wanted = (bytes / 1024).clamp(LEAST, ROOM);
        match room.acquire_many_owned(u32::try_from(wanted).unwrap_or(u32::MAX)).await {
            Ok(permit) => Room { _permit: Arc::new(permit) },
            // It is never closed.
            Err(_) => std::future::pending().await,
        }
    }

    /// The next message that may be worked at; `None` when no more will come, and what came is answered: until then the
    /// connection is needed for what calls tell of themselves.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if !self.is_over {
                self.output.wait_for_room().await;
            }
            let may_read = !self.is_over && self.ahead.len() < AHEAD && self.ahead_bytes < AHEAD_BYTES;
            let first = self.ahead.front().map(|(_, bytes)| *bytes);
            if first.is_none() && self.is_over {
                let _ = self.room.acquire_many(all_room()).await;
                return None;
            }
            let (stop, room) = (self.stop.clone(), Self::room(self.room.clone(), first.unwrap_or_default()));
            let room = tokio::select! {
                biased;
                () = stop.cancelled(), if !self.is_over => {
                    self.ahead.clear();
                    self.end();
                    continue;
                }
                room = room, if first.is_some() => room,
                line = self.next_line(), if may_read => match line {
                    Ok(Some(message)) => return Some(message),
                    Ok(None) => continue,
                    // What was read before the end is still answered.
                    Err(End) => {
                        self.end();
                        continue;
                    }
                },
            };
            let (mut message, bytes) = self.ahead.pop_front()?;
            self.ahead_bytes -= bytes;
            if let JsonRpcMessage::Request(request) = &mut message {
                request.request.extensions_mut().insert(room);
            }
            return Some(message);
        }
    }

    fn end(&mut self) {
        self.is_over = true;
        self.ended.cancel();
    }
}

fn all_room() -> u32 {
    u32::try_from(ROOM).unwrap_or(u32::MAX)
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.output.clone().send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.next().await
    }

    async fn close(&mut self) -> io::Result<()> {
        match self.output.writer.lock().await.take() {
            Some(mut writer) => writer.shutdown().await,
            None => Ok(()),
        }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Output<W> {
    /// Sends a message, as one line. It counts as not taken until it is written.
    fn send(self: Arc<Self>, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.unsent.fetch_add(1, Ordering::Relaxed);
        let unsent = Unsent(self);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            drop(message);
            line.push(b'\n');
            let mut writer = unsent.0.writer.lock().await;
            let writer = writer.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            writer.write_all(&line).await?;
            writer.flush().await
        }
    }
}

impl<W> Output<W> {
    /// Waits until the client has taken enough of what it was sent.
    async fn wait_for_room(&self) {
        while self.unsent.load(Ordering::Acquire) >= UNSENT {
            self.sent.notified().await;
        }
    }
}

/// A message that the client has not taken.
struct Unsent<W>(Arc<Output<W>>);

impl<W> Drop for Unsent<W> {
    fn drop(&mut self) {
        self.0.unsent.fetch_sub(1, Ordering::Release);
        self.0.sent.notify_one();
    }
}
