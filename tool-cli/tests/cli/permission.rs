use serde_json::Value;

use crate::demo::Demo;

const WRITE: [&str; 3] = ["call", "write_file", r#"{"file_path":"src/x","content":"y"}"#];

fn demo() -> Demo {
    let demo = Demo::new();
    std::fs::create_dir(demo.path("src")).unwrap();
    demo
}

/// The error of a call that was refused.
#[track_caller]
fn denied(demo: &Demo, args: &[&str]) -> String {
    let run = demo.run(&[args, &["--json"]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{}", run.stdout);
    let outcome = run.json();
    assert_eq!(outcome["error"]["kind"], Value::from("denied"));
    outcome["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_question_without_a_terminal_is_a_denial_that_names_the_flags() {
    let demo = demo();
    let message = denied(&demo, &WRITE);
    assert!(message.contains("--allow edit") && message.contains("--yes"), "{message}");
    assert!(!demo.path("src/x").exists());
}

#[test]
fn yes_answers_and_deny_is_stronger() {
    let demo = demo();
    assert_eq!(demo.run(&[&WRITE[..], &["--yes"]].concat()).stdout, "written\n");
    denied(&demo, &[&WRITE[..], &["--yes", "--deny", "edit"]].concat());
    denied(&demo, &[&WRITE[..], &["--deny", "edit:src/*", "--allow", "edit", "-y"]].concat());
    denied(&demo, &[&WRITE[..], &["--deny", "*", "--yes"]].concat());
    assert_eq!(demo.run(&[&WRITE[..], &["--yes", "--deny", "edit:lib/*"]].concat()).code, Some(0));
    // A tool that declares no permission goes by its name.
    denied(&demo, &["call", "fail", "--deny", "fail", "--yes"]);
}

#[test]
fn allow_is_for_what_matches() {
    let demo = demo();
    assert_eq!(demo.run(&[&WRITE[..], &["--allow", "edit:src/*"]].concat()).code, Some(0));
    assert_eq!(demo.run(&[&WRITE[..], &["--allow", "edit"]].concat()).code, Some(0));
    denied(&demo, &[&WRITE[..], &["--allow", "edit:lib/*"]].concat());
}

#[test]
fn reading_is_allowed_but_for_secrets() {
    let demo = demo();
    for name in ["note.txt", ".env", "prod.env.local", ".env.example"] {
        demo.write(name, "content");
    }
    let read = |name: &str| ["call".to_owned(), "read_file".to_owned(), format!(r#"{{"file_path":"{name}"}}"#)];
    let run = |name: &str| demo.run(&read(name).each_ref().map(String::as_str));
    assert_eq!(run("note.txt").stdout, "content\n");
    assert_eq!(run(".env.example").stdout, "content\n");
    denied(&demo, &read(".env").each_ref().map(String::as_str));
    denied(&demo, &read("prod.env.local").each_ref().map(String::as_str));
    let args = read(".env");
    let allowed = demo.run(&[&args.each_ref().map(String::as_str)[..], &["--allow", "read:.env"]].concat());
    assert_eq!(allowed.stdout, "content\n");
}

#[test]
fn rules_come_from_a_file_and_flags_come_after() {
    let demo = demo();
    demo.write("rules.json", r#"{"model": "x", "permission": {"*": "deny", "edit": {"*": "ask", "src/*": "allow"}}}"#);
    demo.write("rules.toml", "\"*\" = \"deny\"\n[edit]\n\"*\" = \"ask\"\n\"src/*\" = \"allow\"\n");
    for file in ["rules.json", "rules.toml"] {
        let args = [&WRITE[..], &["--permissions", file]].concat();
        assert_eq!(demo.run(&args).stdout, "written\n", "{file}");
        denied(&demo, &[&args[..], &["--deny", "edit"]].concat());
        denied(&demo, &["call", "fail", "--permissions", file, "--yes"]);
    }
    demo.write("home.json", r#"{"edit": {"~/src/*": "deny"}}"#);
    let out = serde_json::json!({ "file_path": demo.path("src/x"), "content": "y" }).to_string();
    denied(&demo, &["call", "write_file", &out, "--permissions", "home.json", "--allow", "edit:lib/*", "--yes"]);
}

#[test]
fn a_bad_file_of_rules_is_a_usage_error_that_names_the_key() {
    let demo = demo();
    demo.write("bad.json", r#"{"bash": {"git *": "alow"}}"#);
    demo.write("bad.toml", "edit = 3");
    demo.write("rules.yaml", "edit: ask");
    for (file, words) in [
        ("bad.json", ["`bash`.`git *`", "did you mean \"allow\""]),
        ("bad.toml", ["`edit`", "got a number"]),
        ("rules.yaml", ["rules.yaml", ".json or .toml"]),
        ("none.json", ["none.json", "cannot be read"]),
    ] {
        demo.run(&[&WRITE[..], &["--permissions", file]].concat()).is_usage_error(&words);
    }
}

#[test]
fn approval_policies_go_by_codexs_names() {
    let demo = demo();
    fn write<'a>(flags: &[&'a str]) -> Vec<&'a str> {
        [&WRITE[..], flags].concat()
    }
    // Asks nobody, and says so.
    let never = denied(&demo, &write(&["--approval", "never", "--yes"]));
    assert!(never.contains("approval policy `never`"), "{never}");
    assert_eq!(demo.run(&write(&["--approval", "never", "--allow", "edit:src/*"])).stdout, "written\n");
    // Runs what no rule decides, and asks where one says so.
    assert_eq!(demo.run(&write(&["--approval", "on-failure"])).stdout, "written\n");
    demo.write("ask.json", r#"{"edit": "ask"}"#);
    let asked = denied(&demo, &write(&["--approval", "on-failure", "--permissions", "ask.json"]));
    assert!(asked.contains("--allow edit"), "{asked}");
    denied(&demo, &write(&["--approval", "on-failure", "--deny", "edit"]));
    // Doubts a tool that asks for nothing and is not read-only.
    let doubted = denied(&demo, &["call", "fail", "--approval", "untrusted"]);
    assert!(doubted.contains("--allow fail"), "{doubted}");
    assert_eq!(demo.run(&["call", "numbers", "--arg", "to=1", "--approval", "untrusted"]).code, Some(0));
    // The same as no word of it.
    assert_eq!(denied(&demo, &write(&["--approval", "on-request"])), denied(&demo, &WRITE));
    demo.run(&write(&["--approval", "sometimes"])).is_usage_error(&["untrusted, on-request, on-failure, never"]);
}

#[test]
fn a_batch_has_one_approval_policy() {
    let demo = demo();
    let line = r#"{"id":"1","name":"write_file","arguments":{"file_path":"src/x","content":"y"}}"#;
    let status = |policy: &str| demo.run_with(&["batch", "--approval", policy], line).lines()[0]["status"].clone();
    assert_eq!((status("never"), status("on-failure")), (Value::from("error"), Value::from("completed")));
}
