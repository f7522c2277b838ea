//! Changes of several files: all or none, in the order they come, and not over what somebody else changed.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod failing;

use std::{
    future::Future,
    path::{Path, PathBuf},
    sync::Arc,
    task::Poll,
};

use bytes::Bytes;
use core_tools::{
    ActiveWorkspace, LocalWorkspace, Workspace,
    workspace::{
        Before, Change, ChangeError, FileKind, FileLocks, MemoryWorkspace, Original, OriginalError, STAGED_PREFIX,
        Seen, apply_all,
    },
};
use failing::Failing;

/// Everything under a directory: names, content and mode.
async fn picture(workspace: &dyn Workspace, root: &Path) -> Vec<(PathBuf, Option<(Vec<u8>, Option<u32>)>)> {
    let mut all = Vec::new();
    let mut todo = vec![root.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in workspace.list(&folder).await.unwrap() {
            let path = folder.join(&entry.name);
            if entry.kind == FileKind::Directory {
                todo.push(path.clone());
                all.push((path, None));
            } else {
                let mode = workspace.stat(&path).await.unwrap().mode;
                let content = workspace.read(&path, u64::MAX).await.unwrap();
                all.push((path, Some((content, mode))));
            }
        }
    }
    all.sort();
    all
}

async fn before(workspace: &dyn Workspace, path: &Path) -> Before {
    Original::before(Original::read(workspace, path, 1 << 20).await.unwrap().as_ref())
}

/// One of each kind, over the files that [`fill`] makes.
async fn changes(workspace: &dyn Workspace, root: &Path) -> Vec<Change> {
    let path = |name: &str| root.join(name);
    let info = async |name: &str| workspace.stat(&path(name)).await.unwrap();
    let mut changes = vec![
        Change::write(path("a"), "new a", before(workspace, &path("a")).await),
        Change::write(path("made/deep/b"), "new b", Before::Absent),
    ];
    changes.push(Change::remove(path("c"), info("c").await));
    changes.push(Change::rename(path("d"), path("made/e"), info("d").await, Before::Absent));
    changes.push(Change::rename(path("f"), path("g"), info("f").await, Before::File(info("g").await)));
    changes.push(Change::write(path("h"), "new h", before(workspace, &path("h")).await).mode(0o700));
    changes
}

async fn fill(workspace: &dyn Workspace, root: &Path) {
    for name in ["a", "c", "d", "f", "g", "h"] {
        let content = Bytes::from(format!("old {name}"));
        workspace.create(&root.join(name), content, None).await.unwrap();
    }
    workspace.set_mode(&root.join("a"), 0o751).await.unwrap();
}

async fn apply(workspace: &Arc<dyn Workspace>, changes: Vec<Change>) -> Result<(), ChangeError> {
    let paths: Vec<PathBuf> = changes.iter().flat_map(|change| change.paths().map(Path::to_owned)).collect();
    let guard = workspace.locks().lock(paths).await;
    apply_all(&ActiveWorkspace::new(workspace.clone()), Arc::new(Seen::default()), guard, changes).await
}

fn memory() -> (Arc<dyn Workspace>, PathBuf) {
    (Arc::new(MemoryWorkspace::new().directory("/work")), "/work".into())
}

#[tokio::test]
async fn all_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let local: Arc<dyn Workspace> = Arc::new(LocalWorkspace::default());
    let root = std::fs::canonicalize(folder.path()).unwrap();
    for (workspace, root) in [memory(), (local, root)] {
        fill(&*workspace, &root).await;
        apply(&workspace, changes(&*workspace, &root).await).await.unwrap();
        let picture = picture(&*workspace, &root).await;
        let text = |name: &str| {
            let file = picture.iter().find(|(path, _)| *path == root.join(name)).unwrap();
            String::from_utf8(file.1.clone().unwrap().0).unwrap()
        };
        let names: Vec<_> =
            picture.iter().map(|(path, _)| path.strip_prefix(&root).unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["a", "g", "h", "made", "made/deep", "made/deep/b", "made/e"]);
        for (name, content) in
            [("a", "new a"), ("g", "old f"), ("h", "new h"), ("made/deep/b", "new b"), ("made/e", "old d")]
        {
            assert_eq!(text(name), content);
        }
        let mode = async |name: &str| workspace.stat(&root.join(name)).await.unwrap().mode;
        assert_eq!((mode("a").await, mode("h").await), (Some(0o751), Some(0o700)));
    }
}

/// Each step fails in its turn; whichever it is, everything is as before, or all is done.
#[tokio::test]
async fn a_failure_anywhere_puts_everything_back() {
    let mut number = 0;
    loop {
        let failing = Arc::new(Failing::new(MemoryWorkspace::new().directory("/work")));
        let workspace: Arc<dyn Workspace> = failing.clone();
        let root = Path::new("/work");
        fill(&*workspace, root).await;
        let old = picture(&*workspace, root).await;
        let changes = changes(&*workspace, root).await;
        failing.fail_at(number);
        let result = apply(&workspace, changes).await;
        if !failing.has_failed() {
            result.unwrap();
            break;
        }
        if let Err(error) = result {
            assert!(matches!(error, ChangeError::Refused { .. }), "step {number}: {error}");
            assert_eq!(picture(&*workspace, root).await, old, "step {number}: {error}");
        }
        number += 1;
    }
    assert!(number > 15, "{number} steps");
}

/// A directory that takes no new files: the old ones are written where they stand, and put back there too.
#[tokio::test]
async fn files_that_cannot_be_replaced_are_put_back_as_well() {
    let (workspace, root) = memory();
    fill(&*workspace, &root).await;
    workspace.make_dirs(&root.join("sealed")).await.unwrap();
    workspace.create(&root.join("sealed/s"), "old s".into(), None).await.unwrap();
    workspace.set_mode(&root.join("sealed"), 0o555).await.unwrap();
    let old = picture(&*workspace, &root).await;
    let write = async |name: &str| {
        let path = root.join(name);
        let before = before(&*workspace, &path).await;
        Change::write(path, "new", before).mode(0o600)
    };
    // No file can be made there, so the second fails when the first is done.
    let new = Change::rename(
        root.join("a"),
        root.join("sealed/new"),
        workspace.stat(&root.join("a")).await.unwrap(),
        Before::Absent,
    );
    let error = apply(&workspace, vec![write("sealed/s").await, new]).await.unwrap_err();
    assert!(matches!(error, ChangeError::Refused { .. }), "{error}");
    assert_eq!(picture(&*workspace, &root).await, old);
    apply(&workspace, vec![write("sealed/s").await, write("a").await]).await.unwrap();
    assert_eq!(workspace.read(&root.join("sealed/s"), 9).await.unwrap(), b"new");
}

#[tokio::test]
async fn a_full_disk_changes_nothing() {
    let memory = MemoryWorkspace::new().file("/a", "0123456789").file("/b", "0123456789").capacity(45);
    let workspace: Arc<dyn Workspace> = Arc::new(memory);
    let old = picture(&*workspace, Path::new("/")).await;
    let write = async |name: &str, len: usize| {
        let path = PathBuf::from(name);
        let before = before(&*workspace, &path).await;
        Change::write(path, vec![b'x'; len], before)
    };
    let error = apply(&workspace, vec![write("/a", 20).await, write("/b", 20).await]).await.unwrap_err();
    assert!(matches!(&error, ChangeError::Refused { source, .. } if source.kind() == std::io::ErrorKind::StorageFull));
    assert_eq!(picture(&*workspace, Path::new("/")).await, old);
}

#[tokio::test]
async fn a_file_that_shrinks_while_it_is_read_is_an_error() {
    let workspace = Failing::new(MemoryWorkspace::new().file("/a", "0123456789"));
    assert_eq!(Original::read(&workspace, Path::new("/a"), 10).await.unwrap().unwrap().bytes, b"0123456789");
    assert!(matches!(
        Original::read(&workspace, Path::new("/a"), 9).await,
        Err(OriginalError::TooLong { len: 10, most: 9 })
    ));
    workspace.shrink();
    assert!(matches!(Original::read(&workspace, Path::new("/a"), 10).await, Err(OriginalError::Unsteady)));
}

#[tokio::test]
async fn what_changes_while_it_is_staged_is_not_written_over() {
    let failing = Arc::new(Failing::new(MemoryWorkspace::new().file("/a", "old").file("/b", "old")));
    let workspace: Arc<dyn Workspace> = failing.clone();
    let (a, b) = (Path::new("/a"), Path::new("/b"));
    let changes = vec![
        Change::write(a, "new", before(&*workspace, a).await),
        Change::write(b, "new", before(&*workspace, b).await),
    ];
    failing.meddle(b);
    let error = apply(&workspace, changes).await.unwrap_err();
    assert!(matches!(&error, ChangeError::Changed { path, .. } if path == b), "{error}");
    let texts = [workspace.read(a, 9).await.unwrap(), workspace.read(b, 9).await.unwrap()];
    assert_eq!(texts, [b"old".to_vec(), b"meddled".to_vec()]);
    assert_eq!(workspace.list(Path::new("/")).await.unwrap().len(), 2);
}

/// Where a file stands, it is not written in one step: what fails there is put back too.
#[tokio::test]
async fn a_file_that_is_alone_is_put_back_as_well() {
    for step in 0..8 {
        let failing = Arc::new(Failing::new(MemoryWorkspace::new().file("/sealed/s", "old")));
        let workspace: Arc<dyn Workspace> = failing.clone();
        workspace.set_mode(Path::new("/sealed"), 0o555).await.unwrap();
        let old = picture(&*workspace, Path::new("/")).await;
        let path = Path::new("/sealed/s");
        let change = Change::write(path, "new", before(&*workspace, path).await).mode(0o600);
        failing.fail_at(step);
        match apply(&workspace, vec![change]).await {
            Ok(()) => assert_eq!(workspace.read(path, 9).await.unwrap(), b"new"),
            Err(error) => assert_eq!(picture(&*workspace, Path::new("/")).await, old, "{step}: {error}"),
        }
    }
}

#[tokio::test]
async fn what_is_not_as_expected_stops_everything() {
    let (workspace, root) = memory();
    fill(&*workspace, &root).await;
    let (a, c) = (root.join("a"), root.join("c"));
    let known = before(&*workspace, &a).await;
    let Before::File(info_c) = before(&*workspace, &c).await else { panic!("a file") };
    let first = || Change::write(root.join("h2"), "x", Before::Absent);

    workspace.overwrite(&a, "OLD A".into()).await.unwrap();
    workspace.remove(&c).await.unwrap();
    let old = picture(&*workspace, &root).await;
    for (second, what) in [
        (Change::write(&a, "x", known), "its content is another"),
        (Change::write(&a, "x", Before::Absent), "it was not there before"),
        (Change::remove(&c, info_c), "it is gone"),
        (Change::rename(&c, root.join("z"), info_c, Before::Absent), "it is gone"),
    ] {
        let error = apply(&workspace, vec![first(), second]).await.unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
        assert_eq!(picture(&*workspace, &root).await, old);
    }
    let twice = vec![first(), first()];
    assert!(matches!(apply(&workspace, twice).await, Err(ChangeError::Twice(_))));
    let unlocked = workspace.locks().lock([a]).await;
    let active = ActiveWorkspace::new(workspace.clone());
    let result = apply_all(&active, Arc::default(), unlocked, vec![first()]).await;
    assert!(matches!(result, Err(ChangeError::NotLocked(_))));
    assert!(workspace.locks().is_empty());
}

/// Whoever is cancelled in the middle has his change made whole, and his lock released after it.
#[tokio::test]
async fn giving_up_leaves_nothing_half_done() {
    let (workspace, root) = memory();
    fill(&*workspace, &root).await;
    let mut work = Box::pin(apply(&workspace, changes(&*workspace, &root).await));
    // As far as it gets without waiting: the work is begun, and nobody waits for it any more.
    let begun = std::future::poll_fn(|context| Poll::Ready(work.as_mut().poll(context).is_pending())).await;
    assert!(begun);
    drop(work);
    let guard = workspace.locks().lock([root.join("a"), root.join("h")]).await;
    assert_eq!(workspace.read(&root.join("a"), 9).await.unwrap(), b"new a");
    assert_eq!(workspace.read(&root.join("h"), 9).await.unwrap(), b"new h");
    drop(guard);
    let left = workspace.list(&root).await.unwrap();
    assert!(left.iter().all(|entry| !entry.name.to_string_lossy().starts_with(STAGED_PREFIX)));
}

#[tokio::test]
async fn a_lock_goes_to_who_came_first_and_past_who_gave_up() {
    let locks = FileLocks::default();
    let (one, other) = (PathBuf::from("/one"), PathBuf::from("/other"));
    let held = locks.lock([one.clone()]).await;
    let (sender, mut order) = tokio::sync::mpsc::unbounded_channel();
    let mut tasks = Vec::new();
    for number in 0..10 {
        let (locks, sender) = (locks.clone(), sender.clone());
        // Some name the files the other way round: nobody waits for ever.
        let mut paths = vec![one.clone(), other.clone()];
        if number % 2 == 0 {
            paths.reverse();
        }
        let task = tokio::spawn(async move {
            let guard = locks.lock(paths).await;
            sender.send(number).unwrap();
            tokio::task::yield_now().await;
            drop(guard);
        });
        tasks.push(task);
        tokio::task::yield_now().await;
    }
    tasks.remove(3).abort();
    tokio::task::yield_now().await;
    drop(held);
    drop(sender);
    let mut got = Vec::new();
    while let Some(number) = order.recv().await {
        got.push(number);
    }
    assert_eq!(got, [0, 1, 2, 4, 5, 6, 7, 8, 9]);
    for task in tasks {
        task.await.unwrap();
    }
    assert!(locks.is_empty(), "nothing is kept of files that nobody locks");
}
