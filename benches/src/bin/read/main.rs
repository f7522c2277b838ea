//! The last hundred lines of a file of a gigabyte, through `read`, beside the program `tail`.
//!
//! Wall time, since `tail` is another process. Two figures for `tail`: given the number of the first line, as `read` is,
//! it goes through the file; asked for the last lines, it begins at the end, and cannot say how many lines there are.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use core_tools::ReadTool;
use tool_core::{permission::Ruleset, prelude::*};

const BYTES: u64 = 1 << 30;
const LINES: u64 = 100;
const ROUNDS: usize = 9;

fn main() {
    let folder = tempfile::tempdir().expect("a folder for the file");
    let path = folder.path().join("log.txt");
    let lines = lay_out(&path);
    let first = lines - LINES + 1;

    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let registry = Registry::builder().add(ReadTool).build().expect("one tool");
    let executor = Executor::builder(registry).rules(Ruleset::allow_all()).build().expect("nothing is missing");
    let mut number = 0;
    let mut read = || {
        number += 1;
        let arguments = format!(r#"{{"filePath":"log.txt","offset":{first},"limit":{LINES}}}"#);
        let call = ToolCall::new(number.to_string(), "read", arguments);
        let outcome = runtime.block_on(executor.call(&Session::new(folder.path()), call));
        let text = outcome.into_text();
        assert!(text.contains(&format!("\n{lines}: ")) && text.contains(&format!("total {lines} lines")), "{text}");
    };
    let by_number = || tail(&path, &format!("+{first}"));
    let from_the_end = || tail(&path, &LINES.to_string());

    let (mut ours, mut through, mut end) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(timed(&mut read));
        through.push(timed(by_number));
        end.push(timed(from_the_end));
    }
    let (ours, through, end) = (median(ours), median(through), median(end));
    println!("read                {ours:>10.1?}");
    println!("tail -n +{first:<10} {through:>10.1?}   read / tail {:.2}", ours.as_secs_f64() / through.as_secs_f64());
    println!("tail -n {LINES:<11} {end:>10.1?}");
}

/// Lines of 20 to 130 bytes. Says how many.
fn lay_out(path: &Path) -> u64 {
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    let (mut lines, mut bytes) = (0, 0);
    while bytes < BYTES {
        let line = format!("{lines:>12} {}\n", "x".repeat(usize::try_from(lines * 7919 % 111).expect("small") + 6));
        file.write_all(line.as_bytes()).expect("room for the file");
        bytes += line.len() as u64;
        lines += 1;
    }
    file.flush().expect("room for the file");
    lines
}

fn tail(path: &Path, lines: &str) {
    let output = Command::new("tail").arg("-n").arg(lines).arg(path).output().expect("`tail` runs");
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count() as u64, LINES);
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
