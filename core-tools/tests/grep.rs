//! `grep`, beyond the recorded cases.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{
    fs::{self, File, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::Command,
    time::{Duration, SystemTime},
};

use project::{Project, error, is_root, output};
use serde_json::{Value, json};
use tool_core::{
    Outcome,
    permission::{Reply, Ruleset},
};

async fn grep(project: &Project, arguments: Value) -> Outcome {
    project.call("grep", arguments).await
}

/// A file that was written so many seconds after the others.
fn touch(path: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 + seconds);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[tokio::test]
async fn files_written_last_come_first_and_their_lines_in_order() {
    let project = Project::new();
    for (name, seconds) in [("b.txt", 1), ("a.txt", 1), ("new.txt", 9), ("old.txt", 0)] {
        touch(&project.file(name, "x\nhit one\ny\nhit two\n"), seconds);
    }
    let root = project.root.display().to_string();
    let outcome = grep(&project, json!({ "pattern": "hit" })).await;
    let files = ["new.txt", "a.txt", "b.txt", "old.txt"];
    let shown = files.map(|file| format!("{root}/{file}:\n  Line 2: hit one\n  Line 4: hit two")).join("\n\n");
    assert_eq!(output(&outcome), format!("Found 8 matches\n{shown}"));
    assert_eq!(outcome.status().unwrap().title(), "hit");
    assert_eq!(Value::from(outcome.metadata()), json!({ "matches": 8, "truncated": false, "unreadable": 0 }));

    // The limit takes what comes first, also where it ends within a file.
    let outcome = grep(&project, json!({ "pattern": "hit", "limit": 3 })).await;
    let shown = format!("{root}/new.txt:\n  Line 2: hit one\n  Line 4: hit two\n\n{root}/a.txt:\n  Line 2: hit one");
    let more = "(Results truncated. Consider using a more specific path or pattern.)";
    assert_eq!(output(&outcome), format!("Found 3 matches (more matches available)\n{shown}\n\n{more}"));
    assert_eq!(outcome.metadata()["truncated"], true);

    let outcome = grep(&project, json!({ "pattern": "hit", "limit": 8 })).await;
    assert!(output(&outcome).starts_with("Found 8 matches\n"), "a limit that is just met cuts nothing");

    let outcome = grep(&project, json!({ "pattern": "hit", "filesOnly": true, "limit": 3 })).await;
    let shown = ["new.txt", "a.txt", "b.txt"].map(|file| format!("{root}/{file}")).join("\n");
    assert_eq!(output(&outcome), format!("Found 3 files (more files available)\n{shown}\n\n{more}"));
}

#[tokio::test]
async fn context_is_shown_once_and_ends_with_the_last_match() {
    let project = Project::new();
    project.file(
        "f",
        (1..=12).map(|n| format!("{}{n}\n", if [3, 5, 10].contains(&n) { "hit" } else { "line" })).collect::<String>(),
    );
    let shown = |outcome: &Outcome| -> Vec<String> {
        output(outcome).lines().filter(|line| line.starts_with("  ")).map(|line| line.trim_start().to_owned()).collect()
    };
    let outcome = grep(&project, json!({ "pattern": "hit", "context": 1 })).await;
    assert_eq!(
        shown(&outcome),
        [
            "Line 2- line2",
            "Line 3: hit3",
            "Line 4- line4",
            "Line 5: hit5",
            "Line 6- line6",
            "--",
            "Line 9- line9",
            "Line 10: hit10",
            "Line 11- line11"
        ]
    );
    let outcome = grep(&project, json!({ "pattern": "hit", "context": 2, "limit": 2 })).await;
    let shown = shown(&outcome);
    assert_eq!(shown.first().unwrap(), "Line 1- line1");
    assert_eq!(shown.last().unwrap(), "Line 7- line7");
}

#[tokio::test]
async fn text_as_it_stands_case_and_several_lines() {
    let project = Project::new();
    project.file("f", "a.b(c)\nA.B(C)\naxb\nstart {\n  middle\n} end\n");
    let lines = async |arguments: Value| -> Vec<String> {
        let outcome = grep(&project, arguments).await;
        output(&outcome).lines().filter_map(|line| line.strip_prefix("  Line ")).map(str::to_owned).collect()
    };
    assert_eq!(lines(json!({ "pattern": "a.b(", "literal": true })).await, ["1: a.b(c)"]);
    assert_eq!(
        lines(json!({ "pattern": "A.B(", "literal": true, "ignoreCase": true })).await,
        ["1: a.b(c)", "2: A.B(C)"]
    );
    assert_eq!(lines(json!({ "pattern": "a.b" })).await, ["1: a.b(c)", "3: axb"]);
    let several = ["4: start {", "5:   middle", "6: } end"];
    assert_eq!(lines(json!({ "pattern": r"\{.*\}", "multiline": true })).await, several);
    // A line break in the pattern says so by itself.
    assert_eq!(lines(json!({ "pattern": "\\{\\n  middle" })).await, several[..2]);
    assert_eq!(lines(json!({ "pattern": "{\n  middle", "literal": true })).await, several[..2]);
    assert!(lines(json!({ "pattern": "^middle" })).await.is_empty());
    assert_eq!(lines(json!({ "pattern": "^  middle$" })).await, ["5:   middle"]);
}

#[tokio::test]
async fn a_line_break_in_a_pattern_changes_nothing_else() {
    let project = Project::new();
    project.file("f", "start\nx end\nmiddle\nend\n");
    project.file("crlf", "one\r\ntwo\r\n");
    let found = async |arguments: Value| output(&grep(&project, arguments).await).to_owned();
    // `.` stays within a line, unless it is told otherwise.
    assert_eq!(found(json!({ "pattern": r"start\n.*middle" })).await, "No files found");
    assert!(found(json!({ "pattern": r"start\n.*middle", "multiline": true })).await.contains("Line 3: middle"));
    for arguments in [
        json!({ "pattern": "one\ntwo", "literal": true }),
        json!({ "pattern": "one\r\ntwo", "literal": true }),
        json!({ "pattern": r"e\nt" }),
        json!({ "pattern": r"one$\x0Atwo$" }),
        json!({ "pattern": r"one(?:\n|z){1}two" }),
        json!({ "pattern": "one\ntwo" }),
    ] {
        let text = found(arguments.clone()).await;
        assert!(text.ends_with("/crlf:\n  Line 1: one\n  Line 2: two"), "{arguments}: {text}");
    }
}

#[tokio::test]
async fn a_match_of_many_lines_says_that_it_goes_on() {
    let project = Project::new();
    project.file("f", format!("begin\n{}end\nbegin end\n", "x\n".repeat(500)));
    let outcome = grep(&project, json!({ "pattern": "begin.*?end", "multiline": true, "context": 1 })).await;
    let text = output(&outcome);
    let end = "  Line 200: x\n  (The match goes on to line 502.)\n  Line 503: begin end";
    assert!(text.starts_with("Found 2 matches\n") && text.ends_with(end), "{text}");
}

#[tokio::test]
async fn too_much_for_several_lines_is_told_and_what_is_binary_is_no_fault() {
    let project = Project::new();
    let large = |name: &str, first: &[u8]| {
        project.file(name, first);
        File::options().append(true).open(project.path(name)).unwrap().set_len(65 * 1024 * 1024).unwrap();
    };
    large("binary", b"text\n\0");
    // The hole begins behind what is looked at to tell whether a file is binary.
    large("text", &b"text\n".repeat(20_000));
    let outcome = grep(&project, json!({ "pattern": r"text\s+\z", "multiline": true })).await;
    let text = output(&outcome);
    assert_eq!(outcome.metadata()["unreadable"], 1, "{text}");
    assert!(text.contains("/text: it has more than 64 MB") && text.contains("a pattern of one line"), "{text}");
}

#[tokio::test]
async fn pi_names_for_parameters_and_globs() {
    let project = Project::new();
    project.file("a.ts", "hit\n");
    project.file("sub/b.ts", "hit\n");
    project.file("sub/c.js", "hit\n");
    let found = async |arguments: Value| -> Vec<String> {
        let outcome = grep(&project, arguments).await;
        let root = format!("{}/", project.root.display());
        let mut paths: Vec<String> = output(&outcome)
            .lines()
            .filter_map(|line| line.strip_prefix(&root))
            .map(|path| path.trim_end_matches(':').to_owned())
            .collect();
        paths.sort();
        paths
    };
    assert_eq!(found(json!({ "pattern": "hit", "glob": "*.ts" })).await, ["a.ts", "sub/b.ts"]);
    assert_eq!(found(json!({ "pattern": "hit", "glob": "/*.ts" })).await, ["a.ts"]);
    assert_eq!(found(json!({ "pattern": "hit", "include": "!*.ts" })).await, ["sub/c.js"]);
    assert_eq!(found(json!({ "pattern": "hit", "include": "./sub/*.{ts,js}" })).await, ["sub/b.ts", "sub/c.js"]);
    assert_eq!(found(json!({ "pattern": "hit", "path": "sub", "include": "/*.js" })).await, ["sub/c.js"]);
    assert_eq!(found(json!({ "pattern": "hit", "include": "" })).await, ["a.ts", "sub/b.ts", "sub/c.js"]);
}

#[tokio::test]
async fn one_file_is_searched_alone_whatever_ignore_files_say() {
    let project = Project::new();
    project.file(".gitignore", "f.log\n");
    project.file("f.log", "hit\n");
    project.file("other", "hit\n");
    let outcome = grep(&project, json!({ "pattern": "hit", "path": "f.log", "include": "*.rs" })).await;
    assert_eq!(output(&outcome), format!("Found 1 matches\n{}:\n  Line 1: hit", project.path("f.log").display()));
    let outcome = grep(&project, json!({ "pattern": "hit" })).await;
    assert!(!output(&outcome).contains("f.log"));
}

#[tokio::test]
async fn what_is_text_is_searched_and_what_is_not_is_passed_over() {
    let project = Project::new();
    project.file("bad.txt", b"one\xff hit\n");
    project.file("crlf.txt", "a hit\r\nb\r\n");
    let wide: Vec<u8> = "\u{feff}wide hit\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    project.file("wide.txt", wide);
    project.file("bom.txt", "\u{feff}hit first\n");
    project.file("binary", b"hit\n\0\n");
    project.file("late", [&b"hit early\n"[..], &b"filler\n".repeat(20_000), b"\0hit late\n"].concat());
    symlink(project.path("bad.txt"), project.path("link")).unwrap();
    assert!(Command::new("mkfifo").arg(project.path("pipe")).status().unwrap().success());
    let outcome = grep(&project, json!({ "pattern": "hit" })).await;
    let text = output(&outcome);
    for line in [
        "  Line 1: one\u{fffd} hit\n",
        "  Line 1: a hit\n",
        "  Line 1: wide hit\n",
        "  Line 1: hit first\n",
        "  Line 1: hit early\n",
    ] {
        assert!(format!("{text}\n").contains(line), "{line}: {text}");
    }
    assert!(text.starts_with("Found 5 matches\n"), "{text}");
    assert!(text.contains(&format!("({} has binary data further on", project.path("late").display())), "{text}");
    assert!(!text.contains("/binary:") && !text.contains("/link:"));
    // The line ends where CR LF begins, and the mark is no part of the first.
    for (pattern, count) in [("hit$", 3), ("^hit", 2), (r"hit\s*$", 3)] {
        let outcome = grep(&project, json!({ "pattern": pattern })).await;
        assert!(output(&outcome).starts_with(&format!("Found {count} matches")), "{pattern}: {}", output(&outcome));
    }
    let outcome = grep(&project, json!({ "pattern": "hit", "path": "binary" })).await;
    assert_eq!(output(&outcome), "No files found\n\n(The file is binary, and was not searched.)");
}

#[tokio::test]
async fn minified_lines_are_shown_around_the_match() {
    let project = Project::new();
    project.file("min.js", format!("{}needle{}\nnext\n", "a;".repeat(100_000), "b;".repeat(100_000)));
    let outcome = grep(&project, json!({ "pattern": "needle" })).await;
    let line = output(&outcome).lines().nth(2).unwrap();
    assert!(line.starts_with("  Line 1: ...") && line.ends_with("...") && line.contains(";needleb;"), "{line}");
    assert!(line.len() < 2100);
}

#[tokio::test]
async fn the_output_has_an_end() {
    let project = Project::new();
    project.file("f", format!("hit {}\n", "x".repeat(1900)).repeat(200));
    let outcome = grep(&project, json!({ "pattern": "hit", "limit": 200 })).await;
    let text = output(&outcome);
    assert!(text.len() <= 50 * 1024 && text.len() > 40 * 1024, "{}", text.len());
    assert!(
        text.contains("(more matches available)")
            && text.ends_with("(Results truncated. Consider using a more specific path or pattern.)")
    );
    assert_eq!(outcome.metadata()["matches"], text.lines().filter(|line| line.contains("Line ")).count());
}

#[tokio::test]
async fn mistakes_are_told_with_what_to_write() {
    let project = Project::new();
    project.file("main.rs", "fn main() {}\n");
    for (arguments, parts) in [
        (json!({ "pattern": "main(" }), &["regex parse error", "unclosed group", "set `literal`"][..]),
        (json!({ "pattern": "*.rs" }), &["regex parse error", "`.*` for any text"]),
        (json!({ "pattern": "x", "include": "*.{rs" }), &["invalid glob `*.{rs`", "`*.{js,ts}`"]),
        (json!({ "pattern": "x", "include": "[" }), &["invalid glob `[`"]),
        (json!({ "pattern": "a\0b" }), &["NUL byte"]),
        (json!({ "pattern": "(((a{500}){500}){500}){500}" }), &["simpler pattern"]),
        (json!({ "pattern": "x".repeat(100_000) }), &["100000 bytes"]),
        (json!({ "pattern": "x", "path": "man.rs" }), &["Path not found: "]),
        (json!({ "pattern": "x", "path": "main" }), &["Path not found: ", "Did you mean one of these?\n", "main.rs"]),
        (json!({ "pattern": "x", "path": "/dev/zero" }), &["it is a device"]),
    ] {
        let outcome = grep(&project, arguments.clone()).await;
        assert!(outcome.error().is_some(), "{arguments:.200}");
        let message = error(&outcome);
        for part in parts {
            assert!(message.contains(part), "{arguments}: {message}");
        }
    }
    assert!(Command::new("mkfifo").arg(project.path("pipe")).status().unwrap().success());
    assert!(error(&grep(&project, json!({ "pattern": "x", "path": "pipe" })).await).contains("named pipe"));
}

#[cfg(not(feature = "pcre2"))]
#[tokio::test]
async fn look_around_is_said_to_need_another_build() {
    let project = Project::new();
    for pattern in ["(?<=a)b", "a(?!b)", r"(a)\1"] {
        let message = error(&grep(&project, json!({ "pattern": pattern })).await);
        assert!(message.contains("regex parse error") && message.contains("`pcre2`"), "{message}");
    }
}

#[cfg(feature = "pcre2")]
#[tokio::test]
async fn look_around_and_backreferences() {
    let project = Project::new();
    project.file("f", "ab\ncb\nxx\nxy\n");
    for (pattern, line) in [
        ("(?<=a)b", "1: ab"),
        ("(?<!a)b", "2: cb"),
        (r"(x)\1", "3: xx"),
        ("x(?!x)y", "4: xy"),
        (r"(?<=b)\ncb", "1: ab"),
    ] {
        let outcome = grep(&project, json!({ "pattern": pattern })).await;
        assert!(output(&outcome).contains(&format!("  Line {line}")), "{pattern}: {}", output(&outcome));
    }
    assert!(error(&grep(&project, json!({ "pattern": "(?<=a" })).await).contains("regex parse error"));
}

#[cfg(feature = "pcre2")]
#[tokio::test]
async fn a_search_that_is_given_up_is_told() {
    let project = Project::new();
    project.file("hard", format!("{}\n", "x".repeat(60)));
    project.file("soft", "xxy\n");
    let outcome = grep(&project, json!({ "pattern": "(?=x)(x+x+)+[yz]" })).await;
    let text = output(&outcome);
    assert!(text.contains("/soft:\n  Line 1: xxy"), "{text}");
    assert!(text.contains("/hard: the pattern takes too long to match here ("), "{text}");
}

#[tokio::test]
async fn what_cannot_be_read_is_told() {
    let project = Project::new();
    project.file("open", "hit\n");
    let closed = project.file("closed", "hit\n");
    fs::set_permissions(&closed, Permissions::from_mode(0o000)).unwrap();
    let outcome = grep(&project, json!({ "pattern": "hit" })).await;
    if !is_root() {
        let told = format!("(1 place could not be searched:\n{}: Permission denied (os error 13))", closed.display());
        assert!(output(&outcome).ends_with(&told), "{}", output(&outcome));
        assert_eq!(outcome.metadata()["unreadable"], 1);
    }
    assert!(output(&outcome).contains("/open:"));
}

#[tokio::test]
async fn what_may_not_be_read_is_not_shown() {
    let rules = Ruleset::allow_all().deny("read", "*.env").deny("read", "private/*").allow("read", "sample.env");
    let project = Project::with(|bench| bench.with(move |executor| executor.rules(rules)));
    for name in [".env", "private/key", "sample.env", "main.rs"] {
        project.file(name, "SECRET=1\n");
    }
    project.file("private/other", "nothing\n");
    let root = project.root.display();
    for (tool, path) in [("grep", None), ("grep_files", None), ("grep", Some(".env")), ("grep_files", Some(".env"))] {
        let outcome = project.call(tool, json!({ "pattern": "SECRET", "path": path })).await;
        let text = output(&outcome);
        assert!(text.contains(&format!("{root}/.env: a rule denies reading it")), "{tool} {path:?}: {text}");
        assert_eq!(text.contains("SECRET"), tool == "grep" && path.is_none(), "{tool} {path:?}: {text}");
        assert_eq!(outcome.metadata()["unreadable"], if path.is_none() { 2 } else { 1 });
        assert_eq!(text.contains("sample.env"), path.is_none());
        // What has no match is not spoken of.
        assert!(!text.contains("other"));
    }
}

#[tokio::test]
async fn faults_behind_the_last_match_are_left_out() {
    let rules = Ruleset::allow_all().deny("read", "denied/*");
    let project = Project::with(|bench| bench.with(move |executor| executor.rules(rules)));
    for (name, seconds) in [("denied/new", 9), ("a", 8), ("b", 7), ("denied/old", 1)] {
        touch(&project.file(name, "hit\n"), seconds);
    }
    let outcome = grep(&project, json!({ "pattern": "hit", "limit": 1 })).await;
    let text = output(&outcome);
    assert!(text.contains("denied/new: a rule") && !text.contains("denied/old"), "{text}");
    assert_eq!(outcome.metadata()["unreadable"], 1);
}

#[tokio::test]
async fn leave_is_asked_for_the_place_and_then_for_the_pattern() {
    let project = Project::asking([Reply::Once, Reply::Once]);
    fs::write(project.outside("secret"), "hit\n").unwrap();
    symlink(project.outside("secret"), project.path("link")).unwrap();
    let outcome = grep(&project, json!({ "pattern": "hit", "path": "link" })).await;
    assert!(output(&outcome).contains("Line 1: hit"));
    let asks: Vec<(String, Vec<String>)> = project
        .bench
        .asks()
        .iter()
        .map(|ask| (ask.request.permission.to_string(), ask.request.patterns.clone()))
        .collect();
    let outside = format!("{}/*", project.outside("").display().to_string().trim_end_matches('/'));
    assert_eq!(asks, [("external_directory".to_owned(), vec![outside]), ("grep".to_owned(), vec!["hit".to_owned()])]);
}
