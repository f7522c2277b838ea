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
use serde_json::{Value, json};

/// So often a process is killed.
const KILLS: u32 = 15;
/// The length of the content: long enough to be caught in the middle of it.
const LEN: usize = 300_000;

/// Has a process make these calls, one after the other, until it is killed.
fn call_and_kill(folder: &Path, after: Duration, calls: impl Iterator<Item = (&'static str, Value)> + Send + 'static) {
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
        for (number, (name, arguments)) in calls.enumerate() {
            let call = json!({ "id": number.to_string(), "name": name, "arguments": arguments });
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

/// Nothing but these files, and what was staged for them.
fn nothing_else_is_there(folder: &Path, files: &[&str]) {
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_staged = name.starts_with(STAGED_PREFIX) && name.ends_with(STAGED_SUFFIX);
        assert!(files.contains(&name.as_str()) || is_staged, "{name}");
    }
}

#[test]
fn killed_at_any_point_of_write() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f.txt");
    for kill in 0..KILLS {
        let calls = ["a", "b"].into_iter().cycle();
        let calls = calls.map(|letter| ("write", json!({ "filePath": "f.txt", "content": letter.repeat(LEN) })));
        call_and_kill(folder.path(), Duration::from_micros(u64::from(kill) * 1300), calls);
        let content = fs::read(&file).unwrap();
        assert_eq!(content.len(), LEN, "kill {kill}");
        assert!(content.iter().all(|byte| *byte == content[0]), "kill {kill}");
        nothing_else_is_there(folder.path(), &["f.txt"]);
    }
}

#[test]
fn killed_at_any_point_of_edit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f.txt");
    // What changes stands at both ends, so that half an edit shows.
    let content = |mark: &str| format!("{mark}\n{}\n{mark}\n", "x".repeat(LEN));
    let whole = ["<old>", "<new>"].map(content);
    fs::write(&file, &whole[0]).unwrap();
    for kill in 0..KILLS {
        // Some find nothing: where the last process was killed in between is not known.
        let calls =
            [("<old>", "<new>"), ("<new>", "<old>")].into_iter().cycle().enumerate().map(|(number, (old, new))| {
                let edit = json!({ "oldString": old, "newString": new, "replaceAll": true });
                match number % 4 {
                    0 | 1 => ("multiedit", json!({ "filePath": "f.txt", "edits": [edit] })),
                    _ => {
                        ("edit", json!({ "filePath": "f.txt", "oldString": old, "newString": new, "replaceAll": true }))
                    }
                }
            });
        call_and_kill(folder.path(), Duration::from_micros(u64::from(kill) * 1300), calls);
        let content = fs::read_to_string(&file).unwrap();
        assert!(whole.contains(&content), "kill {kill}: {} bytes", content.len());
        nothing_else_is_there(folder.path(), &["f.txt"]);
    }
}

#[test]
fn killed_at_any_point_of_a_patch() {
    let folder = tempfile::tempdir().unwrap();
    let content = |letter: &str| format!("{}\n", letter.repeat(LEN));
    let whole = ["a", "b"].map(content);
    for kill in 0..KILLS {
        for file in ["f.txt", "g.txt"] {
            fs::write(folder.path().join(file), &whole[1]).unwrap();
        }
        let calls = [["b", "a"], ["a", "b"]].into_iter().cycle().map(|letters| {
            let [old, new] = letters.map(|letter| letter.repeat(LEN));
            let change = |file: &str| format!("*** Update File: {file}\n@@\n-{old}\n+{new}\n");
            let input = format!("*** Begin Patch\n{}{}*** End Patch", change("f.txt"), change("g.txt"));
            ("apply_patch", json!({ "input": input }))
        });
        call_and_kill(folder.path(), Duration::from_micros(u64::from(kill) * 1300), calls);
        for file in ["f.txt", "g.txt"] {
            let content = fs::read_to_string(folder.path().join(file)).unwrap();
            assert!(whole.contains(&content), "kill {kill} {file}: {} bytes", content.len());
        }
        nothing_else_is_there(folder.path(), &["f.txt", "g.txt"]);
    }
}
