//! Memory stays bounded, whatever the size of a file or an output. A process of its own, so that its memory can be seen.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{
    fs::{self, File},
    io::{Seek, SeekFrom, Write},
};

use project::{Project, output};
use serde_json::json;

/// The most memory this process ever had.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() * 1024
}

/// One test and not three, for a peak that is everybody's.
#[tokio::test(flavor = "multi_thread")]
async fn memory_is_bounded() {
    const MB: u64 = 1024 * 1024;
    let project = Project::new();

    // A window at the end of a file with a hole of 300 MB.
    let mut file = File::create(project.path("sparse.txt")).unwrap();
    file.write_all("line\n".repeat(2000).as_bytes()).unwrap();
    file.set_len(300 * MB).unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    file.write_all(b"\nend 1\nend 2\n").unwrap();
    drop(file);
    let outcome = project.call("read", json!({ "filePath": "sparse.txt", "offset": 2002 })).await;
    let text = output(&outcome);
    assert!(text.contains("<content>\n2002: end 1\n2003: end 2\n\n(End of file - total 2003 lines)\n"), "{text}");

    // One line of 100 MB.
    let mut file = File::create(project.path("line.txt")).unwrap();
    file.write_all("x".repeat(10_000).as_bytes()).unwrap();
    file.set_len(100 * MB).unwrap();
    drop(file);
    let outcome = project.call("read", json!({ "filePath": "line.txt" })).await;
    let text = output(&outcome);
    let line = format!("1: {}... (line truncated to 2000 chars)\n\n(End of file - total 1 lines)", "x".repeat(2000));
    assert!(text.contains(&line), "{text}");

    // A match at the end of one line of 100 MB, and one after it.
    let mut file = File::create(project.path("min.js")).unwrap();
    let part = "x".repeat(1024 * 1024);
    for _ in 0..100 {
        file.write_all(part.as_bytes()).unwrap();
    }
    file.write_all(b"needle;\nneedle again\n").unwrap();
    drop(file);
    for pattern in ["needle", "n.+le;?"] {
        let outcome = project.call("grep", json!({ "pattern": pattern, "path": "min.js" })).await;
        let text = output(&outcome);
        assert!(text.starts_with("Found 2 matches\n") && text.contains("  Line 1: ...xxx"), "{text}");
        assert!(text.contains("xxneedle;\n  Line 2: needle again"), "{text}");
    }

    // 50 MB printed.
    let outcome = project.call("bash", json!({ "command": "yes | head -c 50M" })).await;
    assert!(output(&outcome).len() < 60_000);
    assert_eq!(outcome.metadata()["truncated"], true);
    let spilled = outcome.metadata()["outputPath"].as_str().unwrap().to_owned();
    assert_eq!(fs::metadata(spilled).unwrap().len(), 50 * MB);

    assert!(peak() < 80 * MB, "{} MB", peak() / MB);
}
