//! Which files a command reads and writes by its arguments, for commands that are known.

use super::word::Word;

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Access {
    /// It is read, listed or looked at.
    Read,
    /// It is made, changed or removed.
    Write,
    /// The same, and where it is a directory, anything in it.
    WriteBelow,
}

impl Access {
    /// Whether it is more than a look.
    pub(super) fn writes(self) -> bool {
        self != Self::Read
    }
}

/// They read what is named.
const READ: &[&str] = &[
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "wc",
    "nl",
    "tac",
    "rev",
    "od",
    "xxd",
    "hexdump",
    "strings",
    "file",
    "stat",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "base64",
    "diff",
    "cmp",
    "ls",
    "dir",
    "tree",
    "du",
    "readlink",
    "realpath",
    "cut",
    "paste",
    "uniq",
    "sort",
    "source",
    ".",
];

/// They write what is named.
const WRITE: &[&str] = &["rmdir", "mkdir", "touch", "tee", "shred", "unlink", "mkfifo", "truncate", "gzip", "gunzip"];

/// They write what is named after a first word that is something else: a mode, an owner.
const WRITE_AFTER_ONE: &[&str] = &["chmod", "chown", "chgrp"];

/// They read all but the last, which they write.
const COPY: &[&str] = &["cp", "install", "ln", "rsync", "scp"];

/// Options with a value that is no file, of any of those: `head -n 5`.
fn takes_value(program: &str, option: &str) -> bool {
    match program {
        "head" | "tail" => matches!(option, "-n" | "-c" | "--lines" | "--bytes"),
        "cut" => matches!(option, "-d" | "-f" | "-c" | "-b"),
        "sort" => matches!(option, "-k" | "-t" | "-S" | "-T"),
        "mkdir" | "mkfifo" | "install" => matches!(option, "-m" | "-o" | "-g"),
        "truncate" => matches!(option, "-s"),
        "du" => matches!(option, "-d"),
        "tree" => matches!(option, "-L" | "-I" | "-P"),
        "touch" => matches!(option, "-d" | "-t"),
        "stat" => matches!(option, "-c" | "-f"),
        "paste" => matches!(option, "-d"),
        "sed" => matches!(option, "-l"),
        _ => false,
    }
}

/// The files, with what is done to them. `words` starts with the program's name.
pub(super) fn of<'w>(program: &str, words: &'w [Word]) -> Vec<(std::borrow::Cow<'w, Word>, Access)> {
    use Access::{Read, Write, WriteBelow};
    use std::borrow::Cow::{Borrowed, Owned};

    let args = words.get(1..).unwrap_or_default();
    let operands = operands(program, args);
    let all = |access| operands.iter().map(|word| (Borrowed(*word), access)).collect::<Vec<_>>();
    let valued = |name: &str| value(args, name);
    match program {
        "sort" => {
            let output = valued("-o").or_else(|| valued("--output")).map(|word| (Owned(word), Write));
            all(Read).into_iter().chain(output).collect()
        }
        "uniq" => {
            let of = |(at, word): (usize, &&'w Word)| (Borrowed(*word), if at == 1 { Write } else { Read });
            operands.iter().enumerate().map(of).collect()
        }
        program if READ.contains(&program) => all(Read),
        program if WRITE.contains(&program) => all(Write),
        "rm" => all(WriteBelow),
        program if WRITE_AFTER_ONE.contains(&program) => all(WriteBelow).into_iter().skip(1).collect(),
        "mv" => {
            let target = valued("-t").or_else(|| valued("--target-directory")).map(|word| (Owned(word), WriteBelow));
            all(WriteBelow).into_iter().chain(target).collect()
        }
        program if COPY.contains(&program) => {
            if let Some(target) = valued("-t").or_else(|| valued("--target-directory")) {
                return all(Read).into_iter().chain([(Owned(target), WriteBelow)]).collect();
            }
            let last = operands.len().saturating_sub(1);
            let of = |(at, word): (usize, &&'w Word)| (Borrowed(*word), if at == last { WriteBelow } else { Read });
            let is_remote = |word: &Word| word.text().is_some_and(|text| text.contains(':') && program != "cp");
            let all = operands.iter().enumerate().filter(|(_, word)| !is_remote(word));
            all.map(of).collect()
        }
        "dd" => args
            .iter()
            .filter_map(|word| {
                let of = word.after("of=").map(|file| (Owned(file), Write));
                of.or_else(|| word.after("if=").map(|file| (Owned(file), Read)))
            })
            .collect(),
        "sed" => {
            let is_in_place = |word: &Word| {
                let start = word.reading.start();
                start.starts_with("--in-place")
                    || start.starts_with('-') && !start.starts_with("--") && start.contains('i')
            };
            let access = if args.iter().any(is_in_place) { Write } else { Read };
            let has_script =
                args.iter().any(|word| ["-e", "-f", "--expression"].iter().any(|o| word.reading.start() == *o));
            all(access).into_iter().skip(usize::from(!has_script)).collect()
        }
        "grep" | "rg" | "egrep" | "fgrep" => all(Read).into_iter().skip(1).collect(),
        "find" => {
            let starts = args.iter().take_while(|word| !word.reading.start().starts_with(['-', '(', '!']));
            let access = if args.iter().any(|word| word.text() == Some("-delete")) { WriteBelow } else { Read };
            let lists = ["-fprint", "-fprint0", "-fprintf", "-fls"].iter().filter_map(|name| valued(name));
            starts.map(|word| (Borrowed(word), access)).chain(lists.map(|word| (Owned(word), Write))).collect()
        }
        "tar" => {
            let reads = valued("-C").map(|word| (Owned(word), WriteBelow));
            let file = valued("-f").map(|word| (Owned(word), Write));
            reads.into_iter().chain(file).collect()
        }
        "curl" => valued("-o").or_else(|| valued("--output")).map(|word| (Owned(word), Write)).into_iter().collect(),
        "wget" => ["-O", "-P", "--output-document", "--directory-prefix"]
            .iter()
            .filter_map(|name| valued(name))
            .map(|word| (Owned(word), Write))
            .collect(),
        "git" => valued("-C").map(|word| (Owned(word), Write)).into_iter().collect(),
        "make" => valued("-C").map(|word| (Owned(word), Write)).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The words that are no options, nor values of them.
fn operands<'w>(program: &str, args: &'w [Word]) -> Vec<&'w Word> {
    let mut found = Vec::new();
    let mut rest = args.iter();
    let mut options_end = false;
    while let Some(word) = rest.next() {
        let start = word.reading.start();
        if options_end || !start.starts_with('-') || start == "-" && word.text().is_some() {
            if word.text() != Some("-") {
                found.push(word);
            }
        } else if word.text() == Some("--") {
            options_end = true;
        } else if word.text().is_some_and(|option| takes_value(program, option)) {
            rest.next();
        }
    }
    found
}

/// The value of an option: the next word, or the rest of its own.
fn value(args: &[Word], name: &str) -> Option<Word> {
    args.iter().enumerate().find_map(|(at, word)| {
        if word.text() == Some(name) {
            return args.get(at + 1).cloned();
        }
        if name.starts_with("--") { word.after(&format!("{name}=")) } else { word.after(name) }
    })
}
