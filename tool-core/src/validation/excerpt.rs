//! The beginning of what came: a report must not be as long as what it reports.

use std::io;

use serde_json::Value;

/// A text of at most so many bytes, with `…` where it was cut.
pub(super) fn cut(mut text: String, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    if end < text.len() {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The same of a borrowed text.
pub(crate) fn excerpt_of(text: &str, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    if end < text.len() { format!("{}…", &text[..end]) } else { text.to_owned() }
}

/// The beginning of a value as JSON, without writing all of it first.
pub(super) fn excerpt(value: &Value, most: usize) -> String {
    // Room for what is wanted and one character more, by which it is seen that there is more.
    let mut window = Window { bytes: Vec::new(), most: most + 4 };
    // It fails where the window is full.
    let _ = serde_json::to_writer(&mut window, value);
    let text = match String::from_utf8(window.bytes) {
        Ok(text) => text,
        // Cut inside a character, which is among those that are not shown.
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    cut(text, most)
}

/// Takes so many bytes, and then no more.
struct Window {
    bytes: Vec<u8>,
    most: usize,
}

impl io::Write for Window {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.most - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
