//! `bash`, beyond the recorded cases. Commands that should be stopped would run for a minute and more; no test waits for
//! less than that with a stopwatch.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{
    fs,
    os::unix::fs::symlink,
    sync::Arc,
    time::{Duration, Instant},
};

use core_tools::{Shell, Workspace};
use project::{Project, error, eventually, kill, output, pid_in, runs};
use serde_json::{Value, json};
use tool_core::{
    Outcome,
    event::Change,
    permission::{Reply, Ruleset},
    testing::Bench,
};

/// Far less than what the commands here would take, and far more than what a slow machine needs.
const SOON: Duration = Duration::from_secs(30);

async fn bash(project: &Project, command: &str) -> Outcome {
    project.call("bash", json!({ "command": command })).await
}

fn allowed(step: impl FnOnce(tool_core::testing::BenchBuilder) -> tool_core::testing::BenchBuilder) -> Project {
    Project::with(|bench| step(bench).with(|executor| executor.rules(Ruleset::allow_all())))
}

#[tokio::test]
async fn both_streams_in_the_order_of_writing() {
    let project = Project::new();
    let command = "for n in 1 2 3; do echo out $n; echo err $n >&2; done";
    let outcome = bash(&project, command).await;
    assert_eq!(output(&outcome), "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
    assert_eq!(outcome.status().unwrap().title(), command);
    assert_eq!(
        Value::from(outcome.metadata()),
        json!({ "output": "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n", "exit": 0, "truncated": false })
    );
}

#[tokio::test]
async fn no_output_no_input_and_signals() {
    let project = Project::new();
    assert_eq!(output(&bash(&project, "true").await), "(no output)");
    assert_eq!(output(&bash(&project, "").await), "(no output)");
    assert_eq!(output(&bash(&project, "cat; echo end").await), "end\n");
    let killed = bash(&project, "kill -9 $$").await;
    output(&killed);
    assert_eq!((&killed.metadata()["exit"], &killed.metadata()["signal"]), (&Value::Null, &json!(9)));
    assert!(!bash(&project, "exit 3").await.metadata().contains_key("signal"));
}

#[tokio::test]
async fn the_model_is_told_how_it_ended() {
    let project = Project::new();
    for (command, told) in [
        ("echo x; exit 42", "x\n<shell_metadata>\nexit code 42\n</shell_metadata>"),
        ("printf x; kill -TERM $$", "x\n<shell_metadata>\nended by signal 15 (SIGTERM)\n</shell_metadata>"),
        ("echo x", "x\n"),
    ] {
        let outcome = bash(&project, command).await;
        assert_eq!(outcome.text(), told);
        assert_eq!(output(&outcome).trim_end(), "x", "the output is the command's alone");
    }
    let left = bash(&project, "sleep 100 & echo x").await;
    assert!(left.text().contains("in the background that held the output were stopped"), "{}", left.text());
}

#[tokio::test]
async fn a_command_may_be_longer_than_an_argument() {
    let project = Project::new();
    let long = format!("x={}\n# what\nset -- \"$@\"; echo ${{#x}} $#; cat; exit 5\n", "y".repeat(3_000_000));
    let outcome = bash(&project, &long).await;
    assert_eq!(output(&outcome), "3000000 0\n");
    assert_eq!(outcome.metadata()["exit"], 5);
}

#[tokio::test]
async fn bad_bytes_and_split_characters() {
    let project = Project::new();
    assert_eq!(output(&bash(&project, r"printf 'a\377b'").await), "a\u{fffd}b");
    let split = r"printf '\342\202'; sleep 0.05; printf '\254'; printf '\342'";
    assert_eq!(output(&bash(&project, split).await), "€\u{fffd}");
}

#[tokio::test]
async fn long_output_keeps_its_end_and_is_saved() {
    let project = Project::new();
    let outcome = bash(&project, "seq 1 2500").await;
    let text = output(&outcome);
    let path = outcome.metadata()["outputPath"].as_str().unwrap().to_owned();
    let start = format!("...output truncated...\n\nFull output saved to: {path}\n\n502\n503\n");
    assert!(text.starts_with(&start), "{text:.200}");
    assert!(text.ends_with("\n2500\n"));
    let whole: String = (1..=2500).map(|number| format!("{number}\n")).collect();
    assert_eq!(fs::read_to_string(path).unwrap(), whole);

    // A single long line, with a break after it: opencode shows nothing of it.
    let outcome = bash(&project, "head -c 100000 /dev/zero | tr '\\0' x; echo").await;
    assert!(output(&outcome).ends_with(&format!("\n\n{}\n", "x".repeat(51_199))));
    assert_eq!(outcome.metadata()["output"].as_str().unwrap().len(), 30_000 + "...\n\n".len());
}

#[tokio::test]
async fn long_output_without_a_place_to_keep_it() {
    let bench = Bench::builder().tool(core_tools::BashTool).with(|executor| executor.rules(Ruleset::allow_all()));
    let outcome = bench.cwd("/").build().call("bash", r#"{"command":"seq 1 2500"}"#).await;
    let text = output(&outcome);
    assert!(text.starts_with("...output truncated...\n\nThe full output was not kept: "), "{text:.200}");
    assert_eq!(outcome.metadata()["truncated"], true);
}

#[tokio::test]
async fn output_is_reported_while_it_runs() {
    let project = Project::new();
    bash(&project, "echo one; sleep 0.3; echo two").await;
    let texts: Vec<String> = project
        .bench
        .changes()
        .into_iter()
        .filter_map(|change| match change {
            Change::Progress(progress) => Some(progress.text),
            _ => None,
        })
        .collect();
    assert_eq!(texts.concat(), "one\ntwo\n");
    let flood = Project::new();
    bash(&flood, "yes | head -c 5M").await;
    let reports = flood.bench.changes().len();
    assert!(reports < 200, "{reports} reports of 5 MB");
}

#[tokio::test]
async fn a_background_child_does_not_hold_the_call() {
    let project = Project::new();
    let start = Instant::now();
    let outcome = bash(&project, "sleep 100 & echo $! >pid; echo bg").await;
    assert_eq!(output(&outcome), "bg\n");
    assert!(start.elapsed() < SOON);
    assert_eq!(outcome.metadata()["backgroundStopped"], true);
    let pid = pid_in(&project.path("pid")).await;
    eventually("the child is stopped", || !runs(pid)).await;
}

#[tokio::test]
async fn a_detached_child_runs_on() {
    let project = Project::new();
    for command in [
        "sleep 100 >/dev/null 2>&1 & echo $! >pid; echo bg",
        "setsid sh -c 'echo $$ >pid; exec sleep 100' & while ! [ -s pid ]; do sleep 0.01; done; echo bg",
    ] {
        let _ = fs::remove_file(project.path("pid"));
        let start = Instant::now();
        let outcome = bash(&project, command).await;
        assert_eq!(output(&outcome), "bg\n");
        assert!(start.elapsed() < SOON);
        assert!(!outcome.metadata().contains_key("backgroundStopped"), "{command}");
        let pid = pid_in(&project.path("pid")).await;
        assert!(runs(pid), "{command}");
        kill(pid);
    }
}

#[tokio::test]
async fn the_last_output_of_children_is_waited_for() {
    let project = Project::new();
    // On a machine that stands still for a moment the child may be too late, but not every time.
    let mut tries = 0;
    while output(&bash(&project, "(sleep 0.02; echo late) & echo soon").await) != "soon\nlate\n" {
        tries += 1;
        assert!(tries < 10);
    }
    let outcome = bash(&project, "yes & echo $! >pid").await;
    assert_eq!(outcome.metadata()["truncated"], true);
    let pid = pid_in(&project.path("pid")).await;
    eventually("a child that floods is stopped", || !runs(pid)).await;
}

#[tokio::test]
async fn a_timeout_ends_the_whole_group() {
    let project = Project::new();
    let start = Instant::now();
    let command = "sh -c 'sleep 100 & echo $! >pid; wait' & while ! [ -s pid ]; do sleep 0.01; done; echo before; wait";
    let outcome = project.call("bash", json!({ "command": command, "timeout": 3000 })).await;
    let text = output(&outcome);
    assert!(
        text.starts_with(
            "before\n\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout 3000 ms."
        ),
        "{text}"
    );
    assert!(text.ends_with("\n</shell_metadata>"));
    assert_eq!(outcome.metadata()["exit"], Value::Null);
    assert!(start.elapsed() < SOON);
    let pid = pid_in(&project.path("pid")).await;
    eventually("the grandchild is stopped", || !runs(pid)).await;
}

#[tokio::test]
async fn a_timeout_ends_what_does_not_want_to_end() {
    let project = Project::new();
    let command = "trap '' TERM; echo $$ >pid; while :; do sleep 0.1; done";
    let outcome = project.call("bash", json!({ "command": command, "timeout": 2000 })).await;
    assert!(output(&outcome).starts_with("(no output)\n\n<shell_metadata>\n"));
    let pid = pid_in(&project.path("pid")).await;
    eventually("it is killed", || !runs(pid)).await;
}

#[tokio::test]
async fn a_timeout_of_nothing_is_refused() {
    let project = Project::new();
    let outcome = project.call("bash", json!({ "command": "true", "timeout": 0 })).await;
    assert!(error(&outcome).contains("timeout"));
    output(&project.call("bash", json!({ "command": "true", "timeout": u64::MAX })).await);
}

#[tokio::test]
async fn cancellation_keeps_the_output() {
    let project = Project::new();
    let call = bash(&project, "echo before; echo $$ >pid; sleep 100");
    let cancel = async {
        let pid = pid_in(&project.path("pid")).await;
        // The output was written before the file.
        eventually("a report", || project.bench.changes().len() > 2).await;
        project.bench.session().cancellation().cancel();
        pid
    };
    let (outcome, pid) = tokio::join!(call, cancel);
    assert_eq!(output(&outcome), "before\n\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>");
    assert_eq!(outcome.metadata()["exit"], Value::Null);
    eventually("it is stopped", || !runs(pid)).await;
}

#[tokio::test]
async fn dropping_the_call_kills_the_group() {
    let project = Project::new();
    let command = "seq 1 3000; sh -c 'trap \"\" TERM; echo $$ >pid; while :; do sleep 0.1; done'; true";
    let mut call = Box::pin(bash(&project, command));
    let started = async { pid_in(&project.path("pid")).await };
    let pid = tokio::select! {
        outcome = &mut call => panic!("ended: {}", outcome.text()),
        pid = started => pid,
    };
    assert!(runs(pid));
    drop(call);
    eventually("it is killed", || !runs(pid)).await;
    eventually("the spill is removed", || project.spilled().is_empty()).await;
}

#[tokio::test]
async fn a_bad_workdir_is_named() {
    let project = Project::new();
    project.file("file", "");
    for (workdir, what) in [("none", "none"), ("file", "it is a regular file")] {
        let outcome = project.call("bash", json!({ "command": "pwd", "workdir": workdir })).await;
        let message = error(&outcome);
        assert!(message.contains(what) && message.contains(&project.path(workdir).display().to_string()), "{message}");
    }
    assert!(error(&bash(&project, "a\0b").await).contains("NUL byte"));
}

#[tokio::test]
async fn the_host_chooses_the_shell() {
    let project = allowed(|bench| bench.state(Shell::new("/bin/echo")));
    assert_eq!(output(&bash(&project, "hello").await), "-c hello\n");
    let project = allowed(|bench| bench.state(Shell::new("/no/such/shell")));
    assert!(error(&bash(&project, "hello").await).contains("/no/such/shell"));
}

#[tokio::test]
async fn leave_is_asked() {
    let project = Project::asking([Reply::Once, Reply::Always]);
    symlink(project.outside(""), project.path("up")).unwrap();
    let outcome = project.call("bash", json!({ "command": "echo one", "workdir": "up" })).await;
    assert_eq!(output(&outcome), "one\n");
    assert_eq!(output(&bash(&project, "echo two").await), "two\n");
    let asks = project.bench.asks();
    assert_eq!(asks.len(), 2, "the second echo is covered by `echo *`");
    let outside = format!("{}/*", project.root.parent().unwrap().display());
    assert_eq!(asks[0].request.permission, "external_directory");
    assert_eq!(asks[0].request.patterns, [outside]);
    let request = &asks[1].request;
    assert_eq!(request.permission, "bash");
    assert_eq!(request.patterns, ["echo one"]);
    assert_eq!(request.always, ["echo *"]);
    assert_eq!(request.metadata["command"], "echo one");
    error(&bash(&project, "ls").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_beside_each_other() {
    let project = Project::new();
    let commands: Vec<String> =
        (0..16).map(|number| format!("sleep 0.0{number}; echo {number}; echo {number} >&2")).collect();
    let outcomes = futures_util::future::join_all(commands.iter().map(|command| bash(&project, command))).await;
    for (number, outcome) in outcomes.iter().enumerate() {
        assert_eq!(output(outcome), format!("{number}\n{number}\n"));
    }
}

/// Another machine: everything is as on this one, but commands run elsewhere.
struct Elsewhere(core_tools::LocalWorkspace);

#[async_trait::async_trait]
impl Workspace for Elsewhere {
    async fn stat(&self, path: &std::path::Path) -> std::io::Result<core_tools::workspace::FileInfo> {
        self.0.stat(path).await
    }
    async fn real_path(&self, path: &std::path::Path) -> std::io::Result<std::path::PathBuf> {
        self.0.real_path(path).await
    }
    async fn list(&self, path: &std::path::Path) -> std::io::Result<Vec<core_tools::workspace::Entry>> {
        self.0.list(path).await
    }
    async fn open_at(&self, _: &std::path::Path, _: u64) -> std::io::Result<core_tools::workspace::ByteStream> {
        Ok(Box::new(&b"from elsewhere\n"[..]))
    }
    async fn spawn(
        &self,
        mut command: core_tools::workspace::Command,
    ) -> std::io::Result<core_tools::workspace::Running> {
        command.args.insert(0, "-x".into());
        self.0.spawn(command).await
    }
    fn locks(&self) -> &core_tools::workspace::FileLocks {
        self.0.locks()
    }
    fn home(&self) -> Option<std::path::PathBuf> {
        None
    }
}

#[tokio::test]
async fn another_machine_stands_in() {
    let workspace: Arc<dyn Workspace> = Arc::new(Elsewhere(core_tools::LocalWorkspace::default()));
    let project = allowed(|bench| bench.state(workspace));
    project.file("f.txt", "from here");
    assert_eq!(output(&bash(&project, "echo hello").await), "+ echo hello\nhello\n");
    assert!(output(&project.call("read", json!({ "filePath": "f.txt" })).await).contains("1: from elsewhere\n"));
    assert!(error(&project.call("read", json!({ "filePath": "~/f" })).await).contains("no home directory"));
}

#[tokio::test]
async fn a_stopped_process_can_still_be_ended() {
    let project = Project::new();
    let command = "trap 'echo bye; exit' TERM; kill -STOP $$";
    let arguments = serde_json::json!({ "command": command, "timeout": 200, "description": "stops itself" });
    let outcome = project.bench.call("bash", &arguments.to_string()).await;
    // It hears of its end only when it goes on.
    assert!(outcome.text().starts_with("bye\n"), "{}", outcome.text());
    assert!(outcome.text().contains("exceeding timeout 200 ms"), "{}", outcome.text());
}
