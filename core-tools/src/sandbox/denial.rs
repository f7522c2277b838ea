//! Whether the sandbox stopped a command, as far as that can be told from how it ended and what it printed.
//!
//! A sandbox does not tell: a program sees the same errors that it gets from ordinary permissions. codex-rs takes every
//! failure that prints one of some words (`permission denied`, `sandbox`, …) for a denial; here a line with the words
//! counts only where it fits the sandbox:
//!
//! * a command that ended well was not stopped, and one that a signal ended only where that is SIGSYS;
//! * where the line names a file, this process, which is not confined, looks at it: what it may not write either, or
//!   the sandbox does not forbid, is an ordinary failure (a file of root's, a script that is not executable); root has
//!   no rights in the sandbox to files of others;
//! * a line that names none counts where it ends in the words, or has an error's number or name beside them. `git@host:
//!   Permission denied (publickey).` does not;
//! * words for a network that cannot be reached count where the sandbox has none.
//!
//! It errs both ways: a program may print nothing, or quote another's error. So nothing follows from it but a question.

use std::{
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rustix::{
    fs::{Access, access},
    process::geteuid,
};

use super::confinement::Confinement;
use crate::workspace::Exit;

/// As many lines of the end are looked at.
const MOST_LINES: usize = 200;
/// A line that is longer is no error message.
const LONGEST_LINE: usize = 2000;
/// What shells add to the number of a signal that ended a command.
const BY_SIGNAL: i32 = 128;

/// Errors of files, and what programs print for them.
const OF_FILES: [&str; 4] =
    ["permission denied", "operation not permitted", "read-only file system", "invalid cross-device link"];
/// Numbers and names of the same that stand beside the words: `(os error 13)`, `[Errno 13]`, `EACCES:`.
const NUMBERED: [&str; 13] = [
    "os error 1)",
    "os error 13)",
    "os error 18)",
    "os error 30)",
    "errno 1]",
    "errno 13]",
    "errno 18]",
    "errno 30]",
    "eacces",
    "eperm",
    "erofs",
    "exdev",
    "code: 13",
];
/// What `sudo` and its like print.
const NO_NEW_RIGHTS: &str = "no new privileges";
/// What programs print where there is no network.
const OF_NETWORK: [&str; 9] = [
    "could not resolve",
    "name resolution",
    "name or service not known",
    "network is unreachable",
    "failed to lookup address",
    "dns error",
    "enotfound",
    "eai_again",
    "enetunreach",
];

/// The line that shows that the sandbox stopped a command, or how it ended; `None` for an ordinary failure.
pub(super) fn denial(confinement: &Confinement, exit: Exit, output: &str, cwd: &Path) -> Option<String> {
    let sys = rustix::process::Signal::SYS.as_raw();
    if exit.signal == Some(sys) || exit.code == Some(BY_SIGNAL + sys) {
        return Some("ended by SIGSYS".to_owned());
    }
    if exit.code.is_none_or(|code| code == 0) {
        return None;
    }
    let lines = output.lines().rev().take(MOST_LINES).map(str::trim).filter(|line| line.len() <= LONGEST_LINE);
    let mut lines: Vec<&str> = lines.filter(|line| shows(confinement, line, cwd)).collect();
    lines.pop().map(str::to_owned)
}

fn shows(confinement: &Confinement, line: &str, cwd: &Path) -> bool {
    let lower = line.to_lowercase();
    if lower.contains(NO_NEW_RIGHTS) {
        return true;
    }
    if !confinement.has_network() && OF_NETWORK.iter().any(|words| lower.contains(words)) {
        return true;
    }
    let is_numbered = NUMBERED.iter().any(|number| lower.contains(number));
    let has_words = OF_FILES.iter().any(|words| lower.contains(words));
    if !has_words && !is_numbered {
        return false;
    }
    let named = files(line, cwd);
    if named.is_empty() {
        let end = lower.trim_end_matches(['.', ')', '"', '\'']);
        return is_numbered || OF_FILES.iter().any(|words| end.ends_with(words));
    }
    named.iter().any(|path| is_forbidden(confinement, path))
}

/// The files that a line names, as paths: what is quoted, and words that are paths or the names of files.
fn files(line: &str, cwd: &Path) -> Vec<PathBuf> {
    let quotes = ['\'', '"', '`', '\u{2018}', '\u{2019}'];
    let quoted = line.split(quotes).skip(1).step_by(2);
    let words = line.split(|c: char| c.is_whitespace() || quotes.contains(&c));
    let words = words.map(|word| word.trim_matches([':', ',', ';', '(', ')', '[', ']', '\u{2026}']));
    let named = quoted.chain(words).filter(|name| !name.is_empty() && !name.contains("://"));
    let mut found: Vec<PathBuf> = Vec::new();
    for name in named {
        let path = cwd.join(name);
        let is_file = name.contains('/') || path.symlink_metadata().is_ok();
        if is_file && !is_complainer(line, name) && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// Whether a line begins with a program's name, before what it complains of: not where the error follows at once.
fn is_complainer(line: &str, name: &str) -> bool {
    let Some(rest) = line.strip_prefix(name).and_then(|rest| rest.strip_prefix(':')) else { return false };
    let rest = rest.trim_start().to_lowercase();
    !OF_FILES.iter().any(|words| rest.starts_with(words))
}

/// Whether a path could be written but for the sandbox.
fn is_forbidden(confinement: &Confinement, path: &Path) -> bool {
    let (real, exists) = match path.canonicalize() {
        Ok(real) => (real, true),
        Err(_) => match path.parent().and_then(|parent| parent.canonicalize().ok()).zip(path.file_name()) {
            Some((parent, name)) => (parent.join(name), false),
            None => return false,
        },
    };
    let parent = real.parent().unwrap_or(&real);
    // To remove or replace a file is to write its directory.
    let writable = |path: &Path| access(path, Access::WRITE_OK).is_ok();
    let could = if exists { writable(&real) || writable(parent) } else { writable(parent) };
    could && (!confinement.may_write(&real, exists) || is_anothers(if exists { &real } else { parent }))
}

/// Whether root, without its rights in the sandbox, is not whom a file belongs to.
fn is_anothers(path: &Path) -> bool {
    geteuid().is_root() && path.metadata().is_ok_and(|metadata| metadata.uid() != 0)
}
