//! The MCP programs can tell good from bad: a suite that passes any server would prove nothing of ours.

use std::time::Duration;

use tool_oracles::{McpPrograms, finish};

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn the_inspector_tells_a_portable_schema_from_another() {
    let programs = match McpPrograms::installed() {
        Ok(programs) => programs,
        Err(skipped) => return skipped.report(),
    };
    let home = tempfile::tempdir().expect("a folder");
    let look = |server: &std::process::Command| {
        let mut inspector = programs.inspector(home.path());
        inspector.arg(server.get_program()).args(server.get_args());
        finish(inspector.args(["--method", "tools/list", "--strict", "--format", "json", "-q"]), LIMIT)
    };
    let good = look(&programs.everything());
    assert_eq!(good.code, Some(0), "{}", good.stderr);
    assert!(good.stdout.contains("\"echo\""), "{}", good.stdout);
    let bad = look(&programs.script("unportable.cjs"));
    assert_eq!(bad.code, Some(6), "{}", bad.stderr);
    assert!(bad.stderr.contains("inputSchema.properties.value"), "{}", bad.stderr);
}

/// server-everything has few of the suite's fixtures: what it has passes, what it lacks is lost.
#[test]
fn the_suite_tells_what_a_server_lacks() {
    let programs = match McpPrograms::installed() {
        Ok(programs) => programs,
        Err(skipped) => return skipped.report(),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (_serving, url) = programs.everything_by_http();
    let report = programs.conformance(folder.path(), &["server", "--url", &url, "--requirements", "2025-11-25"]);
    assert_eq!(report.code, Some(1), "{report}");
    let lost = report.lost();
    assert!(lost.contains(&"tools-call-image") && lost.contains(&"completion-complete"), "{report}");
    assert!(!lost.contains(&"tools-list") && !lost.contains(&"ping"), "{report}");
    assert!(report.passed() > 40, "{report}");
}

/// The suite itself calls a scenario passed in which nothing happened.
#[test]
fn a_client_that_does_nothing_has_lost_every_scenario() {
    let programs = match McpPrograms::installed() {
        Ok(programs) => programs,
        Err(skipped) => return skipped.report(),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let command = format!("{} --version", if cfg!(windows) { "node.exe" } else { "node" });
    let report =
        programs.conformance(folder.path(), &["client", "--command", &command, "--requirements", "2025-11-25"]);
    assert_eq!(report.code, Some(1), "{report}");
    assert_eq!(report.lost().len(), report.scenarios.len(), "{report}");
    assert!(report.lost().contains(&"initialize") && report.lost().contains(&"auth/metadata-default"), "{report}");
}
