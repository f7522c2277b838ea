//! An SFTP session over a pair of streams.
//!
//! In: requests, any number at once. Out: their answers. A request is sent when it is made, not when it is first polled,
//! so that who makes several before waiting pays for one way there and back. A request whose answer nobody waits for any
//! more is carried out all the same; what it opened is closed.

mod answer;
mod packet;
mod read;

use std::{
    collections::{HashMap, HashSet},
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::{mpsc, oneshot},
    time::{Instant, timeout},
};

use self::{
    answer::Reply,
    packet::{Fields, extension, reply, request},
};
pub(super) use self::{
    answer::{Answer, Refused},
    packet::{Attrs, Packet, open},
    read::FileStream,
};

/// The version of the protocol that OpenSSH speaks.
const VERSION: u32 = 3;
/// The longest packet that is taken; OpenSSH sends up to 256 KiB.
const MAX_PACKET: u32 = 1024 * 1024;
/// A server that says nothing for so long while somebody waits has gone.
const STALLED: Duration = Duration::from_secs(60);

/// A session. Requests of one that has ended fail at once.
pub(super) struct Sftp {
    shared: Arc<Shared>,
    extensions: HashSet<Bytes>,
}

struct Shared {
    waiting: Mutex<Waiting>,
    outgoing: mpsc::UnboundedSender<Bytes>,
    /// What is told of its end to those who wait for an answer.
    describe: Box<dyn Fn(&End) -> io::Error + Send + Sync>,
}

#[derive(Default)]
struct Waiting {
    next: u32,
    answers: HashMap<u32, oneshot::Sender<io::Result<Reply>>>,
    /// Why the session is over.
    ended: Option<End>,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// The other side closed it.
    Closed,
    /// It did not answer any more.
    Stalled,
    /// What it sent makes no sense.
    Nonsense(String),
}

/// A file or directory that is open. Closed when it is dropped.
pub(super) struct Handle {
    raw: Bytes,
    shared: Weak<Shared>,
}

/// What is known of the file system that a path is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileSystem {
    /// Its number.
    pub(super) id: u64,
    /// How much it holds in all, in its own blocks.
    pub(super) blocks: u64,
    /// How many bytes there is room for.
    pub(super) room: u64,
    pub(super) is_read_only: bool,
}

impl Sftp {
    /// Begins a session. `describe` makes an error of its end, for every request that is then without an answer.
    ///
    /// # Errors
    /// When the other side is no SFTP server.
    pub(super) async fn start(
        output: impl AsyncRead + Send + Unpin + 'static,
        input: impl AsyncWrite + Send + Unpin + 'static,
        describe: impl Fn(&End) -> io::Error + Send + Sync + 'static,
    ) -> Result<Self, End> {
        let (outgoing, queue) = mpsc::unbounded_channel();
        let _ = outgoing.send(Packet::new(request::INIT).u32(VERSION).finish());
        tokio::spawn(write_all(input, queue));
        let mut incoming = Incoming { stream: output, buffer: BytesMut::new() };
        let mut hello = timeout(STALLED, incoming.next()).await.unwrap_or(Err(End::Stalled))?;
        if hello.u8().map_err(nonsense)? != reply::VERSION {
            return Err(End::Nonsense("its first packet does not tell a version".to_owned()));
        }
        let version = hello.u32().map_err(nonsense)?;
        if version != VERSION {
            return Err(End::Nonsense(format!("it speaks version {version}, and not {VERSION}")));
        }
        let mut extensions = HashSet::new();
        while !hello.0.is_empty() {
            extensions.insert(hello.bytes().map_err(nonsense)?);
            hello.bytes().map_err(nonsense)?;
        }
        let shared = Arc::new(Shared { waiting: Mutex::default(), outgoing, describe: Box::new(describe) });
        tokio::spawn(read_all(incoming, Arc::downgrade(&shared)));
        Ok(Self { shared, extensions })
    }

    pub(super) fn has_ended(&self) -> bool {
        self.shared.waiting().ended.is_some()
    }

    /// Sends a request.
    fn send(&self, kind: u8, fill: impl FnOnce(Packet) -> Packet) -> Answer {
        self.shared.send(kind, fill)
    }

    pub(super) fn stat(&self, path: &[u8]) -> Answer {
        self.send(request::STAT, |packet| packet.bytes(path))
    }

    pub(super) fn lstat(&self, path: &[u8]) -> Answer {
        self.send(request::LSTAT, |packet| packet.bytes(path))
    }

    pub(super) fn fstat(&self, file: &Handle) -> Answer {
        self.send(request::FSTAT, |packet| packet.bytes(&file.raw))
    }

    pub(super) fn set_stat(&self, path: &[u8], attrs: &Attrs) -> Answer {
        self.send(request::SETSTAT, |packet| packet.bytes(path).attrs(attrs))
    }

    pub(super) fn set_fstat(&self, file: &Handle, attrs: &Attrs) -> Answer {
        self.send(request::FSETSTAT, |packet| packet.bytes(&file.raw).attrs(attrs))
    }

    pub(super) fn real_path(&self, path: &[u8]) -> Answer {
        self.send(request::REALPATH, |packet| packet.bytes(path))
    }

    pub(super) fn read_link(&self, path: &[u8]) -> Answer {
        self.send(request::READLINK, |packet| packet.bytes(path))
    }

    pub(super) fn open(&self, path: &[u8], how: u32, attrs: &Attrs) -> Answer {
        self.send(request::OPEN, |packet| packet.bytes(path).u32(how).attrs(attrs))
    }

    pub(super) fn write(&self, file: &Handle, offset: u64, bytes: &[u8]) -> Answer {
        self.send(request::WRITE, |packet| packet.bytes(&file.raw).u64(offset).bytes(bytes))
    }

    pub(super) fn open_dir(&self, path: &[u8]) -> Answer {
        self.send(request::OPENDIR, |packet| packet.bytes(path))
    }

    pub(super) fn read_dir(&self, folder: &Handle) -> Answer {
        self.send(request::READDIR, |packet| packet.bytes(&folder.raw))
    }

    pub(super) fn remove(&self, path: &[u8]) -> Answer {
        self.send(request::REMOVE, |packet| packet.bytes(path))
    }

    pub(super) fn make_dir(&self, path: &[u8]) -> Answer {
        self.send(request::MKDIR, |packet| packet.bytes(path).attrs(&Attrs::default()))
    }

    pub(super) fn remove_dir(&self, path: &[u8]) -> Answer {
        self.send(request::RMDIR, |packet| packet.bytes(path))
    }

    /// Refused where the new name is taken.
    pub(super) fn rename(&self, from: &[u8], to: &[u8]) -> Answer {
        self.send(request::RENAME, |packet| packet.bytes(from).bytes(to))
    }

    /// What has the new name goes.
    pub(super) fn replace(&self, from: &[u8], to: &[u8]) -> io::Result<Answer> {
        self.extended(extension::POSIX_RENAME, |packet| packet.bytes(from).bytes(to))
    }

    pub(super) fn link(&self, from: &[u8], to: &[u8]) -> io::Result<Answer> {
        self.extended(extension::HARDLINK, |packet| packet.bytes(from).bytes(to))
    }

    /// `None` where the server has no such thing.
    pub(super) fn sync(&self, file: &Handle) -> Option<Answer> {
        self.extended(extension::FSYNC, |packet| packet.bytes(&file.raw)).ok()
    }

    /// Closes a file, and says whether all that was written has arrived, which some file systems know only now.
    pub(super) fn close(&self, mut file: Handle) -> Answer {
        let raw = std::mem::take(&mut file.raw);
        self.send(request::CLOSE, |packet| packet.bytes(&raw))
    }

    /// The file system of a path.
    pub(super) async fn file_system(&self, path: &[u8]) -> io::Result<FileSystem> {
        let answer = self.extended(extension::STATVFS, |packet| packet.bytes(path))?.await?;
        let Reply::Extended(bytes) = answer else { return Err(answer.unexpected()) };
        let mut fields = Fields(bytes);
        let mut numbers = [0; 10];
        for number in &mut numbers {
            *number = fields.u64()?;
        }
        let [_, unit, blocks, _, available, _, _, _, id, flags] = numbers;
        Ok(FileSystem { id, blocks, room: available.saturating_mul(unit), is_read_only: flags & 1 != 0 })
    }

    fn extended(&self, name: &str, fill: impl FnOnce(Packet) -> Packet) -> io::Result<Answer> {
        if !self.extensions.contains(name.as_bytes()) {
            return Err(io::Error::new(io::ErrorKind::Unsupported, format!("the SFTP server has no `{name}`")));
        }
        Ok(self.send(request::EXTENDED, |packet| fill(packet.bytes(name.as_bytes()))))
    }
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, kind: u8, fill: impl FnOnce(Packet) -> Packet) -> Answer {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.waiting();
        if let Some(end) = &waiting.ended {
            let _ = sender.send(Err((self.describe)(end)));
        } else {
            waiting.next = waiting.next.wrapping_add(1);
            let id = waiting.next;
            waiting.answers.insert(id, sender);
            // Under the lock, so that the order of the ids is the order of the packets.
            let _ = self.outgoing.send(fill(Packet::new(kind).u32(id)).finish());
        }
        Answer(receiver)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if !self.raw.is_empty()
            && let Some(shared) = self.shared.upgrade()
        {
            drop(shared.send(request::CLOSE, |packet| packet.bytes(&self.raw)));
        }
    }
}

fn nonsense(error: io::Error) -> End {
    End::Nonsense(error.to_string())
}

/// Writes whole packets, whatever becomes of those who sent them.
async fn write_all(mut input: impl AsyncWrite + Unpin, mut queue: mpsc::UnboundedReceiver<Bytes>) {
    while let Some(packet) = queue.recv().await {
        if input.write_all(&packet).await.is_err() || (queue.is_empty() && input.flush().await.is_err()) {
            return;
        }
    }
}

struct Incoming<R> {
    stream: R,
    buffer: BytesMut,
}

impl<R: AsyncRead + Unpin> Incoming<R> {
    /// The next packet, without its length.
    async fn next(&mut self) -> Result<Fields, End> {
        while self.buffer.len() < 4 {
            self.more().await?;
        }
        let length = u32::from_be_bytes([self.buffer[0], self.buffer[1], self.buffer[2], self.buffer[3]]);
        if length > MAX_PACKET {
            let text = String::from_utf8_lossy(&self.buffer[..self.buffer.len().min(80)]).into_owned();
            return Err(End::Nonsense(format!("it begins a packet with {text:?}")));
        }
        while self.buffer.len() < 4 + length as usize {
            self.more().await?;
        }
        let mut packet = self.buffer.split_to(4 + length as usize).freeze();
        Ok(Fields(packet.split_off(4)))
    }

    async fn more(&mut self) -> Result<(), End> {
        self.buffer.reserve(64 * 1024);
        match self.stream.read_buf(&mut self.buffer).await {
            Ok(0) | Err(_) => Err(End::Closed),
            Ok(_) => Ok(()),
        }
    }
}

/// Gives answers to who waits for them, until the session ends.
async fn read_all(mut incoming: Incoming<impl AsyncRead + Unpin>, shared: Weak<Shared>) {
    let mut quiet_since = Instant::now();
    let end = loop {
        let packet = timeout(STALLED / 4, incoming.next()).await;
        let Some(shared) = shared.upgrade() else { return };
        let taken = match packet {
            Ok(Ok(packet)) => shared.take(packet),
            Ok(Err(end)) => break end,
            Err(_) if shared.waiting().answers.is_empty() => Ok(()),
            Err(_) if quiet_since.elapsed() < STALLED => continue,
            Err(_) => break End::Stalled,
        };
        if let Err(error) = taken {
            break nonsense(error);
        }
        quiet_since = Instant::now();
    };
    let Some(shared) = shared.upgrade() else { return };
    let answers = {
        let mut waiting = shared.waiting();
        waiting.ended = Some(end.clone());
        std::mem::take(&mut waiting.answers)
    };
    for (_, sender) in answers {
        let _ = sender.send(Err((shared.describe)(&end)));
    }
}

impl Shared {
    fn take(self: &Arc<Self>, mut packet: Fields) -> io::Result<()> {
        let kind = packet.u8()?;
        let id = packet.u32()?;
        let reply = match kind {
            reply::STATUS => Reply::Status(packet.u32()?),
            reply::HANDLE => Reply::Handle(Handle { raw: packet.bytes()?, shared: Arc::downgrade(self) }),
            reply::DATA => Reply::Data(packet.bytes()?),
            reply::NAME => {
                let count = packet.u32()?;
                let mut names = Vec::new();
                for _ in 0..count {
                    let name = packet.bytes()?;
                    // As `ls -l` would show it.
                    packet.bytes()?;
                    names.push((name, packet.attrs()?));
                }
                Reply::Names(names)
            }
            reply::ATTRS => Reply::Attrs(packet.attrs()?),
            reply::EXTENDED => Reply::Extended(packet.0),
            other => return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a packet of the kind {other}"))),
        };
        let sender = self.waiting().answers.remove(&id);
        if let Some(sender) = sender {
            let _ = sender.send(Ok(reply));
        }
        Ok(())
    }
}
