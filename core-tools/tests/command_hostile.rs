//! Scripts that are written to be hard to read: they are read in bounded time and memory, and where they are not, asked about.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{fs, time::Instant};

use core_tools::command::{Harm, analyse};
use project::{Project, error};
use proptest::prelude::*;
use serde_json::json;
use tool_core::permission::{Reading, Ruleset};

/// Whether one of the commands may be anything.
fn is_asked_about(script: &str) -> bool {
    analyse(script).commands.iter().any(|command| command.readings[0] == Reading::anything())
}

/// Pieces of scripts, and what ends or begins something in them.
const PIECES: [&str; 32] = [
    "rm x",
    "git push",
    " ",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "$(",
    ")",
    "`",
    "\"",
    "'",
    "${x",
    "}",
    "<<E\n",
    "\nE\n",
    ">",
    "<(",
    "if ",
    "then ",
    "fi",
    "for f in ",
    "do ",
    "done",
    "f() {",
    "case x in ",
    "esac",
    "\\",
    "x=",
    "[[ ",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_are_too_odd(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = analyse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_pieces_are_too_odd(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..24)) {
        let script = pieces.concat();
        let analysis = analyse(&script);
        // A script with a word in it runs something, or cannot be read.
        let harmless = analysis.commands.iter().all(|command| command.harm == Harm::None);
        prop_assert!(!harmless || !script.starts_with("rm x;"), "{script}");
    }
}

#[test]
fn what_is_long_is_read_soon_or_asked_about() {
    let many = |piece: &str, bytes: usize| piece.repeat(bytes / piece.len());
    let nested = |open: &str, close: &str| format!("{}ls{}", open.repeat(20_000), close.repeat(20_000));
    let full = 100 * 1024;
    let around = format!("nohup nice env bash -c '{}' {}", many("rm x; ", 20_000), many("y ", 60_000));
    for (name, script) in [
        ("a megabyte of commands", many("rm x; ", 1 << 20)),
        ("a megabyte of nothing", many("$(", 1 << 20)),
        ("assignments", many("a=1\n", full)),
        ("long values", format!("for f in {}; do {} done", many("abcdefgh ", 4_000), many("rm $f; ", 40_000))),
        ("a long value", format!("x={}; {}", many("y", 50_000), many("rm $x; ", 40_000))),
        ("prints", many("printf x;", full)),
        ("lists", many("a && b || ", full)),
        ("pipes", many("a | ", full)),
        ("places", many("cd a; >b; popd; ", full)),
        ("arguments", format!("bash {} >a", many("a ", full))),
        ("commands in a shell", around),
        ("shells", many("eval a;", full)),
        ("found", format!("find {} -exec rm {} ;", many("a ", 40_000), many("{} ", 40_000))),
        ("braces", many("{a,b}", full)),
        ("here-documents", many("cat <<E\n", full)),
        ("substitutions", nested("$(", ")")),
        ("brackets", nested("(", ")")),
        ("quotes", nested("\"$(", ")\"")),
        ("expansions", nested("${x:-", "}")),
    ] {
        let start = Instant::now();
        let analysis = analyse(&script);
        let took = start.elapsed();
        // Without the compiler's help, and beside other tests; what is not bounded takes minutes.
        assert!(took.as_secs() < 10, "{name}: {took:?}");
        assert!(analysis.commands.len() <= 502, "{name}: {}", analysis.commands.len());
        let readings: usize = analysis.commands.iter().map(|command| command.readings.len()).sum();
        assert!(readings < 12_000, "{name}: {readings}");
    }
    assert!(is_asked_about(&many("rm x; ", 1 << 20)));
    assert!(is_asked_about(&(1..1000).map(|number| format!("rm {number}\n")).collect::<String>()));
}

/// Everything may run, but one folder and one kind of file may not be changed.
fn guarded() -> Project {
    let rules = Ruleset::new().allow("*", "*").deny("edit", "secret/*").deny("edit", "*.lock");
    let project = Project::with(|bench| bench.with(|executor| executor.rules(rules)));
    project.file("secret/a", "a");
    project.file("open/a.lock", "a");
    project.file("open/b", "b");
    project
}

#[tokio::test]
async fn what_may_be_a_file_that_is_denied_is_never_let_pass() {
    for command in [
        "echo secret/a | xargs rm",
        "ls | xargs -I{} cp open/b {}",
        "find . -name a -exec rm {} \\;",
        "find open -type f -exec sed -i s/a/b/ {} +",
        "find . -name '*.lock' -delete",
        "find . -fprint secret/a",
        "fd a -x rm",
        "rm -r open",
        "rm -rf .",
        "mv open elsewhere",
        "mv open/b secret",
        "cp open/b secret/",
        "chmod -R 700 .",
    ] {
        let project = guarded();
        let refused = error(&project.call("bash", json!({ "command": command })).await);
        assert!(refused.contains("`edit`") || refused.contains("denied by a rule"), "{command}: {refused}");
        assert_eq!(fs::read(project.path("secret/a")).unwrap(), b"a", "{command}");
        assert_eq!(fs::read(project.path("open/a.lock")).unwrap(), b"a", "{command}");
    }
    let project = guarded();
    for command in
        ["cp open/b open/c", "rm open/c", "ls open | xargs echo", "find secret -exec cat {} +", "mkdir -p open"]
    {
        let outcome = project.call("bash", json!({ "command": command })).await;
        assert!(outcome.output().is_some(), "{command}: {}", outcome.text());
    }
}
