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

/// So often a process is killed.
const KILLS: u32 = 15;
/// The length of the content: long enough to be caught in the middle of it.
const LEN: usize = 1_000_000;

/// Writes one file again and again, with all of one letter or all of another, until it is killed.
fn write_and_kill(folder: &Path, after: Duration) {
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
        for (number, letter) in ["a", "b"].iter().cycle().enumerate() {
            let arguments = serde_json::json!({ "filePath": "f.txt", "content": letter.repeat(LEN) });
            let call = serde_json::json!({ "id": number.to_string(), "name": "write", "arguments": arguments });
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

#[test]
fn killed_at_any_point_of_write() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f.txt");
    for kill in 0..KILLS {
        write_and_kill(folder.path(), Duration::from_micros(u64::from(kill) * 1300));
        let content = fs::read(&file).unwrap();
        assert_eq!(content.len(), LEN, "kill {kill}");
        assert!(content.iter().all(|byte| *byte == content[0]), "kill {kill}");
        for entry in fs::read_dir(folder.path()).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let is_staged = name.starts_with(STAGED_PREFIX) && name.ends_with(STAGED_SUFFIX);
            assert!(name == "f.txt" || is_staged, "{name}");
        }
    }
}
