//! What is asked where a command is stopped by the sandbox, wants to leave it, or can have none.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]
#![cfg(target_os = "linux")]

mod plain;
mod project;
mod sandboxed;

use std::{process::Command, sync::Arc};

use core_tools::{
    Workspace,
    sandbox::{Backend, Sandbox},
};
use plain::Plain;
use project::{Project, error, is_root, output};
use sandboxed::{backends, narrow};
use serde_json::{Value, json};
use tool_core::{
    Outcome,
    permission::{ApprovalPolicy, Reply, RequestKind, Ruleset},
};

fn reject() -> Reply {
    Reply::Reject { feedback: None }
}

/// Commands are allowed; what is asked beside is answered with these.
fn asked(backend: Backend, policy: ApprovalPolicy, replies: impl IntoIterator<Item = Reply>) -> Project {
    let sandbox = Sandbox::new(narrow()).backend(backend);
    let rules = Ruleset::new().allow("bash", "*").allow("edit", "*").allow("external_directory", "*");
    Project::with(|bench| {
        bench.state(sandbox).replies(replies).with(move |executor| executor.rules(rules).approvals(policy))
    })
}

async fn exec(project: &Project, more: Value) -> Outcome {
    let mut all = json!({ "login": false, "yield_time_ms": 30_000 });
    all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    project.call("exec_command", all).await
}

/// Whether the sandbox was seen to stop a command.
fn stopped(outcome: &Outcome) -> bool {
    outcome.metadata()["sandbox"].get("denied").is_some()
}

#[tokio::test]
async fn a_command_that_was_stopped_runs_again_where_the_user_says_so() {
    for backend in backends().await {
        let calls = [
            ("bash", json!({ "command": "echo ran >> src/times; echo x > ../new" })),
            (
                "exec_command",
                json!({ "cmd": "echo ran >> src/times; echo x > ../new", "login": false, "yield_time_ms": 30_000 }),
            ),
            ("shell_command", json!({ "command": "echo ran >> src/times; echo x > ../new", "login": false })),
            ("shell", json!({ "command": ["bash", "-c", "echo ran >> src/times; echo x > ../new"] })),
        ];
        for (tool, arguments) in calls {
            let project = asked(backend, ApprovalPolicy::OnFailure, [Reply::Once]);
            project.file("src/x", "");
            let outcome = project.call(tool, arguments).await;
            assert!(project.outside("new").exists(), "{backend} {tool}: {}", outcome.text());
            let asks = project.bench.asks();
            assert_eq!(asks.len(), 1, "{asks:?}");
            assert_eq!(asks[0].request.permission, "escalate");
            assert_eq!(asks[0].request.metadata["reason"], "command failed; retry without sandbox?");
            assert!(asks[0].request.metadata["denied"].as_str().unwrap().contains("../new"));
            assert_eq!(outcome.metadata()["sandbox"]["backend"], "none", "{}", outcome.text());
            assert_eq!(std::fs::read_to_string(project.path("src/times")).unwrap(), "ran\nran\n");
        }
    }
}

#[tokio::test]
async fn a_script_without_a_command_is_asked_about_too() {
    for backend in backends().await {
        let project = asked(backend, ApprovalPolicy::OnFailure, [reject(), reject()]);
        let outcome = exec(&project, json!({ "cmd": "> ../new" })).await;
        assert!(stopped(&outcome), "{}", outcome.text());
        let wish = json!({ "cmd": "> ../new", "sandbox_permissions": "require_escalated", "prefix_rule": ["true"] });
        error(&exec(&project, wish).await);
        let asks = project.bench.asks();
        assert!(asks.len() == 2 && asks.iter().all(|ask| ask.request.always.is_empty()), "{asks:?}");
        assert!(!project.outside("new").exists());
    }
}

#[tokio::test]
async fn a_refusal_ends_with_what_the_sandbox_made_of_it() {
    for backend in backends().await {
        for policy in [ApprovalPolicy::OnFailure, ApprovalPolicy::Untrusted] {
            let project = asked(backend, policy, [reject(), Reply::Once]);
            let outcome = exec(&project, json!({ "cmd": "echo before; echo x > ../new" })).await;
            assert!(output(&outcome).contains("before\n"), "{}", outcome.text());
            assert_eq!(project.bench.asks().len(), 1);
            assert!(!project.outside("new").exists());
            let text = outcome.text();
            assert!(text.contains("seems to have stopped this") && text.contains("require_escalated"), "{text}");
            assert_eq!(outcome.metadata()["sandbox"]["backend"], backend.to_string());
        }
    }
}

#[tokio::test]
async fn a_rule_for_everything_is_no_leave_to_get_out() {
    for backend in backends().await {
        for (rules, asks) in [
            (Ruleset::allow_all(), 1),
            (Ruleset::allow_all().allow("escalate", "touch *"), 0),
            (Ruleset::new().allow("escalate", "*").allow("*", "*"), 0),
        ] {
            let sandbox = Sandbox::new(narrow()).backend(backend);
            let project = Project::with(|bench| {
                let bench = bench.state(sandbox).replies([reject()]);
                bench.with(|executor| executor.rules(rules).approvals(ApprovalPolicy::OnFailure))
            });
            let outcome = exec(&project, json!({ "cmd": "touch ../new" })).await;
            assert_eq!(project.bench.asks().len(), asks, "{}", outcome.text());
            assert_eq!(project.outside("new").exists(), asks == 0, "{}", outcome.text());
        }
    }
}

#[tokio::test]
async fn a_policy_may_say_that_nobody_is_asked() {
    for backend in backends().await {
        let project = asked(backend, ApprovalPolicy::Never, [Reply::Once]);
        let outcome = exec(&project, json!({ "cmd": "echo x > ../new" })).await;
        assert!(stopped(&outcome) && project.bench.asks().is_empty(), "{}", outcome.text());
        // The model can say so before; who is asked then need not be asked after.
        let project = asked(backend, ApprovalPolicy::OnRequest, [Reply::Once]);
        let outcome = exec(&project, json!({ "cmd": "echo x > ../new" })).await;
        assert!(stopped(&outcome) && project.bench.asks().is_empty(), "{}", outcome.text());
        // `bash` has no such argument.
        let project = asked(backend, ApprovalPolicy::OnRequest, [Reply::Once]);
        project.call("bash", json!({ "command": "echo x > ../new" })).await;
        assert_eq!(project.bench.asks().len(), 1);
        assert!(project.outside("new").exists());
    }
}

/// Failures that have nothing to do with the sandbox.
const ORDINARY: [&str; 12] = [
    "exit 3",
    "cat missing",
    "grep nothing src/main.rs",
    "echo 'git@example.org: Permission denied (publickey).' >&2; exit 255",
    "echo 'the docs explain what permission denied means, and how to react' >&2; exit 1",
    "src/plain",
    "kill -9 $$",
    "echo x > src/nowhere/file",
    "echo 'touch: ../new: Permission denied'",
    "echo \"cannot write 'src/main.rs': Permission denied\" >&2; exit 1",
    "echo '/proc/nowhere/file: Permission denied' >&2; exit 1",
    "echo '/bin/tool: cannot read src/main.rs: Permission denied' >&2; exit 1",
];

#[tokio::test]
async fn an_ordinary_failure_is_none_of_the_sandboxs() {
    for backend in backends().await {
        let project = asked(backend, ApprovalPolicy::OnFailure, []);
        project.file("src/main.rs", "x\n");
        project.file("src/plain", "#!/bin/sh\n");
        let mut all: Vec<&str> = ORDINARY.into();
        if !is_root() {
            all.extend(["cat /etc/shadow", "echo x > /etc/passwd", "chown 0 src/main.rs", "rm /etc/passwd"]);
        }
        for one in all {
            let outcome = exec(&project, json!({ "cmd": one })).await;
            assert!(!stopped(&outcome), "{backend} {one}: {}", outcome.text());
        }
        assert!(project.bench.asks().is_empty());
    }
}

#[tokio::test]
async fn what_the_sandbox_stopped_is_seen() {
    let each = [
        "echo x > ../new",
        "touch ../new",
        "rm ../kept",
        "mkdir ../new",
        "mv src/main.rs ../new",
        "echo x > .git/config",
        "kill -SYS $$",
        "sh -c 'kill -SYS $$'",
        "unshare -U true",
        "printf 'Traceback:\\nPermissionError: [Errno 13] Permission denied\\n' >&2; exit 1",
        "echo 'error: failed to write: Read-only file system (os error 30)' >&2; exit 101",
        "echo 'curl: (6) Could not resolve host: example.org' >&2; exit 6",
        "echo 'npm error code EAI_AGAIN' >&2; exit 1",
        "echo '/usr/bin/tool: socket: Operation not permitted' >&2; exit 1",
    ];
    for backend in backends().await {
        let project = asked(backend, ApprovalPolicy::Never, []);
        for file in [".git/config", "src/main.rs"] {
            project.file(file, "x\n");
        }
        std::fs::write(project.outside("kept"), "").unwrap();
        for one in each {
            let outcome = exec(&project, json!({ "cmd": one })).await;
            assert!(stopped(&outcome), "{backend} {one}: {}", outcome.text());
        }
        if is_root() {
            std::os::unix::fs::chown(project.file("src/other", ""), Some(65534), None).unwrap();
            let outcome = exec(&project, json!({ "cmd": "echo x > src/other" })).await;
            assert!(stopped(&outcome), "{}", outcome.text());
        }
        if backend == Backend::Landlock {
            let outcome = exec(&project, json!({ "cmd": "exec 3<>/dev/tcp/127.0.0.1/1", "shell": "bash" })).await;
            assert!(stopped(&outcome), "{}", outcome.text());
        }
    }
}

#[tokio::test]
async fn a_command_may_ask_to_run_without_the_sandbox() {
    for backend in backends().await {
        let escalated = |cmd: &str, prefix: &[&str]| json!({ "cmd": cmd, "sandbox_permissions": "require_escalated", "justification": "to see", "prefix_rule": prefix });
        let project = asked(backend, ApprovalPolicy::OnRequest, [Reply::Always, Reply::Once, reject()]);
        let outcome = exec(&project, escalated("touch ../a", &["touch"])).await;
        assert_eq!(outcome.metadata()["exit_code"], 0, "{}", outcome.text());
        let asks = project.bench.asks();
        let request = &asks[0].request;
        assert_eq!((&*request.permission, &*request.always), ("escalate", &["touch *".to_owned()][..]));
        assert_eq!(request.metadata["reason"], "it asks to run without the sandbox: to see");
        assert!(request.details.values().all(|detail| detail.kind == RequestKind::Boundary));
        // The prefix was allowed for good.
        exec(&project, escalated("touch ../b", &[])).await;
        assert!(project.outside("b").exists() && project.bench.asks().len() == 1);
        // One that would allow everything, or not this, is no prefix to be allowed.
        exec(&project, escalated("bash -c 'mkdir ../c'", &["bash"])).await;
        let asks = project.bench.asks();
        assert!(!asks[1].request.always.contains(&"bash *".to_owned()), "{asks:?}");
        let outcome = exec(&project, escalated("mkdir ../d && rmdir ../d", &["mkdir"])).await;
        assert!(error(&outcome).contains("escalate"), "{}", outcome.text());
        // What is allowed for good then is what both its commands are, in the table's words.
        assert_eq!(project.bench.asks()[2].request.always, ["mkdir *", "rmdir *"]);
        // Without the argument it is confined.
        exec(&project, json!({ "cmd": "mkdir ../e" })).await;
        assert!(!project.outside("e").exists());
    }
}

#[tokio::test]
async fn rules_on_commands_hold_without_the_sandbox_too() {
    for backend in backends().await {
        let sandbox = Sandbox::new(narrow()).backend(backend);
        let rules = Ruleset::allow_all().deny("bash", "touch *");
        let project = Project::with(|bench| bench.state(sandbox).with(|executor| executor.rules(rules)));
        let wish = json!({ "cmd": "touch ../new", "sandbox_permissions": "require_escalated" });
        assert!(error(&exec(&project, wish).await).contains("denied by a rule"));
        assert!(!project.outside("new").exists());

        // Leave to get out is none to do what is asked about everywhere.
        let sandbox = Sandbox::new(narrow()).backend(backend);
        let rules = Ruleset::allow_all().ask("bash", "*").allow("escalate", "*");
        let project =
            Project::with(|bench| bench.state(sandbox).replies([reject()]).with(|executor| executor.rules(rules)));
        let wish = json!({ "cmd": "touch ../new", "sandbox_permissions": "require_escalated" });
        assert!(error(&exec(&project, wish).await).contains("`bash`"));

        let project = asked(backend, ApprovalPolicy::Never, [Reply::Once]);
        let wish = json!({ "cmd": "touch ../new", "sandbox_permissions": "require_escalated" });
        assert!(error(&exec(&project, wish).await).contains("never"));
        assert!(!project.outside("new").exists());
    }
}

#[tokio::test]
async fn without_a_sandbox_on_the_host_nothing_is_asked_or_confined() {
    let project = Project::new();
    let wish = json!({ "cmd": "touch ../new", "sandbox_permissions": "require_escalated" });
    let outcome = exec(&project, wish).await;
    assert!(project.outside("new").exists() && project.bench.asks().is_empty());
    assert!(!outcome.metadata().contains_key("sandbox"));
}

#[tokio::test]
async fn where_no_sandbox_can_be_had_the_user_is_asked() {
    for (tool, arguments) in [
        ("bash", json!({ "command": "echo x > new" })),
        ("exec_command", json!({ "cmd": "echo x > new", "login": false })),
        ("shell", json!({ "command": ["sh", "-c", "echo x > new"] })),
        ("shell_command", json!({ "command": "echo x > new", "login": false })),
    ] {
        let elsewhere: Arc<dyn Workspace> = Arc::new(Plain::default());
        let rules = Ruleset::new().allow("bash", "*").allow("edit", "*");
        let project = Project::with(|bench| {
            let bench = bench.state(Sandbox::new(narrow())).state(elsewhere).replies([reject(), Reply::Once]);
            bench.with(|executor| executor.rules(rules).doom_loop(None))
        });
        let outcome = project.call(tool, arguments.clone()).await;
        assert!(error(&outcome).contains("escalate") && !project.path("new").exists(), "{tool}: {}", outcome.text());
        let asks = project.bench.asks();
        assert!(asks[0].request.metadata["reason"].as_str().unwrap().contains("another machine"), "{asks:?}");

        let outcome = project.call(tool, arguments).await;
        assert!(project.path("new").exists(), "{tool}: {}", outcome.text());
        assert_eq!(outcome.metadata()["sandbox"]["backend"], "none");
    }
}

#[tokio::test]
async fn the_command_line_has_it() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let work = folder.path().canonicalize().unwrap().join("work");
    std::fs::create_dir_all(work.join("src")).unwrap();
    let run = |flags: &[&str], script: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_core-tools"));
        command.args([
            "call",
            "bash",
            "--arg",
            &format!("command={script}"),
            "--json",
            "--allow",
            "*",
            "--deny",
            "escalate",
        ]);
        command.arg("--cwd").arg(&work).arg("--output-dir").arg(folder.path().join("kept")).args(flags);
        let output = command.output().unwrap();
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default())
    };
    for backend in backends().await {
        let backend = backend.to_string();
        let flags = ["--sandbox", "workspace-write", "--sandbox-backend", &backend];
        let (_, outcome) = run(&flags, "echo x > src/a && echo x > ../b");
        assert_eq!(outcome["metadata"]["sandbox"]["backend"], backend, "{outcome}");
        assert!(work.join("src/a").exists() && !work.join("../b").exists(), "{outcome}");
        assert!(outcome["note"].as_str().unwrap().contains("../b"), "{outcome}");
        let (_, outcome) = run(&["--sandbox", "read-only", "--sandbox-backend", &backend], "rm src/a");
        assert!(work.join("src/a").exists(), "{outcome}");
        let (_, outcome) = run(&[&flags[..], &["--writable-root", "/var/tmp"]].concat(), "echo x > ../root");
        assert_eq!(said_json(&outcome), "(no output)", "{outcome}");
    }
    let (_, outcome) = run(&[], "echo x > ../c");
    assert!(work.join("../c").exists() && outcome["metadata"].get("sandbox").is_none(), "{outcome}");
    for wrong in [
        &["--sandbox", "strict"][..],
        &["--writable-root", "/var/tmp"],
        &["--sandbox", "workspace-write", "--writable-root", "/nowhere/at/all"],
    ] {
        assert_eq!(run(wrong, "true").0, Some(2), "{wrong:?}");
    }
}

fn said_json(outcome: &Value) -> &str {
    outcome["metadata"]["output"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn the_doctor_tells_what_works_by_trying() {
    let works = backends().await;
    let doctor = |flags: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_core-tools")).arg("doctor").args(flags).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, json) = doctor(&["--json"]);
    assert_eq!(code, Some(i32::from(works.is_empty())));
    let told: Value = serde_json::from_str(&json).unwrap();
    let told = &told["sandbox"];
    assert_eq!(told["auto"].as_str(), works.first().map(ToString::to_string).as_deref());
    for backend in told["backends"].as_array().unwrap() {
        let name = backend["backend"].as_str().unwrap();
        assert_eq!(backend["works"], works.iter().any(|works| works.to_string() == name), "{backend}");
        assert_eq!(backend["works"], backend.get("fault").is_none(), "{backend}");
        let wrong = |what: &str| {
            let attempts = backend["attempts"].as_array().unwrap().iter();
            attempts.filter(|attempt| attempt["what"] == what && attempt["allowed"] != attempt["done"]).count()
        };
        if name == "landlock" && backend["works"] == true {
            assert_eq!(wrong("change the mode of a file outside"), 1, "the guide says so");
            assert_eq!(wrong("make new entries in the project's own directory"), 1, "the guide says so");
        }
        assert_eq!(wrong("make a file outside"), 0);
    }
    let (_, table) = doctor(&[]);
    for backend in works {
        assert!(table.contains(&backend.to_string()), "{table}");
    }
}
