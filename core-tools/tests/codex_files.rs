//! `read_file`, `list_dir` and `grep_files`, beyond the recorded cases.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{
    fs::File,
    os::unix::fs::symlink,
    process::Command,
    time::{Duration, SystemTime},
};

use project::{Project, error, output};
use serde_json::{Value, json};
use tool_core::Outcome;

async fn read_file(project: &Project, name: &str, mut arguments: Value) -> Outcome {
    arguments["file_path"] = json!(project.path(name));
    project.call("read_file", arguments).await
}

#[tokio::test]
async fn lines_by_number() {
    let project = Project::new();
    project.file("f", b"\xef\xbb\xbfone\r\ntwo\n\nbad \xff\nlast");
    project.file("bytes", b"a\xff\xfeb\n\0c\n");
    project.file("long", format!("{}\n{}x\n", "é".repeat(300), "a".repeat(499)));
    let text = |outcome: &Outcome| output(outcome).to_owned();
    assert_eq!(text(&read_file(&project, "f", json!({})).await), "L1: one\nL2: two\nL3: \nL4: bad \u{fffd}\nL5: last");
    assert_eq!(text(&read_file(&project, "f", json!({ "offset": 2, "limit": 2 })).await), "L2: two\nL3: ");
    assert_eq!(text(&read_file(&project, "bytes", json!({})).await), "L1: a\u{fffd}\u{fffd}b\nL2: \0c");
    let long = format!("L1: {}\nL2: {}x", "é".repeat(250), "a".repeat(499));
    assert_eq!(text(&read_file(&project, "long", json!({})).await), long);
    assert_eq!(error(&read_file(&project, "f", json!({ "offset": 6 })).await), "offset exceeds file length");
    project.file("empty", "");
    assert_eq!(error(&read_file(&project, "empty", json!({})).await), "offset exceeds file length");
}

#[tokio::test]
async fn what_cannot_be_read() {
    let project = Project::new();
    project.file("main.rs", "");
    assert!(Command::new("mkfifo").arg(project.path("pipe")).status().unwrap().success());
    let relative = project.call("read_file", json!({ "file_path": "main.rs" })).await;
    assert_eq!(error(&relative), "file_path must be an absolute path");
    let relative = project.call("list_dir", json!({ "dir_path": "." })).await;
    assert_eq!(error(&relative), "dir_path must be an absolute path");
    for (name, part) in [
        ("main", "Did you mean one of these?"),
        ("main.rs/x", "failed to read file"),
        ("pipe", "named pipe"),
        (".", "directory"),
    ] {
        let message = error(&read_file(&project, name, json!({})).await);
        assert!(message.contains("failed to read file: ") && message.contains(part), "{message}");
    }
}

const SOURCE: &str = "\
mod a;

// Says what it is.
// And more.
fn outer() {
    let x = 1;

    if x {
\tdeep();
    }
}

fn other() {}
";

#[tokio::test]
async fn the_block_around_a_line() {
    let project = Project::new();
    project.file("f.rs", SOURCE);
    let lines = async |indentation: Value| -> Vec<u64> {
        let outcome = read_file(&project, "f.rs", json!({ "mode": "indentation", "indentation": indentation })).await;
        let number = |line: &str| line.strip_prefix('L').unwrap().split(':').next().unwrap().parse().unwrap();
        output(&outcome).lines().map(number).collect()
    };
    let range = |from: u64, to: u64| (from..=to).collect::<Vec<u64>>();
    // At the outermost level, one line on either side is the block's own.
    assert_eq!(lines(json!({ "anchor_line": 6, "max_levels": 1 })).await, range(3, 11));
    assert_eq!(lines(json!({ "anchor_line": 6, "max_levels": 1, "include_header": false })).await, range(5, 11));
    assert_eq!(lines(json!({ "anchor_line": 6, "max_levels": 1, "include_siblings": true })).await, range(1, 13));
    assert_eq!(lines(json!({ "anchor_line": 6, "max_lines": 5 })).await, range(4, 8));
    // Blank lines at its ends are left out.
    assert_eq!(lines(json!({ "anchor_line": 6, "max_lines": 3 })).await, range(5, 6));
    assert_eq!(lines(json!({ "anchor_line": 6, "max_lines": 1 })).await, [6]);
    assert_eq!(lines(json!({ "anchor_line": 6 })).await, range(3, 11));
}

#[tokio::test]
async fn a_page_of_a_tree() {
    let project = Project::new();
    for name in ["b/x/deep", "b/y", "a.txt", "b-c", ".git/HEAD", ".hidden"] {
        project.file(name, "");
    }
    symlink("b", project.path("link")).unwrap();
    assert!(Command::new("mkfifo").arg(project.path("pipe")).status().unwrap().success());
    let page = async |mut arguments: Value| -> String {
        arguments["dir_path"] = json!(project.root);
        let outcome = project.call("list_dir", arguments).await;
        let head = format!("Absolute path: {}\n", project.root.display());
        output(&outcome).strip_prefix(&head).unwrap().to_owned()
    };
    let all = ".git/\n.hidden\na.txt\nb/\n  x/\n  y\nb-c\nlink@\npipe?";
    assert_eq!(page(json!({})).await, all);
    assert_eq!(page(json!({ "depth": 3 })).await, all.replace("  x/\n", "  x/\n    deep\n"));
    // What is less deep is counted first, and shown in its place.
    assert_eq!(page(json!({ "offset": 3, "limit": 2 })).await, "a.txt\nb/\nMore than 2 entries found");
    assert_eq!(page(json!({ "offset": 8, "limit": 9 })).await, "  x/\n  y");
    assert_eq!(page(json!({ "limit": 9 })).await, all);
}

#[tokio::test]
async fn files_with_a_match_the_newest_first() {
    let project = Project::new();
    for (name, seconds) in [("old.rs", 1), ("new.rs", 3), ("mid.rs", 2), ("mid.txt", 2)] {
        let path = project.file(name, "needle\nneedle\n");
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 + seconds);
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }
    let root = project.root.display();
    let outcome = project.call("grep_files", json!({ "pattern": "  needle ", "include": "*.rs" })).await;
    assert_eq!(output(&outcome), format!("{root}/new.rs\n{root}/mid.rs\n{root}/old.rs"));
    let outcome = project.call("grep_files", json!({ "pattern": "needle", "limit": 1 })).await;
    assert!(output(&outcome).starts_with(&format!("{root}/new.rs\n\n(There are more files than these 1.")));
    for (arguments, part) in [
        (json!({ "pattern": " " }), "pattern must not be empty"),
        (json!({ "pattern": "x", "limit": 0 }), "limit must be greater than zero"),
        (json!({ "pattern": "x", "path": "nope" }), "unable to access `"),
        (json!({ "pattern": "(" }), "regex parse error"),
    ] {
        let message = error(&project.call("grep_files", arguments).await);
        assert!(message.contains(part), "{message}");
    }
}
