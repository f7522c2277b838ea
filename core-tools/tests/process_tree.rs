//! What commands start ends with them, wherever it went; what is left is looked for by a mark in the environment.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]
#![cfg(target_os = "linux")]

mod project;

use std::{
    fs,
    os::fd::{AsRawFd, OwnedFd},
    time::{Duration, Instant},
};

use core_tools::workspace::Background;
use project::{Project, eventually, output, pid_in, runs};
use serde_json::json;
use tool_core::{permission::Ruleset, testing::Bench};

/// The processes that have this in their environment.
fn marked(mark: &str) -> Vec<i32> {
    let numbers = fs::read_dir("/proc").unwrap().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let has = |pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        runs(*pid) && environment.split(|byte| *byte == 0).any(|variable| variable == format!("MARK={mark}").as_bytes())
    };
    numbers.filter(has).collect()
}

/// Ways out of a process group. Each writes the number of who got out to `pid`.
const ESCAPES: [(&str, &str); 6] = [
    ("a session of its own", "setsid sh -c 'echo $$ >pid; exec sleep 100' &"),
    ("left by its parent", "sh -c 'setsid sh -c \"echo \\$\\$ >pid; exec sleep 100\" & exit' &"),
    ("deaf", "setsid sh -c 'trap \"\" TERM HUP INT; echo $$ >pid; while :; do sleep 1; done' &"),
    ("stopped", "setsid sh -c 'echo $$ >pid; kill -STOP $$; exec sleep 100' &"),
    ("without an environment", "setsid env -i PATH=\"$PATH\" sh -c 'echo $$ >pid; exec sleep 100' &"),
    (
        "a daemon without an environment",
        "echo 'setsid sh -c '\\''echo $$ >pid; exec sleep 100'\\'' >/dev/null 2>&1 &' >daemon.sh
         setsid env -i PATH=\"$PATH\" sh daemon.sh &",
    ),
];

#[tokio::test]
async fn a_timeout_reaches_who_got_out_of_the_group() {
    for (name, escape) in ESCAPES {
        let project = Project::new();
        let mark = project.root.display().to_string();
        let command =
            format!("export MARK='{mark}'\n{escape}\nwhile ! [ -s pid ]; do sleep 0.02; done; echo out; sleep 100");
        let outcome = project.call("bash", json!({ "command": command, "timeout": 2500 })).await;
        assert!(output(&outcome).starts_with("out\n"), "{name}: {}", outcome.text());
        let pid = pid_in(&project.path("pid")).await;
        eventually(name, || !runs(pid)).await;
        eventually(name, || marked(&mark).is_empty()).await;
    }
}

#[tokio::test]
async fn a_dropped_call_leaves_nothing() {
    for (name, escape) in ESCAPES {
        let project = Project::new();
        let mark = project.root.display().to_string();
        let command = format!("export MARK='{mark}'\n{escape}\nsleep 100");
        let call = project.call("bash", json!({ "command": command }));
        let file = project.path("pid");
        tokio::select! {
            outcome = call => panic!("{name}: it ended: {}", outcome.text()),
            // The call is dropped when this comes.
            _ = pid_in(&file) => {}
        }
        let pid = pid_in(&file).await;
        eventually(name, || !runs(pid) && marked(&mark).is_empty()).await;
    }
}

#[tokio::test]
async fn cancellation_is_quick_and_keeps_the_output() {
    let project = Project::new();
    let mark = project.root.display().to_string();
    let command = format!(
        "export MARK='{mark}'; echo so far; {} while ! [ -s pid ]; do sleep 0.02; done; sleep 100",
        ESCAPES[0].1
    );
    let session = project.bench.session().clone();
    let cancel = async {
        pid_in(&project.path("pid")).await;
        session.cancellation().cancel();
    };
    let start = Instant::now();
    let (outcome, ()) = tokio::join!(project.call("bash", json!({ "command": command })), cancel);
    assert!(output(&outcome).starts_with("so far\n"), "{}", outcome.text());
    assert!(start.elapsed() < Duration::from_secs(40));
    eventually("nothing is left", || marked(&mark).is_empty()).await;
}

#[tokio::test]
async fn a_host_says_what_becomes_of_the_background() {
    let detached = "setsid sh -c 'echo $$ >away; exec sleep 100' >/dev/null 2>&1 & sleep 100 & echo $! >near; while ! [ -s away ]; do sleep 0.02; done; echo x";
    for (background, near_runs, away_runs) in [
        (Background::Keep, true, true),
        (Background::StopAttached, false, true),
        (Background::StopGroup, false, true),
        (Background::StopAll, false, false),
    ] {
        for (tool, argument) in [("bash", "command"), ("exec_command", "cmd")] {
            let project =
                Project::with(|bench| bench.with(|executor| executor.rules(Ruleset::allow_all())).state(background));
            let outcome = project.call(tool, json!({ argument: detached })).await;
            assert!(output(&outcome).ends_with("x\n"), "{}", outcome.text());
            let (near, away) = (pid_in(&project.path("near")).await, pid_in(&project.path("away")).await);
            if !near_runs {
                eventually("the near one is stopped", || !runs(near)).await;
            }
            if !away_runs {
                eventually("the one that went away is stopped", || !runs(away)).await;
            }
            assert_eq!((runs(near), runs(away)), (near_runs, away_runs), "{background:?} {tool}");
            [near, away].into_iter().filter(|pid| runs(*pid)).for_each(project::kill);
        }
    }
}

#[tokio::test]
async fn no_descriptor_is_inherited() {
    // As a host's own parent may leave one open.
    let open: OwnedFd = fs::File::open("/dev/null").unwrap().into();
    rustix::io::fcntl_setfd(&open, rustix::io::FdFlags::empty()).unwrap();
    let project = Project::new();
    let command = format!("ls /proc/self/fd; [ -e /proc/$$/fd/{} ] && echo inherited", open.as_raw_fd());
    let outcome = project.call("bash", json!({ "command": command })).await;
    assert_eq!(output(&outcome), "0\n1\n2\n3\n", "only those of a program, and the directory itself");
}

#[tokio::test]
async fn no_terminal_can_be_reached() {
    let project = Project::new();
    let outcome = project.call("bash", json!({ "command": "(exec 3</dev/tty) 2>/dev/null || echo none; ps -o sid= -p $$ | tr -d ' ' | grep -qx $$ && echo own" })).await;
    assert_eq!(output(&outcome), "none\nown\n");
}

#[tokio::test]
async fn opening_and_closing_leaves_nothing() {
    let project = Project::new();
    let mark = project.root.display().to_string();
    let descriptors = || fs::read_dir("/proc/self/fd").unwrap().count();
    let cmd = format!("export MARK='{mark}'; cat");
    let before = descriptors();
    for _ in 0..20 {
        let bench = Bench::builder().tool(core_tools::ExecCommandTool).cwd(&project.root);
        let bench = bench.with(|executor| executor.rules(Ruleset::allow_all())).build();
        let outcome = bench
            .call("exec_command", &json!({ "cmd": cmd, "tty": true, "login": false, "yield_time_ms": 250 }).to_string())
            .await;
        assert!(outcome.metadata().contains_key("session_id"), "{}", outcome.text());
    }
    eventually("nothing is left", || marked(&mark).is_empty()).await;
    // Other tests of this process open and close theirs.
    eventually("descriptors are closed", || descriptors() <= before + 8).await;
}
