//! The beginning and the end of what may be without end.

/// Keeps so many bytes of the beginning and of the end.
#[derive(Debug)]
pub(super) struct Kept {
    head: Vec<u8>,
    tail: Vec<u8>,
    most_head: usize,
    most_tail: usize,
    dropped: u64,
}

impl Kept {
    pub(super) fn new(most_head: usize, most_tail: usize) -> Self {
        Self { head: Vec::new(), tail: Vec::new(), most_head, most_tail, dropped: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = self.most_head - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        // Now and then, so that each byte is moved once or twice only.
        if self.tail.len() > self.most_tail.saturating_mul(2) {
            self.trim();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.head.is_empty() && self.tail.is_empty()
    }

    /// How many bytes are missing.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped + (self.tail.len().saturating_sub(self.most_tail)) as u64
    }

    /// All of it as text; where something is missing, how much.
    pub(super) fn into_text(mut self) -> String {
        self.trim();
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if self.dropped > 0 {
            text.push_str(&format!("\n[… {} bytes were not kept …]\n", self.dropped));
        }
        text.push_str(&String::from_utf8_lossy(&self.tail));
        text
    }

    fn trim(&mut self) {
        let over = self.tail.len().saturating_sub(self.most_tail);
        self.tail.drain(..over);
        self.dropped += over as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_kept() {
        let mut kept = Kept::new(3, 4);
        for piece in ["ab", "cdefgh", "i", "", "jklmnopqrs"] {
            kept.push(piece.as_bytes());
        }
        assert_eq!(kept.dropped(), 12);
        assert_eq!(kept.into_text(), "abc\n[… 12 bytes were not kept …]\npqrs");
        let mut short = Kept::new(3, 4);
        short.push(b"abcdefg");
        assert_eq!(short.into_text(), "abcdefg");
        assert!(Kept::new(0, 0).is_empty());
    }
}
