//! Terminals on a machine that is reached by SSH: their size, what is typed, and how they end.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod machines;
mod project;
mod sshd;

use std::{
    fs, io,
    time::{Duration, Instant},
};

use core_tools::workspace::{Command, Exit, SshError, TerminalSize};
use machines::{Machine, remote};
use project::{eventually, output, pid_in, runs};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tool_core::Outcome;

/// Far more than what a slow machine needs.
const SOON: Duration = Duration::from_secs(60);

fn shell(machine: &Machine, script: &str) -> Command {
    Command::new("/bin/bash", ["-c", script], &machine.root)
}

async fn open(machine: &Machine, cmd: &str) -> i64 {
    let arguments = json!({ "cmd": cmd, "tty": true, "login": false, "rows": 33, "columns": 99, "yield_time_ms": 250 });
    let outcome = machine.call("exec_command", arguments).await;
    let id = outcome.metadata().get("session_id").and_then(Value::as_i64);
    id.unwrap_or_else(|| panic!("ended: {}", outcome.text()))
}

/// Says something again and again, until this was printed.
async fn until(machine: &Machine, arguments: Value, wanted: &str) -> Outcome {
    let (start, mut all) = (Instant::now(), String::new());
    loop {
        let outcome = machine.call("write_stdin", arguments.clone()).await;
        all.push_str(output(&outcome));
        if all.contains(wanted) {
            return outcome;
        }
        assert!(start.elapsed() < SOON, "never {wanted:?}: {all:?}");
    }
}

#[tokio::test]
async fn it_has_a_size_and_is_typed_into() {
    let Some(machine) = remote().await else { return };
    let sized = json!({ "cmd": "test -t 0 && test -t 1 && stty size; echo \"$TERM\"; exit 3", "tty": true, "login": false,
        "rows": 33, "columns": 99 });
    let sized = machine.call("exec_command", sized).await;
    assert!(output(&sized).ends_with("Output:\n33 99\r\nxterm-256color\r\n"), "{}", sized.text());
    assert!(output(&sized).contains("\nProcess exited with code 3\n"), "{}", sized.text());

    // No key is for ssh.
    let id = open(&machine, "stty -echo; echo ready; cat").await;
    until(&machine, json!({ "session_id": id, "chars": "\n~.h\u{e9}\n" }), "~.h\u{e9}\r\n").await;
    until(&machine, json!({ "session_id": id, "chars": "\u{4}", "yield_time_ms": 30000 }), "exited with code 0").await;
}

#[tokio::test]
async fn what_is_not_said_of_its_size_stays() {
    let Some(machine) = remote().await else { return };
    let id = open(&machine, "echo ready; while :; do stty size; sleep 0.05; done").await;
    until(&machine, json!({ "session_id": id, "rows": 50 }), "50 99").await;
    until(&machine, json!({ "session_id": id, "columns": 132 }), "50 132").await;
}

#[tokio::test]
async fn ctrl_c_is_for_what_runs_there() {
    let Some(machine) = remote().await else { return };
    let id = open(&machine, "echo $$ >pid; exec sleep 600").await;
    let pid = pid_in(&machine.root.join("pid")).await;
    let typed = json!({ "session_id": id, "chars": "\u{3}", "yield_time_ms": 30000 });
    until(&machine, typed, "\nProcess exited with code 130\n").await;
    eventually("it is gone", || !runs(pid)).await;
}

#[tokio::test]
async fn all_that_runs_there_ends_with_it() {
    let Some(machine) = remote().await else { return };
    // Deaf, and in a group of its own, as an interactive shell makes them.
    let script = "set -m; trap '' HUP TERM; sleep 600 & echo $! >pid; wait";
    let running = machine.workspace.spawn_in_terminal(shell(&machine, script), TerminalSize::default()).await.unwrap();
    let pid = pid_in(&machine.root.join("pid")).await;
    drop(running);
    eventually("the end of all in the terminal", || !runs(pid)).await;
}

#[tokio::test]
async fn a_lost_connection_is_told_and_leaves_nothing() {
    let Some(mut machine) = remote().await else { return };
    let script = "set -m; trap '' HUP TERM; echo so far; sleep 600 & echo $! >pid; wait";
    for tty in [true, false] {
        let _ = fs::remove_file(machine.root.join("pid"));
        let arguments = json!({ "cmd": script, "tty": tty, "login": false, "yield_time_ms": 250 });
        let outcome = machine.call("exec_command", arguments).await;
        let id = outcome.metadata()["session_id"].as_i64().unwrap();
        let pid = pid_in(&machine.root.join("pid")).await;
        machine.sshd().cut();
        let told = until(&machine, json!({ "session_id": id }), "Output:").await;
        assert!(!told.metadata().contains_key("exit_code"), "{}", told.text());
        assert!(told.text().contains("the connection to stand-in was lost"), "{}", told.text());
        eventually("the end of what ran there", || !runs(pid)).await;
        // What is under way when it is noticed may still fail.
        let root = machine.root.clone();
        let _ = machine.workspace.stat(&root).await;
    }
}

#[tokio::test]
async fn what_cannot_start_is_an_error_that_says_why() {
    let Some(machine) = remote().await else { return };
    for (command, what) in machine.hopeless() {
        let error = machine.workspace.spawn_in_terminal(command, TerminalSize::default()).await.err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().contains(what), "{error}");
    }

    let Some(sshd) = sshd::Sshd::with("PermitTTY no") else { return };
    let workspace = sshd.connect().await;
    let machine = machines::on(sshd, workspace);
    let command = shell(&machine, "true");
    let error = machine.workspace.spawn_in_terminal(command, TerminalSize::default()).await.err().unwrap();
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<SshError>());
    assert!(matches!(inner, Some(SshError::Start { .. })), "{error}");
}

#[tokio::test]
async fn how_it_ended_is_known_when_its_output_was_read() {
    let Some(machine) = remote().await else { return };
    for (script, exit) in [
        ("echo done; exit 7", Exit::new(Some(7), None)),
        ("echo done; kill -9 $$", Exit::new(None, Some(9))),
        ("echo done; exit 255", Exit::new(Some(255), None)),
    ] {
        let command = shell(&machine, script);
        let mut running = machine.workspace.spawn_in_terminal(command, TerminalSize::default()).await.unwrap();
        let mut printed = Vec::new();
        running.output.read_to_end(&mut printed).await.unwrap();
        assert!(printed.starts_with(b"done\r\n"), "{:?}", String::from_utf8_lossy(&printed));
        assert_eq!(running.process.wait().await.unwrap(), exit, "{script}");
    }
}
