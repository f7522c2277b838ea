//! Lines of the supervisor in a stream that others write to as well.

use bytes::{Bytes, BytesMut};
use memchr::memmem;

/// The longest status line.
const MAX_LINE: usize = 256;

/// Tells status lines from everything else by the mark they begin with, which nobody else knows.
pub(super) struct StatusLines {
    mark: Vec<u8>,
    buffer: BytesMut,
}

/// What is next in the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Bytes that are no status.
    Other(Bytes),
    /// What a status line says.
    Status(String),
}

impl StatusLines {
    pub(super) fn new(mark: &str) -> Self {
        Self { mark: format!("{mark} ").into_bytes(), buffer: BytesMut::new() }
    }

    /// Takes in what came.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole part of what came.
    pub(super) fn next(&mut self) -> Option<Part> {
        let other = match memmem::find(&self.buffer, &self.mark) {
            Some(0) => match memchr::memchr(b'\n', &self.buffer) {
                Some(end) => {
                    let line = self.buffer.split_to(end + 1);
                    let text = String::from_utf8_lossy(&line[self.mark.len()..end]);
                    return Some(Part::Status(text.into_owned()));
                }
                None if self.buffer.len() < MAX_LINE => return None,
                None => self.buffer.len(),
            },
            Some(start) => start,
            // The mark may have begun at the end.
            None => {
                let begun = (1..self.mark.len()).rev().find(|count| self.buffer.ends_with(&self.mark[..*count]));
                self.buffer.len() - begun.unwrap_or(0)
            }
        };
        (other > 0).then(|| Part::Other(self.buffer.split_to(other).freeze()))
    }

    /// What is left, once nothing comes any more or no status is expected.
    pub(super) fn rest(&mut self) -> Bytes {
        self.buffer.split().freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_found_wherever_it_is_cut() {
        let stream = b"noise MARK started\nerrMA and MARK exit 3 0\ntail MAR";
        for cut in 0..stream.len() {
            let mut lines = StatusLines::new("MARK");
            let (mut other, mut said) = (Vec::new(), Vec::new());
            for piece in [&stream[..cut], &stream[cut..]] {
                lines.push(piece);
                while let Some(part) = lines.next() {
                    match part {
                        Part::Other(bytes) => other.extend_from_slice(&bytes),
                        Part::Status(line) => said.push(line),
                    }
                }
            }
            other.extend_from_slice(&lines.rest());
            assert_eq!(other, b"noise errMA and tail MAR", "cut at {cut}");
            assert_eq!(said, ["started", "exit 3 0"], "cut at {cut}");
        }
    }
}
