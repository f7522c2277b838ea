//! A search that is given up ends, whatever it reads.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{
    io,
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use async_trait::async_trait;
use core_tools::{
    LocalWorkspace, Workspace,
    workspace::{self, ByteStream, Entry, FileInfo, FileLocks, Running},
};
use project::Project;
use serde_json::json;
use tokio::{
    io::{AsyncRead, ReadBuf},
    sync::Notify,
};
use tool_core::{ToolError, permission::Ruleset};

/// A machine on which every file goes on for ever, in one line.
struct Endless {
    machine: LocalWorkspace,
    read: Arc<Notify>,
}

struct Line(Arc<Notify>);

impl AsyncRead for Line {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.0.notify_one();
        buffer.initialize_unfilled().fill(b'x');
        buffer.advance(buffer.remaining());
        Poll::Ready(Ok(()))
    }
}

#[async_trait]
impl Workspace for Endless {
    async fn stat(&self, path: &Path) -> io::Result<FileInfo> {
        self.machine.stat(path).await
    }

    async fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.machine.real_path(path).await
    }

    async fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.machine.list(path).await
    }

    async fn open_at(&self, _: &Path, _: u64) -> io::Result<ByteStream> {
        Ok(Box::new(Line(self.read.clone())))
    }

    fn locks(&self) -> &FileLocks {
        self.machine.locks()
    }

    async fn spawn(&self, command: workspace::Command) -> io::Result<Running> {
        self.machine.spawn(command).await
    }

    fn home(&self) -> Option<PathBuf> {
        None
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_search_ends() {
    let read = Arc::new(Notify::new());
    let endless: Arc<dyn Workspace> = Arc::new(Endless { machine: LocalWorkspace::default(), read: read.clone() });
    let registered = endless.clone();
    let project = Project::with(|bench| {
        bench.with(|executor| executor.rules(Ruleset::allow_all()).state::<Arc<dyn Workspace>>(registered))
    });
    project.file("f", "");
    let session = project.bench.session().clone();
    let held = Arc::strong_count(&endless);
    let (outcome, ()) = tokio::join!(project.call("grep", json!({ "pattern": "y" })), async {
        read.notified().await;
        session.cancellation().cancel();
    });
    assert!(matches!(outcome.error(), Some(ToolError::Cancelled)), "{}", outcome.text());
    // The thread of the walk holds the workspace until it ends.
    project::eventually("the end of the search", || Arc::strong_count(&endless) == held).await;
}
