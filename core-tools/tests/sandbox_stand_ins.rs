//! What stands in for protected directories that are not there, where several processes confine commands in one project.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]
#![cfg(target_os = "linux")]

mod project;
mod sandboxed;

use std::{
    fs,
    os::unix::fs::DirBuilderExt,
    path::Path,
    process::{Child, Command, Stdio},
};

use core_tools::sandbox::Backend;
use project::eventually;
use sandboxed::backends;
use serde_json::json;

fn confined(project: &Path, script: &str) -> Child {
    let arguments = json!({ "command": script, "timeout": 60_000 }).to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_core-tools"));
    command.args(["call", "bash", &arguments, "--allow", "*", "--deny", "escalate"]);
    command.args(["--sandbox", "workspace-write", "--sandbox-backend", "bubblewrap"]);
    command.current_dir(project).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[tokio::test]
async fn the_last_process_that_needs_one_removes_it() {
    if !backends().await.contains(&Backend::Bubblewrap) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().canonicalize().unwrap();
    let there = |name: &str| project.join(name).exists();
    fs::create_dir(project.join("src")).unwrap();
    // Somebody's own, and one that a killed process left.
    fs::create_dir(project.join(".claude")).unwrap();
    fs::DirBuilder::new().mode(0o1755).create(project.join(".pi")).unwrap();

    let wait = |for_what: &str| format!("while ! [ -e src/{for_what} ]; do sleep 0.02; done");
    let first = confined(&project, &format!("touch src/one; {}", wait("go")));
    eventually("the first command", || there("src/one")).await;
    let forge = "mkdir .codex; echo x > .codex/config.toml";
    let second = confined(&project, &format!("touch src/two; {}; {forge}", wait("end")));
    eventually("the second command", || there("src/two")).await;

    fs::write(project.join("src/go"), "").unwrap();
    let first = first.wait_with_output().unwrap();
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    assert!(there(".codex"), "the second command needs it still");
    fs::write(project.join("src/end"), "").unwrap();
    let second = second.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&second.stdout).into_owned();
    assert!(said.contains("File exists") && said.contains("Read-only file system"), "{said}");
    let names = || {
        let mut names: Vec<_> =
            fs::read_dir(&project).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(), [".claude", "src"]);
}
