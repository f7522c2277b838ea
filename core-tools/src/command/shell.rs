//! A shell as a command: what it is given to run.

use super::{invoke::Invocation, redirect::Stdin};

/// What a shell runs.
pub(super) enum Shell {
    /// This text.
    Script(String),
    /// A file, which is a program like any other.
    File,
    /// Something that cannot be known.
    Unknown,
}

/// What a shell is given to run, by its arguments or by what it reads.
pub(super) fn runs(of: &Invocation, is_fed: bool) -> Shell {
    let mut rest = of.words.iter().skip(1);
    let mut has_script = false;
    while let Some(word) = rest.next() {
        let Some(text) = word.text() else { return Shell::Unknown };
        match text {
            "-o" | "-O" | "+O" | "+o" => drop(rest.next()),
            "--rcfile" | "--init-file" => return Shell::Unknown,
            "--version" | "--help" => return Shell::File,
            "--" => {}
            option if option.starts_with("--") => {}
            option if option.starts_with(['-', '+']) && option.len() > 1 => {
                has_script |= option.contains('c');
                if option.contains('s') || option.contains('i') && !has_script {
                    return Shell::Unknown;
                }
            }
            script if has_script => return Shell::Script(script.to_owned()),
            "-" | "/dev/stdin" => break,
            file if file.starts_with("/dev/") || file.starts_with("/proc/") => return Shell::Unknown,
            _ => return Shell::File,
        }
    }
    match &of.redirects.stdin {
        _ if has_script || of.more => Shell::Unknown,
        Stdin::Text(script) => Shell::Script(script.clone()),
        Stdin::Given => Shell::Unknown,
        Stdin::Inherited if is_fed => Shell::Unknown,
        Stdin::Inherited => Shell::File,
    }
}
