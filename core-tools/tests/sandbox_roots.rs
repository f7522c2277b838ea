//! Directories that confined commands may write in: no command can make another of one for the next.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]
#![cfg(target_os = "linux")]

mod project;
mod sandboxed;

use std::{
    fs,
    os::unix::fs::{MetadataExt, symlink},
    path::{Path, PathBuf},
};

use core_tools::sandbox::{Backend, Sandbox, SandboxPolicy};
use project::Project;
use sandboxed::{backends, bash, narrow};
use tool_core::permission::Ruleset;

/// A project in this directory, whose commands stay in the sandbox.
fn project_in(folder: &Path, backend: Backend, policy: SandboxPolicy) -> Project {
    let (folder, sandbox) = (folder.to_owned(), Sandbox::new(policy).backend(backend));
    let rules = Ruleset::allow_all().deny("escalate", "*");
    Project::with(move |bench| bench.cwd(folder).state(sandbox).with(|executor| executor.rules(rules)))
}

/// Directories of these names in one for temporary files, which goes with the first of the two.
fn folders<const COUNT: usize>(names: [&str; COUNT]) -> (tempfile::TempDir, [PathBuf; COUNT]) {
    let base = tempfile::tempdir().unwrap();
    let real = base.path().canonicalize().unwrap();
    let folders = names.map(|name| real.join(name));
    folders.iter().for_each(|folder| fs::create_dir_all(folder).unwrap());
    (base, folders)
}

fn identity(path: &Path) -> (u64, u64) {
    let metadata = path.metadata().unwrap();
    (metadata.dev(), metadata.ino())
}

#[tokio::test]
async fn a_project_deep_in_a_writable_root_cannot_be_exchanged() {
    for backend in backends().await {
        let (_base, [root, work, hooks]) = folders(["root", "root/a/b/work", "root/a/b/work/.git/hooks"]);
        let project = project_in(&work, backend, narrow().writable_root(&root));
        let before = identity(&hooks);
        for moved in ["a/b/work", "a/b", "a"] {
            let forge = "mkdir -p a/b/work/.git/hooks && echo x > a/b/work/.git/hooks/post-checkout";
            let script = format!("cd {} && mv {moved} gone; {forge}", root.display());
            let (said, code) = bash(&project, &script).await;
            assert_ne!(code, Some(0), "{backend} {moved}: {said}");
            assert_eq!(fs::read_dir(&hooks).unwrap().count(), 0, "{backend} {moved}: {said}");
            // `mv` may have made a copy of what it cannot move.
            assert_eq!(identity(&hooks), before, "{backend} {moved}: {said}");
        }
        let (said, code) = bash(&project, &format!("mkdir -p {0}/c/d && echo x > {0}/c/d/e", root.display())).await;
        // With Landlock nothing new comes about beside what leads to something protected.
        assert_eq!(code == Some(0), backend == Backend::Bubblewrap, "{backend}: {said}");
    }
}

#[tokio::test]
async fn a_root_that_a_command_made_a_link_of_is_none() {
    for backend in backends().await {
        let (_base, [outside, work, cache]) = folders(["outside", "work", "work/sub/cache"]);
        // So that Landlock lets directories be moved.
        let policy = narrow().protected([""; 0]).writable_root(&cache);
        let project = project_in(&work, backend, policy);
        let exchange = format!("mv sub other && mkdir sub && ln -s {} sub/cache", outside.display());
        let (said, code) = bash(&project, &exchange).await;
        assert_eq!(code, Some(0), "{backend}: {said}");
        assert_eq!(cache.canonicalize().unwrap(), outside);
        for one in ["echo x > $OUT/new", "echo x > sub/cache/new", "mkdir $OUT/new"] {
            let (said, code) = bash(&project, &format!("OUT={}; {one}", outside.display())).await;
            assert_ne!(code, Some(0), "{backend} {one}: {said}");
            assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{backend} {one}: {said}");
        }
        let (said, code) = bash(&project, "echo x > other/cache/new").await;
        assert_eq!(code, Some(0), "{backend}: {said}");
    }
}

#[tokio::test]
async fn a_root_may_be_named_by_a_link_that_no_command_can_make() {
    for backend in backends().await {
        let (base, [work, store]) = folders(["work", "store"]);
        let link = base.path().join("link");
        symlink(&store, &link).unwrap();
        let project = project_in(&work, backend, narrow().writable_root(&link));
        let (said, code) = bash(&project, &format!("mkdir {0}/d && echo x > {0}/d/new", store.display())).await;
        // Landlock lets nothing new be made beside what is protected.
        assert_eq!(code == Some(0), backend == Backend::Bubblewrap, "{backend}: {said}");
        fs::create_dir_all(store.join("e")).unwrap();
        let (said, code) = bash(&project, &format!("echo x > {}/e/new", store.display())).await;
        assert_eq!(code, Some(0), "{backend}: {said}");
    }
}
