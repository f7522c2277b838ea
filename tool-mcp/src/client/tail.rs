//! The end of what a server writes to stderr, kept for whoever asks why it does not work.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt},
    time::timeout,
};
use tool_core::CancellationToken;

/// So many bytes are kept, of the end.
const KEPT: usize = 8 * 1024;

/// How long the rest of it is waited for, when a server has failed.
const REST: Duration = Duration::from_millis(200);

/// The end of a stream. Clones see the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail {
    kept: Arc<Mutex<Vec<u8>>>,
    ended: CancellationToken,
}

impl Tail {
    /// Reads a stream to its end, for as long as that takes.
    pub(super) async fn follow(self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 4096];
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            self.push(&buffer[..read]);
        }
        self.end();
    }

    /// There is no stream.
    pub(super) fn end(&self) {
        self.ended.cancel();
    }

    /// Waits for what a server that has failed wrote last. What it has started may hold the stream open.
    pub(super) async fn rest(&self) {
        let _ = timeout(REST, self.ended.cancelled()).await;
    }

    pub(super) fn push(&self, bytes: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(bytes);
        let over = kept.len().saturating_sub(KEPT);
        kept.drain(..over);
    }

    /// What is kept, as text without blank ends.
    pub(super) fn text(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).trim().to_owned()
    }
}
