//! `edit`, beyond the recorded cases.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    sync::Arc,
};

use async_trait::async_trait;
use project::{Project, error, is_root, output};
use serde_json::{Value, json};
use tool_core::{
    Outcome,
    permission::{Approver, Ask, Reply, Ruleset},
};

async fn edit(project: &Project, path: &str, old: &str, new: &str) -> Outcome {
    project.call("edit", json!({ "filePath": path, "oldString": old, "newString": new })).await
}

#[tokio::test]
async fn bytes_outside_of_the_match_stay() {
    let project = Project::new();
    let wide = |text: &str| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let mut broken = wide("a\r\nOLD\n");
    broken.extend([0x00, 0xdc, 7]);
    let mut mended = wide("a\r\nx\ny\n");
    mended.extend([0x00, 0xdc, 7]);
    for (number, (before, after)) in [
        (b"\xfd\xff\xfe OLD \x80\r\n".to_vec(), b"\xfd\xff\xfe x\r\ny \x80\r\n".to_vec()),
        (b"a\rb\r\nc\nOLD".to_vec(), b"a\rb\r\nc\nx\ny".to_vec()),
        (b"a\r\nOLD\nc\r".to_vec(), b"a\r\nx\ny\nc\r".to_vec()),
        (b"a\rOLD\r".to_vec(), b"a\rx\ry\r".to_vec()),
        (b"\xef\xbb\xbfOLD".to_vec(), b"\xef\xbb\xbfx\ny".to_vec()),
        (b"OLD\r\n".to_vec(), b"x\r\ny\r\n".to_vec()),
        (wide("\u{1f600}OLD\r\n\u{10ffff}"), wide("\u{1f600}x\r\ny\r\n\u{10ffff}")),
        (broken, mended),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("f{number}");
        let path = project.file(&name, &before);
        output(&edit(&project, &name, "OLD", "x\ny").await);
        assert_eq!(fs::read(path).unwrap(), after, "{:?}", String::from_utf8_lossy(&before));
    }
}

#[tokio::test]
async fn the_replacement_is_literal_and_all_are_counted() {
    let project = Project::new();
    let path = project.file("f", "a.a.a\n");
    let all = json!({ "path": "f", "old_string": "a", "new_string": "$&\\n$1", "replace_all": true });
    let outcome = project.call("edit", all).await;
    assert_eq!(output(&outcome), "Edit applied successfully. 3 occurrences were replaced.");
    assert_eq!(fs::read_to_string(&path).unwrap(), "$&\\n$1.$&\\n$1.$&\\n$1\n");
    assert_eq!(outcome.metadata()["replacements"], 3);
    // Lax places are all replaced as well, each indented as it is.
    let path = project.file("g", "  if {\n    a\n  }\n\tif {\n\t\ta\n\t}\n");
    let old = "if {\n  a\n}";
    let all = json!({ "filePath": "g", "oldString": old, "newString": "if {\n  b\n}", "replaceAll": true });
    let outcome = project.call("edit", all).await;
    assert!(output(&outcome).contains("2 occurrences were replaced"), "{}", outcome.text());
    assert!(output(&outcome).contains("`line-trimmed`"));
    assert_eq!(fs::read_to_string(path).unwrap(), "  if {\n    b\n  }\n\tif {\n\t\tb\n\t}\n");
}

#[tokio::test]
async fn the_result_tells_what_changed() {
    let project = Project::new();
    let path = project.file("src/f.txt", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\nlast");
    let outcome = edit(&project, "src/f.txt", "7\nlast", "seven\neight").await;
    let name = path.display();
    let patch = format!(
        "Index: {name}\n{}\n--- {name}\n+++ {name}\n@@ -3,6 +3,6 @@\n 3\n 4\n 5\n 6\n-7\n-last\n\\ No newline at end of \
         file\n+seven\n+eight\n\\ No newline at end of file\n",
        "=".repeat(67)
    );
    assert_eq!(output(&outcome), "Edit applied successfully.");
    let metadata = Value::from(outcome.metadata());
    assert_eq!(metadata["diff"], patch);
    let filediff = json!({ "file": path, "patch": patch, "additions": 2, "deletions": 2 });
    assert_eq!(metadata["filediff"], filediff);
    assert_eq!((&metadata["diagnostics"], &metadata["firstChangedLine"]), (&json!({}), &json!(7)));
    assert_eq!(outcome.status().unwrap().title(), "src/f.txt");
}

#[tokio::test]
async fn errors_show_the_places() {
    let project = Project::new();
    let path = project.file("f", "fn a() {\n    go(1);\n}\nfn b() {\n    go(1);\n}\n");
    let before = fs::read(&path).unwrap();
    let message = error(&edit(&project, "f", "    go(1);", "x").await);
    assert!(message.contains("Found multiple matches for oldString."), "{message}");
    assert!(message.contains("2 places, which begin at lines 2 and 5"), "{message}");
    let message = error(&edit(&project, "f", "  go(1);", "x").await);
    assert!(message.contains("2 places"), "{message}");
    let message = error(&edit(&project, "f", "fn b() {\n    go(2 + 3);\n}", "x").await);
    assert!(message.contains("Could not find oldString in the file."), "{message}");
    assert!(message.contains("lines 4-6") && message.contains("+ line 5:     go(1);"), "{message}");
    let message = error(&edit(&project, "f", "fn", "fn").await);
    assert!(message.contains("No changes to apply: oldString and newString are identical."), "{message}");
    let message = error(&edit(&project, "f", "}\r\nfn b", "}\nfn b").await);
    assert!(message.contains("No changes to apply") && message.contains("line endings"), "{message}");
    let message = error(&edit(&project, "f", "", "x").await);
    assert!(message.contains("oldString cannot be empty when editing an existing file"), "{message}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn an_empty_text_makes_a_file() {
    let project = Project::new();
    let outcome = edit(&project, "new/deep/f.txt", "", "\u{feff}a\r\nb").await;
    assert_eq!(fs::read_to_string(project.path("new/deep/f.txt")).unwrap(), "\u{feff}a\r\nb");
    assert_eq!(outcome.metadata()["filediff"]["additions"], 2);
    let message = error(&edit(&project, "no.txt", "a", "b").await);
    assert!(message.contains(&format!("File {} not found", project.path("no.txt").display())), "{message}");
    assert!(!project.path("no.txt").exists());
    assert!(error(&edit(&project, "", "a", "b").await).contains("filePath is required"));
}

#[tokio::test]
async fn what_is_no_text_file_is_not_edited() {
    let project = Project::new();
    fs::create_dir(project.path("folder")).unwrap();
    let fifo = project.path("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    symlink("nowhere", project.path("dangling")).unwrap();
    symlink("loop", project.path("loop")).unwrap();
    let binary = project.file("binary", b"a\0b");
    let sparse = fs::File::create(project.path("sparse")).unwrap();
    sparse.set_len(10 << 30).unwrap();
    for (path, part) in [
        ("folder", "Path is a directory, not a file: "),
        ("fifo", "a named pipe"),
        ("dangling", "not found"),
        ("loop", "Cannot reach"),
        ("binary", "binary"),
        ("sparse", "10737418240 bytes"),
        ("/dev/null", "a device"),
        ("/proc/self/status", "Cannot edit"),
    ] {
        let message = error(&edit(&project, path, "a", "b").await);
        assert!(message.contains(part), "{path}: {message}");
    }
    assert_eq!(fs::read(binary).unwrap(), b"a\0b");
    if !is_root() {
        let path = project.file("read-only", "a");
        fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
        assert!(error(&edit(&project, "read-only", "a", "b").await).contains("Cannot write"));
        assert_eq!(fs::read(path).unwrap(), b"a");
    }
}

#[tokio::test]
async fn the_mode_and_the_link_stay() {
    let project = Project::new();
    let path = project.file("run.sh", "old\n");
    fs::set_permissions(&path, Permissions::from_mode(0o751)).unwrap();
    symlink("run.sh", project.path("link")).unwrap();
    output(&edit(&project, "link", "old", "new").await);
    assert_eq!(fs::read_to_string(&path).unwrap(), "new\n");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o751);
    assert!(fs::symlink_metadata(project.path("link")).unwrap().is_symlink());
    assert_eq!(fs::read_dir(&project.root).unwrap().count(), 2, "nothing else is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_edits_of_one_file_lose_nothing() {
    let project = Arc::new(Project::new());
    let marks: Vec<String> = (0..40).map(|number| format!("<{number}>")).collect();
    let path = project.file("f", marks.join("\n"));
    symlink("f", project.path("other name")).unwrap();
    let calls = (0..40).map(|number| {
        let project = project.clone();
        tokio::spawn(async move {
            let name = if number % 2 == 0 { "f" } else { "other name" };
            let tool = if number % 3 == 0 { "multiedit" } else { "edit" };
            let (old, new) = (format!("<{number}>"), format!("[{number}]"));
            let outcome = match tool {
                "edit" => edit(&project, name, &old, &new).await,
                _ => {
                    let edits = json!([{ "oldString": old, "newString": new }]);
                    project.call(tool, json!({ "filePath": name, "edits": edits })).await
                }
            };
            output(&outcome);
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), marks.join("\n").replace('<', "[").replace('>', "]"));
}

#[tokio::test]
async fn leave_is_asked_with_the_diff() {
    let project = Project::asking([Reply::Once, Reply::Reject { feedback: None }]);
    let path = project.file("f", "a\nb\n");
    output(&edit(&project, "f", "a", "x").await);
    assert!(outcome_is_denied(&edit(&project, "f", "b", "y").await));
    assert_eq!(fs::read_to_string(&path).unwrap(), "x\nb\n");
    let asks: Vec<_> = project.bench.asks().into_iter().map(|ask| ask.request.clone()).collect();
    assert_eq!((asks[0].permission.as_ref(), asks[0].patterns.as_slice()), ("edit", &["f".to_owned()][..]));
    assert_eq!(asks[0].metadata["filepath"], path.to_str().unwrap());
    assert!(asks[0].metadata["diff"].as_str().unwrap().ends_with("@@ -1,2 +1,2 @@\n-a\n+x\n b\n"));

    let project = Project::asking([Reply::Reject { feedback: None }]);
    let outside = project.outside("secret");
    fs::write(&outside, "a").unwrap();
    assert!(outcome_is_denied(&edit(&project, outside.to_str().unwrap(), "a", "b").await));
    assert_eq!(project.bench.asks()[0].request.permission, "external_directory");
    assert_eq!(fs::read(outside).unwrap(), b"a");
}

fn outcome_is_denied(outcome: &Outcome) -> bool {
    outcome.error().is_some_and(|error| error.kind() == tool_core::ErrorKind::Denied)
}

/// Somebody who writes the file before saying yes.
struct Meddler(std::path::PathBuf);

#[async_trait]
impl Approver for Meddler {
    async fn approve(&self, _: &Ask) -> Reply {
        fs::write(&self.0, "somebody else's").unwrap();
        Reply::Once
    }
}

#[tokio::test]
async fn what_changed_meanwhile_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    fs::write(&path, "mine").unwrap();
    let meddler = Meddler(path.clone());
    let project = Project::with(|bench| {
        bench.with(|executor| {
            let rules = Ruleset::new().allow("external_directory", "*").ask("edit", "*");
            executor.rules(rules).approver(meddler)
        })
    });
    let message = error(&edit(&project, path.to_str().unwrap(), "mine", "yours").await);
    assert!(message.contains("changed while"), "{message}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "somebody else's");

    // And what changed since it was read.
    let project = Project::new();
    let path = project.file("f", "one\n");
    output(&project.call("edit", json!({ "filePath": "f", "oldString": "one", "newString": "two" })).await);
    fs::write(&path, "two\nthree\n").unwrap();
    let message = error(&edit(&project, "f", "two", "four").await);
    assert!(message.contains("changed on disk"), "{message}");
    assert_eq!(fs::read_to_string(path).unwrap(), "two\nthree\n");
}
