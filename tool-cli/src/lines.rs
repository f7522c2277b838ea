//! Lines of unknown length from a stream, read one ahead, with a bound on memory.

use std::io::{self, BufRead, Read};

use tokio::sync::mpsc;

/// The longest line taken.
pub(crate) const MAX_LINE: u64 = crate::arguments::MAX_BYTES;

/// What one line turned out to be.
#[derive(Debug)]
pub(crate) enum Line {
    /// A line without its end.
    Text(String),
    /// Longer than [`MAX_LINE`]; it was skipped.
    TooLong,
    /// Not UTF-8 from this offset.
    NotUtf8(usize),
    /// The stream failed; nothing follows.
    Broken(io::Error),
}

/// Reads on a thread of its own: a stream that has nothing to give cannot be cancelled, only left behind.
pub(crate) fn lines(mut from: impl BufRead + Send + 'static) -> mpsc::Receiver<Line> {
    let (sender, receiver) = mpsc::channel(1);
    std::thread::spawn(move || {
        while let Some(line) = next(&mut from, MAX_LINE) {
            let is_last = matches!(line, Line::Broken(_));
            if sender.blocking_send(line).is_err() || is_last {
                break;
            }
        }
    });
    receiver
}

fn next(from: &mut impl BufRead, most: u64) -> Option<Line> {
    let mut bytes = Vec::new();
    match from.by_ref().take(most + 1).read_until(b'\n', &mut bytes) {
        Err(error) => return Some(Line::Broken(error)),
        Ok(0) => return None,
        Ok(_) => {}
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    } else if bytes.len() as u64 > most {
        return Some(match from.skip_until(b'\n') {
            Ok(_) => Line::TooLong,
            Err(error) => Line::Broken(error),
        });
    }
    Some(match String::from_utf8(bytes) {
        Ok(text) => Line::Text(text),
        Err(error) => Line::NotUtf8(error.utf8_error().valid_up_to()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_broken_lines_do_not_stop_the_others() {
        let mut from = &b"one\n12345678\n123456789\n\xff\nlast"[..];
        let mut seen = Vec::new();
        while let Some(line) = next(&mut from, 8) {
            seen.push(match line {
                Line::Text(text) => text,
                other => format!("{other:?}"),
            });
        }
        assert_eq!(seen, ["one", "12345678", "TooLong", "NotUtf8(0)", "last"]);
    }
}
