//! What a session has read, and somebody else has changed since.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{
    fs::{self, File},
    time::{Duration, SystemTime},
};

use core_tools::workspace::Stale;
use project::{Project, error, output};
use serde_json::{Value, json};
use tool_core::{Outcome, permission::Ruleset};

fn with(stale: Stale) -> Project {
    Project::with(|bench| bench.state(stale).with(|executor| executor.rules(Ruleset::allow_all())))
}

async fn read(project: &Project, path: &str) {
    output(&project.call("read", json!({ "filePath": path })).await);
}

async fn write(project: &Project, path: &str, content: &str) -> Outcome {
    project.call("write", json!({ "filePath": path, "content": content })).await
}

#[tokio::test]
async fn what_changed_since_it_was_read_is_not_written_over() {
    let project = Project::new();
    let path = project.file("f.txt", "one\ntwo\nthree\n");
    read(&project, "f.txt").await;
    fs::write(&path, "one\n2\nthree\nfour\n").unwrap();
    let message = error(&write(&project, "f.txt", "new").await);
    assert!(message.contains("it had 3 lines (14 bytes) then, and has 4 lines (17 bytes) now"), "{message}");
    assert!(message.contains("-two\n+2\n") && message.contains("+four"), "{message}");
    assert!(message.contains("Read it again"), "{message}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\n2\nthree\nfour\n");
    read(&project, "f.txt").await;
    output(&write(&project, "f.txt", "new").await);
}

#[tokio::test]
async fn by_another_name_it_is_the_same_file() {
    let project = Project::new();
    let path = project.file("f.txt", "one\n");
    std::os::unix::fs::symlink("f.txt", project.path("link")).unwrap();
    read(&project, "link").await;
    fs::write(&path, "two\n").unwrap();
    error(&write(&project, "f.txt", "new").await);
}

#[tokio::test]
async fn the_same_bytes_are_no_change() {
    let project = Project::new();
    let path = project.file("f.txt", "one\n");
    read(&project, "f.txt").await;
    fs::write(&path, "one\n").unwrap();
    File::options().write(true).open(&path).unwrap().set_modified(SystemTime::now() + Duration::from_secs(9)).unwrap();
    output(&write(&project, "f.txt", "new").await);
}

#[tokio::test]
async fn other_bytes_are_a_change_whatever_the_time_says() {
    let project = Project::new();
    let path = project.file("f.txt", "one\n");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    read(&project, "f.txt").await;
    fs::write(&path, "two\n").unwrap();
    File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    error(&write(&project, "f.txt", "new").await);
}

#[tokio::test]
async fn a_long_file_is_told_by_its_facts() {
    let project = Project::new();
    let path = project.file("f.txt", "line\n".repeat(1_000_000));
    read(&project, "f.txt").await;
    output(&write(&project, "f.txt", &"other\n".repeat(1_000_000)).await);
    output(&write(&project, "f.txt", &"third\n".repeat(1_000_000)).await);
    fs::write(&path, "line\n").unwrap();
    let message = error(&write(&project, "f.txt", "new").await);
    assert!(message.contains("it had 1000000 lines (6000000 bytes) then, and has 1 line (5 bytes) now"), "{message}");
}

#[tokio::test]
async fn its_own_writes_are_no_surprise_and_others_are() {
    let project = Project::new();
    let path = project.file("f.txt", "one\n");
    read(&project, "f.txt").await;
    output(&write(&project, "f.txt", "two\n").await);
    output(&write(&project, "f.txt", "three\n").await);
    output(&write(&project, "new.txt", "x").await);
    fs::write(&path, "four\n").unwrap();
    fs::write(project.path("new.txt"), "y").unwrap();
    error(&write(&project, "f.txt", "five\n").await);
    error(&write(&project, "new.txt", "z").await);
}

#[tokio::test]
async fn what_was_never_read_may_be_written() {
    let project = Project::new();
    let path = project.file("f.txt", "one\n");
    output(&write(&project, "f.txt", "two\n").await);
    fs::remove_file(path).unwrap();
    output(&write(&project, "f.txt", "made again\n").await);
}

#[tokio::test]
async fn a_host_may_have_it_said_or_not_at_all() {
    for (stale, warned) in [(Stale::Warn, true), (Stale::Off, false)] {
        let project = with(stale);
        let path = project.file("f.txt", "one\n");
        read(&project, "f.txt").await;
        fs::write(&path, "two\n").unwrap();
        let outcome = write(&project, "f.txt", "new").await;
        assert_eq!(output(&outcome).contains("changed on disk"), warned, "{}", outcome.text());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }
}

/// Many calls at once: each finds the content of the one before, and none is lost.
#[tokio::test(flavor = "multi_thread")]
async fn calls_at_the_same_time_follow_each_other() {
    let project = Project::new();
    project.file("f.txt", "start");
    read(&project, "f.txt").await;
    let calls: Vec<Value> =
        (0..20).map(|number| json!({ "filePath": "f.txt", "content": number.to_string() })).collect();
    let calls = calls.into_iter().map(|arguments| project.call("write", arguments));
    for outcome in futures_util::future::join_all(calls).await {
        output(&outcome);
    }
}
