//! The end of what a server writes to stderr, kept for whoever asks why it does not work.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// So many bytes are kept, of the end.
const KEPT: usize = 8 * 1024;

/// The end of a stream. Clones see the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail(Arc<Mutex<Vec<u8>>>);

impl Tail {
    /// Reads a stream to its end, for as long as that takes.
    pub(super) async fn follow(self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 4096];
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            self.push(&buffer[..read]);
        }
    }

    pub(super) fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(bytes);
        let over = kept.len().saturating_sub(KEPT);
        kept.drain(..over);
    }

    /// What is kept, as text without blank ends.
    pub(super) fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).trim().to_owned()
    }
}
