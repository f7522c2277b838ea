use serde_json::{Value, json};

use crate::demo::{Demo, Run, keys};

fn kind(run: &Run) -> Value {
    assert_eq!(run.code, Some(1), "{} {}", run.stdout, run.stderr);
    assert_eq!(run.stderr, "");
    run.json()["error"]["kind"].clone()
}

#[test]
fn an_outcome_has_the_keys_of_the_contract() {
    let demo = Demo::new();
    let run = demo.run(&["call", "greet", r#"{"name":"Ann"}"#, "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(run.stdout.matches('\n').count(), 1);
    let outcome = run.json();
    assert_eq!(keys(&outcome), ["callId", "tool", "status", "title", "output", "metadata", "attachments", "time"]);
    assert_eq!((&outcome["tool"], &outcome["status"]), (&json!("greet"), &json!("completed")));
    assert_eq!(outcome["output"], "Hello, Ann!");
    let (start, end) = (outcome["time"]["start"].as_u64().unwrap(), outcome["time"]["end"].as_u64().unwrap());
    assert!(start > 1_500_000_000_000 && start <= end);

    let run = demo.run(&["call", "fail", "--json"]);
    assert_eq!(kind(&run), "failed");
    let outcome = run.json();
    assert_eq!(keys(&outcome), ["callId", "tool", "status", "error", "metadata", "time"]);
    assert_eq!(outcome["status"], "error");
    assert_eq!(outcome["error"], json!({ "kind": "failed", "message": "it did not work" }));
}

#[test]
fn without_json_the_text_is_printed_and_errors_go_to_stderr() {
    let demo = Demo::new();
    let run = demo.run(&["call", "greet", r#"{"name":"Ann"}"#]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "Hello, Ann!\n", ""));
    assert_eq!(demo.run(&["call", "numbers", r#"{"to":2}"#]).stdout, "1\n2\n");
    let run = demo.run(&["call", "fail"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(1), "", "error: it did not work\n"));
    let run = demo.run(&["call", "picture"]);
    assert_eq!(run.stdout, "a picture\n");
    assert_eq!(run.stderr, "attachment: dot.png image/png (5 bytes)\n");
}

#[test]
fn errors_have_their_kinds() {
    let demo = Demo::new();
    assert_eq!(kind(&demo.run(&["call", "gret", "--json"])), "unknown_tool");
    assert_eq!(kind(&demo.run(&["call", "greet", "--json"])), "invalid_arguments");
    assert_eq!(kind(&demo.run(&["call", "greet", "{not json", "--json"])), "invalid_arguments");
    assert_eq!(kind(&demo.run(&["call", "greet", "[1]", "--json", "--arg", "name=Ann"])), "invalid_arguments");
    let run = demo.run(&["call", "gret"]);
    assert!(run.stderr.contains("Did you mean `greet`?"), "{}", run.stderr);
    let run = demo.run(&["call", "panics", "--json"]);
    assert_eq!(run.json()["error"]["kind"], "panicked");
    assert!(!run.stdout.contains("private details"));
}

#[test]
fn a_name_is_repaired() {
    let outcome = Demo::new().run(&["call", "Echo-Back", "--json"]).json();
    assert_eq!(outcome["tool"], "echo_back");
    assert_eq!(outcome["metadata"]["requestedTool"], "Echo-Back");
}

#[test]
fn arguments_come_from_the_line_a_file_or_stdin() {
    let demo = Demo::new();
    demo.write("arguments.json", "\u{feff}{\"name\": \"file\"}\n");
    assert_eq!(demo.run(&["call", "greet", "@arguments.json"]).stdout, "Hello, file!\n");
    assert_eq!(demo.run_with(&["call", "greet", "-"], r#"{"name":"stdin"}"#).stdout, "Hello, stdin!\n");
    let broken = demo.run_with(&["call", "greet", "-", "--json"], r#"{"name":"#);
    assert_eq!(kind(&broken), "invalid_arguments");
    let empty = demo.run_with(&["call", "echo_back", "-"], "");
    assert_eq!(empty.code, Some(0));
}

#[test]
fn single_arguments_are_typed_by_the_schema_and_go_over_the_json() {
    let demo = Demo::new();
    let said = |args: &[&str]| -> Value {
        let run = demo.run(&[&["call", "echo_back"], args].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.json()
    };
    assert_eq!(
        said(&["--arg", "text=5", "--arg", "count=-5", "--arg", "deep=true", "--arg", "list=1"]),
        json!({ "text": "5", "count": -5, "deep": true, "list": [1] })
    );
    assert_eq!(said(&["--arg", "list=1", "--arg", "list=2"])["list"], json!([1, 2]));
    assert_eq!(said(&["--arg", "text=a=b", r#"{"count":1,"text":"x"}"#])["text"], "a=b");
    assert_eq!(
        said(&[r#"{"count":1}"#, "--arg", "text="]),
        json!({ "text": "", "count": 1, "deep": null, "list": null })
    );
    let run = demo.run(&["call", "echo_back", "--arg", "count=many", "--json"]);
    assert_eq!(kind(&run), "invalid_arguments");
}

#[test]
fn usage_errors_have_status_2_and_say_what_to_do() {
    let demo = Demo::new();
    demo.write("file", "");
    demo.write("latin.json", b"{\"name\":\"\xe9\"}");
    let run = |args: &[&str]| demo.run(&[&["call", "greet"], args].concat());
    run(&["@missing.json"]).is_usage_error(&["`missing.json`"]);
    run(&["@."]).is_usage_error(&["directory"]);
    run(&["@latin.json"]).is_usage_error(&["UTF-8", "offset 9"]);
    run(&["--cwd", "missing"]).is_usage_error(&["--cwd", "`missing`"]);
    run(&["--cwd", "file"]).is_usage_error(&["--cwd", "it is a file"]);
    run(&["--arg", "name"]).is_usage_error(&["KEY=VALUE"]);
    run(&["--arg", "=x"]).is_usage_error(&["KEY=VALUE"]);
    run(&["--timeout", "30"]).is_usage_error(&["--timeout", "30s"]);
    run(&["--allow", "edit:"]).is_usage_error(&["PERM:PATTERN"]);
    run(&["--colour"]).is_usage_error(&["--colour"]);
    demo.run(&["call"]).is_usage_error(&["Usage"]);
    demo.run_with(&["call", "greet", "-"], b"\xff").is_usage_error(&["standard input", "UTF-8"]);
}

#[test]
fn relative_paths_are_meant_from_cwd() {
    let demo = Demo::new();
    std::fs::create_dir_all(demo.path("a/b")).unwrap();
    demo.write("a/note.txt", "found");
    let arguments = r#"{"file_path":"note.txt"}"#;
    assert_eq!(demo.run(&["call", "read_file", arguments, "--cwd", "a"]).stdout, "found\n");
    assert_eq!(demo.run(&["call", "read_file", arguments, "--cwd", "a/b/.."]).stdout, "found\n");
}

#[test]
fn a_call_that_takes_too_long_is_timed_out() {
    let demo = Demo::new();
    let run = demo.run(&["call", "slow", r#"{"milliseconds":60000}"#, "--timeout", "50ms", "--json"]);
    assert_eq!(kind(&run), "timed_out");
    let run = demo.run(&["call", "slow", r#"{"milliseconds":1}"#, "--timeout", "1h 30m"]);
    assert_eq!(run.stdout, "waited\n");
    // The tools are the same under a limit, state and permissions among them.
    let run =
        demo.run(&["call", "write_file", "--arg", "file_path=x", "--arg", "content=y", "--timeout", "1m", "--json"]);
    assert_eq!(kind(&run), "denied");
    assert_eq!(demo.run(&["call", "count_on", "--timeout", "1m"]).stdout, "1\n");
}

#[test]
fn progress_is_printed_only_when_asked_for() {
    let demo = Demo::new();
    let run = demo.run(&["call", "slow", r#"{"milliseconds":1}"#]);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("waited\n", ""));
    let run = demo.run(&["call", "slow", r#"{"milliseconds":1}"#, "--verbose"]);
    assert_eq!(run.stdout, "waited\n");
    for line in ["running", "waiting", "second line", "completed"] {
        assert!(run.stderr.contains(&format!("[call_1 slow] {line}\n")), "{}", run.stderr);
    }
}

#[test]
fn whole_outputs_are_kept_in_the_output_directory() {
    let demo = Demo::new();
    let outcome = demo.run(&["call", "numbers", r#"{"to":5000}"#, "--json", "--output-dir", "out"]).json();
    assert_eq!(outcome["metadata"]["truncated"], true);
    let path = outcome["metadata"]["outputPath"].as_str().unwrap();
    let directory = demo.path("out").canonicalize().unwrap();
    assert!(path.starts_with(directory.join("tool-output/tool_").to_str().unwrap()), "{path}");
    assert!(outcome["output"].as_str().unwrap().contains(path));
    assert_eq!(std::fs::read_to_string(path).unwrap().lines().count(), 5000);

    // Without the flag: among the user's data, under the binary's own name.
    let outcome = demo.run(&["call", "numbers", r#"{"to":5000}"#, "--json"]).json();
    let path = outcome["metadata"]["outputPath"].as_str().unwrap();
    assert!(path.starts_with(demo.path("data/demo/tool-output").to_str().unwrap()), "{path}");
}

#[test]
fn old_spills_are_deleted() {
    let demo = Demo::new();
    std::fs::create_dir_all(demo.path("out/tool-output")).unwrap();
    demo.write("out/tool-output/tool_old", "");
    demo.write("out/tool-output/tool_new", "");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(8 * 24 * 60 * 60);
    let file = std::fs::File::options().write(true).open(demo.path("out/tool-output/tool_old")).unwrap();
    file.set_modified(old).unwrap();
    // Beside a call that outlasts the sweep, so that the test does not hang on the clock.
    demo.run(&["call", "slow", r#"{"milliseconds":1000}"#, "--output-dir", "out"]);
    assert!(!demo.path("out/tool-output/tool_old").exists());
    assert!(demo.path("out/tool-output/tool_new").exists());
}
