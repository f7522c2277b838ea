//! `shell` and `shell_command`, beyond the recorded cases.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use project::{Project, error, eventually, output, pid_in, runs};
use serde_json::{Value, json};

#[tokio::test]
async fn arguments_are_not_read_by_a_shell() {
    let project = Project::new();
    let outcome = project.call("shell", json!({ "command": ["printf", "%s|", "a b", "$HOME", "it's"] })).await;
    let shown: Value = serde_json::from_str(output(&outcome)).unwrap();
    assert_eq!(shown["output"], "a b|$HOME|it's|");
    assert_eq!(shown["metadata"]["exit_code"], 0);
    assert!(shown["metadata"]["duration_seconds"].is_number());
    assert!(outcome.title().starts_with("printf '%s|' 'a b'"), "{}", outcome.title());
    let missing = error(&project.call("shell", json!({ "command": ["no-such-program"] })).await);
    assert!(missing.starts_with("Cannot start no-such-program in "), "{missing}");
    assert!(error(&project.call("shell", json!({ "command": [] })).await).starts_with("command args are empty"));
}

#[tokio::test]
async fn a_timeout_ends_all_that_was_started_and_keeps_the_output() {
    let project = Project::new();
    let command =
        "setsid sh -c 'echo $$ >pid; exec sleep 100' & while ! [ -s pid ]; do sleep 0.02; done; echo before; wait";
    let outcome =
        project.call("shell_command", json!({ "command": command, "login": false, "timeout_ms": 4000 })).await;
    let text = output(&outcome);
    assert!(text.starts_with("Exit code: 124\nWall time: "), "{text}");
    assert!(text.contains("\nOutput:\ncommand timed out after ") && text.ends_with("milliseconds\nbefore\n"), "{text}");
    let pid = pid_in(&project.path("pid")).await;
    eventually("nothing is left", || !runs(pid)).await;

    let outcome = project.call("shell", json!({ "command": ["sleep", "100"], "timeout_ms": 300 })).await;
    let shown: Value = serde_json::from_str(output(&outcome)).unwrap();
    assert_eq!(shown["metadata"]["exit_code"], 124);
}

#[tokio::test]
async fn long_output_is_cut_in_the_middle() {
    let project = Project::new();
    let outcome = project.call("shell_command", json!({ "command": "seq 1 20000", "login": false })).await;
    let text = output(&outcome);
    assert!(text.contains("\nTotal output lines: 20000\nOutput:\n1\n2\n"), "{text:.200}");
    assert!(text.contains(" tokens truncated…") && text.ends_with("\n20000\n"));
    assert_eq!(outcome.metadata()["truncated"], true);
}

#[tokio::test]
async fn death_by_a_signal_is_a_result() {
    let project = Project::new();
    let outcome = project.call("shell_command", json!({ "command": "echo x; kill -11 $$", "login": false })).await;
    assert!(output(&outcome).starts_with("Exit code: 139\n"));
    assert!(outcome.text().contains("ended by signal 11 (SIGSEGV)"), "{}", outcome.text());
}
