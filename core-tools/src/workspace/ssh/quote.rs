//! Words for a POSIX shell.

/// Adds a word that the shell takes as these very bytes, whatever is in them.
pub(super) fn push_word(line: &mut Vec<u8>, word: &[u8]) {
    line.push(b'\'');
    for byte in word {
        match byte {
            b'\'' => line.extend_from_slice(br"'\''"),
            byte => line.push(*byte),
        }
    }
    line.extend_from_slice(b"' ");
}

#[cfg(test)]
mod tests {
    use super::push_word;

    #[test]
    fn nothing_ends_a_word_but_its_end() {
        let mut line = Vec::new();
        push_word(&mut line, b"it's $(here) \\ \n\xff");
        push_word(&mut line, b"");
        assert_eq!(line, b"'it'\\''s $(here) \\ \n\xff' '' ");
    }
}
