//! The tools tell the same on every machine: each call of a list is made on all of them, and the answers compared.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod machines;
mod sshd;

use machines::{Machine, machines};
use serde_json::{Value, json};

/// A name that no shell may take for anything else, and no line for its end.
const HOSTILE: &str = "it's $(touch pwned) `touch pwned` \"two\" ; * ~ \\ %s\nline é.txt";

/// Makes the calls in order on each machine, and compares what they came to with the first one's. Gives that, and the
/// machines.
async fn alike(files: &[(&str, &[u8])], calls: &[(&str, Value)]) -> (Vec<Value>, Vec<Machine>) {
    let mut machines = machines().await;
    let needs_programs = calls.iter().any(|(tool, _)| ["bash"].contains(tool));
    machines.retain(|machine| machine.runs || !needs_programs);
    let mut first: Vec<Value> = Vec::new();
    for machine in &machines {
        for (name, content) in files {
            machine.put(name, content).await;
        }
        for (index, (tool, arguments)) in calls.iter().enumerate() {
            let told = machine.told(tool, arguments).await;
            match first.get(index) {
                Some(first) => assert_eq!(&told, first, "{} with {arguments} on {}", tool, machine.name),
                None => first.push(told),
            }
        }
    }
    (first, machines)
}

fn read(path: &str) -> (&'static str, Value) {
    ("read", json!({ "filePath": path }))
}

fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write", json!({ "filePath": path, "content": content }))
}

fn bash(command: &str) -> (&'static str, Value) {
    ("bash", json!({ "command": command }))
}

#[tokio::test]
async fn reading() {
    let long: String = (1..=30_000).map(|number| format!("line {number}\n")).collect();
    let files: &[(&str, &[u8])] = &[
        ("src/main.rs", b"fn main() {}\n"),
        ("src/lib.rs", b"\xef\xbb\xbfone\r\ntwo\r\n"),
        ("latin", b"caf\xe9\n"),
        ("binary.bin", b"\0\x01\x02"),
        ("empty", b""),
        ("long", long.as_bytes()),
        (HOSTILE, b"hostile\n"),
    ];
    let calls = [
        read("src/main.rs"),
        read("src/lib.rs"),
        read("latin"),
        read("binary.bin"),
        read("empty"),
        read("src"),
        read("."),
        read("src/main"),
        read("no/such/file"),
        read("src/main.rs/x"),
        read(HOSTILE),
        ("read", json!({ "filePath": "long", "offset": 29_990, "limit": 5 })),
        ("read", json!({ "filePath": "long", "offset": 40_000 })),
    ];
    let (told, _machines) = alike(files, &calls).await;
    let text = |index: usize| told[index].to_string();
    assert!(text(0).contains("1: fn main() {}"));
    assert!(text(7).contains("main.rs"), "{}", text(7));
    assert!(text(10).contains("1: hostile"), "{}", text(10));
    assert!(text(11).contains("29994: line 29994"), "{}", text(11));
}

#[tokio::test]
async fn writing() {
    let files: &[(&str, &[u8])] = &[("old.txt", b"\xef\xbb\xbfold\n"), ("stays", b"as it is")];
    let calls = [
        write("new/deep/file.txt", "new\r\n"),
        read("old.txt"),
        write("old.txt", "changed\n"),
        write("old.txt", "changed again\n"),
        write(HOSTILE, "hostile"),
        write("stays/x", "no"),
        write("new", "no"),
        write("old.txt", ""),
    ];
    let (told, machines) = alike(files, &calls).await;
    assert!(told[5].get("error").is_some() && told[6].get("error").is_some(), "{told:?}");
    for machine in machines {
        assert_eq!(machine.content("new/deep/file.txt").await, b"new\r\n", "{}", machine.name);
        assert_eq!(machine.content("old.txt").await, b"\xef\xbb\xbf", "{}", machine.name);
        assert_eq!(machine.content(HOSTILE).await, b"hostile", "{}", machine.name);
        assert_eq!(machine.content("stays").await, b"as it is", "{}", machine.name);
        // Nothing is left beside them, and nothing of a name was run.
        let mut names: Vec<String> =
            machine.workspace.list(&machine.root).await.unwrap().into_iter().map(name).collect();
        names.sort();
        assert_eq!(names, [HOSTILE, "new", "old.txt", "stays"], "{}", machine.name);
    }
}

fn name(entry: core_tools::workspace::Entry) -> String {
    entry.name.into_string().unwrap()
}

#[tokio::test]
async fn changing() {
    let files: &[(&str, &[u8])] =
        &[("a.txt", b"one\r\ntwo\r\nbad \xff\r\n"), ("b.txt", b"b1\nb2\n"), ("gone.txt", b"x\n"), (HOSTILE, b"old\n")];
    let edit =
        |path: &str, old: &str, new: &str| ("edit", json!({ "filePath": path, "oldString": old, "newString": new }));
    let patch = |input: &str| ("apply_patch", json!({ "input": format!("*** Begin Patch\n{input}*** End Patch") }));
    let calls = [
        edit("a.txt", "one\ntwo", "1\n2"),
        edit("a.txt", "nowhere in it", "x"),
        edit(HOSTILE, "old", "new"),
        edit("none.txt", "a", "b"),
        (
            "multiedit",
            json!({ "filePath": "b.txt", "edits": [
            { "oldString": "b1", "newString": "B1" }, { "oldString": "b2", "newString": "B2" } ] }),
        ),
        patch(
            "*** Add File: new/c.txt\n+c\n*** Delete File: gone.txt\n*** Update File: b.txt\n*** Move to: moved.txt\n@@\n-B1\n+b\n",
        ),
        patch("*** Update File: a.txt\n@@\n-2\n+two\n*** Delete File: none.txt\n"),
    ];
    let (_, machines) = alike(files, &calls).await;
    for machine in machines {
        assert_eq!(machine.content("a.txt").await, b"1\r\n2\r\nbad \xff\r\n", "{}", machine.name);
        assert_eq!(machine.content("moved.txt").await, b"b\nB2\n", "{}", machine.name);
        assert_eq!(machine.content("new/c.txt").await, b"c\n", "{}", machine.name);
        assert_eq!(machine.content(HOSTILE).await, b"new\n", "{}", machine.name);
        let mut names: Vec<String> =
            machine.workspace.list(&machine.root).await.unwrap().into_iter().map(name).collect();
        names.sort();
        assert_eq!(names, ["a.txt", HOSTILE, "moved.txt", "new"], "{}", machine.name);
    }
}

#[tokio::test]
async fn searching() {
    let files: &[(&str, &[u8])] = &[
        (".gitignore", b"/target\n*.log\n"),
        ("src/main.rs", b"fn main() {\n    needle();\n}\n"),
        ("src/lib.rs", b"// no such thing\n"),
        ("target/out.rs", b"needle\n"),
        ("a.log", b"needle\n"),
        ("binary", b"needle\0\n"),
        (HOSTILE, b"needle\n"),
    ];
    let calls = [
        ("glob", json!({ "pattern": "**/*.rs" })),
        ("grep", json!({ "pattern": "needle", "include": "*.rs" })),
        ("grep", json!({ "pattern": "NEEDLE\\(", "ignoreCase": true, "context": 1 })),
        ("grep", json!({ "pattern": "(" })),
        ("find", json!({ "pattern": "*.rs" })),
        ("ls", json!({})),
        ("list", json!({})),
        ("grep_files", json!({ "pattern": "such thing" })),
        ("glob", json!({ "pattern": "*", "path": "nowhere" })),
    ];
    let (told, _machines) = alike(files, &calls).await;
    assert!(told[0].to_string().contains("src/main.rs") && !told[0].to_string().contains("target"), "{}", told[0]);
    assert!(told[1].to_string().contains("needle();"), "{}", told[1]);
}

#[tokio::test]
async fn a_file_that_changed_is_not_written_over() {
    for machine in machines().await {
        machine.put("a.txt", "one\n").await;
        machine.told("read", &json!({ "filePath": "a.txt" })).await;
        let path = machine.root.join("a.txt");
        machine.workspace.overwrite(&path, "somebody else's\n".into()).await.unwrap();
        let told = machine.told("write", &json!({ "filePath": "a.txt", "content": "mine\n" })).await;
        assert!(told["error"].as_str().is_some_and(|error| error.contains("changed")), "{}: {told}", machine.name);
        assert_eq!(machine.content("a.txt").await, b"somebody else's\n", "{}", machine.name);
    }
}

#[tokio::test]
async fn running() {
    let files: &[(&str, &[u8])] = &[("sub dir's/x", b"x")];
    let quoted = format!("printf '%s|' '{}' \"$HOME\" | wc -c", HOSTILE.replace('\'', "'\\''"));
    let calls = [
        bash("echo out; echo err >&2; echo out"),
        bash("exit 3"),
        bash("kill -9 $$"),
        bash("kill -INT $$"),
        bash("pwd"),
        ("bash", json!({ "command": "pwd; ls", "workdir": "sub dir's" })),
        ("bash", json!({ "command": "true", "workdir": "nowhere" })),
        bash("cat; echo end"),
        bash("printf 'a\\377b'"),
        bash("no_such_program"),
        bash(&format!("echo {}; true", "long ".repeat(8_000))),
        bash("echo $0 $# \"$@\"; for i in 1 2 3\ndo\n  echo \"$i\"\ndone # '"),
        bash(&quoted),
        // Detached, and left alone; not detached, and stopped.
        bash("sleep 60 >/dev/null 2>&1 & echo $! >pid; echo started"),
        bash("kill -0 $(cat pid) && kill -9 $(cat pid) && echo ran on"),
        bash("sleep 60 & echo $! >pid; echo started"),
        ("bash", json!({ "command": "echo before; sleep 60", "timeout": 300 })),
    ];
    let (told, _machines) = alike(files, &calls).await;
    assert_eq!(told[0]["output"], "out\nerr\nout\n");
    assert_eq!((&told[2]["metadata"]["signal"], &told[3]["metadata"]["signal"]), (&json!(9), &json!(2)));
    assert_eq!(told[14]["output"], "ran on\n");
    assert_eq!(told[15]["metadata"]["backgroundStopped"], true);
    assert!(told[16]["output"].as_str().unwrap().starts_with("before\n"));
}
