//! Commands that are known to change nothing, and commands that are known to do harm (codex-rs's lists).

/// They read, whatever their arguments are.
const READERS: &[&str] = &[
    "cat", "cd", "cut", "echo", "expr", "false", "grep", "head", "id", "ls", "nl", "numfmt", "paste", "pwd", "rev",
    "seq", "stat", "tac", "tail", "tr", "true", "uname", "wc", "which", "whoami",
];

/// Whether a command is known to change nothing. `words` are all that it has, and all known.
///
/// codex's list; `uniq` only without a second file, which it writes; of git, the forms that only look (as older versions
/// of codex had them). A program counts by its plain name alone: `./ls` is somebody's own.
pub(super) fn is_harmless(words: &[&str]) -> bool {
    let [program, args @ ..] = words else { return false };
    let any = |options: &[&str]| {
        args.iter().any(|arg| {
            options
                .iter()
                .any(|option| arg == option || arg.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')))
        })
    };
    match *program {
        program if READERS.contains(&program) => true,
        "uniq" => args.iter().filter(|arg| !arg.starts_with('-')).count() < 2,
        "base64" => !any(&["-o", "--output"]) && !args.iter().any(|arg| arg.starts_with("-o")),
        "find" => !any(&["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-fprint", "-fprint0", "-fprintf"]),
        "rg" => {
            let cluster = |arg: &&str| arg.starts_with('-') && !arg.starts_with("--") && arg.contains('z');
            !any(&["--pre", "--hostname-bin", "--search-zip"]) && !args.iter().any(cluster)
        }
        "sed" => matches!(args, ["-n", script] | ["-n", script, _] if prints_lines(script)),
        "git" => looks(args),
        _ => false,
    }
}

/// `12p` or `3,12p`.
fn prints_lines(script: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    script.strip_suffix('p').is_some_and(|lines| match lines.split_once(',') {
        Some((from, to)) => is_number(from) && is_number(to),
        None => is_number(lines),
    })
}

/// git's commands that only look. Options before the command may run programs (`-c core.pager=…`).
fn looks(args: &[&str]) -> bool {
    let [command, args @ ..] = args else { return false };
    let writes = |arg: &&str| ["--output", "--ext-diff", "--textconv"].iter().any(|option| arg.starts_with(option));
    match *command {
        "status" | "log" | "diff" | "show" => !args.iter().any(writes),
        "branch" => {
            args.iter().all(|arg| matches!(*arg, "-a" | "-r" | "-v" | "-vv" | "--all" | "--list" | "--show-current"))
        }
        _ => false,
    }
}

/// Whether a command is known to do harm where it goes wrong. `None` stands for a word that is not known.
pub(super) fn is_dangerous(words: &[Option<&str>]) -> bool {
    let [Some(program), args @ ..] = words else { return false };
    let known = || args.iter().flatten().copied();
    let options = || known().take_while(|arg| *arg != "--").filter(|arg| arg.starts_with('-'));
    let short = |letter: char| options().any(|arg| !arg.starts_with("--") && arg.contains(letter));
    match *program {
        "rm" => short('f') || options().any(|arg| arg == "--force"),
        "sudo" | "doas" | "su" | "pkexec" | "mkfs" | "fdisk" | "parted" | "wipefs" | "shutdown" | "reboot" | "halt"
        | "poweroff" | "shred" => true,
        "dd" => known().any(|arg| arg.starts_with("of=/dev/")),
        "chmod" | "chown" => short('R') || options().any(|arg| arg == "--recursive"),
        "find" => known().any(|arg| arg == "-delete"),
        "git" => match known().find(|arg| !arg.starts_with('-')) {
            Some("push") => short('f') || options().any(|arg| arg.starts_with("--force") || arg == "--mirror"),
            Some("reset") => options().any(|arg| arg == "--hard"),
            Some("clean") => short('f') || options().any(|arg| arg == "--force"),
            _ => false,
        },
        program => program.starts_with("mkfs."),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_dangerous, is_harmless};

    fn words(text: &str) -> Vec<&str> {
        text.split(' ').collect()
    }

    #[test]
    fn what_only_looks() {
        for command in [
            "ls -la",
            "cat a b",
            "git status",
            "git log --oneline",
            "rg -n foo src",
            "find . -name x",
            "sed -n 1,20p a",
            "sed -n 5p",
            "git diff HEAD~1",
            "uniq -c a",
            "base64 -d a",
        ] {
            assert!(is_harmless(&words(command)), "{command}");
        }
        for command in [
            "./ls",
            "rm a",
            "git push",
            "git -c core.pager=x log",
            "git diff --output=a",
            "rg --pre x y",
            "rg -z a",
            "rg --pre=x y",
            "find . -delete",
            "find . -exec rm {} ;",
            "sed -n 1,20p a b",
            "sed -i s/a/b/ c",
            "sed s/a/b/",
            "uniq a b",
            "base64 -oa",
            "git branch new",
            "git",
            "python",
            "find . -fprintf a b",
        ] {
            assert!(!is_harmless(&words(command)), "{command}");
        }
    }

    #[test]
    fn what_does_harm() {
        let dangerous = |text: &str| is_dangerous(&words(text).into_iter().map(Some).collect::<Vec<_>>());
        for command in
            ["rm -rf a", "rm --force a", "rm -vfr a", "sudo ls", "mkfs.ext4 /dev/x", "git push -f", "git clean -fd"]
        {
            assert!(dangerous(command), "{command}");
        }
        for command in ["rm a", "rm -r a", "rm -- -f", "git push", "git reset a", "ls -f", "dd if=/dev/zero of=a"] {
            assert!(!dangerous(command), "{command}");
        }
    }
}
