//! Ctrl-C in the command line: once, and twice.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]
#![cfg(target_os = "linux")]

mod project;

use std::{
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use project::{Project, eventually, pid_in, runs};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

fn start(project: &Project, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_core-tools"));
    command.args(arguments).arg("--cwd").arg(&project.root).args(["--yes", "--output-dir"]).arg(project.outside("out"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

async fn ended(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(start.elapsed() < Duration::from_secs(40), "it does not end");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A command that does not want to end, and a child of it that got away.
const DEAF: &str = "trap '' TERM INT; setsid sh -c 'trap \"\" TERM; echo $$ >away; while :; do sleep 1; done' & echo $$ >pid; while :; do sleep 1; done";

#[tokio::test]
async fn the_first_one_ends_the_command_and_tells_its_outcome() {
    let project = Project::new();
    let mut child = start(&project, &["call", "bash", &json!({ "command": DEAF }).to_string(), "--json"]);
    let (pid, away) = (pid_in(&project.path("pid")).await, pid_in(&project.path("away")).await);
    interrupt(&child);
    ended(&mut child).await;
    eventually("nothing is left", || !runs(pid) && !runs(away)).await;
    let outcome: Value = serde_json::from_reader(child.stdout.take().unwrap()).unwrap();
    assert!(outcome["output"].as_str().unwrap().contains("User aborted the command"), "{outcome}");
}

#[tokio::test]
async fn the_second_one_leaves_nothing_either() {
    let project = Project::new();
    let mut child = start(&project, &["call", "bash", &json!({ "command": DEAF }).to_string()]);
    let (pid, away) = (pid_in(&project.path("pid")).await, pid_in(&project.path("away")).await);
    interrupt(&child);
    // Two that come at once may be one.
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        let _ = kill_process(Pid::from_child(&child), Signal::INT);
        assert!(start.elapsed() < Duration::from_secs(40), "it does not end");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    eventually("nothing is left", || !runs(pid) && !runs(away)).await;
}

#[tokio::test]
async fn sessions_end_with_the_program() {
    let project = Project::new();
    let cmd = "setsid sh -c 'echo $$ >away; exec sleep 100' & echo $$ >pid; sleep 100";
    let line = json!({ "name": "exec_command", "arguments": { "cmd": cmd, "login": false, "yield_time_ms": 1500 } });
    let mut child = start(&project, &["batch"]);
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), format!("{line}\n").as_bytes()).unwrap();
    let status = ended(&mut child).await;
    assert!(status.success(), "{status}");
    let (pid, away) = (pid_in(&project.path("pid")).await, pid_in(&project.path("away")).await);
    eventually("nothing is left", || !runs(pid) && !runs(away)).await;
}

/// What a shell starts behind `&` ignores Ctrl-C, and so would all that it starts.
#[test]
fn a_host_that_ignores_ctrl_c_does_not_hand_that_on() {
    let arguments = r#"{"command":"kill -INT $$; echo still here"}"#;
    let output = Command::new("sh")
        .args(["-c", r#"trap '' INT QUIT; exec "$0" call bash "$1" --yes --json"#])
        .args([env!("CARGO_BIN_EXE_core-tools"), arguments])
        .output()
        .unwrap();
    let outcome: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&outcome["metadata"]["signal"], outcome["output"].as_str()),
        (&2.into(), Some("(no output)")),
        "{outcome}"
    );
}
