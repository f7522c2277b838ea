//! By which other words a command goes, for rules that are written in them.

use std::borrow::Cow;

use tool_core::permission::Reading;

use super::{arity, invoke::Invocation, opaque, render, word::Word, wrapper::SHELLS};

/// As many arguments are looked at as the start of a command.
const MOST_SUFFIXES: usize = 24;

/// As many words are compared from where a command may start.
const MOST_WORDS: usize = 64;

/// The command without the options before its own command: `git -C x push` is `git push`.
pub(super) fn without_options(program: &str, words: &[Word], more: bool) -> Vec<Reading> {
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
pub(super) fn flags_in_order(program: &str, words: &[Word]) -> Vec<Reading> {
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
pub(super) fn suffixes(words: &[Word], more: bool) -> Vec<Reading> {
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
pub(super) fn always(of: &Invocation, texts: &[Option<&str>], text: &str) -> Option<String> {
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
