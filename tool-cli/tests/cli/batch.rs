use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::demo::{Demo, keys};

#[test]
fn outcomes_come_in_order_and_in_one_session() {
    let calls = r#"{"id":"a","name":"count_on","arguments":{}}
{"id":"b","name":"count_on","arguments":"{}"}

{"id":"c","name":"greet","arguments":"{\"name\":\"Ann\"}"}
{"name":"count_on"}"#;
    let run = Demo::new().run_with(&["batch"], calls);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let outcomes = run.lines();
    let outputs: Vec<&Value> = outcomes.iter().map(|outcome| &outcome["output"]).collect();
    assert_eq!(outputs, ["1", "2", "Hello, Ann!", "3"]);
    let ids: Vec<&Value> = outcomes.iter().map(|outcome| &outcome["callId"]).collect();
    assert_eq!(ids, ["a", "b", "c", "line_5"]);
}

#[test]
fn a_bad_line_does_not_stop_the_rest() {
    let demo = Demo::new();
    let mut calls = Vec::new();
    calls.extend_from_slice(b"not json\n");
    calls.extend_from_slice(b"{\"id\":\"x\",\"name\":\"greet\",\"args\":{}}\n");
    calls.extend_from_slice(b"\xff\xfe\n");
    calls.extend_from_slice(b"{\"id\":\"y\",\"name\":\"greet\",\"arguments\":[1]}\n");
    calls.extend_from_slice(b"{\"id\":\"z\",\"name\":\"nothing\",\"arguments\":{}}\n");
    calls.extend_from_slice(b"{\"id\":7,\"name\":\"greet\",\"arguments\":{\"name\":\"Ann\"}}\n");
    demo.write("calls.jsonl", calls);
    let run = demo.run(&["batch", "@calls.jsonl"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let outcomes = run.lines();
    let kinds: Vec<&Value> = outcomes.iter().map(|outcome| &outcome["error"]["kind"]).collect();
    let invalid = json!("invalid_arguments");
    assert_eq!(kinds, [&invalid, &invalid, &invalid, &invalid, &json!("unknown_tool"), &Value::Null]);
    assert_eq!(keys(&outcomes[0]), ["callId", "tool", "status", "error", "metadata", "time"]);
    let ids: Vec<&Value> = outcomes.iter().map(|outcome| &outcome["callId"]).collect();
    assert_eq!(ids, [&Value::Null, &json!("x"), &Value::Null, &json!("y"), &json!("z"), &json!("7")]);
    let message = outcomes[1]["error"]["message"].as_str().unwrap();
    assert!(message.contains("line 2") && message.contains("`args`"), "{message}");
}

#[test]
fn only_objects_of_the_three_keys_are_calls() {
    let calls = r#"["1","greet",{"name":"Ann"}]
null
{}
{"id":["1"],"name":"greet","arguments":{"name":"Ann"}}
{"id":"5","name":"greet","name":"greet"}
{"id":"6","name":"greet","arguments":{"name":"A"},"arguments":{"name":"B"}}
{"id":"7","name":"greet","arguments":{"name":"A","name":"B"}}
"#;
    let run = Demo::new().run_with(&["batch"], calls);
    assert_eq!(run.code, Some(1));
    let outcomes = run.lines();
    assert_eq!(outcomes.len(), 7);
    for (outcome, id) in outcomes.iter().zip([None, None, None, None, Some("5"), Some("6"), Some("7")]) {
        assert_eq!(outcome["error"]["kind"], "invalid_arguments", "{outcome}");
        assert_eq!(outcome["callId"], json!(id));
    }
}

#[test]
fn each_outcome_is_there_before_the_next_call_comes() {
    let demo = Demo::new();
    let mut child = demo.command(&["batch", "-", "--allow", "doom_loop"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for round in 1..=3 {
        writeln!(stdin, r#"{{"id":"{round}","name":"count_on","arguments":{{}}}}"#).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let outcome: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(outcome["output"], round.to_string());
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_third_identical_call_in_a_row_has_to_be_allowed() {
    let calls = "{\"name\":\"count_on\",\"arguments\":{}}\n".repeat(3);
    let kinds = |flags: &[&str]| -> Vec<Value> {
        let args: Vec<&str> = ["batch"].iter().chain(flags).copied().collect();
        Demo::new().run_with(&args, &calls).lines().iter().map(|line| line["error"]["kind"].clone()).collect()
    };
    assert_eq!(kinds(&[]), [Value::Null, Value::Null, json!("denied")]);
    assert_eq!(kinds(&["--yes"]), [Value::Null, Value::Null, Value::Null]);
    assert_eq!(kinds(&["--allow", "doom_loop:count_on"]), [Value::Null, Value::Null, Value::Null]);
}

#[test]
fn an_id_is_used_once_in_a_batch() {
    let calls = r#"{"id":"a","name":"greet","arguments":{"name":"Ann"}}
{"id":"a","name":"greet","arguments":{"name":"Bob"}}
{"id":"b","name":"greet","arguments":{"name":"Cid"}}
{"id":1,"name":"nothing"}
{"id":"1","name":"greet","arguments":{"name":"Dan"}}
{"id":"line_7","name":"greet","arguments":{"name":"Eve"}}
{"name":"greet","arguments":{"name":"Fay"}}
"#;
    let run = Demo::new().run_with(&["batch"], calls);
    assert_eq!(run.code, Some(1));
    let outcomes = run.lines();
    let outputs: Vec<&Value> = outcomes.iter().map(|outcome| &outcome["output"]).collect();
    let (ann, cid, eve) = (json!("Hello, Ann!"), json!("Hello, Cid!"), json!("Hello, Eve!"));
    let none = Value::Null;
    assert_eq!(outputs, [&ann, &none, &cid, &none, &none, &eve, &none]);
    for (line, id) in [(1, "a"), (4, "1"), (6, "line_7")] {
        assert_eq!((&outcomes[line]["callId"], &outcomes[line]["tool"]), (&json!(id), &json!("greet")));
        assert_eq!(outcomes[line]["error"]["kind"], "invalid_arguments");
        let message = outcomes[line]["error"]["message"].as_str().unwrap();
        assert!(message.contains(&format!("line {}", line + 1)) && message.contains(&format!("`{id}`")), "{message}");
    }
}

#[test]
fn the_flags_of_call_hold_for_every_line() {
    let demo = Demo::new();
    demo.write(
        "calls.jsonl",
        r#"{"id":"1","name":"write_file","arguments":{"file_path":"a","content":""}}
{"id":"2","name":"write_file","arguments":{"file_path":"b","content":""}}
{"id":"3","name":"slow","arguments":{"milliseconds":60000}}
"#,
    );
    std::fs::create_dir(demo.path("sub")).unwrap();
    let run = demo.run(&["batch", "@calls.jsonl", "--yes", "--deny", "edit:b", "--timeout", "300ms", "--cwd", "sub"]);
    assert_eq!(run.code, Some(1));
    let outcomes = run.lines();
    assert_eq!(outcomes[0]["status"], "completed");
    assert_eq!(outcomes[1]["error"]["kind"], "denied");
    assert_eq!(outcomes[2]["error"]["kind"], "timed_out");
    assert!(demo.path("sub/a").exists() && !demo.path("sub/b").exists());
}

#[test]
fn what_is_no_input_is_a_usage_error() {
    let demo = Demo::new();
    demo.write("calls.jsonl", "");
    demo.run(&["batch", "calls.jsonl"]).is_usage_error(&["`@calls.jsonl`"]);
    demo.run(&["batch", "@missing"]).is_usage_error(&["`missing`"]);
    let run = demo.run(&["batch", "@calls.jsonl"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
}
