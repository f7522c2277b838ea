//! What is on its way to be written: no tool shows it, and who waits for its lock can be called off.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use core_tools::{
    LocalWorkspace, Workspace,
    workspace::{ByteStream, Command, Entry, FileInfo, FileLocks, Running},
};
use project::{Project, error, output};
use serde_json::json;
use tool_core::{ErrorKind, ToolError, permission::Ruleset};

const STAGED: &str = ".core-tools-0123456789abcdef.tmp";
/// Somebody's own file.
const NOTES: &str = ".core-tools-notes.tmp";

#[tokio::test]
async fn what_a_killed_change_has_left_over_is_shown_by_no_tool() {
    let project = Project::new();
    for name in ["a.txt", STAGED, NOTES, "deep/a.txt", &format!("deep/{STAGED}")] {
        project.file(name, "needle\n");
    }
    for (tool, arguments) in [
        ("glob", json!({ "pattern": "**/*" })),
        ("find", json!({ "pattern": "*" })),
        ("grep", json!({ "pattern": "needle" })),
        ("grep_files", json!({ "pattern": "needle" })),
        ("ls", json!({})),
        ("list", json!({})),
        ("list_dir", json!({ "dir_path": project.root })),
        ("read", json!({ "filePath": "." })),
    ] {
        let outcome = project.call(tool, arguments).await;
        let text = output(&outcome);
        assert!(text.contains("a.txt") && text.contains(NOTES), "{tool}: {text}");
        assert!(!text.contains(STAGED), "{tool}: {text}");
    }
    let missing = error(&project.call("read", json!({ "filePath": format!("{STAGED}.bak") })).await);
    assert!(!missing.contains("Did you mean"), "{missing}");
}

/// The local machine, that counts who has come for its locks.
#[derive(Default)]
struct Counted {
    local: LocalWorkspace,
    came: AtomicUsize,
}

#[async_trait]
impl Workspace for Counted {
    async fn stat(&self, path: &Path) -> io::Result<FileInfo> {
        self.local.stat(path).await
    }

    async fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.local.real_path(path).await
    }

    async fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.local.list(path).await
    }

    async fn open_at(&self, path: &Path, offset: u64) -> io::Result<ByteStream> {
        self.local.open_at(path, offset).await
    }

    fn locks(&self) -> &FileLocks {
        self.came.fetch_add(1, Ordering::Relaxed);
        self.local.locks()
    }

    async fn spawn(&self, command: Command) -> io::Result<Running> {
        self.local.spawn(command).await
    }

    fn home(&self) -> Option<PathBuf> {
        self.local.home()
    }
}

#[tokio::test]
async fn who_waits_for_a_lock_can_be_called_off() {
    for (tool, arguments) in [
        ("write", json!({ "filePath": "f", "content": "x" })),
        ("edit", json!({ "filePath": "f", "oldString": "a", "newString": "x" })),
        ("multiedit", json!({ "filePath": "f", "edits": [{ "oldString": "a", "newString": "x" }] })),
        ("apply_patch", json!({ "input": "*** Begin Patch\n*** Update File: f\n-a\n+x\n*** End Patch" })),
    ] {
        let workspace = Arc::new(Counted::default());
        let state: Arc<dyn Workspace> = workspace.clone();
        let project =
            Project::with(move |bench| bench.state(state).with(|executor| executor.rules(Ruleset::allow_all())));
        let path = project.file("f", "a\n");
        let guard = workspace.local.locks().lock([path.clone()]).await;
        let cancel = async {
            project::eventually("a call that waits", || workspace.came.load(Ordering::Relaxed) > 0).await;
            project.bench.session().cancellation().cancel();
            // Too late for who is called off already.
            drop(guard);
        };
        let (outcome, ()) = tokio::join!(project.call(tool, arguments), cancel);
        assert_eq!(outcome.error().map(ToolError::kind), Some(ErrorKind::Cancelled), "{tool}: {}", outcome.text());
        assert_eq!(fs::read(&path).unwrap(), b"a\n");
        assert!(workspace.local.locks().is_empty(), "{tool}");
    }
}
