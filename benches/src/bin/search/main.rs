//! Searching a large tree, beside the `rg` program: contents for a rare word, a common one and a regex with a literal,
//! and names.
//!
//! Wall time, from the arguments' JSON text to the result's text; of `rg`, from its start to its end, its output thrown
//! away. Both are run in turn; a figure is the median over rounds, the ratio the median of the rounds' ratios.
//! `search [--rounds N] [--rg PROGRAM] [--tree DIRECTORY]`.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::Instant,
};

use core_tools::{GlobTool, GrepTool};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_core::{permission::Ruleset, prelude::*};

/// What is measured: its name, our tool and arguments, what `rg` is given, and whether there is anything to be found.
struct Case {
    name: &'static str,
    tool: &'static str,
    arguments: Value,
    rg: &'static [&'static str],
    finds: bool,
}

fn cases() -> Vec<Case> {
    let case = |name, tool, arguments, rg, finds| Case { name, tool, arguments, rg, finds };
    vec![
        case("grep, a rare word", "grep", json!({ "pattern": "zebra" }), &["-n", "zebra"], true),
        case("grep, a word nowhere", "grep", json!({ "pattern": "qzxjkvwq" }), &["-n", "qzxjkvwq"], false),
        case("grep, a common word", "grep", json!({ "pattern": "self" }), &["-n", "self"], true),
        case(
            "grep, a regex with a literal",
            "grep",
            json!({ "pattern": r"fn\s+parse_\w+_header\b" }),
            &["-n", r"fn\s+parse_\w+_header\b"],
            true,
        ),
        case(
            "grep, ignoring case",
            "grep",
            json!({ "pattern": "zebra", "ignoreCase": true }),
            &["-n", "-i", "zebra"],
            true,
        ),
        case("glob **/*.rs", "glob", json!({ "pattern": "**/*.rs" }), &["--files", "--glob=**/*.rs"], true),
    ]
}

fn main() -> ExitCode {
    let mut rounds = 15;
    let mut rg = PathBuf::from("rg");
    let mut tree = env::home_dir().unwrap_or_default().join(".cargo/registry/src");
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        match (word.as_str(), words.next()) {
            ("--rounds", Some(given)) => rounds = given.parse().unwrap_or(rounds),
            ("--rg", Some(given)) => rg = given.into(),
            ("--tree", Some(given)) => tree = given.into(),
            _ => {
                eprintln!("usage: search [--rounds N] [--rg PROGRAM] [--tree DIRECTORY]");
                return ExitCode::from(2);
            }
        }
    }
    let version = Command::new(&rg).arg("--version").output().expect("`rg` is installed: `cargo install ripgrep`");
    let version = String::from_utf8_lossy(&version.stdout);
    println!("{}, in {}\n", version.lines().next().unwrap_or_default(), tree.display());
    println!("| case | tool-core | rg | x rg | aim |");
    println!("|---|---:|---:|---:|---:|");
    let runtime = Runtime::new().expect("threads can be had");
    let registry = Registry::builder().add(GrepTool).add(GlobTool).build().expect("the names differ");
    let executor = Executor::builder(registry).rules(Ruleset::allow_all()).build().expect("the tools need nothing");
    let session = Session::new(&tree);
    for case in cases() {
        let mut samples = Vec::new();
        for round in 0..=rounds.max(1) {
            let ours = ours(&runtime, &executor, &session, &case, round);
            let theirs = theirs(&rg, &tree, &case);
            // The first fills the caches.
            if round > 0 {
                samples.push((ours, theirs));
            }
        }
        let median = |of: &dyn Fn(&(f64, f64)) -> f64| {
            let mut all: Vec<f64> = samples.iter().map(of).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        let (ours, theirs, ratio) = (median(&|s| s.0), median(&|s| s.1), median(&|s| s.0 / s.1));
        println!("| {} | {ours:.1} ms | {theirs:.1} ms | {ratio:.2} | 1.00 |", case.name);
    }
    ExitCode::SUCCESS
}

fn ours(runtime: &Runtime, executor: &Executor, session: &Session, case: &Case, round: usize) -> f64 {
    // Three identical calls in a row would be asked about.
    let mut arguments = case.arguments.clone();
    arguments["path"] = json!(format!(".{}", "/.".repeat(round % 3)));
    let call = ToolCall::new(format!("call_{round}"), case.tool, arguments.to_string());
    let start = Instant::now();
    let outcome = runtime.block_on(executor.call(session, call));
    let time = start.elapsed().as_secs_f64() * 1e3;
    let text = outcome.output().unwrap_or_else(|| panic!("{}: {}", case.name, outcome.text()));
    assert_eq!(text != "No files found", case.finds, "{}: {text}", case.name);
    time
}

fn theirs(rg: &Path, tree: &Path, case: &Case) -> f64 {
    let mut command = Command::new(rg);
    command
        .args(["--no-config", "--hidden", "--no-messages", "--glob=!**/.git/**"])
        .args(case.rg)
        .arg(".")
        .current_dir(tree);
    let start = Instant::now();
    command.stdout(Stdio::null()).status().expect("`rg` runs");
    start.elapsed().as_secs_f64() * 1e3
}
