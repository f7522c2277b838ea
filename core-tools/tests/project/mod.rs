//! A folder with files, and the tools at work in it.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test says what is wrong by panicking")]

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use core_tools::{
    ApplyPatchTool, BashTool, BatchTool, EditTool, ExecCommandTool, FindTool, GlobTool, GrepFilesTool, GrepTool,
    ListDirTool, ListExecSessionsTool, ListTool, LsTool, MultieditTool, ReadFileTool, ReadTool, ShellCommandTool,
    ShellTool, ViewImageTool, WriteStdinTool, WriteTool,
};
use serde_json::Value;
use tempfile::TempDir;
use tool_core::{
    Outcome,
    permission::{Reply, Ruleset},
    testing::{Bench, BenchBuilder},
    truncate::SpillStore,
};

/// Gone, with all that is in it, when it is dropped.
pub(crate) struct Project {
    folder: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) bench: Bench,
}

impl Project {
    /// Everything is allowed.
    pub(crate) fn new() -> Self {
        Self::with(|bench| bench.with(|executor| executor.rules(Ruleset::allow_all())))
    }

    /// What is asked is answered with these, in order.
    pub(crate) fn asking(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(|bench| bench.replies(replies))
    }

    pub(crate) fn with(step: impl FnOnce(BenchBuilder) -> BenchBuilder) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        let root = base.join("work");
        fs::create_dir(&root).unwrap();
        let bench = Bench::builder().tool(ReadTool).tool(WriteTool).tool(BashTool).tool(BatchTool).cwd(&root);
        let bench = bench.tool(ExecCommandTool).tool(WriteStdinTool).tool(ListExecSessionsTool);
        let bench = bench.tool(ShellTool).tool(ShellCommandTool);
        let bench = bench.tool(EditTool).tool(MultieditTool);
        let bench = bench.tool(GlobTool).tool(GrepTool).tool(LsTool).tool(ListTool).tool(FindTool);
        let bench = bench.tool(ReadFileTool).tool(ListDirTool).tool(GrepFilesTool);
        let bench = bench.tool(ViewImageTool).tool(ApplyPatchTool);
        let bench = bench.with(move |executor| executor.spills(SpillStore::new(base)));
        Self { folder, root, bench: step(bench).build() }
    }

    /// A path beside the project, outside it.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.root.parent().unwrap().join(name)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        self.bench.call(tool, &arguments.to_string()).await
    }

    pub(crate) fn spilled(&self) -> Vec<PathBuf> {
        let spills = fs::read_dir(self.folder.path().join("tool-output")).into_iter().flatten();
        spills.map(|entry| entry.unwrap().path()).collect()
    }
}

/// The output of a call that has to have succeeded.
pub(crate) fn output(outcome: &Outcome) -> &str {
    outcome.output().unwrap_or_else(|| panic!("failed: {}", outcome.text()))
}

/// The error of a call that has to have failed.
pub(crate) fn error(outcome: &Outcome) -> String {
    outcome.error().unwrap_or_else(|| panic!("succeeded: {}", outcome.text())).to_string()
}

/// Waits for something that has to come about, however slow the machine is.
pub(crate) async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(30), "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The process number that a command has written to a file.
pub(crate) async fn pid_in(file: &Path) -> i32 {
    let mut pid = None;
    eventually("a process number in a file", || {
        pid =
            fs::read_to_string(file).ok().filter(|text| text.ends_with('\n')).and_then(|text| text.trim().parse().ok());
        pid.is_some()
    })
    .await;
    pid.unwrap()
}

/// Whether a process runs; one that has ended and is not yet buried does not.
pub(crate) fn runs(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

pub(crate) fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
