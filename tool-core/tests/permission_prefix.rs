//! codex's prefix rules in configuration: their order among others, and what is wrong with them.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use serde_json::{Value, json};
use tool_core::permission::{Action, Ruleset};

fn rules(value: Value) -> Result<Ruleset, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

#[test]
fn the_strictest_wins_and_particular_rules_stand() {
    let rules = rules(json!({
        "permission": { "bash": { "*": "ask", "git push *": "deny" } },
        "prefix_rules": [
            { "pattern": ["git", "commit"], "decision": "forbidden", "justification": "not here" },
            { "pattern": ["git"] },
            { "pattern": ["git", ["add", "rm"]], "decision": "prompt" },
        ],
    }))
    .unwrap();
    for (command, action) in [
        ("git status", Action::Allow),
        ("git", Action::Allow),
        ("git push", Action::Deny),
        ("git add x", Action::Ask),
        ("git rm", Action::Ask),
        ("git commit -m x", Action::Deny),
        ("gitk", Action::Ask),
        ("ls", Action::Ask),
    ] {
        assert_eq!(rules.find("bash", command), Some(action), "{command}");
    }
    let last = rules.rules().last().unwrap();
    assert_eq!(last.justification.as_deref(), Some("not here"));
    // A list reads back as what it was written from.
    assert_eq!(serde_json::from_value::<Ruleset>(serde_json::to_value(&rules).unwrap()).unwrap(), rules);
}

#[test]
fn mistakes_are_named() {
    for (rule, wrong) in [
        (json!({}), "`prefix_rules`.[0]: a prefix rule needs `pattern`"),
        (json!({ "pattern": [] }), "`pattern`: is empty"),
        (json!({ "pattern": ["git", []] }), "a list of alternatives is empty"),
        (json!({ "pattern": "git" }), "expected a list of words, got \"git\""),
        (json!({ "pattern": ["git *"] }), "expected one word without `*` and `?`, got \"git *\""),
        (
            json!({ "pattern": ["git"], "decision": "deny" }),
            "expected \"allow\", \"prompt\" or \"forbidden\", got \"deny\"",
        ),
        (json!({ "pattern": ["git"], "justification": " " }), "`justification`: is blank"),
        (json!({ "pattern": ["git"], "matches": [] }), "Did you mean `match`?"),
        (json!({ "pattern": ["git"], "match": ["hg log"] }), "`match`.[0]: the rule does not match `hg log`"),
        (json!({ "pattern": ["git"], "not_match": [["git", "log"]] }), "`not_match`.[0]: the rule matches `git log`"),
        (json!({ "pattern": ["git"], "match": ["git 'log"] }), "a quote is not closed"),
    ] {
        let error = rules(json!({ "prefix_rules": [rule] })).unwrap_err();
        assert!(error.contains(wrong), "{error}");
    }
    let many = vec![json!(["a", "b", "c", "d"]); 6];
    let error = rules(json!({ "prefix_rules": [{ "pattern": many }] })).unwrap_err();
    assert!(error.contains("stands for 4096 commands"), "{error}");
}

#[test]
fn a_name_stands_for_the_paths_that_are_listed() {
    let rules = rules(json!({
        "permission": { "bash": "ask" },
        "host_executables": [{ "name": "git", "paths": ["/usr/bin/git", "/opt/bin/git"] }],
        "prefix_rules": [{ "pattern": ["git", "status"] }, { "pattern": [["hg", "git"], "push"], "decision": "forbidden" }],
    }))
    .unwrap();
    for (command, action) in [
        ("git status", Action::Allow),
        ("/usr/bin/git status -s", Action::Allow),
        ("/tmp/git status", Action::Ask),
        ("/opt/bin/git push", Action::Deny),
        ("hg push", Action::Deny),
    ] {
        assert_eq!(rules.find("bash", command), Some(action), "{command}");
    }
}

#[test]
fn mistakes_about_programs_and_networks_are_named() {
    for (program, wrong) in [
        (json!("git"), "`host_executables`.[0]: expected a program"),
        (json!({ "name": "git" }), "a program needs `paths`"),
        (json!({ "name": "git", "paths": "/a" }), "`paths`: expected a list of paths"),
        (json!({ "name": "git", "paths": ["bin/git"] }), "expected an absolute path, or one that starts with `~/`"),
        (json!({ "name": "/git", "paths": [] }), "expected a name without `/`"),
        (json!({ "name": "git", "paths": [], "hash": "x" }), "a program has `name` and `paths` alone"),
    ] {
        let error = rules(json!({ "prefix_rules": [], "host_executables": [program] })).unwrap_err();
        assert!(error.contains(wrong), "{error}");
    }
    let rule = json!({ "host": "example.org", "decision": "forbidden" });
    let error = rules(json!({ "prefix_rules": [], "network_rules": [rule] })).unwrap_err();
    assert!(error.starts_with("`network_rules` is not read"), "{error}");
}
