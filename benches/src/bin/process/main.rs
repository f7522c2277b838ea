//! Commands: what `true` costs through `bash` beside a bare start of the same shell, a flood of output beside `cat`, how
//! soon the last process of a cancelled command is gone, and what many sessions leave behind.
//!
//! Wall time, for most of it is the kernel's. Both subjects of a comparison are run in turn; a figure is the median over
//! rounds, a ratio the median of the rounds' ratios. `process [--rounds N] [--megabytes N] [--sessions N]`.

use std::{
    env, fs,
    path::Path,
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use core_tools::{
    BashTool, ExecCommandTool,
    sandbox::{Backend, Sandbox, SandboxPolicy},
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_core::{Executor, Outcome, Registry, Session, ToolCall, executor::ExecutorBuilder, permission::Ruleset};

const SHELL: &str = "/bin/bash";

fn main() -> ExitCode {
    let (mut rounds, mut megabytes, mut sessions) = (200, 1024, 200);
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        let given = words.next().and_then(|given| given.parse().ok());
        match (word.as_str(), given) {
            ("--rounds", Some(given)) => rounds = given,
            ("--megabytes", Some(given)) => megabytes = given,
            ("--sessions", Some(given)) => sessions = given,
            _ => {
                eprintln!("usage: process [--rounds N] [--megabytes N] [--sessions N]");
                return ExitCode::from(2);
            }
        }
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    // As projects are, not among the temporary files: those may be written in a sandbox too, but for what is protected in
    // a project among them, and then each of them needs a rule of its own.
    let beside = env::current_exe().expect("a program");
    let folder = tempfile::tempdir_in(beside.parent().expect("its folder")).expect("a folder");
    let host = Host { runtime, folder };
    host.start("as it is", "1.3", &host.executor(), rounds);
    for backend in Backend::EACH {
        let executor = host.confined(Some(backend));
        if host.runs(&executor) {
            host.start(&format!("confined by {backend}"), "1.6", &executor, rounds);
        } else {
            println!("`true` through bash: {backend} does not work here");
        }
    }
    host.flood(megabytes as u64);
    host.cancel(20);
    host.open_and_close(sessions);
    ExitCode::SUCCESS
}

struct Host {
    runtime: Runtime,
    folder: tempfile::TempDir,
}

impl Host {
    fn executor(&self) -> Executor {
        self.confined(None)
    }

    fn confined(&self, backend: Option<Backend>) -> Executor {
        let registry = Registry::builder().add(BashTool).add(ExecCommandTool).build().expect("two tools");
        let spills = tool_core::truncate::SpillStore::new(self.folder.path());
        let executor = Executor::builder(registry).rules(Ruleset::allow_all()).spills(spills);
        let sandbox = backend.map(|backend| Sandbox::new(SandboxPolicy::workspace_write()).backend(backend));
        sandbox.into_iter().fold(executor, ExecutorBuilder::state).build().expect("an executor")
    }

    fn call(&self, executor: &Executor, session: &Session, tool: &str, arguments: &Value) -> Outcome {
        let call = ToolCall::new("call", tool.to_owned(), arguments.to_string());
        let outcome = self.runtime.block_on(executor.call(session, call));
        assert!(outcome.output().is_some(), "{}", outcome.text());
        outcome
    }

    /// Whether a command can be run at all: a sandbox that cannot be had is asked about, and nobody answers.
    fn runs(&self, executor: &Executor) -> bool {
        let call = ToolCall::new("call", "bash", json!({ "command": "true" }).to_string());
        self.runtime.block_on(executor.call(&self.session(), call)).output().is_some()
    }

    fn session(&self) -> Session {
        Session::new(self.folder.path())
    }

    /// Aim: at most 1.3 times the bare start, and 1.6 times in a sandbox.
    fn start(&self, what: &str, aim: &str, executor: &Executor, rounds: usize) {
        let session = self.session();
        let (mut ours, mut bare, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..rounds {
            // Not the same call twice, which would be asked about.
            let arguments = json!({ "command": "true", "description": round.to_string() });
            let start = Instant::now();
            self.call(executor, &session, "bash", &arguments);
            let our = start.elapsed();
            let start = Instant::now();
            let mut shell = Command::new(SHELL);
            shell.args(["-c", "true"]).current_dir(self.folder.path()).stdin(Stdio::null());
            assert!(shell.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("a shell").success());
            let its = start.elapsed();
            ratios.push(our.as_secs_f64() / its.as_secs_f64());
            ours.push(our);
            bare.push(its);
        }
        println!("`true` through bash      {:>10.3?}   {what}", median(&mut ours));
        println!("  a bare start           {:>10.3?}", median(&mut bare));
        ratios.sort_by(f64::total_cmp);
        println!("  ratio                  {:>10.2}   (aim: {aim})", ratios[ratios.len() / 2]);
    }

    /// Aim: under 32 MB at the peak.
    fn flood(&self, megabytes: u64) {
        let (executor, session) = (self.executor(), self.session());
        let flood = format!("yes 0123456789012345678901234567890123456789 | head -c {megabytes}M");
        let before = peak();
        let start = Instant::now();
        let arguments = json!({ "command": flood, "timeout": 3_600_000 });
        let outcome = self.call(&executor, &session, "bash", &arguments);
        let our = start.elapsed();
        assert_eq!(outcome.metadata()["exit"], 0);
        let after = peak();
        let start = Instant::now();
        let piped = format!("{flood} | cat >/dev/null");
        assert!(Command::new(SHELL).args(["-c", &piped]).status().expect("a shell").success());
        let its = start.elapsed();
        println!("{megabytes} MB through bash    {our:>10.3?}");
        println!("  through cat            {its:>10.3?}");
        println!("  peak memory            {:>7} KB   before {before} KB (aim: 32 MB)", after);
    }

    /// Aim: under 200 ms, with a child that got out of the group.
    fn cancel(&self, rounds: usize) {
        let executor = self.executor();
        let mut times = Vec::new();
        for _ in 0..rounds {
            let session = self.session();
            let file = self.folder.path().join("pid");
            let _ = fs::remove_file(&file);
            let command = "setsid sh -c 'echo $$ >pid; exec sleep 1000' & sleep 1000";
            let call = ToolCall::new("call", "bash", json!({ "command": command }).to_string());
            let (running, of) = (executor.clone(), session.clone());
            let call = self.runtime.spawn(async move { running.call(&of, call).await });
            let pid = loop {
                match fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<u32>().ok()) {
                    Some(pid) => break pid,
                    None => std::thread::sleep(Duration::from_millis(1)),
                }
            };
            let start = Instant::now();
            session.cancellation().cancel();
            while runs(pid) {
                std::thread::yield_now();
            }
            times.push(start.elapsed());
            self.runtime.block_on(call).expect("an outcome");
        }
        println!("cancel to the last gone  {:>10.3?}   (aim: 200 ms)", median(&mut times));
    }

    /// Aim: nothing left.
    fn open_and_close(&self, sessions: usize) {
        let before = left(self.folder.path());
        let start = Instant::now();
        for _ in 0..sessions {
            let executor = self.executor();
            let session = self.session();
            let arguments = json!({ "cmd": "cat", "tty": true, "login": false, "yield_time_ms": 250 });
            let outcome = self.call(&executor, &session, "exec_command", &arguments);
            assert!(outcome.metadata().contains_key("session_id"), "{}", outcome.text());
        }
        println!("{sessions} sessions             {:>10.3?}   250 ms of each are waiting", start.elapsed());
        // The last of them ends while its executor is dropped.
        let until = Instant::now() + Duration::from_secs(2);
        let all = |now: [(&str, usize); 4]| now.iter().zip(&before).all(|((_, now), (_, before))| now <= before);
        while !all(left(self.folder.path())) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        for ((what, before), (_, after)) in before.iter().zip(left(self.folder.path())) {
            println!("  {what:22} {:>10}   (aim: 0)", after.saturating_sub(*before));
        }
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The most memory that this process has had, in KB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or_default()
}

/// What a session could leave behind: how much there is of each.
fn left(folder: &Path) -> [(&'static str, usize); 4] {
    let entries = |path: &Path| fs::read_dir(path).map_or(0, Iterator::count);
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    [
        ("processes left", children.map(|all| all.split_whitespace().count()).sum()),
        ("descriptors left", entries(Path::new("/proc/self/fd"))),
        ("terminals left", entries(Path::new("/dev/pts"))),
        ("temporary files left", entries(folder) + entries(&env::temp_dir())),
    ]
}

fn runs(pid: u32) -> bool {
    let path = format!("/proc/{pid}/stat");
    let stat = fs::read_to_string(Path::new(&path)).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}
