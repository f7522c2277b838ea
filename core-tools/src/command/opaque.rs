//! Where the line is: text in a command that is a program in another language, and programs of which nobody knows whether
//! they run their arguments.
//!
//! Code on the command line (`python -c`, `awk 'BEGIN{system(…)}'`, a macro of an editor) is not read: such a command may
//! be any, and is asked about wherever a rule denies or asks what it may turn out to be. What stands in a file (a script,
//! a makefile) is not looked at: it is a program like any other.

use super::{arity, word::Word};

/// They run code that an option gives them.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("perl", &["-e", "-E", "-n", "-p", "-M"]),
    ("ruby", &["-e", "-r"]),
    ("node", &["-e", "-p", "--eval", "--print", "-r", "--require", "--import"]),
    ("bun", &["-e", "--eval", "-p", "--print"]),
    ("deno", &["eval"]),
    ("php", &["-r", "-B", "-R", "-E"]),
    ("lua", &["-e"]),
    ("Rscript", &["-e"]),
    ("osascript", &["-e"]),
    ("pwsh", &["-c", "-Command", "-EncodedCommand"]),
    ("julia", &["-e", "-E"]),
    ("ghci", &["-e"]),
    ("elixir", &["-e"]),
    ("tclsh", &[]),
    ("expect", &["-c"]),
    ("gdb", &["-ex", "-x", "--eval-command"]),
    ("vim", &["-c", "+", "--cmd", "-S", "-s"]),
    ("vi", &["-c", "+", "--cmd", "-S", "-s"]),
    ("nvim", &["-c", "+", "--cmd", "-S", "-s"]),
    ("ex", &["-c", "+", "-s"]),
    ("ed", &["-s"]),
    ("emacs", &["--eval", "-f", "--batch"]),
    ("make", &["--eval", "-f", "SHELL="]),
    (
        "tar",
        &[
            "--to-command",
            "--checkpoint-action",
            "-I",
            "--use-compress-program",
            "--rsh-command",
            "-F",
            "--info-script",
        ],
    ),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("scp", &["-S", "-o"]),
    ("ssh", &["-o"]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("bind", &["-x"]),
    ("complete", &["-C", "-F"]),
    ("compgen", &["-C", "-F"]),
    ("mapfile", &["-C"]),
    ("readarray", &["-C"]),
    ("enable", &["-f"]),
    ("hash", &["-p"]),
    ("zip", &["-T", "-TT", "--unzip-command"]),
    ("man", &["-P", "--pager", "-H"]),
    ("fzf", &["--preview", "--bind"]),
    ("sqlite3", &["-cmd"]),
    ("psql", &["-c", "--command"]),
    (
        "tmux",
        &[
            "new",
            "new-session",
            "new-window",
            "split-window",
            "send-keys",
            "run-shell",
            "if-shell",
            "neww",
            "splitw",
            "send",
        ],
    ),
    ("screen", &["-X", "-S", "-dm", "-d"]),
    ("crontab", &[]),
    ("at", &[]),
    ("batch", &[]),
];

/// They run a shell that reads stdin, where they are given no command; whether they are is not looked into.
const SHELLS_OF_OTHERS: &[&str] = &[
    "su", "runuser", "script", "newgrp", "sg", "capsh", "setarch", "linux32", "linux64", "x86_64", "i386", "chroot",
    "unshare", "nsenter", "sudo", "firejail",
];

/// Whether a command has code in it that is not read here.
pub(super) fn has_code(program: &str, words: &[Word], stdin_is_given: bool) -> bool {
    let args = words.get(1..).unwrap_or_default();
    let starts = |option: &&str| {
        args.iter().any(|word| {
            let start = word.reading.start();
            if option.len() == 2 && option.starts_with('-') {
                // A cluster of short options: `perl -ne`.
                start.starts_with('-') && !start.starts_with("--") && start.contains(&option[1..])
            } else {
                start.starts_with(*option)
            }
        })
    };
    if program.starts_with("python") || program.starts_with("pypy") {
        return starts(&"-c") || reads_stdin(args, stdin_is_given);
    }
    match program {
        "awk" | "gawk" | "mawk" | "nawk" | "sed" | "gsed" if stdin_is_given && takes_stdin_for_a_file(args) => true,
        "awk" | "gawk" | "mawk" | "nawk" => awk_runs(args),
        "sed" | "gsed" => args.iter().any(|word| !word.is_glob && sed_runs(word)),
        "git" => git_runs(args),
        program if stdin_is_given && SHELLS_OF_OTHERS.contains(&program) => true,
        "perl" | "ruby" | "node" | "php" | "lua" if reads_stdin(args, stdin_is_given) => true,
        "crontab" | "at" | "batch" | "tclsh" | "ed" | "ex" | "bc" | "sqlite3" | "psql" | "mysql" if stdin_is_given => {
            program != "bc"
        }
        program => INTERPRETERS.iter().any(|(name, options)| *name == program && options.iter().any(&starts)),
    }
}

fn reads_stdin(args: &[Word], stdin_is_given: bool) -> bool {
    stdin_is_given && args.iter().all(|word| word.reading.start().starts_with('-'))
}

/// Whether a program may come from stdin by the name of a file: `sed -f /dev/stdin`.
fn takes_stdin_for_a_file(args: &[Word]) -> bool {
    let starts = |with: &[&str]| args.iter().any(|word| with.iter().any(|with| word.reading.start().starts_with(with)));
    starts(&["-f", "--file", "-E", "--exec"])
        && (starts(&["/dev/", "/proc/", "-f/", "-f-", "--file=/", "--file=-"])
            || args.iter().any(|word| word.text() == Some("-")))
}

/// Whether an awk program may run commands.
fn awk_runs(args: &[Word]) -> bool {
    let runs = |word: &Word| match word.text() {
        Some(text) => {
            text.contains("system")
                || text.contains("getline")
                || text.replace("||", "").contains('|')
                || text.contains('@')
        }
        None => !word.is_glob && word.reading.start().is_empty(),
    };
    args.iter().any(|word| matches!(word.text(), Some("-l" | "-i" | "--load" | "--include"))) || args.iter().any(runs)
}

/// Whether a sed script may run commands: `e`, or a flag of that name.
fn sed_runs(word: &Word) -> bool {
    let Some(text) = word.text() else { return word.reading.start().is_empty() };
    if text.starts_with('-') && !text.starts_with("-e") && !text.starts_with("--expression") {
        return false;
    }
    let script = text.trim_start_matches("--expression=").trim_start_matches("-e");
    script.split(['\n', ';', '}', '{']).any(|part| {
        let part = part.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || ",$!+~ ".contains(c));
        let part = match part.strip_prefix('/').and_then(|rest| rest.split_once('/')) {
            Some((_, after)) => after.trim_start_matches([' ', '!', 'I', ',']),
            None => part,
        };
        match part.chars().next() {
            Some('e') => part[1..].starts_with([' ', '\t']) || part.len() == 1,
            Some('s') => {
                let mut rest = part[1..].chars();
                let Some(mark) = rest.next() else { return false };
                let flags = rest.as_str().rsplit(mark).next().unwrap_or_default();
                !mark.is_alphanumeric()
                    && flags.chars().all(|c| "gpIiMmew0123456789 ".contains(c))
                    && flags.contains('e')
            }
            _ => false,
        }
    })
}

/// Whether a git command may run programs that it names itself.
fn git_runs(args: &[Word]) -> bool {
    let texts = args.iter().map(|word| word.text().unwrap_or_default()).collect::<Vec<_>>();
    let command = texts.iter().position(|text| !text.starts_with('-') && !text.is_empty());
    let before = &texts[..command.unwrap_or(texts.len())];
    let has = |options: &[&str]| texts.iter().any(|text| options.iter().any(|option| text.starts_with(option)));
    before.iter().any(|text| *text == "-c" || text.starts_with("--config-env") || text.starts_with("--exec-path="))
        || match git_command(args).and_then(|at| texts.get(at).copied()) {
            Some("rebase") => has(&["-x", "--exec"]),
            Some("bisect") => texts.contains(&"run"),
            Some("submodule") => texts.contains(&"foreach"),
            Some("filter-branch") => true,
            Some("difftool" | "mergetool") => has(&["-x", "--extcmd"]),
            Some("config") => {
                texts.iter().any(|text| text.contains('!') || text.contains("alias") || text.starts_with("core."))
            }
            Some("clone" | "fetch" | "pull" | "push" | "ls-remote") => {
                has(&["--upload-pack", "--receive-pack", "--exec", "-u", "ext::"]) && !texts.contains(&"push")
                    || has(&["--upload-pack", "--receive-pack", "--exec", "ext::"])
            }
            Some("grep") => has(&["-O", "--open-files-in-pager"]),
            _ => false,
        }
}

/// Where the command of a git command stands among the words after `git`: behind the options and their values.
pub(super) fn git_command(args: &[Word]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = args.get(at) {
        match word.text() {
            Some(
                "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--super-prefix"
                | "--config-env" | "--attr-source",
            ) => at += 2,
            Some(option) if option.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
    None
}

/// Whether none of a program's arguments is a command that it would run.
pub(super) fn runs_only_itself(program: &str, words: &[Word]) -> bool {
    const KNOWN: &[&str] = &[
        ".",
        ":",
        "[",
        "awk",
        "base64",
        "basename",
        "bc",
        "cat",
        "cd",
        "chgrp",
        "chmod",
        "chown",
        "clear",
        "cmp",
        "column",
        "comm",
        "cp",
        "curl",
        "cut",
        "date",
        "dd",
        "declare",
        "df",
        "diff",
        "dirname",
        "du",
        "echo",
        "egrep",
        "exit",
        "export",
        "expr",
        "false",
        "fd",
        "fgrep",
        "file",
        "find",
        "fold",
        "free",
        "g++",
        "gcc",
        "getent",
        "grep",
        "groups",
        "gunzip",
        "gzip",
        "head",
        "hostname",
        "id",
        "install",
        "jobs",
        "join",
        "jq",
        "kill",
        "killall",
        "ldd",
        "ln",
        "local",
        "ls",
        "lsof",
        "md5sum",
        "mkdir",
        "mkfifo",
        "mktemp",
        "mv",
        "nl",
        "node",
        "nproc",
        "od",
        "paste",
        "patch",
        "perl",
        "pgrep",
        "pkill",
        "printenv",
        "printf",
        "ps",
        "pwd",
        "pytest",
        "python3",
        "readlink",
        "realpath",
        "return",
        "rev",
        "rg",
        "rm",
        "rmdir",
        "ruby",
        "rustc",
        "sed",
        "seq",
        "set",
        "sha256sum",
        "shred",
        "sleep",
        "sort",
        "source",
        "split",
        "stat",
        "strings",
        "tac",
        "tail",
        "tar",
        "tee",
        "test",
        "touch",
        "tr",
        "tree",
        "true",
        "truncate",
        "tsc",
        "type",
        "umask",
        "uname",
        "uniq",
        "unlink",
        "unset",
        "unzip",
        "uptime",
        "wait",
        "wc",
        "wget",
        "which",
        "who",
        "whoami",
        "xxd",
        "yes",
        "yq",
        "zip",
        "eslint",
        "prettier",
        "ruff",
        "black",
        "mypy",
        "gofmt",
        "rustfmt",
        "clang",
        "cc",
        "ld",
        "nm",
        "javac",
        "java",
        "less",
        "more",
        "shift",
        "read",
        "let",
        "trap",
        "alias",
        "eval",
        "times",
        "ulimit",
        "kubectx",
        "sqlite3",
        "vim",
        "vi",
    ];
    const RUN: &[&str] = &[
        "exec", "run", "x", "dlx", "ssh", "shell", "foreach", "compose", "debug", "attach", "start", "new", "develop",
    ];
    if arity::has_subcommands(program) {
        return !words.iter().skip(1).take(4).filter_map(Word::text).any(|word| RUN.contains(&word));
    }
    KNOWN.contains(&program)
}
