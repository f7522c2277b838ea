//! `write`, beyond the recorded cases.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    sync::Arc,
};

use async_trait::async_trait;
use project::{Project, error, is_root, output};
use serde_json::json;
use tool_core::{
    Outcome,
    permission::{Approver, Ask, Reply, Ruleset},
};

async fn write(project: &Project, path: &str, content: &str) -> Outcome {
    project.call("write", json!({ "filePath": path, "content": content })).await
}

#[tokio::test]
async fn byte_order_marks_are_kept_and_never_doubled() {
    for (old, new, expected) in [
        (Some("\u{feff}old"), "new", "\u{feff}new"),
        (Some("\u{feff}old"), "\u{feff}new", "\u{feff}new"),
        (Some("old"), "\u{feff}new", "\u{feff}new"),
        (None, "\u{feff}new", "\u{feff}new"),
        (Some("old\r\n"), "new\n", "new\n"),
    ] {
        let project = Project::new();
        let path = project.path("f.txt");
        if let Some(old) = old {
            fs::write(&path, old).unwrap();
        }
        output(&write(&project, "f.txt", new).await);
        assert_eq!(fs::read_to_string(path).unwrap(), expected, "{old:?} {new:?}");
    }
}

#[tokio::test]
async fn the_mode_stays_and_links_stay_links() {
    let project = Project::new();
    let path = project.file("run.sh", "old");
    fs::set_permissions(&path, Permissions::from_mode(0o751)).unwrap();
    symlink("run.sh", project.path("link")).unwrap();
    output(&write(&project, "link", "new").await);
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o751);
    assert!(fs::symlink_metadata(project.path("link")).unwrap().is_symlink());

    symlink("made.txt", project.path("to nothing")).unwrap();
    output(&write(&project, "to nothing", "new").await);
    assert_eq!(fs::read_to_string(project.path("made.txt")).unwrap(), "new");

    // A new file has the mode that any program would give it.
    let other = project.file("plain", "");
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(project.path("made.txt")), mode(other));
    let names: Vec<_> = fs::read_dir(&project.root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 5, "nothing else is left: {names:?}");
}

#[tokio::test]
async fn what_cannot_be_written() {
    let project = Project::new();
    fs::create_dir(project.path("folder")).unwrap();
    project.file("file", "x");
    let message = error(&write(&project, "folder", "x").await);
    assert!(message.contains("folder: it is a directory"), "{message}");
    assert!(error(&write(&project, "file/below", "x").await).starts_with("Cannot write "));
    assert!(error(&write(&project, "/dev/null", "x").await).contains("a device"));
    if !is_root() {
        let path = project.file("read-only", "old");
        fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
        assert!(error(&write(&project, "read-only", "new").await).starts_with("Cannot write "));
        assert_eq!(fs::read_to_string(path).unwrap(), "old");
    }
}

#[tokio::test]
async fn a_directory_that_takes_no_files() {
    let project = Project::new();
    let path = project.file("sealed/f.txt", "a longer old content");
    fs::set_permissions(project.path("sealed"), Permissions::from_mode(0o555)).unwrap();
    output(&write(&project, "sealed/f.txt", "new").await);
    fs::set_permissions(project.path("sealed"), Permissions::from_mode(0o755)).unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), "new");
}

#[tokio::test]
async fn leave_is_asked_with_the_diff() {
    let project = Project::asking([Reply::Once, Reply::Reject { feedback: None }]);
    let path = project.file("src/f.txt", "a\nb\n");
    let outcome = write(&project, "src/f.txt", "a\nc\n").await;
    assert_eq!(outcome.metadata()["filepath"], json!(path));
    let request = &project.bench.asks()[0].request;
    assert_eq!(request.permission, "edit");
    assert_eq!(request.patterns, ["src/f.txt"]);
    assert_eq!(request.always, ["*"]);
    assert_eq!(request.metadata["filepath"], json!(path));
    let name = path.display();
    let header = format!("Index: {name}\n{}\n--- {name}\n+++ {name}\n", "=".repeat(67));
    assert_eq!(request.metadata["diff"], format!("{header}@@ -1,2 +1,2 @@\n a\n-b\n+c\n"));
    assert_eq!(outcome.metadata()["diff"], request.metadata["diff"]);
    let filediff = &outcome.metadata()["filediff"];
    assert_eq!((&filediff["additions"], &filediff["deletions"]), (&json!(1), &json!(1)));
    error(&write(&project, "new/g.txt", "x").await);
    assert!(!project.path("new").exists(), "a refused write makes no directories");
}

#[tokio::test]
async fn a_link_to_nothing_outside_is_asked_about() {
    let project = Project::asking([]);
    symlink(project.outside("made.txt"), project.path("link")).unwrap();
    error(&write(&project, "link", "x").await);
    let asks = project.bench.asks();
    assert_eq!(asks[0].request.permission, "external_directory");
    assert_eq!(asks[0].request.patterns, [format!("{}/*", project.root.parent().unwrap().display())]);
    assert!(!project.outside("made.txt").exists());
}

/// Writes the file while it is asked.
struct Meddler(Arc<std::sync::OnceLock<std::path::PathBuf>>);

#[async_trait]
impl Approver for Meddler {
    async fn approve(&self, _: &Ask) -> Reply {
        fs::write(self.0.get().unwrap(), "changed by another").unwrap();
        Reply::Once
    }
}

#[tokio::test]
async fn what_changed_while_asking_is_not_written_over() {
    let file = Arc::new(std::sync::OnceLock::new());
    let meddler = Meddler(file.clone());
    let project = Project::with(|bench| bench.with(|executor| executor.approver(meddler)));
    let path = project.file("f.txt", "old");
    file.set(path.clone()).unwrap();
    assert!(error(&write(&project, "f.txt", "new").await).contains("changed while"));
    assert_eq!(fs::read_to_string(path).unwrap(), "changed by another");
}

#[tokio::test]
async fn old_content_that_is_not_text() {
    let project = Project::asking([Reply::Once]);
    project.file("f", b"\xff\0");
    output(&write(&project, "f", "text").await);
    assert!(project.bench.asks()[0].request.metadata["diff"].as_str().unwrap().starts_with("(no diff"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_never_sees_a_part() {
    let project = Project::with(|bench| bench.with(|executor| executor.rules(Ruleset::allow_all())));
    let (one, other) = ("1".repeat(300_000), "2".repeat(300_000));
    let path = project.file("f.txt", &one);
    let done = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let reader = std::thread::spawn({
        let (path, done) = (path.clone(), done.clone());
        move || {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let text = fs::read(&path).unwrap();
                assert!(text.len() == 300_000 && text.iter().all(|byte| *byte == text[0]));
            }
        }
    });
    for content in [&other, &one].iter().cycle().take(20) {
        output(&write(&project, "f.txt", content).await);
    }
    done.store(true, std::sync::atomic::Ordering::Relaxed);
    reader.join().unwrap();
}

#[tokio::test]
async fn a_link_put_in_the_way_while_permission_is_asked_leads_nowhere() {
    use std::{os::unix::fs::symlink, sync::Arc};
    use tool_core::permission::{Approver, Ask, Reply};
    struct Swaps(std::path::PathBuf, std::path::PathBuf);
    #[tool_core::async_trait]
    impl Approver for Swaps {
        async fn approve(&self, _: &Ask) -> Reply {
            symlink(&self.1, &self.0).expect("a link can be made");
            Reply::Once
        }
    }
    let outside = tempfile::tempdir().expect("a folder");
    let inside = tempfile::tempdir().expect("a folder");
    let target = outside.path().join("taken");
    let swaps: Arc<dyn Approver> = Arc::new(Swaps(inside.path().join("new.txt"), target.clone()));
    let bench = tool_core::testing::Bench::builder()
        .tool(core_tools::WriteTool)
        .cwd(inside.path())
        .with(move |executor| executor.approver(swaps))
        .build();
    let outcome = bench.call("write", r#"{"filePath":"new.txt","content":"x"}"#).await;
    assert!(outcome.text().contains("a link stands there now"), "{}", outcome.text());
    assert!(!target.exists());
}

#[tokio::test]
async fn a_git_directory_above_does_not_open_what_is_around() {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(home.path().join(".git")).expect("a folder");
    std::fs::create_dir_all(home.path().join("project")).expect("a folder");
    std::fs::write(home.path().join("secret"), "key").expect("a file");
    let bench = tool_core::testing::Bench::builder()
        .tool(core_tools::ReadTool)
        .cwd(home.path().join("project"))
        .with(|executor| executor.rules(tool_core::permission::Ruleset::new().allow("read", "*")))
        .build();
    let outcome = bench.call("read", r#"{"filePath":"../secret"}"#).await;
    assert!(outcome.error().is_some(), "{}", outcome.text());
    assert_eq!(bench.asks()[0].request.permission, "external_directory");
}

#[tokio::test]
async fn utf_16_stays_utf_16() {
    let project = Project::new();
    let wide = |text: &str| -> Vec<u8> {
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()
    };
    let path = project.file("f.txt", wide("alt\r\n"));
    let outcome = write(&project, "f.txt", "neu \u{1f600}\n").await;
    assert_eq!(fs::read(path).unwrap(), wide("neu \u{1f600}\n"));
    assert!(outcome.metadata()["diff"].as_str().unwrap().contains("\n-alt\r\n+neu \u{1f600}\n"));
}

#[tokio::test]
async fn the_same_bytes_are_not_written() {
    let project = Project::new();
    let path = project.file("f.txt", "same\n");
    let before = fs::metadata(&path).unwrap();
    assert_eq!(output(&write(&project, "f.txt", "same\n").await), "Wrote file successfully.");
    let after = fs::metadata(&path).unwrap();
    assert_eq!((before.ino(), before.modified().unwrap()), (after.ino(), after.modified().unwrap()));
}

/// Documented: the other names keep the old content, as they do with `git` and `sed -i`; a write that is not in one step
/// could be cut off in the middle.
#[tokio::test]
async fn other_names_of_a_file_keep_what_they_had() {
    let project = Project::new();
    let path = project.file("f.txt", "old");
    fs::hard_link(&path, project.path("other.txt")).unwrap();
    output(&write(&project, "f.txt", "new").await);
    assert_eq!(fs::read_to_string(path).unwrap(), "new");
    assert_eq!(fs::read_to_string(project.path("other.txt")).unwrap(), "old");
}

#[tokio::test]
async fn labels_stay() {
    let project = Project::new();
    let path = project.file("f.txt", "old");
    let flags = rustix::fs::XattrFlags::empty();
    if rustix::fs::setxattr(&path, "user.origin", b"here", flags).is_err() {
        return; // No labels on this file system.
    }
    output(&write(&project, "f.txt", "new").await);
    let mut value = [0; 16];
    let len = rustix::fs::getxattr(&path, "user.origin", &mut value[..]).unwrap();
    assert_eq!(&value[..len], b"here");
}

#[tokio::test]
async fn what_is_no_file_of_a_disk_is_refused_before_anybody_is_asked() {
    let project = Project::asking([]);
    let pipe = std::process::Command::new("mkfifo").arg(project.path("pipe")).status().unwrap();
    assert!(pipe.success());
    let _socket = std::os::unix::net::UnixListener::bind(project.path("socket")).unwrap();
    symlink("one", project.path("two")).unwrap();
    symlink("two", project.path("one")).unwrap();
    fs::create_dir(project.path("folder")).unwrap();
    let names =
        [("pipe", "a named pipe"), ("socket", "a socket"), ("one", "too many links"), ("folder", "a directory")];
    for (name, what) in names {
        let message = error(&write(&project, name, "x").await);
        assert!(message.contains(what) && message.contains(name), "{message}");
    }
    assert!(project.bench.asks().is_empty());

    let project = Project::new();
    if std::path::Path::new("/proc/self/comm").exists() {
        let message = error(&write(&project, "/proc/self/comm", "x").await);
        assert!(message.contains("a view of the kernel"), "{message}");
        assert_ne!(fs::read_to_string("/proc/self/comm").unwrap(), "x\n");
    }
}

#[tokio::test]
async fn a_huge_file_is_replaced_unread() {
    let project = Project::new();
    let path = project.path("sparse");
    fs::File::create(&path).unwrap().set_len(10 << 30).unwrap();
    let outcome = write(&project, "sparse", "new").await;
    output(&outcome);
    assert!(outcome.metadata()["diff"].as_str().unwrap().starts_with("(no diff"));
    assert_eq!(fs::read_to_string(path).unwrap(), "new");
}

#[tokio::test]
async fn pi_calls_it_path() {
    let project = Project::new();
    output(&project.call("write", json!({ "path": "a/b.txt", "content": "x" })).await);
    assert_eq!(fs::read_to_string(project.path("a/b.txt")).unwrap(), "x");
}
