//! The official conformance suite against the examples `conformance_server` and `conformance_client`: every scenario
//! that a revision of the protocol requires, and every other that there is for it.
//!
//! Left out are the scenarios of extensions, which the suite itself scores nowhere: tasks, skills, and signing in without
//! a person (`auth/client-credentials-*`, `auth/dpop*`, `auth/enterprise-managed-authorization`, `auth/wif-jwt-bearer`).

use std::{
    env,
    path::PathBuf,
    process::Command,
    sync::{Mutex, PoisonError},
};

use tool_oracles::{McpPrograms, Serving};

/// Scenarios of extensions, by how their names begin, that the suite runs beside the required ones and does not score.
const EXTENSIONS: [&str; 5] =
    ["tasks-", "auth/client-credentials-", "auth/dpop", "auth/enterprise-managed-authorization", "auth/wif-jwt-bearer"];

/// Where cargo put an example. `cargo test` builds it; a run with `--test` alone does not.
fn example(name: &str) -> PathBuf {
    let test = env::current_exe().expect("a test is a program");
    let profile = test.ancestors().nth(2).expect("tests are in target/PROFILE/deps");
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let beside = profile.join("examples").join(&file);
    // Where cargo keeps what it builds on the way elsewhere (`build.build-dir`), examples are not beside the test.
    let target = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from).filter(|_| !beside.exists());
    let found = match (target, profile.file_name()) {
        (Some(target), Some(profile)) => target.join(profile).join("examples").join(file),
        _ => beside,
    };
    assert!(found.exists(), "build it first: cargo build -p tool-mcp --examples");
    found
}

/// The suite runs its scenarios side by side, with a client each, and gives each 30 seconds: one run at a time is enough
/// for a machine.
static TURN: Mutex<()> = Mutex::new(());

/// Runs what a revision requires, and then all that there is for it. `least` checks of the latter used to pass: one that
/// is not made any more is lost like one that fails.
fn judge(programs: &McpPrograms, subject: &[&str], revision: &str, least: usize) {
    // A run that failed before says nothing of this one.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a folder");
    let run = |name: &str, what: &[&str]| programs.conformance(&folder.path().join(name), &[subject, what].concat());

    let required = run("required", &["--requirements", revision]);
    assert_eq!(required.code, Some(0), "{revision}: {required}\n{}", required.printed);
    let all = run("all", &["--suite", "all", "--spec-version", revision]);
    println!("{revision}: {all}");
    for report in [&required, &all] {
        let mut lost = report.lost();
        lost.retain(|name| EXTENSIONS.iter().all(|extension| !name.starts_with(extension)));
        assert!(lost.is_empty(), "{revision}: {lost:?} are lost: {report}");
    }
    assert!(all.passed() >= least, "{revision}: {least} checks used to pass, now: {all}");
}

fn judge_server(revision: &str, least: usize) {
    let programs = match McpPrograms::installed() {
        Ok(programs) => programs,
        Err(skipped) => return skipped.report(),
    };
    let serving = Serving::start(&mut Command::new(example("conformance_server")), "http://");
    judge(&programs, &["server", "--url", serving.address()], revision, least);
}

fn judge_client(revision: &str, least: usize) {
    let programs = match McpPrograms::installed() {
        Ok(programs) => programs,
        Err(skipped) => return skipped.report(),
    };
    let client = example("conformance_client");
    let command = format!("\"{}\"", client.display());
    judge(&programs, &["client", "--command", &command], revision, least);
}

#[test]
fn a_server_conforms_to_2025_11_25() {
    judge_server("2025-11-25", 83);
}

#[test]
fn a_server_conforms_to_2026_07_28() {
    judge_server("2026-07-28", 152);
}

#[test]
fn a_client_conforms_to_2025_11_25() {
    judge_client("2025-11-25", 250);
}

#[test]
fn a_client_conforms_to_2026_07_28() {
    judge_client("2026-07-28", 400);
}
