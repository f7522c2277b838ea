//! Answers to requests: still to come, come, and what they say.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use rustix::io::Errno;
use tokio::sync::oneshot;

use super::{Attrs, Handle};

/// What the server answered.
pub(in crate::workspace::ssh) enum Reply {
    Status(u32),
    Handle(Handle),
    Data(Bytes),
    Names(Vec<(Bytes, Attrs)>),
    Attrs(Attrs),
    Extended(Bytes),
}

/// An answer that is still to come.
pub(in crate::workspace::ssh) struct Answer(pub(super) oneshot::Receiver<io::Result<Reply>>);

impl Future for Answer {
    type Output = io::Result<Reply>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(|answer| answer.unwrap_or_else(|_| Err(Errno::CONNABORTED.into())))
    }
}

impl Answer {
    /// Waits for a "done".
    pub(in crate::workspace::ssh) async fn done(self) -> io::Result<()> {
        match self.await? {
            Reply::Status(0) => Ok(()),
            other => Err(other.unexpected()),
        }
    }

    pub(in crate::workspace::ssh) async fn attrs(self) -> io::Result<Attrs> {
        match self.await? {
            Reply::Attrs(attrs) => Ok(attrs),
            other => Err(other.unexpected()),
        }
    }

    pub(in crate::workspace::ssh) async fn handle(self) -> io::Result<Handle> {
        match self.await? {
            Reply::Handle(handle) => Ok(handle),
            other => Err(other.unexpected()),
        }
    }

    /// The one name that is asked for.
    pub(in crate::workspace::ssh) async fn name(self) -> io::Result<Bytes> {
        match self.await? {
            Reply::Names(mut names) if names.len() == 1 => Ok(names.remove(0).0),
            other => Err(other.unexpected()),
        }
    }

    /// The next names of a directory; `None` at its end.
    pub(in crate::workspace::ssh) async fn names(self) -> io::Result<Option<Vec<(Bytes, Attrs)>>> {
        match self.await? {
            Reply::Names(names) => Ok(Some(names)),
            Reply::Status(Reply::EOF) => Ok(None),
            other => Err(other.unexpected()),
        }
    }
}

impl Reply {
    pub(super) const EOF: u32 = 1;

    /// The error that it is, where something else was to come.
    pub(super) fn unexpected(self) -> io::Error {
        // OpenSSH tells these of an errno; everything else is a "failure".
        match self {
            Self::Status(2) => Errno::NOENT.into(),
            Self::Status(3) => Errno::ACCESS.into(),
            Self::Status(5) => Errno::INVAL.into(),
            Self::Status(8) => io::Error::new(io::ErrorKind::Unsupported, "the SFTP server cannot do that"),
            Self::Status(4) => Refused.into(),
            _ => {
                io::Error::new(io::ErrorKind::InvalidData, "the SFTP server answered something that was not asked for")
            }
        }
    }
}

/// The server's "failure", which is all it says of most errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server refused, and did not say why")]
pub(in crate::workspace::ssh) struct Refused;

impl Refused {
    /// Whether an error is that.
    pub(in crate::workspace::ssh) fn is(error: &io::Error) -> bool {
        matches!(error.get_ref(), Some(inner) if inner.is::<Self>())
    }
}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        Self::other(refused)
    }
}
