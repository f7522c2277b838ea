//! The environment of commands. Secrets are put into the environment of the whole test, before anything runs.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::process::Command;

use core_tools::workspace::{EnvironmentPolicy, Inherit};
use project::{Project, output};
use serde_json::json;
use tool_core::{Outcome, permission::Ruleset};

/// Runs one test again, in a process that has these variables: a process cannot safely change its own.
fn with_secrets(test: &str) -> bool {
    if std::env::var_os("SOME_API_KEY").is_some() {
        return true;
    }
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("SOME_API_KEY", "hunter2")
        .env("my_secret_thing", "hunter2")
        .env("PLAIN_THING", "plain")
        .env("OTHER_THING", "other")
        .env("LC_ALL", "C")
        .env("PAGER", "less")
        .status()
        .unwrap();
    assert!(status.success(), "{test}");
    false
}

async fn bash(policy: EnvironmentPolicy, command: &str) -> Outcome {
    let project = Project::with(|bench| bench.with(|executor| executor.rules(Ruleset::allow_all())).state(policy));
    let outcome = project.call("bash", json!({ "command": command })).await;
    output(&outcome);
    outcome
}

#[tokio::test]
async fn what_makes_commands_predictable() {
    let project = Project::new();
    let command = "echo $NO_COLOR $TERM $PAGER $GIT_PAGER $LC_ALL | tr -d '\\r'";
    for (tool, arguments) in [
        ("bash", json!({ "command": command })),
        ("exec_command", json!({ "cmd": command, "login": false })),
        ("shell_command", json!({ "command": command, "login": false })),
    ] {
        let outcome = project.call(tool, arguments).await;
        assert!(output(&outcome).contains("1 dumb cat cat "), "{tool}: {}", outcome.text());
        assert!(output(&outcome).contains("UTF-8"), "{tool}: {}", outcome.text());
    }
    let terminal = project.call("exec_command", json!({ "cmd": command, "login": false, "tty": true })).await;
    assert!(output(&terminal).contains("1 xterm-256color cat cat "), "{}", terminal.text());
}

#[tokio::test]
async fn secrets_are_withheld_and_missed_ones_are_told_of() {
    if !with_secrets("secrets_are_withheld_and_missed_ones_are_told_of") {
        return;
    }
    let all = bash(EnvironmentPolicy::new(), "env").await;
    assert!(!output(&all).contains("hunter2"), "{}", all.text());
    assert!(output(&all).contains("PLAIN_THING=plain\n"));
    assert_eq!(all.text(), output(&all), "nobody asked for them");

    let named = bash(EnvironmentPolicy::new(), "echo key: $SOME_API_KEY").await;
    assert_eq!(output(&named), "key:\n");
    assert!(named.text().contains("not passed to the command: SOME_API_KEY."), "{}", named.text());
    let failed = bash(EnvironmentPolicy::new(), r#"x=SOME_API; echo "Error: ${x}_KEY is not set"; exit 1"#).await;
    assert!(failed.text().contains("not passed to the command: SOME_API_KEY."), "{}", failed.text());

    let wanted = bash(EnvironmentPolicy::new().with_secrets(), "echo $SOME_API_KEY $my_secret_thing").await;
    assert_eq!(wanted.text(), "hunter2 hunter2\n");
}

#[tokio::test]
async fn a_policy_in_its_order() {
    if !with_secrets("a_policy_in_its_order") {
        return;
    }
    let show = "echo ${PLAIN_THING-none} ${OTHER_THING-none} ${ADDED-none} ${HOME+home}";
    let policy = EnvironmentPolicy::new;
    for (policy, expected) in [
        (policy(), "plain other none home\n"),
        (policy().exclude(["plain_*"]), "none other none home\n"),
        (policy().set("ADDED", "added"), "plain other added home\n"),
        (policy().exclude(["PLAIN*"]).set("PLAIN_THING", "set"), "set other none home\n"),
        (policy().set("ADDED", "added").include_only(["PLAIN_*", "PATH"]), "plain none none\n"),
        (policy().inherit(Inherit::Core), "none none none home\n"),
        (policy().inherit(Inherit::None).set("ADDED", "a"), "none none a\n"),
    ] {
        let outcome = bash(policy.clone(), show).await;
        assert_eq!(output(&outcome).trim_end(), expected.trim_end(), "{policy:?}");
    }
    // What a host sets wins over what makes commands predictable.
    assert_eq!(output(&bash(policy().set("PAGER", "more"), "echo $PAGER").await), "more\n");
}
