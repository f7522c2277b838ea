//! The names of files in the headers of diffs.

use super::error::{Problem, quoted};
use crate::apply_patch::patch::WrittenPath;

/// One side of a diff: a name, or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Side {
    /// As it is written, without quotes; `None` for `/dev/null`.
    pub(super) name: Option<String>,
    /// Whether the time beside it is the beginning of the epoch, with which `diff -N` says that there is no file.
    pub(super) is_epoch: bool,
}

/// What stands after `--- ` or `+++ `: a name, perhaps quoted, and perhaps a time behind a tab.
pub(super) fn side(text: &str) -> Result<Side, Problem> {
    let (name, rest) = if text.starts_with('"') {
        unquote(text).ok_or_else(|| Problem::Quotes(quoted(text)))?
    } else {
        let (name, time) = text.split_once('\t').unwrap_or((text, ""));
        (name.trim_end().to_owned(), time)
    };
    if name.is_empty() {
        return Err(Problem::NoPath);
    }
    let time = rest.trim_start();
    let is_epoch = time.starts_with("1970-01-01") || time.starts_with("1969-12-31");
    Ok(Side { name: (name != "/dev/null").then_some(name), is_epoch })
}

/// A name that may be in quotes, alone on its line.
pub(super) fn alone(text: &str) -> Result<String, Problem> {
    let name = if text.starts_with('"') {
        unquote(text).ok_or_else(|| Problem::Quotes(quoted(text)))?.0
    } else {
        text.trim_end_matches('\r').to_owned()
    };
    if name.is_empty() { Err(Problem::NoPath) } else { Ok(name) }
}

/// The two names after `diff --git `. Git does not quote blanks, so that they are told apart by being the same name.
pub(super) fn pair(text: &str) -> Option<(String, String)> {
    if text.starts_with('"') {
        let (old, rest) = unquote(text)?;
        return Some((old, alone(rest.strip_prefix(' ')?).ok()?));
    }
    if let Some((old, new)) = text.split_once(" \"") {
        return Some((old.to_owned(), unquote(&format!("\"{new}"))?.0));
    }
    let middle = text.len() / 2;
    if text.len() % 2 == 1 && text.is_char_boundary(middle) && text.as_bytes()[middle] == b' ' {
        let (old, new) = (&text[..middle], &text[middle + 1..]);
        if old == new || bare(old).is_some_and(|name| bare(new) == Some(name)) {
            return Some((old.to_owned(), new.to_owned()));
        }
    }
    let (old, new) = text.split_once(" b/").map(|(old, new)| (old, format!("b/{new}"))).or_else(|| {
        let (old, new) = text.split_once(' ')?;
        Some((old, new.to_owned()))
    })?;
    Some((old.to_owned(), new))
}

/// A name without the directory of one letter that git puts before it (`a/`, `b/`, and with `diff.mnemonicPrefix` `c/`,
/// `i/`, `o/`, `w/`).
pub(super) fn bare(name: &str) -> Option<&str> {
    let (prefix, rest) = name.split_once('/')?;
    (matches!(prefix, "a" | "b" | "c" | "i" | "o" | "w") && !rest.is_empty()).then_some(rest)
}

/// What a name of one side may mean, when the other side is `/dev/null` or the same file.
pub(super) fn one(name: &str) -> WrittenPath {
    match bare(name) {
        Some(bare) => WrittenPath::plain(bare).or(name),
        None => WrittenPath::plain(name).or(without_first(name)),
    }
}

/// What two different names of one file may mean: `f.orig` and `f`, or `one/f` and `two/f`.
pub(super) fn either(old: &str, new: &str) -> WrittenPath {
    WrittenPath::plain(new).or(old).or(without_first(new)).or(without_first(old))
}

fn without_first(name: &str) -> &str {
    if name.starts_with('/') { "" } else { name.split_once('/').map_or("", |(_, rest)| rest) }
}

/// A name in quotes with C's escapes, and what comes after it. Bytes that are not UTF-8 become U+FFFD: the tool's paths
/// are text.
fn unquote(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut name = Vec::new();
    let mut bytes = inner.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        let byte = match byte {
            b'"' => return Some((String::from_utf8_lossy(&name).into_owned(), &inner[at + 1..])),
            b'\\' => match bytes.next()?.1 {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                plain @ (b'"' | b'\\') => plain,
                first @ b'0'..=b'3' => {
                    let mut octal = first - b'0';
                    for _ in 0..2 {
                        let digit = bytes.next()?.1;
                        octal = octal * 8 + digit.checked_sub(b'0').filter(|digit| *digit < 8)?;
                    }
                    octal
                }
                _ => return None,
            },
            plain => plain,
        };
        name.push(byte);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_names() {
        assert_eq!(unquote(r#""a/\303\244 \"\\\t" x"#), Some(("a/ä \"\\\t".to_owned(), " x")));
        for bad in ["\"a", r#""\x41""#, r#""\40"#, r#""\389""#, r#""\"#] {
            assert_eq!(unquote(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_two_names_of_git() {
        for (text, old, new) in [
            ("a/x b/x", "a/x", "b/x"),
            ("a/one two b/one two", "a/one two", "b/one two"),
            ("x x", "x", "x"),
            ("a/old b/new", "a/old", "b/new"),
            (r#""a/\t" "b/\t""#, "a/\t", "b/\t"),
            (r#"a/x "b/\t""#, "a/x", "b/\t"),
        ] {
            assert_eq!(pair(text), Some((old.to_owned(), new.to_owned())), "{text}");
        }
        assert_eq!(pair("x"), None);
    }

    #[test]
    fn sides() {
        assert_eq!(side("/dev/null"), Ok(Side { name: None, is_epoch: false }));
        let stamped = side("a b.txt\t1970-01-01 01:00:00.000000000 +0100");
        assert_eq!(stamped, Ok(Side { name: Some("a b.txt".to_owned()), is_epoch: true }));
        assert_eq!(side("a/x\t").map(|side| side.name), Ok(Some("a/x".to_owned())));
        assert_eq!(side(" \t"), Err(Problem::NoPath));
    }
}
