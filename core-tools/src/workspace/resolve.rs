//! A path as a model writes it, made absolute.

use std::{
    ffi::OsString,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
};

use tool_core::{ToolContext, ToolError};

use super::Workspace;

/// The longest path that Linux takes.
const MAX_LENGTH: usize = 4096;

/// A path that means nothing on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadPath {
    /// `~`, and no home directory is known.
    #[error("`{0}` starts with `~`, but no home directory is known here: give an absolute path")]
    NoHome(String),
    /// A `file:` address of another machine, or without a path.
    #[error(
        "`{0}` is not an address of a file on this machine: expected `file:///absolute/path`, or give the path itself"
    )]
    Address(String),
    /// Longer than any system takes.
    #[error("the path has {0} bytes, and none can have more than {MAX_LENGTH}: give the path alone")]
    TooLong(usize),
    /// A NUL byte.
    #[error("the path {0:?} has a NUL byte in it, which no file's name can have: give the path without it")]
    Nul(String),
}

impl From<BadPath> for ToolError {
    fn from(error: BadPath) -> Self {
        Self::from_error(error)
    }
}

/// Makes a model's path absolute: `~` and `~/…` (the workspace's home), `file:///…` with its `%` escapes, anything else
/// from the call's working directory. `.` and `..` are settled in the text. opencode takes plain paths only; models do
/// write the other two.
///
/// # Errors
/// When it cannot be a path on that machine.
pub fn resolve(ctx: &ToolContext, workspace: &dyn Workspace, path: &str) -> Result<PathBuf, BadPath> {
    if path.len() > MAX_LENGTH {
        return Err(BadPath::TooLong(path.len()));
    }
    let plain = if path == "~" || path.starts_with("~/") {
        let home = workspace.home().ok_or_else(|| BadPath::NoHome(path.to_owned()))?;
        home.join(path.trim_start_matches('~').trim_start_matches('/'))
    } else if path.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file://")) {
        of_address(&path[7..]).ok_or_else(|| BadPath::Address(path.to_owned()))?
    } else {
        Path::new(path).to_owned()
    };
    if plain.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(BadPath::Nul(path.to_owned()));
    }
    Ok(ctx.resolve(plain))
}

/// The path of `<host>/<path>`, where the host is this machine.
fn of_address(address: &str) -> Option<PathBuf> {
    let slash = address.find('/')?;
    if !matches!(&address[..slash], "" | "localhost") {
        return None;
    }
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = &address.as_bytes()[slash..];
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = tail.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after;
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_files() {
        assert_eq!(of_address("/a%20b/c"), Some(PathBuf::from("/a b/c")));
        assert_eq!(of_address("localhost/a"), Some(PathBuf::from("/a")));
        for bad in ["elsewhere/a", "", "/a%2", "/a%zz"] {
            assert_eq!(of_address(bad), None, "{bad}");
        }
    }
}
