//! `apply_patch` and the files it moves: operations on one path, in either format, and what a file keeps.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{
    collections::BTreeMap,
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    sync::Arc,
};

use core_tools::{Workspace, workspace::MemoryWorkspace};
use project::{Project, error, is_root, output};
use proptest::prelude::*;
use serde_json::json;
use tool_core::{
    Outcome,
    permission::{Reply, Ruleset},
};

/// Files by name, each with one line.
type Files = BTreeMap<&'static str, String>;

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

async fn patch(project: &Project, sections: &str) -> Outcome {
    let input = format!("*** Begin Patch\n{sections}\n*** End Patch");
    project.call("apply_patch", json!({ "input": input })).await
}

async fn diff(project: &Project, text: &str) -> Outcome {
    project.call("apply_patch", json!({ "input": text })).await
}

fn read(project: &Project, name: &str) -> String {
    fs::read_to_string(project.path(name)).unwrap_or_else(|problem| panic!("{name}: {problem}"))
}

/// What a patch makes of files, in memory.
fn apply(files: &Files, input: &str) -> (Outcome, Files) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let memory: Arc<MemoryWorkspace> = Arc::default();
        let workspace: Arc<dyn Workspace> = memory.clone();
        let project =
            Project::with(|bench| bench.state(workspace).with(|executor| executor.rules(Ruleset::allow_all())));
        memory.make_dirs(&project.root).await.unwrap();
        for (name, text) in files {
            memory.create(&project.path(name), text.clone().into(), None).await.unwrap();
        }
        let outcome = diff(&project, input).await;
        let mut after = Files::new();
        for entry in memory.list(&project.root).await.unwrap() {
            let name = NAMES.into_iter().find(|name| entry.name == *name);
            let name = name.unwrap_or_else(|| panic!("{:?} was left over", entry.name));
            let text = memory.read(&project.path(name), 99).await.unwrap();
            after.insert(name, String::from_utf8(text).unwrap());
        }
        (outcome, after)
    })
}

/// Some of the names, each with its own line.
fn files() -> impl Strategy<Value = Files> {
    prop::collection::btree_set(0..NAMES.len(), 1..=NAMES.len())
        .prop_map(|names| names.into_iter().map(|at| (NAMES[at], format!("old {at}\n"))).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// codex's format: each operation is about what those before it left.
    #[test]
    fn operations_in_sequence(
        old in files(),
        operations in prop::collection::vec((0..4_usize, 0..NAMES.len(), 0..NAMES.len(), any::<bool>()), 1..7),
    ) {
        let mut new = Some(old.clone());
        let mut input = "*** Begin Patch\n".to_owned();
        for (number, (kind, from, to, edits)) in operations.into_iter().enumerate() {
            let (from, to) = (NAMES[from], NAMES[to]);
            let there = new.as_ref().and_then(|files| files.get(from).cloned());
            let line = there.clone().unwrap_or_else(|| "missing\n".to_owned());
            let put = |new: &mut Option<Files>, name, text| match new {
                Some(files) if there.is_some() => drop(files.insert(name, text)),
                new => *new = None,
            };
            let take = |new: &mut Option<Files>| {
                let is_there = new.as_mut().is_some_and(|files| files.remove(from).is_some());
                if !is_there { *new = None }
            };
            let change = format!("@@\n-{line}+new {number}\n");
            match kind {
                0 => {
                    input += &format!("*** Add File: {from}\n+new {number}\n");
                    if let Some(files) = &mut new {
                        files.insert(from, format!("new {number}\n"));
                    }
                }
                1 => {
                    input += &format!("*** Delete File: {from}\n");
                    take(&mut new);
                }
                2 => {
                    input += &format!("*** Update File: {from}\n{change}");
                    put(&mut new, from, format!("new {number}\n"));
                }
                _ => {
                    let (change, text) = if edits { (&*change, format!("new {number}\n")) } else { ("", line) };
                    input += &format!("*** Update File: {from}\n*** Move to: {to}\n{change}");
                    take(&mut new);
                    put(&mut new, to, text);
                }
            }
        }
        input += "*** End Patch";
        let (outcome, after) = apply(&old, &input);
        prop_assert_eq!(outcome.error().is_none(), new.is_some(), "{}\n{}", input, outcome.text());
        prop_assert_eq!(after, new.unwrap_or(old), "{}", input);
    }

    /// git's: all of them are about the files as they were, in whatever order they come.
    #[test]
    fn renames_against_the_files_as_they_were(
        old in files(),
        fates in prop::collection::vec((0..4_usize, 0..NAMES.len(), any::<bool>()), NAMES.len()),
        order in Just((0..NAMES.len()).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let mut new = Files::new();
        let mut collides = false;
        let mut sections = vec![String::new(); NAMES.len()];
        for (at, name) in NAMES.into_iter().enumerate() {
            let (fate, to, edits) = fates[at];
            let to = NAMES[to];
            let Some(line) = old.get(name) else {
                if fate == 0 {
                    collides |= new.insert(name, format!("new {at}\n")).is_some();
                    sections[at] = format!("diff --git a/{name} b/{name}\nnew file mode 100644\n--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+new {at}\n");
                }
                continue;
            };
            match fate {
                0 => sections[at] = format!("diff --git a/{name} b/{name}\ndeleted file mode 100644\n--- a/{name}\n+++ /dev/null\n@@ -1 +0,0 @@\n-{line}"),
                1 | 2 if to != name => {
                    let text = if edits { format!("new {at}\n") } else { line.clone() };
                    let hunk = if edits { format!("--- a/{name}\n+++ b/{to}\n@@ -1 +1 @@\n-{line}+{text}") } else { String::new() };
                    sections[at] = format!("diff --git a/{name} b/{to}\nrename from {name}\nrename to {to}\n{hunk}");
                    collides |= new.insert(to, text).is_some();
                }
                _ => collides |= new.insert(name, line.clone()).is_some(),
            }
        }
        let input: String = order.into_iter().map(|at| &*sections[at]).collect();
        prop_assume!(!input.is_empty());
        let (outcome, after) = apply(&old, &input);
        prop_assert_eq!(outcome.error().is_some(), collides, "{}\n{}", input, outcome.text());
        prop_assert_eq!(after, if collides { old } else { new }, "{}", input);
    }
}

#[tokio::test]
async fn a_copy_is_one_of_what_was_there() {
    let project = Project::new();
    project.file("a", "1\n");
    let text = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n\
                diff --git a/a b/b\ncopy from a\ncopy to b\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-1\n+3\n";
    output(&diff(&project, text).await);
    assert_eq!([read(&project, "a"), read(&project, "b")], ["2\n", "3\n"]);
    let again = error(&diff(&project, "diff --git a/a b/b\nrename from a\nrename to b\n").await);
    assert!(again.contains("there is one already"), "{again}");
}

/// A move with a change is still a move: all but the rights of another is kept.
#[tokio::test]
async fn a_moved_file_keeps_what_it_has() {
    let project = Project::new();
    let path = project.file("run", "x\n");
    if is_root() {
        chown(&path, Some(1234), Some(1235)).unwrap();
    }
    fs::set_permissions(&path, Permissions::from_mode(0o6751)).unwrap();
    let set = |name: &str| {
        rustix::fs::setxattr(project.path(name), "user.label", b"kept", rustix::fs::XattrFlags::empty()).is_ok()
    };
    let has_labels = set("run");
    let old = fs::metadata(&path).unwrap();
    output(&patch(&project, "*** Update File: run\n*** Move to: to/run\n@@\n-x\n+y").await);
    let new = fs::metadata(project.path("to/run")).unwrap();
    assert_eq!((new.uid(), new.gid(), new.mode() & 0o7777), (old.uid(), old.gid(), 0o751));
    let mut label = [0; 9];
    let len = rustix::fs::getxattr(project.path("to/run"), "user.label", &mut label[..]);
    assert_eq!(len.ok().map(|len| &label[..len]), has_labels.then_some(&b"kept"[..]));
    // Over another file: it is the one that moved.
    fs::set_permissions(project.file("there", "z\n"), Permissions::from_mode(0o600)).unwrap();
    output(&patch(&project, "*** Update File: to/run\n*** Move to: there\n@@\n-y\n+z").await);
    let new = fs::metadata(project.path("there")).unwrap();
    assert_eq!((new.uid(), new.gid(), new.mode() & 0o7777), (old.uid(), old.gid(), 0o751));
}

#[tokio::test]
async fn a_link_and_its_file_are_both_moved() {
    let project = Project::new();
    project.file("file", "x\n");
    symlink("file", project.path("link")).unwrap();
    let sections = "*** Update File: link\n*** Move to: one\n*** Update File: file\n*** Move to: two";
    output(&patch(&project, sections).await);
    assert_eq!([read(&project, "one"), read(&project, "two")], ["x\n", "x\n"]);
    assert_eq!(fs::read_dir(&project.root).unwrap().count(), 2);
}

#[tokio::test]
async fn names_are_taken_as_they_are_written() {
    let project = Project::new();
    project.file("it\u{2019}s", "old\n");
    project.file("x/y", "old\n");
    output(&patch(&project, "*** Add File: it's\n+new\n*** Add File: @x/y\n+new").await);
    output(&patch(&project, "*** Update File: it's\n*** Move to: it\u{2018}s").await);
    for (name, text) in [("it\u{2019}s", "old\n"), ("it\u{2018}s", "new\n"), ("x/y", "old\n"), ("@x/y", "new\n")] {
        assert_eq!(read(&project, name), text);
    }
    error(&patch(&project, "*** Delete File: @x/z").await);
}

/// A link that lies outside is not taken from there because it leads back in.
#[tokio::test]
async fn a_link_outside_is_asked_about() {
    let project = Project::asking([]);
    project.file("in", "x\n");
    let link = project.outside("link");
    symlink(project.path("in"), &link).unwrap();
    for sections in [
        format!("*** Delete File: {}", link.display()),
        format!("*** Update File: {}\n*** Move to: moved", link.display()),
    ] {
        error(&patch(&project, &sections).await);
        let asks = project.bench.asks();
        let request = &asks.last().unwrap().request;
        assert_eq!(request.permission, "external_directory");
        assert!(request.patterns.contains(&format!("{}/*", link.parent().unwrap().display())), "{request:?}");
    }
    assert!(link.is_symlink());
    let project = Project::asking([Reply::Once]);
    symlink("in", project.path("link")).unwrap();
    project.file("in", "x\n");
    output(&patch(&project, "*** Delete File: link").await);
    assert_eq!(project.bench.asks()[0].request.permission, "edit", "one inside is not");
}

#[tokio::test]
async fn what_comes_of_a_failure_is_not_told() {
    let project = Project::new();
    project.file("a", "x\n");
    project.file("z", "z\n");
    let sections = "*** Update File: a\n*** Move to: b\n@@\n-y\n+z\n*** Update File: b\n*** Move to: c\n@@\n-z\n+1\n\
                    *** Delete File: c\n*** Update File: z\n@@\n-y\n+1";
    let message = error(&patch(&project, sections).await);
    assert_eq!(message.matches("Failed to").count(), 2, "{message}");
    assert!(message.contains("z:\ny\n"), "what has to do with none of it is told: {message}");
}

#[tokio::test]
async fn a_file_and_a_directory_of_one_name() {
    let project = Project::new();
    project.file("file", "x\n");
    project.file("folder/below", "x\n");
    for sections in [
        "*** Delete File: file\n*** Add File: file/below\n+x",
        "*** Update File: file\n*** Move to: file/below",
        "*** Delete File: folder/below\n*** Add File: folder\n+x",
        "*** Add File: new\n+x\n*** Add File: new/below\n+x",
        "*** Add File: new/be/low\n+x\n*** Add File: new\n+x",
    ] {
        let message = error(&patch(&project, sections).await);
        assert!(message.contains("needs two patches"), "{sections}: {message}");
        assert_eq!([read(&project, "file"), read(&project, "folder/below")], ["x\n", "x\n"]);
        assert!(!project.path("new").exists());
    }
}

/// However much a patch changes, its diffs are of a size that can be shown.
#[tokio::test]
async fn diffs_are_bounded() {
    const MOST: usize = 600 * 1024;
    let project = Project::new();
    let line = format!("+{}\n", "x".repeat(99));
    let sections: String = (0..20).map(|number| format!("*** Add File: {number}\n{}", line.repeat(5_000))).collect();
    let outcome = patch(&project, sections.trim_end()).await;
    output(&outcome);
    let metadata = outcome.metadata();
    let diff = metadata["diff"].as_str().unwrap();
    assert!(
        diff.contains("--- 0\n+++ 0\n@@ -0,0 +1,5000 @@\n+xxx") && diff.contains("lines more.)\n"),
        "{}",
        &diff[..200]
    );
    assert!(serde_json::to_string(&metadata).unwrap().len() < MOST);
    assert_eq!(metadata["additions"], 100_000);
    assert_eq!(metadata["files"][19]["additions"], 5_000);
}
