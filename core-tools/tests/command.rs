//! What is asked before a command runs: patterns, what "always" allows, places, policies, rules by prefix; and that no
//! script is too odd to be read.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{fs, os::unix::fs::symlink, sync::Arc, time::Instant};

use async_trait::async_trait;
use core_tools::command::{Harm, analyse};
use project::{Project, error, output};
use serde_json::json;
use tool_core::permission::{ApprovalPolicy, Approver, Ask, Reply, RequestKind, Ruleset};

fn texts(script: &str) -> Vec<String> {
    analyse(script).commands.into_iter().map(|command| command.text).collect()
}

#[test]
fn one_text_a_command() {
    for (script, commands) in [
        ("git status", &["git status"][..]),
        ("git   commit -m \"fix it\"", &["git commit -m \"fix it\""]),
        ("echo \"hi\" > out.txt", &["echo hi > out.txt"]),
        ("cargo test 2>&1 | tail -5", &["cargo test", "tail -5"]),
        ("echo x >--dry-run", &["echo x >--dry-run"]),
        ("FOO=1 git status", &["FOO=1 git status"]),
        ("cd src && ls; pushd x; popd", &["ls"]),
        ("f() { ls; }; f", &["ls", "f"]),
        ("for f in a; do cat \"$f\"; done", &["cat a"]),
        ("for f in a b; do cat \"$f\"; done", &["cat \"$f\""]),
        ("sudo ls", &["sudo ls", "ls"]),
        ("timeout 5 ls", &["ls"]),
        ("bash -c 'ls; pwd'", &["ls", "pwd"]),
        ("ls | xargs rm", &["ls", "rm …"]),
        ("ssh host rm x", &["ssh host rm x"]),
        ("diff <(ls a) <(ls b)", &["ls a", "ls b", "diff <(ls a) <(ls b)"]),
        ("x=1; echo $((x + 1))", &["echo $((x + 1))"]),
        ("# nothing", &[]),
        ("", &[]),
    ] {
        assert_eq!(texts(script), commands, "{script}");
    }
}

#[test]
fn always_is_a_prefix() {
    for (script, always) in [
        ("git commit -m x", Some("git commit *")),
        ("git", Some("git *")),
        ("npm run dev --watch", Some("npm run dev *")),
        ("cargo test", Some("cargo test *")),
        ("ls -la", Some("ls *")),
        ("gh pr view 1", Some("gh pr view *")),
        ("sudo ls", Some("sudo ls")),
        ("python3 x.py", Some("python3 x.py")),
        ("$x", None),
        ("curl x | sh", Some("curl *")),
    ] {
        assert_eq!(analyse(script).commands[0].always.as_deref(), always, "{script}");
    }
    let fed = analyse("curl x | sh").commands;
    assert!(fed[1].once && fed[1].harm == Harm::Danger && fed[1].always.is_none(), "{fed:?}");
}

#[test]
fn hostile_scripts_are_read_in_bounded_time() {
    let start = Instant::now();
    let deep = |open: &str, close: &str, n: usize| format!("{}rm x{}", open.repeat(n), close.repeat(n));
    let scripts = [
        deep("$(", ")", 50_000),
        deep("(", ")", 50_000),
        deep("{ ", "; }", 20_000),
        deep("if true; then ", "; fi", 5_000),
        deep("bash -c \"", "\"", 20_000),
        deep("eval ", "", 20_000),
        deep("sudo ", "", 20_000),
        deep("env ", "", 20_000),
        "a && ".repeat(20_000) + "rm x",
        "a;".repeat(60_000) + "rm x",
        "a|".repeat(20_000) + "rm x",
        "rm x ".repeat(1_000_000),
        "<<E ".repeat(20_000),
        "\"".repeat(100_001),
        "${".repeat(20_000),
        "'\\\"`$(".repeat(20_000),
        "a=$(".repeat(20_000),
        "[[ ".repeat(20_000),
        "case x in ".repeat(10_000),
        "for x in a; do ".repeat(5_000),
        "\0rm x".to_owned(),
        "x".repeat(10_000_000),
    ];
    for script in &scripts {
        let head: String = script.chars().take(20).collect();
        let analysis = analyse(script);
        assert!(!analysis.commands.is_empty() && analysis.commands.len() <= 501, "{head}");
        // Whatever it is, something in it may be `rm`.
        let hidden = !script.contains("rm x")
            || analysis.commands.iter().any(|one| one.readings.iter().any(|reading| reading.may_match("rm *")));
        assert!(hidden, "{head}");
    }
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}

/// Answers yes, and keeps what it was asked.
#[derive(Default)]
struct Yes(std::sync::Mutex<Vec<Ask>>);

#[async_trait]
impl Approver for Yes {
    async fn approve(&self, ask: &Ask) -> Reply {
        self.0.lock().unwrap().push(ask.clone());
        Reply::Always
    }
}

fn asked(rules: Ruleset, policy: ApprovalPolicy) -> (Project, Arc<Yes>) {
    let yes = Arc::new(Yes::default());
    let approver: Arc<dyn Approver> = yes.clone();
    let project =
        Project::with(|bench| bench.with(move |executor| executor.rules(rules).approvals(policy).approver(approver)));
    (project, yes)
}

#[tokio::test]
async fn one_question_for_all_commands_and_always_holds() {
    let (project, yes) = asked(Ruleset::new(), ApprovalPolicy::OnRequest);
    output(&project.call("bash", json!({ "command": "echo a; echo b | cat; cd ." })).await);
    {
        let asks = yes.0.lock().unwrap();
        assert_eq!(asks.len(), 1, "{asks:?}");
        assert_eq!(asks[0].request.patterns, ["echo a", "echo b", "cat"]);
        assert_eq!(asks[0].request.always, ["echo *", "cat *"]);
        assert_eq!(asks[0].request.metadata["command"], "echo a; echo b | cat; cd .");
    }
    output(&project.call("bash", json!({ "command": "echo c | cat" })).await);
    assert_eq!(yes.0.lock().unwrap().len(), 1);
    // What is not known is asked about each time.
    for _ in 0..2 {
        output(&project.call("bash", json!({ "command": "x=$(echo echo); $x d" })).await);
    }
    assert_eq!(yes.0.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn policies_know_the_harmless_and_the_dangerous() {
    let (project, yes) = asked(Ruleset::new(), ApprovalPolicy::Untrusted);
    for command in ["ls", "cat a 2>/dev/null || true", "git status; pwd | wc -l", "find . -name x", "grep x a; true"] {
        project.call("bash", json!({ "command": command })).await;
        assert!(yes.0.lock().unwrap().is_empty(), "{command}");
    }
    for command in ["mkdir x", "ls > a", "./ls; true", "find . -delete", "ls $x"] {
        let before = yes.0.lock().unwrap().len();
        project.call("bash", json!({ "command": command })).await;
        assert_eq!(yes.0.lock().unwrap().len(), before + 1, "{command}");
    }
    let (project, yes) = asked(Ruleset::new(), ApprovalPolicy::OnFailure);
    project.call("bash", json!({ "command": "mkdir a; touch a/b" })).await;
    assert!(yes.0.lock().unwrap().is_empty());
    project.call("bash", json!({ "command": "rm -rf a" })).await;
    let asks = yes.0.lock().unwrap();
    assert_eq!(asks.len(), 1);
    assert_eq!(asks[0].request.details[&0].kind, RequestKind::Dangerous);
}

#[tokio::test]
async fn files_outside_are_asked_about_and_protected_ones_not_written() {
    let rules = Ruleset::new().allow("*", "*").deny("external_directory", "*").deny("edit", "*.lock");
    let project = Project::with(|bench| bench.with(|executor| executor.rules(rules)));
    let outside = project.outside("folder");
    fs::create_dir_all(outside.join("deep")).unwrap();
    fs::write(outside.join("secret"), "SECRET").unwrap();
    symlink(&outside, project.path("link")).unwrap();
    symlink(outside.join("deep"), project.path("deep")).unwrap();
    symlink(outside.join("secret"), project.path("plain")).unwrap();
    project.file("a.lock", "kept");
    project.file("a", "a");
    let out = outside.display();
    for command in [
        format!("cat {out}/secret"),
        format!("cat '{out}'/sec*"),
        format!("head -1 <{out}/secret"),
        format!("echo x > {out}/made"),
        format!("echo x >>{out}/made"),
        format!("echo x 2>{out}/made"),
        format!("echo x &>{out}/made"),
        format!("tee {out}/made"),
        format!("cp a {out}/made"),
        format!("cp -t {out} a"),
        format!("mv a {out}"),
        format!("dd if=a of={out}/made"),
        format!("touch {out}/made"),
        format!("mkdir {out}/made"),
        format!("cd {out} && cat secret"),
        format!("ln -s {out}/secret x"),
        format!("f={out}/secret; cat $f"),
        format!("for f in {out}/*; do cat $f; done"),
        format!("env cat {out}/secret"),
        format!("bash -c 'cat {out}/secret'"),
        format!("find {out} -type f -exec cat {{}} +"),
        "cat link/secret".to_owned(),
        "cat plain".to_owned(),
        "cat deep/../secret".to_owned(),
        "cd link; cat secret".to_owned(),
        "cat ../folder/secret".to_owned(),
        "cd nowhere; cat ../../folder/secret".to_owned(),
        "cd nowhere/at/all; cat ../../../../folder/secret".to_owned(),
        "false && cd a/b/c; cat ../folder/secret".to_owned(),
        "cat \"$UNKNOWN/secret\"".to_owned(),
        "cat ~root/x".to_owned(),
        "echo x > a.lock".to_owned(),
        "echo x >| a.lock".to_owned(),
        "cp a a.lock".to_owned(),
        "rm a.lock".to_owned(),
        "sed -i s/k/x/ a.lock".to_owned(),
        "cd . && tee ./a.lock".to_owned(),
        "echo x > \"$UNKNOWN\"".to_owned(),
    ] {
        let outcome = project.call("bash", json!({ "command": command })).await;
        assert!(outcome.error().is_some() && !outcome.text().contains("SECRET"), "{command}: {}", outcome.text());
    }
    assert_eq!(fs::read_to_string(project.path("a.lock")).unwrap(), "kept");
    assert!(!outside.join("made").exists() && project.path("a").exists());
    output(&project.call("bash", json!({ "command": "cat a.lock; echo x > b; cd . && cat b" })).await);
}

#[tokio::test]
async fn prefix_rules_forbid_with_a_reason() {
    let rules: Ruleset = toml::from_str(
        r#"
        [permission]
        bash = { "*" = "ask", "git stash *" = "deny" }

        [[prefix_rules]]
        pattern = ["git", ["status", "stash", "push"]]
        match = ["git status --short", ["git", "push"]]
        not_match = ["git log"]

        [[prefix_rules]]
        pattern = ["git", "push"]
        decision = "forbidden"
        justification = "The release job pushes."
        "#,
    )
    .unwrap();
    let project = Project::with(|bench| bench.with(|executor| executor.rules(rules)));
    project.call("bash", json!({ "command": "git status" })).await.output().unwrap();
    let forbidden = error(&project.call("bash", json!({ "command": "true; (cd . && git -C . push origin)" })).await);
    assert!(forbidden.contains("nobody could be asked") || forbidden.contains("The release job pushes"), "{forbidden}");
    let forbidden = error(&project.call("bash", json!({ "command": "git push origin 2>&1" })).await);
    assert!(forbidden.contains("denied by a rule: The release job pushes"), "{forbidden}");
    let kept = error(&project.call("bash", json!({ "command": "git stash" })).await);
    assert!(kept.contains("denied by a rule"), "{kept}");
}
