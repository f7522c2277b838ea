//! A process that is killed in the middle of its work leaves the old content or the new.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use core_tools::workspace::{STAGED_PREFIX, STAGED_SUFFIX};
use serde_json::Value;

/// So often a process is killed.
const KILLS: u32 = 15;
/// The length of the content: long enough to be caught in the middle of it.
const LEN: usize = 300_000;

/// Makes a call again and again, now with all of one letter, now with all of another, until it is killed.
fn call_and_kill(folder: &Path, after: Duration, tool: &'static str, arguments: fn(new: &str, old: &str) -> Value) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_core-tools"))
        .args(["batch", "--yes", "--cwd"])
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feed = std::thread::spawn(move || {
        for (number, letters) in [["a", "b"], ["b", "a"]].iter().cycle().enumerate() {
            let [new, old] = letters.map(|letter| letter.repeat(LEN));
            let arguments = arguments(&new, &old);
            let call = serde_json::json!({ "id": number.to_string(), "name": tool, "arguments": arguments });
            // It is over when nobody reads any more.
            if writeln!(stdin, "{call}").is_err() {
                break;
            }
        }
    });
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    // It is at work once the first answer is there.
    answers.read_line(&mut String::new()).unwrap();
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    feed.join().unwrap();
}

fn old_or_new(folder: &Path, files: &[&str]) {
    for file in files {
        let content = fs::read(folder.join(file)).unwrap();
        let content = content.strip_suffix(b"\n").unwrap_or(&content);
        assert_eq!(content.len(), LEN, "{file}");
        assert!(content.iter().all(|byte| *byte == content[0]), "{file}");
    }
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_staged = name.starts_with(STAGED_PREFIX) && name.ends_with(STAGED_SUFFIX);
        assert!(files.contains(&name.as_str()) || is_staged, "{name}");
    }
}

#[test]
fn killed_at_any_point_of_write() {
    let folder = tempfile::tempdir().unwrap();
    for kill in 0..KILLS {
        call_and_kill(
            folder.path(),
            Duration::from_micros(u64::from(kill) * 1300),
            "write",
            |new, _| serde_json::json!({ "filePath": "f.txt", "content": new }),
        );
        old_or_new(folder.path(), &["f.txt"]);
    }
}

#[test]
fn killed_at_any_point_of_a_patch() {
    let folder = tempfile::tempdir().unwrap();
    for kill in 0..KILLS {
        for file in ["f.txt", "g.txt"] {
            fs::write(folder.path().join(file), format!("{}\n", "b".repeat(LEN))).unwrap();
        }
        call_and_kill(folder.path(), Duration::from_micros(u64::from(kill) * 1300), "apply_patch", |new, old| {
            let change = |file: &str| format!("*** Update File: {file}\n@@\n-{old}\n+{new}\n");
            let input = format!("*** Begin Patch\n{}{}*** End Patch", change("f.txt"), change("g.txt"));
            serde_json::json!({ "input": input })
        });
        old_or_new(folder.path(), &["f.txt", "g.txt"]);
    }
}
