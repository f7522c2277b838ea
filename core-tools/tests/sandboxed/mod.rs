//! Projects whose commands are confined, by each backend that works here.
//!
//! Where one does not work the tests say so and go on without it; with `CI_REQUIRE_BWRAP=1` they fail without bubblewrap.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test says what is wrong by panicking")]

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use core_tools::sandbox::{Backend, Sandbox, SandboxPolicy};
use serde_json::{Value, json};
use tool_core::{Outcome, permission::Ruleset};

use crate::project::Project;

/// Where the program of [`attempts`] is, for tests that cannot make it.
pub(crate) const ATTEMPTS: &str = "CORE_TOOLS_ATTEMPTS";

/// Those that work here.
pub(crate) async fn backends() -> Vec<Backend> {
    let mut works = Vec::new();
    for backend in Backend::EACH {
        match Sandbox::new(SandboxPolicy::read_only()).backend(backend).confine(Path::new("/"), None).await {
            Ok(_) => works.push(backend),
            Err(why) => {
                let required = env::var_os("CI_REQUIRE_BWRAP").is_some_and(|wanted| wanted == "1");
                assert!(!(required && backend == Backend::Bubblewrap), "{why}");
                println!("skipped: {why}");
            }
        }
    }
    works
}

/// The working directory alone: tests have theirs among the temporary files.
pub(crate) fn narrow() -> SandboxPolicy {
    SandboxPolicy::workspace_write().slash_tmp(false).tmpdir(false)
}

/// Everything is allowed but to leave the sandbox.
pub(crate) fn confined(backend: Backend, policy: SandboxPolicy) -> Project {
    let sandbox = Sandbox::new(policy).backend(backend);
    Project::with(|bench| bench.state(sandbox).with(|executor| executor.rules(Ruleset::allow_all())))
}

/// Runs a script with `bash`: what it printed, and its exit code.
pub(crate) async fn bash(project: &Project, script: &str) -> (String, Option<i64>) {
    let outcome = project.call("bash", json!({ "command": script })).await;
    (said(&outcome), outcome.metadata()["exit"].as_i64())
}

/// What a command printed.
pub(crate) fn said(outcome: &Outcome) -> String {
    outcome.metadata().get("output").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A program that tries one thing at a time, and ends well where that could be done; made by the compiler that linked the
/// tests. `None`, with the reason printed, where there is none.
pub(crate) fn attempts() -> Option<&'static Path> {
    static PROGRAM: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        if let Some(made) = env::var_os(ATTEMPTS) {
            return Some(made.into());
        }
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sandboxed/attempts.c");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("attempts");
        let made = Command::new("cc").arg("-o").arg(&program).arg(source).status();
        if made.is_ok_and(|status| status.success()) {
            return Some(program);
        }
        println!("skipped: there is no C compiler `cc` to make the program that tries system calls");
        None
    });
    PROGRAM.as_deref()
}
