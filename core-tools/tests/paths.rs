//! Paths as models write them, and what they lead to.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{fs, os::unix::fs::symlink};

use project::{Project, error, output};
use serde_json::json;
use tool_core::permission::Reply;

async fn reads(project: &Project, path: &str, content: &str) {
    let outcome = project.call("read", json!({ "filePath": path })).await;
    assert!(output(&outcome).contains(&format!("1: {content}\n")), "{path}: {}", outcome.text());
}

#[tokio::test]
async fn an_at_sign_in_front_is_none_of_the_name() {
    let project = Project::new();
    project.file("src/a.txt", "plain");
    project.file("@scope/b.txt", "scoped");
    reads(&project, "@src/a.txt", "plain").await;
    reads(&project, "@scope/b.txt", "scoped").await;
    reads(&project, &format!("@{}", project.path("src/a.txt").display()), "plain").await;
    output(&project.call("write", json!({ "path": "@scope/new.txt", "content": "x" })).await);
    output(&project.call("write", json!({ "path": "@src/new.txt", "content": "x" })).await);
    assert!(project.path("@scope/new.txt").exists() && project.path("src/new.txt").exists());
    assert!(!project.path("@src").exists());
}

#[tokio::test]
async fn names_that_look_the_same() {
    let project = Project::new();
    for (on_disk, written) in [
        ("Screenshot at 9.41.00\u{202f}AM.txt", "Screenshot at 9.41.00 AM.txt"),
        ("cafe\u{301}/menu.txt", "caf\u{e9}/menu.txt"),
        ("stra\u{df}e \u{e9}.txt", "stra\u{df}e e\u{301}.txt"),
        ("Capture d\u{2019}e\u{301}cran.txt", "Capture d'\u{e9}cran.txt"),
        ("plain space.txt", "plain\u{a0}space.txt"),
        ("say \u{201c}hi\u{201d}.txt", "say \"hi\".txt"),
    ] {
        project.file(on_disk, on_disk);
        reads(&project, written, on_disk).await;
    }
}

#[tokio::test]
async fn a_name_that_exists_is_taken_at_its_word() {
    let project = Project::new();
    project.file("it's.txt", "plain");
    project.file("it\u{2019}s.txt", "curly");
    reads(&project, "it's.txt", "plain").await;
    reads(&project, "it\u{2019}s.txt", "curly").await;
    // Two are like it: none is chosen.
    error(&project.call("read", json!({ "filePath": "it\u{2018}s.txt" })).await);
}

#[tokio::test]
async fn a_file_that_only_looks_similar_is_not_written_over() {
    let project = Project::new();
    let curly = project.file("it\u{2019}s.txt", "old");
    let decomposed = project.file("cafe\u{301}.txt", "old");
    output(&project.call("write", json!({ "filePath": "it's.txt", "content": "new" })).await);
    assert_eq!(fs::read_to_string(curly).unwrap(), "old");
    output(&project.call("write", json!({ "filePath": "caf\u{e9}.txt", "content": "new" })).await);
    assert_eq!(fs::read_to_string(decomposed).unwrap(), "new");
    // pi: a name to be made gets plain spaces.
    output(&project.call("write", json!({ "filePath": "a\u{a0}b.txt", "content": "new" })).await);
    assert!(project.path("a b.txt").exists());
}

#[tokio::test]
async fn leave_is_asked_for_where_a_similar_name_leads() {
    let project = Project::asking([Reply::Reject { feedback: None }]);
    fs::write(project.outside("secret.txt"), "key").unwrap();
    symlink(project.outside("secret.txt"), project.path("it\u{2019}s.txt")).unwrap();
    error(&project.call("read", json!({ "filePath": "it's.txt" })).await);
    assert_eq!(project.bench.asks()[0].request.permission, "external_directory");
}
