//! Bytes that come in pieces, as text.

/// Decodes UTF-8; bad bytes become U+FFFD, and a character split between two pieces stays one.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// The beginning of a character whose end has not come yet: three bytes at most.
    begun: Vec<u8>,
}

impl Decoder {
    /// The text of the next piece.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        let joined;
        let bytes = if self.begun.is_empty() {
            bytes
        } else {
            joined = [std::mem::take(&mut self.begun).as_slice(), bytes].concat();
            &joined
        };
        let end = bytes.len() - unfinished(bytes);
        self.begun.extend_from_slice(&bytes[end..]);
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }

    /// What is left when no more comes.
    pub(crate) fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.begun)).into_owned()
    }
}

/// How many bytes at the end begin a character that could still be finished.
pub(super) fn unfinished(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    (1..=tail.len())
        .rev()
        .find(|length| {
            let error = std::str::from_utf8(&tail[tail.len() - length..]).err();
            // Not an error of its first byte, but of its end.
            error.is_some_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_no_difference() {
        let texts: [&[u8]; 6] = [
            "aä€\u{1f600}z".as_bytes(),
            b"\xff\xe2\x82",
            b"\xe2\x28\xa1",
            b"\xf0\x9f\x98",
            b"\xed\xa0\x80x",
            b"\xf0\xe2\x82\xac\xc3",
        ];
        for text in texts {
            for piece in 1..=text.len() {
                let mut decoder = Decoder::default();
                let mut decoded: String = text.chunks(piece).map(|piece| decoder.push(piece)).collect();
                decoded += &decoder.finish();
                assert_eq!(decoded, String::from_utf8_lossy(text), "{text:?} in pieces of {piece}");
            }
        }
    }
}
