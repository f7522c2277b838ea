//! What becomes of what a program says: results with a schema, absent members, what it leaves behind.

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tool_core::permission::{Reply, Ruleset};

use crate::{
    folder::{Folder, metadata},
    project::{eventually, pid_in, runs},
};

#[tokio::test]
async fn null_is_the_same_as_left_out() {
    let script = r#"echo '{"type":"progress","title":null,"text":null,"metadata":null}'
        echo '{"type":"result","title":null,"output":"O","metadata":null,"attachments":null,"structured":null}'"#;
    let outcome = Folder::script(script).call(json!({})).await;
    assert_eq!((outcome.output(), metadata(&outcome, "problems")), (Some("O"), Value::Null));
    let folder = Folder::with(json!({
        "command": "echo ok", "name": null, "title": null, "icons": null, "outputSchema": null,
        "permission": null, "pattern": null, "timeout": null, "cwd": null, "env": null, "truncate": null, "annotations": null, "sets": null, "tags": null,
    }));
    let loaded = folder.load(&["."]).await;
    // What says nothing of itself is taken for dangerous, as where the member is absent.
    let annotations = loaded.tools[0].tool.spec().annotations;
    assert!(annotations.destructive && annotations.open_world && !annotations.read_only);
    assert_eq!(folder.call(json!({})).await.output(), Some("ok\n"));
    let icons = json!([{ "src": "https://example.com/a.png", "sizes": ["48x48"] }]);
    let shown = Folder::with(json!({ "command": "echo ok", "icons": icons })).load(&["."]).await;
    assert_eq!(json!(shown.tools[0].tool.spec().icons), icons);
    let limits = Folder::with(json!({ "command": "seq 9", "truncate": { "lines": 2, "bytes": null, "keep": null } }));
    assert_eq!(metadata(&limits.call(json!({})).await, "truncated"), true);
}

#[tokio::test]
async fn a_promised_result_may_come_in_every_form() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    for (line, text) in [
        (r#"{"type":"result","output":"one","structured":{"n":1}}"#, "one"),
        (r#"{"type":"result","structured":{"n":1}}"#, r#"{"n":1}"#),
        (r#"{"type":"result","output":{"n":1}}"#, r#"{"n":1}"#),
        (r#"{"n":1}"#, "{\"n\":1}\n"),
    ] {
        let folder = Folder::with(json!({ "command": format!("echo '{line}'"), "outputSchema": schema }));
        let outcome = folder.call(json!({})).await;
        let status = outcome.status();
        let bounded = status.as_ref().unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!((bounded.output(), bounded.structured()), (text, Some(&json!({ "n": 1 }))), "{line}");
    }
    for line in [r#"{"type":"result","output":{"n":"x"}}"#, r#"{"type":"result","output":"one"}"#, "one"] {
        let folder = Folder::with(json!({ "command": format!("echo '{line}'"), "outputSchema": schema }));
        let text = folder.call(json!({})).await.text();
        assert!(text.contains("does not fit its own output schema"), "{line}: {text}");
    }
    // Where nothing is promised, nothing is made of it.
    let plain = Folder::script(r#"echo '{"n":1}'"#).call(json!({})).await;
    assert_eq!(plain.status().as_ref().unwrap().structured(), None);
}

#[tokio::test]
async fn what_a_program_leaves_behind_is_ended() {
    let script = "sleep 600 >/dev/null 2>&1 </dev/null & echo $! >child; echo done";
    let folder = Folder::with(json!({ "command": ["/bin/sh", "-c", script] }));
    assert_eq!(folder.call(json!({})).await.output(), Some("done\n"));
    let child = pid_in(&folder.root.join("child")).await;
    eventually("the child is gone", || !runs(child)).await;
}

#[tokio::test]
async fn nobody_waits_for_what_comes_after_a_result() {
    for (line, wanted) in [
        (r#"{"type":"result","output":"done"}"#, "done"),
        (r#"{"type":"error","message":"no such ticket"}"#, "no such ticket"),
    ] {
        let script = format!("echo $$ >parent; echo '{line}'; exec sleep 600");
        let folder = Folder::with(json!({ "command": ["/bin/sh", "-c", script] }));
        let start = Instant::now();
        let outcome = folder.call(json!({})).await;
        assert_eq!(outcome.text(), wanted);
        assert!(start.elapsed() < Duration::from_secs(60), "the program sleeps for ten minutes");
        let parent = pid_in(&folder.root.join("parent")).await;
        eventually("the program is gone", || !runs(parent)).await;
        if outcome.output().is_some() {
            assert!(metadata(&outcome, "problems")[0].as_str().unwrap().contains("went on after its result"));
        }
    }
    // Who ends by itself in time has its status looked at.
    let script = r#"echo '{"type":"result","output":"done"}'; exit 3"#;
    assert!(Folder::script(script).call(json!({})).await.text().contains("exit status 3"));
}

#[tokio::test]
async fn what_a_program_says_on_stderr_is_kept_though_it_did_well() {
    let outcome = Folder::script("echo careful >&2; echo ok").call(json!({})).await;
    assert_eq!((outcome.output(), metadata(&outcome, "stderr")), (Some("ok\n"), json!("careful")));
    let own = r#"echo noise >&2; echo '{"type":"result","output":"ok","metadata":{"stderr":"mine"}}'"#;
    assert_eq!(metadata(&Folder::script(own).call(json!({})).await, "stderr"), json!("mine"));
    let much = Folder::script("yes error | head -c 3000000 >&2; echo last >&2").call(json!({})).await;
    let kept = metadata(&much, "stderr").as_str().unwrap().to_owned();
    assert!(kept.len() < 5_000 && kept.ends_with("last") && kept.contains("bytes were not kept"), "{}", kept.len());
    assert_eq!(metadata(&Folder::script("echo ok").call(json!({})).await, "stderr"), Value::Null);
}

#[tokio::test]
async fn what_is_missing_of_much_text_is_told_where_it_is_seen() {
    let print = "yes 0123456 | head -c 20000000";
    for (keep, at_start) in [("head", true), ("middle", true), ("tail", false)] {
        let folder = Folder::with(json!({ "command": print, "truncate": { "keep": keep } }));
        let outcome = folder.call(json!({})).await;
        let text = outcome.output().unwrap().to_owned();
        let dropped = metadata(&outcome, "dropped").as_u64().unwrap();
        let note = format!("[{dropped} bytes of this output were not kept");
        assert!(text.contains(&note), "{keep}: {}", &text[..200]);
        assert_eq!(text.starts_with(&note), at_start, "{keep}");
        // All that is not missing is in the file.
        let saved = fs::metadata(metadata(&outcome, "outputPath").as_str().unwrap()).unwrap().len();
        assert!((20_000_000..20_000_300).contains(&(saved + dropped)), "{keep}: {saved} and {dropped}");
    }
}

#[tokio::test]
async fn a_path_is_asked_for_by_where_it_leads() {
    let manifest = |pattern: Value| {
        json!({
            "command": "echo ran", "permission": "edit", "pattern": pattern,
            "inputSchema": { "type": "object", "properties": { "file": { "type": "string" } } },
        })
    };
    let asked = async |pattern: Value, file: &str| {
        let folder = Folder::with(manifest(pattern));
        let bench = folder.bench(|bench| bench.replies([Reply::Once])).await;
        bench.call("t", &json!({ "file": file }).to_string()).await;
        bench.asks().remove(0).request.patterns
    };
    assert_eq!(asked(json!({ "path": "file" }), "./src/../a.rs").await, ["a.rs"]);
    assert_eq!(asked(json!("file"), "src/../a.rs").await, ["src/../a.rs", "a.rs"]);
    let folder = Folder::with(manifest(json!({ "path": "file" })));
    let rules = Ruleset::new().allow("edit", "src/*");
    let bench = folder.bench(|bench| bench.with(|executor| executor.rules(rules))).await;
    assert!(bench.call("t", r#"{"file":"src/../../../etc/passwd"}"#).await.error().is_some());
    assert_eq!(bench.call("t", r#"{"file":"./src/a"}"#).await.output(), Some("ran\n"));
}
