//! Commands that run other commands: what they run.

use std::sync::Arc;

use tool_core::permission::Reading;

use super::word::Word;

/// What a command runs.
#[derive(Debug)]
pub(super) enum Inner {
    /// A command, made of some of the words; `more` arguments may come that are not known.
    Words { words: Vec<Word>, more: bool },
    /// Text that a shell reads.
    Script(Vec<Word>),
    /// Something that cannot be known.
    Unknown,
}

/// What was found in a command.
#[derive(Debug)]
pub(super) struct Wrapped {
    pub(super) inner: Vec<Inner>,
    /// Nothing comes of the outer command but what the inner ones do: they alone have to be allowed.
    pub(super) is_transparent: bool,
    /// It happens on another machine, or in another system: only what denies it counts.
    pub(super) is_elsewhere: bool,
}

/// A program whose arguments are options, then some words of its own, then a command.
struct Prefix {
    name: &'static str,
    /// Options whose value is the next word.
    valued: &'static [&'static str],
    /// Words of its own before the command.
    own: usize,
    is_transparent: bool,
}

const fn prefix(name: &'static str, valued: &'static [&'static str], own: usize, is_transparent: bool) -> Prefix {
    Prefix { name, valued, own, is_transparent }
}

const PREFIXES: &[Prefix] = &[
    prefix("nohup", &[], 0, true),
    prefix("nice", &["-n", "--adjustment"], 0, true),
    prefix("time", &["-f", "-o", "--format", "--output"], 0, true),
    prefix("timeout", &["-k", "-s", "--kill-after", "--signal"], 1, true),
    prefix("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0, true),
    prefix("ionice", &["-c", "-n", "--class", "--classdata"], 0, true),
    prefix("setsid", &[], 0, true),
    prefix("builtin", &[], 0, true),
    prefix("coproc", &[], 0, true),
    prefix("unbuffer", &[], 0, true),
    prefix("chronic", &[], 0, true),
    prefix("exec", &["-a"], 0, true),
    prefix(
        "sudo",
        &[
            "-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group", "--host",
            "--prompt", "--chdir",
        ],
        0,
        false,
    ),
    prefix("doas", &["-u", "-C"], 0, false),
    prefix("pkexec", &["--user", "-u"], 0, false),
    prefix("chroot", &[], 1, false),
    prefix("unshare", &["-S", "-G", "-R", "-w"], 0, false),
    prefix("nsenter", &["-t", "-S", "-G", "--target"], 0, false),
    prefix("strace", &["-e", "-o", "-p", "-s", "-u", "-E", "-P", "-a", "-O", "-S", "-X", "-b", "-I"], 0, false),
    prefix("ltrace", &["-e", "-o", "-p", "-s", "-u", "-a", "-n", "-x", "-l"], 0, false),
    prefix("taskset", &[], 1, false),
    prefix("chrt", &["-T", "-P", "-D"], 1, false),
    prefix("numactl", &[], 0, false),
    prefix("setpriv", &[], 0, false),
    prefix("systemd-run", &["-u", "-p", "-E", "-t", "-M", "-H"], 0, false),
    prefix("dbus-run-session", &[], 0, false),
    prefix("xvfb-run", &["-n", "-s", "-e", "-f", "-p", "-w"], 0, false),
    prefix("firejail", &[], 0, false),
    prefix("faketime", &["-f"], 1, false),
    prefix("busybox", &[], 0, false),
    prefix("toybox", &[], 0, false),
    prefix("watchexec", &["-w", "-e", "-i"], 0, false),
    prefix("entr", &[], 0, false),
    prefix("npx", &["-p", "--package"], 0, false),
];

/// Shells, which take a script with `-c`.
pub(super) const SHELLS: &[&str] = &["bash", "sh", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish"];

/// What a command runs; `None` where it runs nothing but itself. `words` starts with `program`, by its plain name.
pub(super) fn unwrap(program: &str, words: &[Word]) -> Option<Wrapped> {
    let args = words.get(1..).unwrap_or_default();
    if let Some(prefix) = PREFIXES.iter().find(|prefix| prefix.name == program) {
        return Some(one(after(args, prefix.valued, prefix.own), prefix.is_transparent));
    }
    let text = |at: usize| args.get(at).and_then(Word::text);
    let script = |words: &[Word]| Inner::Script(words.to_vec());
    let wrapped = |inner: Vec<Inner>, is_transparent| Some(Wrapped { inner, is_transparent, is_elsewhere: false });
    match program {
        "command" if matches!(text(0), Some("-v" | "-V")) => None,
        "command" => Some(one(after(args, &[], 0), true)),
        "env" => Some(env(args)),
        "eval" => wrapped(vec![script(args)], true),
        "trap" => match text(0) {
            Some("-p" | "-l" | "-" | "") => None,
            first => wrapped(
                args.get(usize::from(first == Some("--"))).map(|first| vec![script(std::slice::from_ref(first))])?,
                true,
            ),
        },
        "alias" => {
            let value = |word: &Word| match word.text() {
                Some(text) => text.split_once('=').map(|(_, value)| Inner::Script(vec![Word::known(value)])),
                None => Some(Inner::Unknown),
            };
            let inner = args.iter().filter_map(value).collect::<Vec<_>>();
            if inner.is_empty() { None } else { wrapped(inner, true) }
        }
        "xargs" => {
            let valued = [
                "-I",
                "-L",
                "-n",
                "-P",
                "-s",
                "-d",
                "-E",
                "-a",
                "--max-args",
                "--max-procs",
                "--replace",
                "--delimiter",
                "--arg-file",
            ];
            let mut found = one(after(args, &valued, 0), true);
            for inner in &mut found.inner {
                if let Inner::Words { words, more } = inner {
                    *more = true;
                    if words.is_empty() {
                        words.push(Word::known("echo"));
                    }
                    // What stands for an argument may stand in any word, also in that of the program.
                    let replaced = args.iter().any(|word| word.reading.start().starts_with("-I"));
                    if replaced
                        && words
                            .first()
                            .is_some_and(|word| word.text().is_none_or(|text| text.contains(['{', '%', '@'])))
                    {
                        *inner = Inner::Unknown;
                    }
                }
            }
            Some(found)
        }
        "parallel" => wrapped(vec![Inner::Unknown], false),
        "find" | "fd" | "fdfind" => {
            let inner = executed(args, program == "find");
            if inner.is_empty() { None } else { wrapped(inner, false) }
        }
        "su" | "runuser" | "script" | "flock" => {
            let at = args.iter().position(|word| matches!(word.text(), Some("-c" | "--command")));
            match at {
                Some(at) => wrapped(args.get(at + 1).map(|word| vec![script(std::slice::from_ref(word))])?, false),
                None if program == "flock" => Some(one(after(args, &["-w", "-E"], 1), false)),
                None => None,
            }
        }
        "watch" => Some(Wrapped {
            inner: vec![match after(args, &["-n", "--interval", "-d"], 0) {
                Inner::Words { words, .. } => Inner::Script(words),
                other => other,
            }],
            is_transparent: false,
            is_elsewhere: false,
        }),
        "ssh" => {
            let valued = [
                "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q", "-R",
                "-S", "-W", "-w",
            ];
            let inner = match after(args, &valued, 1) {
                Inner::Words { words, .. } if words.is_empty() => return None,
                Inner::Words { words, .. } => Inner::Script(words),
                other => other,
            };
            Some(Wrapped { inner: vec![inner], is_transparent: false, is_elsewhere: true })
        }
        _ => None,
    }
}

fn one(inner: Inner, is_transparent: bool) -> Wrapped {
    Wrapped { inner: vec![inner], is_transparent, is_elsewhere: false }
}

/// The command after options and words of its own.
fn after(args: &[Word], valued: &[&str], own: usize) -> Inner {
    let mut rest = args;
    while let [word, tail @ ..] = rest {
        let Some(text) = word.text() else {
            if word.reading.start().starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/' || c == '.') {
                break;
            }
            return Inner::Unknown;
        };
        if text == "--" {
            rest = tail;
            break;
        }
        if !text.starts_with('-') && !is_assignment(text) {
            break;
        }
        rest = if valued.contains(&text) { tail.get(1..).unwrap_or_default() } else { tail };
    }
    if rest.iter().take(own).any(|word| word.splits) {
        return Inner::Unknown;
    }
    Inner::Words { words: rest.get(own..).unwrap_or_default().to_vec(), more: false }
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
    })
}

/// `env`: with variables that are known to change nothing of a program, nothing but the command is left.
fn env(args: &[Word]) -> Wrapped {
    let is_split = |word: &Word| {
        let start = word.reading.start();
        start.starts_with("-S")
            || start.starts_with("--split")
            || start.starts_with('-') && start.contains('S') && !start.starts_with("--")
    };
    if let Some(at) = args.iter().position(is_split) {
        let rest = args.get(at + 1..).unwrap_or_default();
        let own = args[at]
            .text()
            .map(|text| text.trim_start_matches("--split-string=").trim_start_matches("-vS").trim_start_matches("-S"));
        let own = own.map(Word::known);
        let words = own.into_iter().filter(|word| word.text() != Some("") && word.text() != Some("--split-string"));
        return one(Inner::Script(words.chain(rest.iter().cloned()).collect()), false);
    }
    let valued = ["-u", "-C", "--unset", "--chdir"];
    let mut set = args.iter().take_while(|word| {
        word.reading.start().starts_with('-') || word.reading.start().contains('=') || word.text().is_none()
    });
    let is_plain = set.all(|word| {
        word.text().is_some_and(|text| text.split_once('=').is_some_and(|(name, _)| is_harmless_variable(name)))
    });
    let inner = after(args, &valued, 0);
    let is_bare = matches!(&inner, Inner::Words { words, .. } if words.is_empty());
    if is_bare {
        return one(inner, false);
    }
    one(inner, is_plain)
}

/// What `find` runs: all between `-exec` and `;` or `+`. `fd` begins with a pattern, and adds what it found at the end.
fn executed(args: &[Word], is_find: bool) -> Vec<Inner> {
    // What is found is in one of the folders that it starts from.
    let starts = args.iter().take_while(|word| is_find && !word.reading.start().starts_with(['-', '(', '!']));
    let mut starts = starts.cloned().collect::<Vec<_>>();
    if starts.is_empty() && is_find {
        starts.push(Word::known("."));
    }
    let starts: Arc<[Word]> = starts.into();
    let mut inner = Vec::new();
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        match word.text() {
            Some("-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch") => {
                let words = rest.by_ref().take_while(|word| !matches!(word.text(), Some(";" | "+")));
                let mut has_place = is_find;
                let found = words.map(|word| match word.text() {
                    Some(text) if text.contains('{') => {
                        has_place = true;
                        let reading = Reading::known(text.split('{').next().unwrap_or_default());
                        Word {
                            source: text.to_owned(),
                            reading: reading.then_anything(),
                            choices: if text == "{}" { starts.clone() } else { Arc::default() },
                            is_below: text == "{}" && is_find,
                            ..Word::default()
                        }
                    }
                    _ => word.clone(),
                });
                let words = found.collect();
                inner.push(Inner::Words { words, more: !has_place });
            }
            Some(_) => {}
            // It may be such an option.
            None if word.reading.start().is_empty() && !word.is_glob => inner.push(Inner::Unknown),
            None => {}
        }
    }
    inner
}

/// Variables that only change what a program says, not what it does.
pub(super) fn is_harmless_variable(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "RUST_LOG",
        "RUST_BACKTRACE",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "CI",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TERM",
        "COLUMNS",
        "LINES",
        "DEBUG",
        "NODE_ENV",
        "CARGO_TERM_COLOR",
        "PYTHONUNBUFFERED",
        "PYTHONDONTWRITEBYTECODE",
    ];
    NAMES.contains(&name) || name.starts_with("LC_")
}

/// Variables that change what the commands after them are, or do, without being exported first.
pub(super) fn is_special_variable(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "PATH",
        "IFS",
        "ENV",
        "SHELLOPTS",
        "BASHOPTS",
        "PS4",
        "PROMPT_COMMAND",
        "HOME",
        "CDPATH",
        "GLOBIGNORE",
        "PAGER",
        "EDITOR",
        "VISUAL",
        "BROWSER",
        "MAKEFLAGS",
        "TMPDIR",
        "SHELL",
        "PWD",
        "OLDPWD",
        "EXECIGNORE",
    ];
    let families = [
        "LD_", "DYLD_", "BASH_", "GIT_", "CARGO_", "RUST", "PYTHON", "PERL", "RUBY", "NODE_", "NPM_", "npm_", "JAVA_",
        "SSH_",
    ];
    NAMES.contains(&name) || families.iter().any(|family| name.starts_with(family)) && !is_harmless_variable(name)
}
