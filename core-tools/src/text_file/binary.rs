//! Telling text from what is not.

use std::path::Path;

/// How much of a file's beginning is looked at (opencode).
pub const SAMPLE: usize = 4096;

/// Formats that are refused by their name alone (opencode's list): their beginnings can look like text.
const EXTENSIONS: [&str; 28] = [
    "zip", "tar", "gz", "exe", "dll", "so", "class", "jar", "war", "7z", "doc", "docx", "xls", "xlsx", "ppt", "pptx",
    "odt", "ods", "odp", "bin", "dat", "obj", "o", "a", "lib", "wasm", "pyc", "pyo",
];

/// Whether the name says that a file is not text.
#[must_use]
pub fn is_binary_name(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension)))
}

/// Whether a file's beginning says that it is not text: a NUL, or more than 30 % control bytes (opencode).
#[must_use]
pub fn looks_binary(sample: &[u8]) -> bool {
    let control = sample.iter().filter(|byte| matches!(byte, 0..9 | 14..32)).count();
    memchr::memchr(0, sample).is_some() || control * 10 > sample.len() * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_per_cent_is_still_text() {
        assert!(!looks_binary(b"\x01\x01\x01aaaaaaa"));
        assert!(looks_binary(b"\x01\x01\x01\x01aaaaaa"));
        assert!(!looks_binary(b""));
        assert!(!looks_binary("\t\r\n\u{c}äöü\u{fffd}".as_bytes()));
    }

    #[test]
    fn names() {
        assert!(is_binary_name(Path::new("/x/A.ZIP")));
        assert!(!is_binary_name(Path::new("/x/zip")));
    }
}
