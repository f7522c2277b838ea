//! `exec_command`, `write_stdin` and `list_exec_sessions`, beyond the recorded cases.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::time::{Duration, Instant};

use project::{Project, error, eventually, output, pid_in, runs};
use serde_json::{Value, json};
use tool_core::{Outcome, permission::Ruleset};

/// Far less than what the commands here would take, and far more than what a slow machine needs.
const SOON: Duration = Duration::from_secs(40);

async fn exec(project: &Project, arguments: Value) -> Outcome {
    let mut all = json!({ "login": false });
    all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
    project.call("exec_command", all).await
}

async fn write(project: &Project, session: i64, chars: &str) -> Outcome {
    project.call("write_stdin", json!({ "session_id": session, "chars": chars })).await
}

/// A command that is to go on: its session.
async fn open(project: &Project, arguments: Value) -> i64 {
    let mut all = json!({ "yield_time_ms": 250 });
    all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
    let outcome = exec(project, all).await;
    let id = outcome.metadata().get("session_id").and_then(Value::as_i64);
    let id = id.unwrap_or_else(|| panic!("ended: {}", outcome.text()));
    assert!((1000..100_000).contains(&id));
    assert!(output(&outcome).contains(&format!("\nProcess running with session ID {id}\n")));
    id
}

/// Looks again and again until a command without a terminal has printed this, and gives all it has printed by then.
async fn until(project: &Project, session: i64, wanted: &str) -> String {
    let (mut all, start) = (String::new(), Instant::now());
    loop {
        // A key that does nothing there: a look without one takes five seconds.
        let outcome = write(project, session, "\u{4}").await;
        all.push_str(outcome.metadata()["output"].as_str().unwrap());
        if all.contains(wanted) || outcome.metadata().contains_key("exit_code") {
            return all;
        }
        assert!(start.elapsed() < SOON, "never {wanted:?}: {all:?}");
    }
}

#[tokio::test]
async fn the_lines_of_a_command_that_ended() {
    let project = Project::new();
    let outcome = exec(&project, json!({ "cmd": "echo out; echo err >&2; exit 3" })).await;
    let lines: Vec<&str> = output(&outcome).split('\n').collect();
    let id = lines[0].strip_prefix("Chunk ID: ").unwrap();
    assert!(id.len() == 6 && id.chars().all(|c| c.is_ascii_hexdigit()), "{id}");
    let seconds = lines[1].strip_prefix("Wall time: ").unwrap().strip_suffix(" seconds").unwrap();
    assert_eq!(seconds.split_once('.').unwrap().1.len(), 4);
    assert_eq!(lines[2..], ["Process exited with code 3", "Original token count: 2", "Output:", "out", "err", ""]);
    assert_eq!(outcome.metadata()["exit_code"], 3);

    let killed = exec(&project, json!({ "cmd": "kill -9 $$" })).await;
    assert!(output(&killed).contains("\nProcess exited with code 137\n"));
    assert!(killed.text().ends_with("<shell_metadata>\nended by signal 9 (SIGKILL)\n</shell_metadata>"));
}

#[tokio::test]
async fn a_pipe_session_is_looked_at_and_interrupted() {
    let project = Project::new();
    let id = open(
        &project,
        json!({ "cmd": "echo first; while ! [ -e go ]; do sleep 0.02; done; echo second; exec sleep 100" }),
    )
    .await;
    project.file("go", "");
    let text = until(&project, id, "second\n").await;
    assert_eq!(text, "second\n", "only what is new is shown");

    let refused = error(&write(&project, id, "yes\n").await);
    assert_eq!(
        refused,
        "write_stdin failed: stdin is closed for this session; rerun exec_command with tty=true to keep stdin open"
    );
    assert!(output(&write(&project, id, "\u{4}").await).contains("Process running with session ID"));
    let start = Instant::now();
    let outcome =
        project.call("write_stdin", json!({ "session_id": id, "chars": "\u{3}", "yield_time_ms": 30000 })).await;
    assert!(output(&outcome).contains("\nProcess exited with code 130\n"), "{}", outcome.text());
    assert!(start.elapsed() < SOON);
    let unknown = error(&write(&project, id, "").await);
    assert!(
        unknown.starts_with(&format!("write_stdin failed: Unknown process id {id}. No session is open.")),
        "{unknown}"
    );
}

#[tokio::test]
async fn a_terminal_is_typed_into() {
    let project = Project::new();
    let id = open(
        &project,
        json!({ "cmd": "test -t 0 && test -t 1 && stty size && stty -echo && cat", "tty": true, "rows": 33 }),
    )
    .await;
    let mut all = output(&write(&project, id, "héllo\n").await).to_owned();
    let start = Instant::now();
    while !all.contains("héllo\r\n") {
        assert!(start.elapsed() < SOON, "{all:?}");
        all.push_str(output(&write(&project, id, "").await));
    }
    let ended =
        project.call("write_stdin", json!({ "session_id": id, "chars": "\u{4}", "yield_time_ms": 30000 })).await;
    assert!(output(&ended).contains("\nProcess exited with code 0\n"), "{}", ended.text());

    let sized = exec(&project, json!({ "cmd": "stty size", "tty": true, "rows": 33, "columns": 99 })).await;
    assert!(output(&sized).ends_with("Output:\n33 99\r\n"), "{}", sized.text());
}

#[tokio::test]
async fn ctrl_c_in_a_terminal_ends_what_runs_there() {
    let project = Project::new();
    let id = open(&project, json!({ "cmd": "echo $$ >pid; exec sleep 100", "tty": true })).await;
    let pid = pid_in(&project.path("pid")).await;
    let outcome =
        project.call("write_stdin", json!({ "session_id": id, "chars": "\u{3}", "yield_time_ms": 30000 })).await;
    assert!(output(&outcome).contains("^C"), "{}", outcome.text());
    assert!(output(&outcome).contains("\nProcess exited with code 130\n"), "{}", outcome.text());
    eventually("it is gone", || !runs(pid)).await;
}

#[tokio::test]
async fn a_window_that_changes_is_told() {
    let project = Project::new();
    let cmd = "echo ready; while :; do stty size; sleep 0.05; done";
    let id = open(&project, json!({ "cmd": cmd, "tty": true })).await;
    let start = Instant::now();
    let mut text = String::new();
    while !text.contains("50 132") {
        assert!(start.elapsed() < SOON, "{text:?}");
        let look = project.call("write_stdin", json!({ "session_id": id, "rows": 50, "columns": 132 })).await;
        text.push_str(output(&look));
    }
}

#[tokio::test]
async fn sessions_are_listed_and_end_with_the_conversation() {
    let project = Project::new();
    let empty = project.call("list_exec_sessions", json!({})).await;
    assert_eq!(output(&empty), "No session is open.");
    let first = open(&project, json!({ "cmd": "sh -c 'echo $$ >pid; exec sleep 100'; true" })).await;
    let second =
        open(&project, json!({ "cmd": "setsid sh -c 'echo $$ >away; exec sleep 100' & wait", "tty": true })).await;
    let (near, away) = (pid_in(&project.path("pid")).await, pid_in(&project.path("away")).await);
    let list = project.call("list_exec_sessions", json!({})).await;
    let listed = list.metadata()["sessions"].clone();
    assert_eq!((&listed[0]["session_id"], &listed[1]["session_id"]), (&json!(second), &json!(first)));
    assert_eq!((&listed[0]["tty"], &listed[1]["tty"]), (&json!(true), &json!(false)));
    assert!(output(&list).contains(": running for "));
    assert!(runs(near) && runs(away));
    drop(project);
    eventually("no process outlives the conversation", || !runs(near)).await;
    eventually("not even one in a session of its own", || !runs(away)).await;
}

#[tokio::test]
async fn one_session_too_many_ends_the_oldest_and_says_so() {
    let project = Project::new();
    let first = open(&project, json!({ "cmd": "echo $$ >pid; exec sleep 100" })).await;
    let pid = pid_in(&project.path("pid")).await;
    for number in 1..64 {
        let outcome = exec(&project, json!({ "cmd": format!("exec sleep 10{number}"), "yield_time_ms": 250 })).await;
        assert_eq!(outcome.text(), output(&outcome), "nothing to tell yet");
    }
    assert!(runs(pid));
    let outcome = exec(&project, json!({ "cmd": "exec sleep 100", "yield_time_ms": 250 })).await;
    let told =
        format!("session {first} (`echo $$ >pid; exec sleep 100`) was ended to make room: at most 64 may be open");
    assert!(outcome.text().contains(&told), "{}", outcome.text());
    eventually("it is gone", || !runs(pid)).await;
    assert_eq!(
        project.call("list_exec_sessions", json!({})).await.metadata()["sessions"].as_array().unwrap().len(),
        64
    );
}

#[tokio::test]
async fn cancellation_ends_the_command_and_keeps_the_output() {
    let project = Project::new();
    let session = project.bench.session().clone();
    let cancel = async {
        pid_in(&project.path("pid")).await;
        session.cancellation().cancel();
    };
    let cmd = "echo so far; setsid sh -c 'echo $$ >pid; exec sleep 100' & sleep 100";
    let (outcome, ()) = tokio::join!(exec(&project, json!({ "cmd": cmd, "yield_time_ms": 30000 })), cancel);
    assert!(output(&outcome).ends_with("Output:\nso far\n"), "{}", outcome.text());
    assert!(outcome.text().contains("User aborted the command"), "{}", outcome.text());
    let pid = pid_in(&project.path("pid")).await;
    eventually("it is ended", || !runs(pid)).await;
}

#[tokio::test]
async fn a_flood_is_kept_in_its_beginning_and_end() {
    let project = Project::new();
    let outcome =
        exec(&project, json!({ "cmd": "seq 1 1000000; echo end", "yield_time_ms": 30000, "max_output_tokens": 20 }))
            .await;
    let text = output(&outcome);
    // 6,888,896 bytes of numbers, and four.
    assert!(text.contains("\nOriginal token count: 1722225\n"), "{text}");
    assert!(text.contains("Output:\nWarning: truncated output (original token count: 1722225)\n... "), "{text}");
    assert!(text.contains(" bytes omitted ...\n\n1\n2\n3\n"), "{text}");
    assert!(text.ends_with("1000000\nend\n"), "{text}");
    assert_eq!(outcome.metadata()["truncated"], true);
}

#[tokio::test]
async fn children_left_in_the_background_are_stopped_at_the_end() {
    let project = Project::new();
    let start = Instant::now();
    let outcome = exec(&project, json!({ "cmd": "sleep 100 >/dev/null 2>&1 & echo $! >pid; echo x" })).await;
    assert!(output(&outcome).ends_with("Output:\nx\n"), "{}", outcome.text());
    assert!(start.elapsed() < SOON);
    let pid = pid_in(&project.path("pid")).await;
    eventually("it is stopped", || !runs(pid)).await;
}

#[tokio::test]
async fn a_shell_that_is_not_there_and_a_directory_that_is_not() {
    let project = Project::new();
    let wrong = error(&exec(&project, json!({ "cmd": "true", "shell": "fish" })).await);
    assert!(wrong.starts_with("There is no shell `fish`"), "{wrong}");
    let wrong = error(&exec(&project, json!({ "cmd": "true", "workdir": "nowhere" })).await);
    assert!(wrong.contains("nowhere") && wrong.contains("workdir"), "{wrong}");
    assert!(output(&exec(&project, json!({ "cmd": "" })).await).contains("Process exited with code 0"));
    let named = exec(&project, json!({ "cmd": "echo $0", "shell": "sh" })).await;
    assert!(output(&named).trim_end().ends_with("/sh"), "{}", named.text());
}

#[tokio::test]
async fn long_commands_run() {
    let project = Project::new();
    let long = format!("x={}; echo ${{#x}} $#; cat", "y".repeat(300_000));
    let outcome = exec(&project, json!({ "cmd": long })).await;
    assert!(output(&outcome).ends_with("Output:\n300000 0\n"), "{}", outcome.text());
    let refused = error(&exec(&project, json!({ "cmd": long, "tty": true })).await);
    assert!(refused.contains("write it to a file"), "{refused}");
    let done = project.call("shell_command", json!({ "command": long, "login": false })).await;
    assert!(output(&done).ends_with("Output:\n300000 0\n"), "{}", done.text());
}

#[tokio::test]
async fn what_is_not_said_of_a_window_stays_as_it_is() {
    let project = Project::new();
    let cmd = "echo ready; while :; do stty size; sleep 0.05; done";
    let id = open(&project, json!({ "cmd": cmd, "tty": true, "rows": 33, "columns": 99 })).await;
    for (resize, wanted) in [(json!({ "rows": 50 }), "50 99"), (json!({ "columns": 132 }), "50 132")] {
        let (start, mut text) = (Instant::now(), String::new());
        while !text.contains(wanted) {
            assert!(start.elapsed() < SOON, "never {wanted}: {text:?}");
            let mut arguments = json!({ "session_id": id });
            arguments.as_object_mut().unwrap().extend(resize.as_object().unwrap().clone());
            text.push_str(output(&project.call("write_stdin", arguments).await));
        }
    }
}

#[tokio::test]
async fn who_looks_again_and_again_repeats_nothing() {
    let project = Project::with(|bench| bench.with(|executor| executor.rules(Ruleset::new().allow("bash", "*"))));
    let id = open(&project, json!({ "cmd": "sleep 100" })).await;
    for _ in 0..4 {
        let look = write(&project, id, "").await;
        assert!(look.output().is_some(), "{}", look.text());
    }
}
