//! `apply_patch`, beyond the recorded cases.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod failing;
mod project;

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    sync::Arc,
};

use core_tools::{LocalWorkspace, Workspace};
use failing::Failing;
use project::{Project, error, output};
use serde_json::json;
use tool_core::{
    Outcome,
    permission::{Reply, Ruleset},
};

async fn patch(project: &Project, sections: &str) -> Outcome {
    let input = format!("*** Begin Patch\n{sections}\n*** End Patch");
    project.call("apply_patch", json!({ "input": input })).await
}

fn read(project: &Project, name: &str) -> String {
    fs::read_to_string(project.path(name)).unwrap_or_else(|problem| panic!("{name}: {problem}"))
}

/// All files with their content, links with what they lead to.
fn picture(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_symlink() {
            all.push((name, format!("-> {}", fs::read_link(&path).unwrap().display())));
        } else if path.is_dir() {
            let below = picture(&path).into_iter().map(|(below, content)| (format!("{name}/{below}"), content));
            all.extend(below);
            all.push((format!("{name}/"), String::new()));
        } else {
            all.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
    all.sort();
    all
}

#[tokio::test]
async fn operations_on_one_path_compose() {
    for (sections, names, files) in [
        (
            "*** Add File: n\n+a\n*** Update File: n\n@@\n-a\n+b\n*** Update File: n\n*** Move to: m\n@@\n+c",
            "A n\nM n\nM m\n",
            &[("m", "b\nc\n"), ("x", "x\n")][..],
        ),
        ("*** Delete File: x\n*** Add File: x\n+y\n*** Update File: x\n@@\n-y\n+z", "A x\nM x\nD x\n", &[("x", "z\n")]),
        ("*** Add File: n\n+a\n*** Delete File: n", "A n\nD n\n", &[("x", "x\n")]),
        (
            "*** Update File: x\n*** Move to: y\n*** Add File: x\n+new\n*** Update File: y\n@@\n-x\n+old",
            "A x\nM y\nM y\n",
            &[("x", "new\n"), ("y", "old\n")],
        ),
        ("*** Update File: x\n*** Move to: y\n*** Update File: y\n*** Move to: x", "M y\nM x\n", &[("x", "x\n")]),
        ("*** Update File: x\n*** Move to: ./x\n@@\n-x\n+y", "M x\n", &[("x", "y\n")]),
    ] {
        let project = Project::new();
        project.file("x", "x\n");
        let outcome = patch(&project, sections).await;
        assert_eq!(output(&outcome), format!("Success. Updated the following files:\n{names}"), "{sections}");
        let expected: Vec<_> = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        assert_eq!(picture(&project.root), expected, "{sections}");
    }
    let project = Project::new();
    project.file("x", "x\n");
    let gone = patch(&project, "*** Delete File: x\n*** Update File: x\n@@\n-x\n+y").await;
    assert!(error(&gone).contains("Failed to read file to update"), "{gone:?}");
    assert_eq!(read(&project, "x"), "x\n");
}

#[tokio::test]
async fn modes_and_links() {
    let project = Project::new();
    let mode = |name: &str| fs::metadata(project.path(name)).unwrap().permissions().mode() & 0o777;
    for name in ["run", "pure", "link's"] {
        let path = project.file(name, "x\n");
        fs::set_permissions(path, Permissions::from_mode(0o751)).unwrap();
    }
    symlink("link's", project.path("link")).unwrap();
    symlink("link's", project.path("other")).unwrap();
    output(&patch(&project, "*** Update File: run\n*** Move to: to/run\n@@\n-x\n+y").await);
    output(&patch(&project, "*** Update File: pure\n*** Move to: to/pure").await);
    output(&patch(&project, "*** Update File: link\n@@\n-x\n+y").await);
    assert_eq!([mode("to/run"), mode("to/pure"), mode("link's")], [0o751; 3]);
    assert!(project.path("link").is_symlink());
    assert_eq!(read(&project, "link's"), "y\n", "a change goes through a link");
    output(&patch(&project, "*** Update File: link\n*** Move to: file").await);
    assert!(!project.path("link").is_symlink() && !project.path("file").is_symlink());
    output(&patch(&project, "*** Delete File: other").await);
    assert!(!project.path("other").is_symlink());
    assert_eq!(read(&project, "link's") + &read(&project, "file"), "y\ny\n", "what a link leads to stays");

    let diff = "diff --git a/link's b/link's\nold mode 100751\nnew mode 100644\n";
    let outcome = project.call("apply_patch", json!({ "input": diff })).await;
    assert!(error(&outcome).contains("mode 100751"), "{outcome:?}");
    for (old, new, expected) in [("100755", "100644", 0o640), ("100644", "100755", 0o750)] {
        let diff = format!("diff --git a/link's b/link's\nold mode {old}\nnew mode {new}\n");
        output(&project.call("apply_patch", json!({ "input": diff })).await);
        assert_eq!(mode("link's"), expected);
    }
}

#[tokio::test]
async fn the_diffs_of_git() {
    let project = Project::new();
    project.file("old name", "1\n2\n3\n");
    project.file("src", "one\n");
    project.file("gone", "a\nb\n");
    let diff = "From 0123 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\n---\n src | 2 +-\n\n\
                diff --git a/old name b/new name\nsimilarity index 80%\nrename from old name\nrename to new name\n\
                index 1..2 100644\n--- a/old name\t\n+++ b/new name\t\n@@ -1,3 +1,3 @@ fn x()\n 1\n-2\n+two\n 3\n\
                diff --git a/src b/copy\nsimilarity index 100%\ncopy from src\ncopy to copy\n\
                diff --git a/run.sh b/run.sh\nnew file mode 100755\nindex 000..1\n--- /dev/null\n+++ b/run.sh\n\
                @@ -0,0 +1 @@\n+echo\n\\ No newline at end of file\n\
                diff --git a/empty b/empty\nnew file mode 100644\nindex 000..000\n\
                diff --git a/gone b/gone\ndeleted file mode 100644\nindex 1..0\n--- a/gone\n+++ /dev/null\n\
                @@ -1,2 +0,0 @@\n-a\n-b\n-- \n2.40.1\n";
    let outcome = project.call("apply_patch", json!({ "patchText": diff })).await;
    let names = "A copy\nA run.sh\nA empty\nM new name\nD gone\n";
    assert_eq!(output(&outcome), format!("Success. Updated the following files:\n{names}"));
    let files = [("copy", "one\n"), ("empty", ""), ("new name", "1\ntwo\n3\n"), ("run.sh", "echo"), ("src", "one\n")];
    assert_eq!(picture(&project.root), files.map(|(name, text)| (name.to_owned(), text.to_owned())));
    assert_eq!(fs::metadata(project.path("run.sh")).unwrap().permissions().mode() & 0o111, 0o111);

    for (diff, expected) in [
        ("--- /dev/null\n+++ b/src\n@@ -0,0 +1 @@\n+x\n", "there is one already"),
        ("--- a/new name\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n", "only a part"),
        ("diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n", "binary patches"),
        ("diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+src\n", "mode 120000"),
    ] {
        let outcome = project.call("apply_patch", json!({ "input": diff })).await;
        assert!(error(&outcome).contains(expected), "{diff}\n{outcome:?}");
    }
    assert_eq!(picture(&project.root).len(), 5);
}

#[tokio::test]
async fn every_way_to_send_it() {
    let project = Project::new();
    let text = |old: &str, new: &str| format!("*** Begin Patch\n*** Update File: f\n@@\n-{old}\n+{new}\n*** End Patch");
    project.file("f", "0\n");
    for (number, arguments) in [
        |text: String| json!({ "input": text }),
        |text: String| json!({ "patchText": text }),
        |text: String| json!({ "command": ["apply_patch", text] }),
        |text: String| json!({ "input": json!({ "input": text }).to_string() }),
        |text: String| json!({ "input": json!({ "command": ["apply_patch", text] }).to_string() }),
        |text: String| json!({ "input": format!("```diff\n{text}\n```") }),
        |text: String| json!({ "input": format!("apply_patch <<'PATCH'\n{text}\nPATCH") }),
        |text: String| json!({ "input": ["bash", "-lc", format!("apply_patch <<'EOF'\n{text}\nEOF\n")] }),
    ]
    .into_iter()
    .enumerate()
    {
        let outcome =
            project.call("apply_patch", arguments(text(&number.to_string(), &(number + 1).to_string()))).await;
        output(&outcome);
    }
    assert_eq!(read(&project, "f"), "8\n");
}

#[tokio::test]
async fn an_error_names_file_hunk_and_the_nearest_place() {
    let project = Project::new();
    project.file("f.rs", "fn a() {\n    one();\n    two();\n}\n\nfn b() {\n    three();\n}\n");
    project.file("g.rs", "x\n");
    let sections = "*** Update File: f.rs\n@@\n-fn a() {\n+fn c() {\n@@ fn b() {\n fn b() {\n@@\n fn b() {\n-    tree();\n+    4;\n }\n\
                    *** Update File: g.rs\n@@\n-y\n+z\n*** Delete File: missing";
    let message = error(&patch(&project, sections).await);
    let path = project.path("f.rs");
    assert!(message.starts_with("apply_patch verification failed: Failed to find expected lines in"), "{message}");
    // The header took `fn b` already: the hunk under it looks behind.
    assert!(
        message.contains(&format!("{}:\nfn b() {{\n\nHunk 2 of 3 (line 6 of the patch)", path.display())),
        "{message}"
    );
    assert!(message.contains("It is at line 6, before the place"), "{message}");
    assert!(message.contains("g.rs:\ny\n") && message.contains("nothing there is like it"), "{message}");
    assert!(message.contains("missing: No such file or directory"), "{message}");
    assert!(message.ends_with("with the lines as they are."), "{message}");

    let message = error(&patch(&project, "*** Update File: f.rs\n@@\n fn b() {\n-    tree();\n+    4;\n }").await);
    let near = "The nearest is at line 6 (2 of 3 lines are the same; - as the patch has it, + as the file has it):\n\
                \x20    6   fn b() {\n     7 -     tree();\n     7 +     three();\n     8   }";
    assert!(message.contains(near), "{message}");
    let message = error(&patch(&project, "*** Update File: f.rs\n@@ fn nine() -> three\n-x\n+y").await);
    assert!(message.contains("Failed to find context 'fn nine() -> three'"), "{message}");
    assert!(message.contains("nearest is at line 7"), "{message}");
    assert_eq!(picture(&project.root).len(), 2);
}

#[tokio::test]
async fn leave_is_asked_once_with_all_files() {
    let project = Project::asking([Reply::Once, Reply::Once, Reply::Reject { feedback: None }]);
    let outside = project.outside("o.txt");
    fs::write(&outside, "o\n").unwrap();
    project.file("src/a", "a\n");
    let sections = format!(
        "*** Update File: src/a\n*** Move to: src/b\n@@\n-a\n+b\n*** Add File: n\n+n\n*** Update File: {}\n@@\n-o\n+p",
        outside.display()
    );
    let outcome = patch(&project, &sections).await;
    output(&outcome);
    let asks = project.bench.asks();
    let [external, edit] = &asks[..] else { panic!("{asks:?}") };
    assert_eq!(external.request.permission, "external_directory");
    assert_eq!(edit.request.permission, "edit");
    assert_eq!(edit.request.patterns, ["src/a", "src/b", "n", outside.to_str().unwrap()]);
    assert_eq!(edit.request.always, ["*"]);
    assert_eq!(edit.request.metadata["filepath"], format!("src/a, n, {}", outside.display()));
    let diff = edit.request.metadata["diff"].as_str().unwrap();
    assert!(diff.contains("--- src/a\n+++ src/b\n@@ -1 +1 @@\n-a\n+b\n"), "{diff}");
    let files = &outcome.metadata()["files"];
    assert_eq!(edit.request.metadata["files"], *files);
    assert_eq!(files[0]["type"], "move");
    assert_eq!(files[0]["filePath"], json!(project.path("src/a")));
    assert_eq!(files[0]["movePath"], json!(project.path("src/b")));
    assert_eq!(files[0]["relativePath"], "src/b");
    assert_eq!([&files[0]["additions"], &files[0]["deletions"]], [1, 1]);
    assert_eq!(files[0]["hunks"], json!([{ "line": 1, "match": "exact" }]));
    assert_eq!(outcome.metadata()["diff"], diff);

    let old = picture(&project.root);
    error(&patch(&project, "*** Add File: deep/er/n\n+n\n*** Delete File: n").await);
    assert_eq!(picture(&project.root), old, "a refused patch changes nothing");
}

#[tokio::test]
async fn several_places_are_told() {
    let project = Project::new();
    project.file("f", "x\ny\nx\ny\n");
    let outcome = patch(&project, "*** Update File: f\n@@\n-x\n+1").await;
    assert!(output(&outcome).contains("hunk 1 of f fits 2 places; the first, at line 1,"), "{outcome:?}");
    for hint in ["@@ -3 +3 @@", "@@ -4,1 +4,1 @@ fn far_away()"] {
        let project = Project::new();
        project.file("f", "x\ny\nx\ny\n");
        let outcome = patch(&project, &format!("*** Update File: f\n{hint}\n-x\n+1")).await;
        assert_eq!(output(&outcome), "Success. Updated the following files:\nM f\n");
        assert_eq!(read(&project, "f"), "x\ny\n1\ny\n");
    }
}

#[tokio::test]
async fn what_cannot_be_patched() {
    let project = Project::new();
    fs::create_dir(project.path("folder")).unwrap();
    project.file("binary", b"\0\x01\x02\0");
    symlink("nowhere", project.path("dangling")).unwrap();
    symlink("circle", project.path("circle")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(project.path("pipe")).status().unwrap();
    assert!(made.success());
    fs::File::create(project.path("huge")).unwrap().set_len(10 << 30).unwrap();
    for name in ["folder", "binary", "dangling", "circle", "pipe", "huge", "/dev/zero", "/proc/self/mem", "a\0b"] {
        let sections = format!("*** Update File: {name}\n@@\n-x\n+y");
        error(&patch(&project, &sections).await);
    }
    for name in ["folder", "dangling", "circle", "pipe", "/dev/zero", "no/such", "folder/"] {
        error(&patch(&project, &format!("*** Delete File: {name}")).await);
    }
    for name in ["folder", "pipe", "circle", "/dev/null", "binary/below", "/"] {
        error(&patch(&project, &format!("*** Add File: {name}\n+x")).await);
    }
    // What need not be read need not be text, or short.
    output(&patch(&project, "*** Delete File: huge\n*** Update File: binary\n*** Move to: moved").await);
    assert_eq!(fs::read(project.path("moved")).unwrap(), b"\0\x01\x02\0");
    let names = ["circle", "dangling", "folder", "moved", "pipe"];
    let mut found: Vec<_> = fs::read_dir(&project.root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    found.sort();
    assert_eq!(found, names);
}

#[tokio::test]
async fn outside_is_asked_about_however_it_is_written() {
    let project = Project::asking([]);
    fs::write(project.outside("o.txt"), "o\n").unwrap();
    symlink("..", project.path("up")).unwrap();
    for name in ["../o.txt", "up/o.txt", "a/../../o.txt", project.outside("o.txt").to_str().unwrap()] {
        let message =
            error(&patch(&project, &format!("*** Add File: in\n+x\n*** Update File: {name}\n@@\n-o\n+p")).await);
        assert!(message.contains("external_directory") || message.contains("permission"), "{message}");
    }
    assert!(project.bench.asks().iter().all(|ask| ask.request.permission == "external_directory"));
    assert_eq!(fs::read_to_string(project.outside("o.txt")).unwrap(), "o\n");
    assert!(!project.path("in").exists());
}

/// Whatever step of writing fails, all files are as they were.
#[tokio::test]
async fn a_failure_in_the_middle_puts_everything_back() {
    let sections = "*** Update File: a\n@@\n-a\n+A\n*** Add File: made/b\n+b\n*** Delete File: c\n\
                    *** Update File: d\n*** Move to: made/e\n@@\n-d\n+D\n*** Update File: f\n*** Move to: g";
    for number in 0.. {
        let failing = Arc::new(Failing::new(LocalWorkspace::default()));
        let workspace: Arc<dyn Workspace> = failing.clone();
        let project =
            Project::with(|bench| bench.state(workspace).with(|executor| executor.rules(Ruleset::allow_all())));
        for name in ["a", "c", "d", "f", "g"] {
            project.file(name, format!("{name}\n"));
        }
        let old = picture(&project.root);
        failing.fail_at(number);
        let outcome = patch(&project, sections).await;
        if !failing.has_failed() {
            output(&outcome);
            let files = [("a", "A\n"), ("g", "f\n"), ("made/", ""), ("made/b", "b\n"), ("made/e", "D\n")];
            assert_eq!(picture(&project.root), files.map(|(name, text)| (name.to_owned(), text.to_owned())));
            assert!(number > 5, "{number} steps");
            return;
        }
        if outcome.error().is_some() {
            assert_eq!(picture(&project.root), old, "step {number}: {}", outcome.text());
        }
    }
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read() {
    let project = Project::new();
    let path = project.file("f", "one\ntwo\n");
    output(&project.call("read", json!({ "filePath": "f" })).await);
    fs::write(&path, "one\ntwo\nthree\n").unwrap();
    let message = error(&patch(&project, "*** Update File: f\n@@\n-one\n+1").await);
    assert!(message.contains("changed on disk since"), "{message}");
    assert_eq!(read(&project, "f"), "one\ntwo\nthree\n");
    output(&project.call("read", json!({ "filePath": "f" })).await);
    output(&patch(&project, "*** Update File: f\n@@\n-one\n+1").await);
    output(&patch(&project, "*** Update File: f\n@@\n-1\n+one").await);
}

/// Calls for the same files wait for each other, in whatever order they name them.
#[tokio::test(flavor = "multi_thread")]
async fn patches_at_the_same_time() {
    let project = Project::new();
    project.file("a", "");
    project.file("b", "");
    let calls = (0..20).map(|number| {
        let [one, other] = if number % 2 == 0 { ["a", "b"] } else { ["b", "a"] };
        let sections = format!("*** Update File: {one}\n@@\n+{number}\n*** Update File: {other}\n@@\n+{number}");
        let project = &project;
        async move { output(&patch(project, &sections).await).to_owned() }
    });
    futures_util::future::join_all(calls).await;
    let mut numbers: Vec<u32> = read(&project, "a").lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(read(&project, "a"), read(&project, "b"), "both files are changed together");
    numbers.sort_unstable();
    assert_eq!(numbers, (0..20).collect::<Vec<_>>());
}
