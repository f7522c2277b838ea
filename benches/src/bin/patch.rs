//! A patch of 200 hunks in a file of 200,000 lines, beside the programs that do the same.
//!
//! Wall time, the median of some rounds, each on a fresh copy of the file. The tool is called through the public executor,
//! from JSON text to the answer, the file written and synced; the programs are started, which is a part of what they
//! cost, and sync nothing. That all make the same file is asserted.

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use core_tools::{
    ApplyPatchTool,
    apply_patch::{parse::parse, patch::Action, update::update},
};
use tokio::runtime::Runtime;
use tool_core::{permission::Ruleset, prelude::*};

const LINES: usize = 200_000;
const HUNKS: usize = 200;
const ROUNDS: usize = 15;

/// How the lines of the file are written in the patch.
#[derive(Clone, Copy, PartialEq)]
enum Written {
    /// As they are.
    Exactly,
    /// With blanks behind each: every hunk takes the second pass.
    WithBlanks,
    /// With other indentation: the third.
    Indented,
}

fn main() {
    let (old, new) = files();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().expect("a runtime");
    println!("{HUNKS} hunks in {LINES} lines, {:.1} MB\n", old.len() as f64 / 1e6);
    println!("| what | ms |");
    println!("|---|---:|");
    for (name, written) in [
        ("exact", Written::Exactly),
        ("blanks behind lines", Written::WithBlanks),
        ("other indentation", Written::Indented),
    ] {
        let text = codex_patch(written);
        let expected = (written != Written::Indented).then_some(&new);
        println!("| places found and bytes made, {name} | {:.1} |", in_memory(&old, &text, expected));
        println!("| `apply_patch`, {name} | {:.1} |", tool(&runtime, &old, &text, expected));
    }
    let diff = unified(&old, &new);
    println!("| `apply_patch`, the same as a unified diff | {:.1} |", tool(&runtime, &old, &diff, Some(&new)));
    for (name, arguments) in [("git", &["apply", "-"][..]), ("patch", &["-s", "-p1"])] {
        match program(name, arguments, &old, &new, &diff) {
            Some(time) => println!("| `{name} {}` | {time:.1} |", arguments.join(" ")),
            None => println!("| `{name}` | not here |"),
        }
    }
}

fn line(number: usize) -> String {
    // Every third line stands in many places, as braces do.
    if number % 3 == 0 { "    }".to_owned() } else { format!("    let value_{number} = compute({});", number % 97) }
}

fn is_changed(number: usize) -> bool {
    number % (LINES / HUNKS) == 500
}

fn files() -> (String, String) {
    let mut files = (String::new(), String::new());
    for number in 0..LINES {
        let _ = writeln!(files.0, "{}", line(number));
        let _ = match is_changed(number) {
            true => writeln!(files.1, "    let changed_{number} = 1;"),
            false => writeln!(files.1, "{}", line(number)),
        };
    }
    files
}

fn codex_patch(written: Written) -> String {
    let mut text = "*** Begin Patch\n*** Update File: f\n".to_owned();
    for number in (0..LINES).filter(|number| is_changed(*number)) {
        text.push_str("@@\n");
        for near in number - 3..=number + 3 {
            let old = match written {
                Written::Exactly => line(near),
                Written::WithBlanks => format!("{}  ", line(near)),
                Written::Indented => line(near).trim_start().to_owned(),
            };
            let _ = match near == number {
                true => writeln!(text, "-{old}\n+    let changed_{number} = 1;"),
                false => writeln!(text, " {old}"),
            };
        }
    }
    text + "*** End Patch"
}

fn unified(old: &str, new: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("old"), old).expect("written");
    fs::write(folder.path().join("new"), new).expect("written");
    let mut diff = Command::new("diff");
    diff.args(["-u", "--label", "a/f", "--label", "b/f", "old", "new"]).current_dir(folder.path());
    String::from_utf8(diff.output().expect("diff is here").stdout).expect("text")
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

fn in_memory(old: &str, text: &str, expected: Option<&String>) -> f64 {
    let round = || {
        let start = Instant::now();
        let patch = parse(text).expect("a patch");
        let Action::Update(change) = &patch.operations[0].action else { panic!("an update") };
        let updated = update(old.as_bytes(), change, "f", "f").expect("it fits");
        let time = start.elapsed();
        assert_eq!(updated.located.len(), HUNKS);
        assert!(expected.is_none_or(|expected| expected.as_bytes() == updated.content), "the wrong file");
        time
    };
    median((0..ROUNDS).map(|_| round()).collect())
}

fn tool(runtime: &Runtime, old: &str, text: &str, expected: Option<&String>) -> f64 {
    let registry = Registry::builder().add(ApplyPatchTool).build().expect("one tool");
    let executor = Executor::builder(registry).rules(Ruleset::allow_all()).build().expect("an executor");
    let arguments = serde_json::json!({ "input": text }).to_string();
    let round = |number: usize| {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("f"), old).expect("written");
        let session = Session::new(folder.path());
        let call = ToolCall::new(number.to_string(), "apply_patch", arguments.clone());
        let start = Instant::now();
        let outcome = runtime.block_on(executor.call(&session, call));
        let time = start.elapsed();
        assert!(outcome.output().is_some(), "{}", outcome.text());
        assert!(expected.is_none_or(|expected| is_there(folder.path(), expected)), "the wrong file");
        time
    };
    median((0..ROUNDS).map(round).collect())
}

fn program(name: &str, arguments: &[&str], old: &str, new: &str, diff: &str) -> Option<f64> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("f"), old).expect("written");
        fs::write(folder.path().join("diff"), diff).expect("written");
        let input = fs::File::open(folder.path().join("diff")).expect("the diff");
        let mut command = Command::new(name);
        command.args(arguments).current_dir(folder.path()).stdin(input).stdout(Stdio::null());
        let start = Instant::now();
        let status = command.status().ok()?;
        times.push(start.elapsed());
        assert!(status.success() && is_there(folder.path(), new), "{name}");
    }
    Some(median(times))
}

fn is_there(folder: &Path, expected: &str) -> bool {
    fs::read(folder.join("f")).is_ok_and(|found| found == expected.as_bytes())
}
