//! Tools that are files: loaded, called, and misbehaving in every way.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

#[path = "custom/folder.rs"]
mod folder;
mod project;
#[path = "custom/results.rs"]
mod results;

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    time::{Duration, Instant},
};

use folder::{Folder, metadata};
use project::{eventually, pid_in, runs};
use serde_json::{Value, json};
use tool_core::{
    ToolCall,
    event::Change,
    permission::{Reply, Ruleset},
    testing::Bench,
};

#[tokio::test]
async fn arguments_come_on_stdin_and_plain_text_is_the_output() {
    let outcome = Folder::script("cat; echo more").call(json!({ "a": ["ä", 1] })).await;
    assert_eq!(outcome.output(), Some("{\"a\":[\"ä\",1]}\nmore\n"), "{}", outcome.text());
    // Who reads nothing of much is not waited for.
    let big = "x".repeat(1_000_000);
    assert_eq!(Folder::script("echo done").call(json!({ "a": big })).await.output(), Some("done\n"));
    let echoed = Folder::script("wc -c").call(json!({ "a": big })).await;
    assert_eq!(echoed.text().trim(), (big.len() + r#"{"a":""}"#.len() + 1).to_string());
    assert_eq!(Folder::script(":").call(json!({})).await.output(), Some("(no output)"));
}

#[tokio::test]
async fn messages_are_progress_and_the_result() {
    let folder = Folder::script(
        r#"echo '{"type":"progress","title":"half","text":"so far","metadata":{"n":1}}'
           echo working
           echo '{"type":"result","title":"T","output":"O","metadata":{"k":2,"truncated":false},"structured":{"s":1},"attachments":[{"type":"file","mime":"image/png","url":"data:image/png;base64,AA==","filename":"a.png"}]}'"#,
    );
    let bench = folder.bench(|bench| bench.with(|executor| executor.rules(Ruleset::allow_all()))).await;
    let outcome = bench.call("t", "{}").await;
    let status = outcome.status();
    let bounded = status.as_ref().unwrap();
    assert_eq!((bounded.title(), bounded.output()), ("T", "O"));
    assert_eq!(bounded.structured(), Some(&json!({ "s": 1 })));
    assert_eq!(bounded.attachments()[0].filename.as_deref(), Some("a.png"));
    assert_eq!(metadata(&outcome, "k"), 2);
    let progress: Vec<_> = bench
        .changes()
        .into_iter()
        .filter_map(|change| if let Change::Progress(progress) = change { Some(progress) } else { None })
        .collect();
    assert!(progress.iter().any(|p| p.title.as_deref() == Some("half") && p.text == "so far" && p.metadata["n"] == 1));
    assert!(progress.iter().any(|p| p.text == "working\n"), "{progress:?}");
}

#[tokio::test]
async fn failures_are_told_with_what_was_said() {
    let told = Folder::script("echo out; echo 'no such ticket' >&2; exit 3").call(json!({})).await;
    assert_eq!(told.text(), "The `t` tool failed with exit status 3. It said:\nno such ticket");
    let quiet = Folder::script("echo only this; exit 1").call(json!({})).await;
    assert!(quiet.text().ends_with("It said:\nonly this"), "{}", quiet.text());
    assert!(Folder::script("exit 9").call(json!({})).await.text().ends_with("It said nothing."));
    assert!(Folder::script("kill -9 $$").call(json!({})).await.text().contains("signal 9"));
    let own = Folder::script(r#"echo '{"type":"error","message":"Give an id."}'"#).call(json!({})).await;
    assert_eq!(own.error().unwrap().to_string(), "Give an id.");
    let noisy = Folder::script("yes error | head -c 3000000 >&2; echo last >&2; exit 1").call(json!({})).await.text();
    assert!(noisy.len() < 6_000 && noisy.ends_with("last"), "{}", noisy.len());
    let gone = Folder::with(json!({ "command": ["no-such-program-at-all"] })).call(json!({})).await;
    assert!(gone.text().contains("Cannot start no-such-program-at-all"), "{}", gone.text());
}

#[tokio::test]
async fn bad_messages_are_text_and_noted() {
    let invalid =
        Folder::script(r#"echo '{"type":"result",'; echo '{"type":"other"}'; echo '{}'"#).call(json!({})).await;
    assert_eq!(invalid.output(), Some("{\"type\":\"result\",\n{\"type\":\"other\"}\n{}\n"));
    let wrong = Folder::script(r#"echo '{"type":"result","title":5}'"#).call(json!({})).await;
    assert!(wrong.output().unwrap().contains("title"));
    assert!(metadata(&wrong, "problems")[0].as_str().unwrap().contains("`result` cannot be read"));
    let twice = r#"echo '{"type":"result","output":{"n":1}}'; printf '{"type":"result","output":"two"}'"#;
    let twice = Folder::script(twice).call(json!({})).await;
    assert_eq!(twice.output(), Some(r#"{"n":1}"#));
    assert!(metadata(&twice, "problems")[0].as_str().unwrap().contains("the first one counts"));
    let bytes = Folder::script(r"printf 'a\377b'").call(json!({})).await;
    assert_eq!(bytes.output(), Some("a\u{fffd}b"));
}

#[tokio::test]
async fn endless_output_takes_bounded_memory_and_is_cut() {
    let before = resident();
    let outcome = Folder::script("head -c 1000000000 /dev/zero | tr '\\0' '\\n'").call(json!({})).await;
    assert!(outcome.output().unwrap().len() < 60_000, "{}", outcome.text().len());
    assert_eq!(metadata(&outcome, "truncated"), true);
    let line = Folder::script("head -c 300000000 /dev/zero | tr '\\0' '{'").call(json!({})).await;
    assert!(line.output().unwrap().len() < 60_000);
    assert!(metadata(&line, "problems")[0].as_str().unwrap().contains("longer than 8 MiB"));
    assert!(resident() < before + 150_000, "{} KiB, before {before}", resident());
    // A program's word that it has cut its output itself is not taken.
    let claim = r#"printf '{"type":"result","metadata":{"truncated":true},"output":"'; head -c 200000 /dev/zero | tr '\0' x; echo '"}'"#;
    let claim = Folder::script(claim).call(json!({})).await;
    assert!(claim.output().unwrap().len() < 60_000);
    let tail = Folder::with(json!({ "command": "seq 100000", "truncate": { "lines": 2, "keep": "tail" } }));
    assert!(tail.call(json!({})).await.output().unwrap().contains("100000"));
}

/// This process's memory in KiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn timeouts_and_cancellation_end_all_its_processes() {
    // One that ignores to be asked, with a child that does too.
    let script = "trap '' TERM; (trap '' TERM; echo $BASHPID >child; sleep 600) & echo $$ >parent; wait; sleep 600";
    let folder = Folder::with(json!({ "command": ["/bin/bash", "-c", script], "timeout": "700ms" }));
    let start = Instant::now();
    let outcome = folder.call(json!({})).await;
    assert!(outcome.text().contains("was stopped after"), "{}", outcome.text());
    assert!(start.elapsed() < Duration::from_secs(20));
    for name in ["parent", "child"] {
        let pid = pid_in(&folder.root.join(name)).await;
        eventually("the process is gone", || !runs(pid)).await;
    }
    let folder = Folder::with(json!({ "command": ["/bin/bash", "-c", script] }));
    let bench = folder.bench(|bench| bench.with(|executor| executor.rules(Ruleset::allow_all()))).await;
    let session = bench.session().clone();
    let executor = bench.executor().clone();
    let call = tokio::spawn(async move { executor.call(&session, ToolCall::new("1", "t", "{}")).await });
    let child = pid_in(&folder.root.join("child")).await;
    let start = Instant::now();
    bench.session().cancellation().cancel();
    assert!(call.await.unwrap().error().is_some());
    assert!(start.elapsed() < Duration::from_secs(10));
    eventually("the child is gone", || !runs(child)).await;
}

#[tokio::test]
async fn leave_is_asked_for_by_the_tools_own_name_or_as_declared() {
    let asked = async |manifest: Value| {
        let folder = Folder::with(manifest);
        let bench = folder.bench(|bench| bench.replies([Reply::Once])).await;
        assert_eq!(bench.call("t", r#"{"id":"ABC-1"}"#).await.output(), Some("ran\n"));
        let ask = bench.asks().remove(0);
        (ask.request.permission.into_owned(), ask.request.patterns)
    };
    assert_eq!(asked(json!({ "command": "echo ran" })).await, ("t".to_owned(), vec!["*".to_owned()]));
    let declared = json!({
        "command": "echo ran", "permission": "ticket", "pattern": "id",
        "inputSchema": { "type": "object", "properties": { "id": { "type": "string" } } },
        "annotations": { "readOnlyHint": true },
    });
    assert_eq!(asked(declared).await, ("ticket".to_owned(), vec!["ABC-1".to_owned()]));
    let refused = Folder::script("touch ran");
    let bench = refused.bench(|bench| bench.with(|e| e.rules(Ruleset::new().deny("t", "*")))).await;
    assert!(bench.call("t", "{}").await.text().contains("denied by a rule"));
    assert!(!refused.root.join("ran").exists());
}

#[tokio::test]
async fn arguments_are_validated_before_anything_runs() {
    let folder = Folder::with(json!({
        "command": "touch ran; cat",
        "parameters": {
            "type": "object", "properties": { "count": { "type": "integer" } }, "required": ["count"],
            "additionalProperties": false
        },
        "inputSchema": null,
    }));
    // Two names of one member are a mistake of the manifest.
    assert_eq!(folder.load(&["."]).await.faults.len(), 1);
    let folder = Folder::new();
    folder.file(
        "t.toml",
        "description = 'Counts.'\ncommand = 'touch ran; cat'\ntimeout = '5s'\nsets = ['mine']\n[parameters]\ntype = 'object'\nadditionalProperties = false\nrequired = ['count']\n[parameters.properties.count]\ntype = 'integer'\n",
    );
    let bad = folder.call(json!({ "coutn": 1 })).await.text();
    assert!(bad.contains("did you mean `count`?") && !folder.root.join("ran").exists(), "{bad}");
    assert_eq!(folder.call(json!({ "count": "5" })).await.output(), Some("{\"count\":5}\n"));
    let none = Folder::new();
    none.file("t.json", r#"{"description":"No arguments.","command":"echo ok"}"#);
    assert!(none.call(json!({ "x": 1 })).await.text().contains("this takes none"));
}

#[tokio::test]
async fn programs_are_found_from_the_manifest_and_run_in_the_session() {
    let folder = Folder::new();
    let script =
        "#!/bin/sh\necho \"$TOOL_NAME $TOOL_CALL_ID $MINE\"; pwd; test -f \"$TOOL_DIR/beside.json\" && echo there\n";
    let manifest = |command: &str| format!(r#"{{"description":"x"{command},"env":{{"MINE":"yes"}},"cwd":"sub"}}"#);
    folder.file("tools/beside.sh", script).file("tools/beside.json", manifest(""));
    folder.file("tools/bare.json", manifest(r#","command":["beside.sh"]"#));
    folder.file("tools/slash.json", manifest(r#","command":["./beside.sh"]"#)).file("sub/x", "");
    let loaded = folder.load(&["tools"]).await;
    assert_eq!(loaded.faults, []);
    let bench = loaded.tools.into_iter().fold(Bench::builder(), |bench, custom| bench.tool(custom.tool));
    let bench = bench.cwd(&folder.root).with(|e| e.rules(Ruleset::allow_all())).build();
    for (number, name) in (1..).zip(["beside", "bare", "slash"]) {
        let wanted = format!("{name} call_{number} yes\n{}\nthere\n", folder.root.join("sub").display());
        assert_eq!(bench.call(name, "{}").await.text(), wanted);
    }
    let plain = Folder::with(json!({ "command": ["./plain.txt"] }));
    plain.file("plain.txt", "no program");
    fs::set_permissions(plain.root.join("plain.txt"), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(plain.call(json!({})).await.text().contains("has to be executable"));
}

#[tokio::test]
async fn every_faulty_manifest_is_reported_and_the_others_are_there() {
    let folder = Folder::new();
    let ok = r#"{"description":"x","command":"echo ok"}"#;
    let schema = |schema: &str| format!(r#"{{"description":"x","command":"y","inputSchema":{schema}}}"#);
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let faulty = [
        ("a.json", "{".to_owned(), "is not a tool's manifest: EOF"),
        ("b.json", r#"{"command":"x"}"#.to_owned(), "missing field `description`"),
        ("c.json", r#"{"description":"x","commnd":"y"}"#.to_owned(), "unknown field `commnd`"),
        ("d.json", r#"{"description":"x"}"#.to_owned(), "has no `command`"),
        ("e.json", r#"{"description":"x","command":[]}"#.to_owned(), "has an empty command"),
        ("f.json", r#"{"description":"x","command":{"a":1}}"#.to_owned(), "a command is a text for the shell"),
        ("g.json", r#"{"description":"x","command":["./none"]}"#.to_owned(), "there is no such file"),
        ("h i.json", ok.to_owned(), "`h i` is not a tool name"),
        ("j.json", schema(r##"{"type":"object","allOf":[{"$ref":"#"}]}"##), "go round in a circle"),
        ("k.json", schema(r#"{"type":"object","properties":{"a":{"$ref":"http://x.invalid"}}}"#), "nothing is fetched"),
        ("l.json", schema(&deep), "recursion limit"),
        ("m.json", r#"{"description":"x","command":"y","pattern":"p"}"#.to_owned(), "from the argument `p`"),
        ("n.json", r#"{"description":"x","command":"y","timeout":"soon"}"#.to_owned(), "`soon` is no timeout"),
        ("o.toml", "description = ".to_owned(), "is not a tool's manifest"),
        ("p.toml", format!("description = 'x'\ncommand = 'y'\nsets = {deep}"), "is not a tool's manifest"),
        ("r.json", r#"{"name":"good","description":"x","command":"y"}"#.to_owned(), "good.json does already"),
        ("s.json", " ".repeat(1024 * 1024 + 1), "is longer than"),
        ("v.json", r#"{"description":"x","command":"y","permission":"read"}"#.to_owned(), "permission `read`"),
        ("grep.json", ok.to_owned(), "permission `grep`"),
        ("w.json", r#"{"description":"x","command":"y","env":{"TOOL_DIR":"/"}}"#.to_owned(), "sets TOOL_DIR in `env`"),
        ("y.json", r#"{"description":"x","command":"y","pattern":{"path":"p"}}"#.to_owned(), "from the argument `p`"),
        ("z.json", r#"{"description":"x","command":"y","pattern":{"paths":"p"}}"#.to_owned(), "a pattern is the name"),
        (
            "i.json",
            r#"{"description":"x","command":"y","icons":[{"src":"./a.png"}]}"#.to_owned(),
            "the source of an icon",
        ),
    ];
    for (name, text, _) in &faulty {
        folder.file(name, text);
    }
    folder.file("good.json", ok).file("notes.md", "not a manifest").file("x.json/inner.json", ok);
    folder.file("t.json", b"\xff\xfe");
    std::os::unix::fs::symlink("/nowhere/at/all", folder.root.join("u.json")).unwrap();
    let loaded = folder.load(&[".", "missing"]).await;
    let names: Vec<&str> = loaded.tools.iter().map(|custom| custom.tool.spec().name.as_str()).collect();
    assert_eq!(names, ["good"]);
    let fault = |name: &str| {
        let found = loaded.faults.iter().find(|fault| fault.file.file_name() == Path::new(name).file_name());
        found.unwrap_or_else(|| panic!("no fault in {name}: {:?}", loaded.faults)).to_string()
    };
    for (name, _, wanted) in &faulty {
        assert!(fault(name).contains(wanted), "{}", fault(name));
    }
    assert!(fault("t.json").contains("cannot be read") && fault("u.json").contains("cannot be read"));
    assert!(fault("missing").contains("cannot be read"));
    assert_eq!(loaded.faults.len(), faulty.len() + 3);
    assert!(folder.temp.path().exists());
}

#[tokio::test]
async fn a_later_directory_takes_the_place_of_an_earlier_one() {
    let folder = Folder::new();
    folder.file("one/a.json", r#"{"description":"first","command":"x"}"#);
    folder.file("one/b.json", r#"{"description":"first","command":"x"}"#);
    folder.file("two/c.json", r#"{"name":"a","description":"second","command":"x"}"#);
    let loaded = folder.load(&["one", "two"]).await;
    let all: Vec<_> = loaded
        .tools
        .iter()
        .map(|custom| (custom.tool.spec().name.as_str(), &*custom.tool.spec().description))
        .collect();
    assert_eq!(all, [("b", "first"), ("a", "second")]);
    let linked = tool_core::Registry::builder().add(core_tools::ReadTool).build().unwrap();
    assert_eq!(loaded.over(&linked).unwrap().len(), 3);
}

#[test]
fn the_program_loads_them_only_when_told_to() {
    let folder = Folder::new();
    folder.file(".tools/hello.json", r#"{"description":"Say hello.","command":"printf hello"}"#);
    folder
        .file(".tools/read.json", r#"{"description":"Mine.","command":"x","permission":"mine"}"#)
        .file(".tools/bad.json", "{");
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_core-tools"));
        let output = command.args(args).current_dir(&folder.root).env("HOME", &folder.root).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (_, listed, _) = run(&["list"]);
    assert!(!listed.contains("hello"), "{listed}");
    let (code, listed, notes) = run(&["list", "--tools", ".tools"]);
    assert!(code == Some(0) && listed.contains("hello") && listed.contains("Mine."), "{listed}");
    assert!(notes.contains("bad.json is not a tool's manifest") && notes.contains("`read` from a file"), "{notes}");
    let (_, schema, _) = run(&["schema", "hello", "--tools", ".tools"]);
    assert!(schema.contains("\"hello\""), "{schema}");
    let (code, _, denied) = run(&["call", "hello", "--tools", ".tools"]);
    assert!(code == Some(1) && denied.contains("hello"), "{denied}");
    let (code, called, _) = run(&["call", "hello", "--tools", ".tools", "--allow", "hello"]);
    assert_eq!((code, called.trim_end()), (Some(0), "hello"));
    let (_, help, _) = run(&["list", "--help"]);
    assert!(help.contains("--tools <DIR>"), "{help}");
}
