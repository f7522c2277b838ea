//! One command: what it is called, what it runs in turn, what it touches.

use std::borrow::Cow;

use tool_core::permission::Reading;

use super::{
    analysis::{Harm, Invoked, When},
    effect::{self, Access},
    opaque, readings,
    redirect::{Redirects, Stdin},
    render, safety,
    shell::{self, Shell},
    walk::Walk,
    word::Word,
    wrapper::{self, Inner, SHELLS, Wrapped},
};

/// How many commands may run each other: `nohup nice timeout 5 …`.
const MOST_WRAPPED: usize = 16;

/// As many bytes of a command rules are held against; what comes after may be anything.
const LONGEST: usize = 4 * 1024;

/// The same of one that counts for all it runs, which may be many.
const LONGEST_AROUND: usize = 512;

/// Stands for files that are arguments which are not known.
const MORE: &str = "(files that are not known beforehand)";

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
        self.touch(&program, &of);
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
            match shell::runs(&of, self.is_fed) {
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
            has_code |= self.names_written(&of.words);
        }
        // A program that the script has just made, or given another's name.
        has_code |= path.contains('/') && self.writes(&path);
        has_code |= SHELLS.contains(&&*program) && self.names_written(&of.words);
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
                self.file(&to, Access::Read);
                self.step(to, When::IfThere);
                true
            }
            "popd" => {
                self.step(Word::unknown("popd"), When::Perhaps);
                true
            }
            _ => false,
        }
    }

    /// Whether an argument is a file that the script itself writes.
    fn names_written(&self, words: &[Word]) -> bool {
        words.iter().skip(1).filter_map(Word::text).any(|word| self.writes(word))
    }

    /// Takes note of the files that a command reads and writes. Where it gets more arguments it may write any; what is
    /// read that way is let pass, for it was found where somebody was let look.
    fn touch(&mut self, program: &str, of: &Invocation) {
        let mut words = Cow::Borrowed(&of.words);
        if of.more {
            words.to_mut().push(Word::unknown(MORE));
        }
        for (word, access) in effect::of(program, &words) {
            if access.writes() || !(of.more && word.source == MORE) {
                self.file(&word, access);
            }
        }
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
        if self.is_full() {
            // Asked about it is, whatever it is.
            return if is_transparent { self.around.push(Vec::new()) } else { self.add_rest() };
        }
        let all: Vec<Word> = of.set.iter().chain(&of.words).cloned().collect();
        let mut text = render::display(&all, of.more).0;
        let longest = if is_transparent { LONGEST_AROUND } else { LONGEST };
        let (all, _) = render::shortened(&all, of.more, longest);
        let (words, has_more) = render::shortened(&of.words, of.more, longest);
        let mut reading = render::display(&all, has_more).1;
        for output in &of.redirects.outputs {
            let (target, target_reading) = render::display(std::slice::from_ref(output), false);
            // It must not read as an argument.
            let mark = if target.starts_with('-') { " >" } else { " > " };
            text = format!("{text}{mark}{target}");
            reading = reading.then(mark).then_all(&target_reading);
        }
        let mut readings = vec![reading, render::plain(&words, has_more)];
        let is_known = program.is_some();
        if let Some(program) = program {
            let named = |words: &[Word]| {
                let words: Vec<Word> =
                    [Word::known(program)].into_iter().chain(words.iter().skip(1).cloned()).collect();
                render::plain(&words, has_more)
            };
            readings.push(named(&words));
            readings.extend(readings::without_options(program, &words, has_more));
            readings.extend(readings::flags_in_order(program, &words));
            if !opaque::runs_only_itself(program, &of.words) {
                readings.extend(readings::suffixes(&words, has_more));
            }
        }
        if program.is_none() && of.words.first().is_some_and(|word| word.source.contains('/')) {
            // Its name is behind the last slash, wherever that is.
            readings.push(Reading::anything().then(" ").then_all(&render::plain(&words[1..], has_more)));
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
        let always = (is_known && !is_fed_shell).then(|| readings::always(of, &texts, &text)).flatten();
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
