//! One command: what it is called, what it runs in turn, what it touches.

use std::borrow::Cow;

use tool_core::permission::Reading;

use super::{
    analysis::{Harm, Invoked, Step, When},
    arity, effect, opaque,
    redirect::{Redirects, Stdin},
    render, safety,
    walk::Walk,
    word::Word,
    wrapper::{self, Inner, SHELLS, Wrapped},
};

/// As many arguments are looked at as the start of a command.
const MOST_SUFFIXES: usize = 24;

/// How many commands may run each other: `nohup nice timeout 5 …`.
const MOST_WRAPPED: usize = 16;

/// As many words are compared from where a command may start.
const MOST_WORDS: usize = 64;

/// A command, and what stands around it.
#[derive(Default)]
pub(super) struct Invocation {
    pub(super) words: Vec<Word>,
    /// Variables that are set for it, but for harmless ones.
    pub(super) set: Vec<Word>,
    pub(super) redirects: Redirects,
    /// It gets more arguments, which are not known.
    pub(super) more: bool,
}

impl Walk {
    /// Adds what a text amounts to that runs nothing else.
    pub(super) fn plainly(&mut self, words: &[Word]) {
        let (text, reading) = render::display(words, false);
        let readings = vec![reading, render::plain(words, false)];
        self.add(Invoked { text, readings, always: None, harm: Harm::Unknown, once: false });
    }

    /// Adds a command, and those that it runs.
    pub(super) fn invoke(&mut self, of: Invocation) {
        let Some(first) = of.words.first() else { return };
        let Some(path) = first.text().map(str::to_owned) else {
            self.push(&of, None, &[], false);
            // Where it is no word at all, the next one is the program.
            if first.splits && of.words.len() > 1 {
                let words = of.words[1..].to_vec();
                let (_, reading) = render::display(&words, of.more);
                if let Some(last) = self.found.commands.last_mut() {
                    last.readings.push(reading.possibly());
                }
            }
            return;
        };
        let program = path.rsplit('/').next().unwrap_or(&path).to_owned();
        if path == program && self.moves(&program, &of.words) || is_quiet(&program, &of.words) {
            return;
        }
        for (word, access) in effect::of(&program, &of.words) {
            self.file(&word, access);
        }
        if matches!(
            &*program,
            "printf"
                | "read"
                | "let"
                | "test"
                | "["
                | "declare"
                | "export"
                | "unset"
                | "typeset"
                | "local"
                | "readonly"
        ) {
            for word in &of.words {
                let text = word.text().unwrap_or_default();
                if program != "printf" && (text.contains("$(") || text.contains('`'))
                    || program == "printf" && text == "-v"
                {
                    self.unreadable(&word.source);
                }
            }
        }
        let wrapped = wrapper::unwrap(&program, &of.words);
        let is_fed = self.is_fed || of.redirects.stdin != Stdin::Inherited;
        let mut has_code = opaque::has_code(&program, &of.words, is_fed);
        let mut is_transparent = wrapped.as_ref().is_some_and(|wrapped| wrapped.is_transparent) && of.set.is_empty();
        if SHELLS.contains(&&*program) {
            match shell(&of, self.is_fed) {
                Shell::Script(script) => {
                    is_transparent = of.set.is_empty();
                    let around = self.around.len();
                    self.run(&program, &of, is_transparent, has_code);
                    self.apart_script(&script);
                    self.around.truncate(around);
                    return;
                }
                Shell::Unknown => has_code = true,
                Shell::File => {}
            }
        }
        if matches!(&*program, "source" | ".") {
            let file = of.words.get(1).and_then(Word::text);
            has_code |= file.is_none_or(|file| file.starts_with("/dev/") || file.starts_with("/proc/"));
            has_code |= self.has_written(&of.words);
        }
        // A program that the script has just made, or given another's name.
        has_code |= self.is_written(&path) || SHELLS.contains(&&*program) && self.has_written(&of.words);
        let around = self.around.len();
        self.run(&program, &of, is_transparent, has_code);
        if let Some(wrapped) = wrapped {
            self.wrapped += 1;
            if self.wrapped > MOST_WRAPPED {
                self.unreadable(&render::display(&of.words, of.more).0);
            } else {
                self.inner(&program, &of, wrapped);
            }
            self.wrapped -= 1;
        }
        self.around.truncate(around);
    }

    /// What a command runs in turn.
    fn inner(&mut self, program: &str, of: &Invocation, wrapped: Wrapped) {
        let elsewhere = wrapped.is_elsewhere.then(|| std::mem::take(&mut self.found.commands));
        let files = self.found.files.len();
        for inner in wrapped.inner {
            match inner {
                Inner::Words { words, .. } if words.is_empty() && !of.more => {}
                Inner::Words { words, .. } if words.is_empty() => self.unreadable(&render::display(&of.words, true).0),
                Inner::Words { words, more } => {
                    let stdin = if program == "xargs" { Stdin::Given } else { of.redirects.stdin.clone() };
                    let redirects = Redirects { stdin, outputs: of.redirects.outputs.clone(), words: Vec::new() };
                    self.invoke(Invocation { words, set: Vec::new(), redirects, more: more || of.more });
                }
                Inner::Script(words) => {
                    let texts = words.iter().map(Word::text).collect::<Option<Vec<_>>>();
                    match texts {
                        Some(texts) => self.script(&texts.join(" ")),
                        None => self.unreadable(&words.iter().map(|word| &*word.source).collect::<Vec<_>>().join(" ")),
                    }
                }
                Inner::Unknown => self.unreadable(&render::display(&of.words, of.more).0),
            }
        }
        if let Some(here) = elsewhere {
            self.found.files.truncate(files);
            let there = std::mem::replace(&mut self.found.commands, here);
            if let Some(outer) = self.found.commands.last_mut() {
                outer.readings.extend(there.into_iter().flat_map(|invoked| invoked.readings));
            }
        }
    }

    fn apart_script(&mut self, script: &str) {
        let steps = self.steps.clone();
        self.script(script);
        self.steps = steps;
    }

    /// `cd` and its kin: no command to ask about, but a way to where paths start from (opencode).
    fn moves(&mut self, program: &str, words: &[Word]) -> bool {
        let mut operands = words
            .iter()
            .skip(1)
            .filter(|word| !word.text().is_some_and(|text| text.starts_with('-') && text.len() > 1));
        match program {
            "cd" | "chdir" | "pushd" => {
                let to = match operands.next() {
                    Some(word) if word.text() == Some("-") => Word::unknown("-"),
                    Some(word) => word.clone(),
                    None => Word { has_tilde: true, ..Word::known("~") },
                };
                self.step(to);
                true
            }
            "popd" => {
                self.steps.push(Step { to: Word::unknown("popd"), when: When::Perhaps });
                true
            }
            _ => false,
        }
    }

    fn is_written(&self, path: &str) -> bool {
        let bare = |path: &str| path.trim_start_matches("./").to_owned();
        path.contains('/') && self.written.iter().any(|written| bare(written) == bare(path))
    }

    fn has_written(&self, words: &[Word]) -> bool {
        words.iter().skip(1).filter_map(Word::text).any(|word| {
            self.written.iter().any(|written| written.trim_start_matches("./") == word.trim_start_matches("./"))
        })
    }

    /// Adds the command itself: as one to be allowed, or, where what it runs is all that it does, so that what denies it
    /// counts.
    fn run(&mut self, program: &str, of: &Invocation, is_transparent: bool, has_code: bool) {
        let mut more = Vec::new();
        if has_code {
            more.push(Reading::anything().possibly());
        }
        self.push(of, Some(program), &more, is_transparent);
    }

    fn push(&mut self, of: &Invocation, program: Option<&str>, more: &[Reading], is_transparent: bool) {
        let all: Vec<Word> = of.set.iter().chain(&of.words).cloned().collect();
        let (mut text, mut reading) = render::display(&all, of.more);
        for output in &of.redirects.outputs {
            let (target, target_reading) = render::display(std::slice::from_ref(output), false);
            // It must not read as an argument.
            let mark = if target.starts_with('-') { " >" } else { " > " };
            text = format!("{text}{mark}{target}");
            reading = reading.then(mark).then_all(&target_reading);
        }
        let mut readings = vec![reading, render::plain(&of.words, of.more)];
        let is_known = program.is_some();
        if let Some(program) = program {
            let named = |words: &[Word]| {
                let words: Vec<Word> =
                    [Word::known(program)].into_iter().chain(words.iter().skip(1).cloned()).collect();
                render::plain(&words, of.more)
            };
            readings.push(named(&of.words));
            readings.extend(without_options(program, &of.words, of.more));
            readings.extend(flags_in_order(program, &of.words));
            if !opaque::runs_only_itself(program, &of.words) {
                readings.extend(suffixes(&of.words, of.more));
            }
        }
        if program.is_none() && of.words.first().is_some_and(|word| word.source.contains('/')) {
            // Its name is behind the last slash, wherever that is.
            readings.push(Reading::anything().then(" ").then_all(&render::plain(&of.words[1..], of.more)));
            readings.push(Reading::anything());
        }
        readings.extend(more.iter().cloned());
        let mut distinct: Vec<Reading> = Vec::with_capacity(readings.len());
        for reading in readings {
            if !distinct.contains(&reading) {
                distinct.push(reading);
            }
        }
        if is_transparent {
            // Nothing of it has to be allowed, but what denies it counts for what it runs.
            self.around.push(distinct);
            return;
        }
        let is_fed_shell = !more.is_empty() && program.is_some_and(|program| SHELLS.contains(&program));
        let texts = of.words.iter().map(Word::text).collect::<Vec<_>>();
        let known = texts.iter().copied().collect::<Option<Vec<_>>>();
        let is_plain = of.set.is_empty() && of.redirects.outputs.is_empty() && !of.more;
        let harm = match &known {
            _ if safety::is_dangerous(&with_name(program, &texts)) => Harm::Danger,
            Some(words) if is_plain && safety::is_harmless(words) => Harm::None,
            _ if is_fed_shell => Harm::Danger,
            _ => Harm::Unknown,
        };
        let always = (is_known && !is_fed_shell).then(|| always(of, &texts, &text)).flatten();
        self.add(Invoked { text, readings: distinct, always, harm, once: !is_known || is_fed_shell });
    }
}

fn with_name<'w>(program: Option<&'w str>, texts: &[Option<&'w str>]) -> Vec<Option<&'w str>> {
    [program].into_iter().chain(texts.iter().skip(1).copied()).collect()
}

/// Shells' own words that change nothing outside it: `set -e`, `:`.
fn is_quiet(program: &str, words: &[Word]) -> bool {
    let is_plain = |word: &Word| {
        let text = word.text().unwrap_or("?");
        text == "pipefail"
            || text.strip_prefix(['-', '+']).is_some_and(|flags| flags.chars().all(|c| "euxo".contains(c)))
    };
    program == "set" && words.len() > 1 && words.iter().skip(1).all(is_plain)
}

/// What a shell runs.
enum Shell {
    Script(String),
    File,
    Unknown,
}

fn shell(of: &Invocation, is_fed: bool) -> Shell {
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

/// The command without the options before its own command: `git -C x push` is `git push`.
fn without_options(program: &str, words: &[Word], more: bool) -> Vec<Reading> {
    if !arity::has_subcommands(program) {
        return Vec::new();
    }
    let args = words.get(1..).unwrap_or_default();
    let from = |at: usize| {
        let words: Vec<Word> =
            [Word::known(program)].into_iter().chain(args.get(at..).unwrap_or_default().iter().cloned()).collect();
        render::plain(&words, more)
    };
    if program == "git" {
        return opaque::git_command(args).filter(|at| *at > 0).map(from).into_iter().collect();
    }
    let is_option = |word: &Word| word.reading.start().starts_with(['-', '+']);
    let mut readings = Vec::new();
    for (at, word) in args.iter().enumerate().take(MOST_SUFFIXES) {
        if !is_option(word) && !at.checked_sub(1).and_then(|at| args.get(at)).is_some_and(is_option) {
            break;
        }
        readings.push(from(at + 1).possibly());
    }
    readings
}

/// `rm` with its options in the orders that rules may be written in.
fn flags_in_order(program: &str, words: &[Word]) -> Vec<Reading> {
    if program != "rm" {
        return Vec::new();
    }
    let (mut recursive, mut force) = (false, false);
    let mut others = Vec::new();
    let mut options_end = false;
    for word in words.iter().skip(1) {
        match word.text() {
            Some("--") => options_end = true,
            Some("--recursive") if !options_end => recursive = true,
            Some("--force") if !options_end => force = true,
            Some(text) if !options_end && text.starts_with('-') && !text.starts_with("--") && text.len() > 1 => {
                recursive |= text.contains(['r', 'R']);
                force |= text.contains('f');
            }
            _ => others.push(word.clone()),
        }
    }
    let orders: &[&[&str]] = match (recursive, force) {
        (true, true) => &[&["-rf"], &["-fr"], &["-Rf"], &["-fR"], &["-r", "-f"], &["-f", "-r"]],
        (true, false) => &[&["-r"], &["-R"], &["--recursive"]],
        (false, true) => &[&["-f"], &["--force"]],
        (false, false) => &[],
    };
    let of = |order: &&[&str]| {
        let words: Vec<Word> =
            ["rm"].iter().chain(*order).map(|word| Word::known(*word)).chain(others.clone()).collect();
        render::plain(&words, false)
    };
    orders.iter().map(of).collect()
}

/// What a program of which nobody knows whether it runs its arguments would run.
fn suffixes(words: &[Word], more: bool) -> Vec<Reading> {
    let from = |at: usize| {
        let end = words.len().min(at + MOST_WORDS);
        let more = more || end < words.len();
        let mut words: Vec<Word> = words[at..end].to_vec();
        if let Some(name) =
            words[0].text().and_then(|text| text.split_once(' ').map_or(text, |(first, _)| first).rsplit('/').next())
        {
            let rest = words[0].text().and_then(|text| text.split_once(' ')).map(|(_, rest)| rest);
            words[0] = Word::known(rest.map_or(name.to_owned(), |rest| format!("{name} {rest}")));
        }
        render::plain(&words, more).possibly()
    };
    (1..words.len().min(MOST_SUFFIXES)).map(from).collect()
}

/// What "always" allows: opencode's prefix; for programs that can be any other, the very command.
fn always(of: &Invocation, texts: &[Option<&str>], text: &str) -> Option<String> {
    const ANY: &[&str] = &[
        "sudo", "doas", "env", "xargs", "eval", "ssh", "find", "su", "exec", "command", "python", "python3", "node",
        "perl", "ruby", "php", "lua",
    ];
    let is_plain = |word: &str| !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || "*?\"'".contains(c));
    let known = texts.iter().copied().map_while(|word| word.filter(|word| is_plain(word))).collect::<Vec<_>>();
    let name = known.first()?.rsplit('/').next()?;
    if !of.set.is_empty() || ANY.contains(&name) || SHELLS.contains(&name) {
        return (!text.contains(['*', '?', '\\']) && texts.iter().all(Option::is_some)).then(|| text.to_owned());
    }
    let prefix: Vec<Cow<'_, str>> = known.iter().take(arity::of(&known)).map(|word| Cow::Borrowed(*word)).collect();
    Some(format!("{} *", prefix.join(" ")))
}
