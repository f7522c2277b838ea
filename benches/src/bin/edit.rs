//! One edit of a 5 MB file, through the executor, beside the same done with nothing but system calls.
//!
//! Wall time, the median over interleaved rounds; ratios are taken within a round. `edit --rounds N`, `--dir DIR`.

use std::{
    fs::{self, File},
    hint::black_box,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use core_tools as _;
use serde_json::json;
use tokio::runtime::Runtime;
use tool_core::{permission::Ruleset, prelude::*};

const LEN: usize = 5 * 1024 * 1024;

/// One way of changing the file: the text that is looked for, and what it is called.
struct Row {
    name: &'static str,
    aim: &'static str,
    /// The text to find, and whether it is there; `None` for the plain way.
    old: Option<String>,
}

fn main() -> ExitCode {
    let (mut rounds, mut folder) = (21, std::env::temp_dir());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match (word.as_str(), words.next()) {
            ("--rounds", Some(value)) => rounds = value.parse().unwrap_or(rounds),
            ("--dir", Some(value)) => folder = value.into(),
            _ => {
                eprintln!("usage: edit [--rounds N] [--dir DIR]");
                return ExitCode::from(2);
            }
        }
    }
    let folder = folder.join(format!("edit-bench-{}", std::process::id()));
    fs::create_dir(&folder).expect("a folder can be made");
    measure(&folder, rounds);
    fs::remove_dir_all(folder).expect("it can be removed");
    ExitCode::SUCCESS
}

fn measure(folder: &Path, rounds: usize) {
    let lines: Vec<String> = (0..)
        .map(|number| format!("    let value_{number} = compute(value, {});\n", number * 7))
        .scan(0, |length, line| {
            (*length < LEN).then(|| {
                *length += line.len();
                line
            })
        })
        .collect();
    let content = lines.concat();
    let middle = lines.len() / 2;
    let target = lines[middle..middle + 4].concat();
    let crlf = content.replace('\n', "\r\n");
    let rows = [
        Row { name: "read, memmem, write, fsync, rename", aim: "-", old: None },
        Row { name: "exact", aim: "1.3", old: Some(target.clone()) },
        Row { name: "exact, lines end with CRLF", aim: "1.3", old: Some(target.clone()) },
        Row { name: "line-trimmed", aim: "13", old: Some(target.replace("    let", "let")) },
        Row { name: "typographic", aim: "13", old: Some(target.replace("compute(value, ", "compute(value,\u{a0}")) },
        Row {
            name: "block-anchor",
            aim: "13",
            old: Some(target.replacen("compute", "compote", 3).replacen("compote", "compute", 1)),
        },
        Row { name: "whitespace-normalised", aim: "13", old: Some(target.replace(" = ", "  = ")) },
        Row { name: "not there, with the nearest place", aim: "13", old: Some(target.replace("compute", "xxxx")) },
    ];
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let executor = Executor::builder(Registry::linked().expect("the names differ"));
    let executor = executor.rules(Ruleset::allow_all()).build().expect("the tools need nothing");
    let path = folder.join("file.rs");
    let mut samples = vec![Vec::with_capacity(rounds); rows.len()];
    for round in 0..=rounds {
        for turn in 0..rows.len() {
            let index = (turn + round) % rows.len();
            fs::write(&path, if index == 2 { &crlf } else { &content }).expect("a file can be written");
            File::open(&path).and_then(|file| file.sync_all()).expect("a file can be synced");
            let spent = match &rows[index].old {
                None => plainly(&path, &target),
                Some(old) => through(&runtime, &executor, folder, old, index + 1 < rows.len()),
            };
            // The first round warms up.
            if round > 0 {
                samples[index].push(spent);
            }
        }
    }
    println!("one edit of a file of {} MB, wall time, median of {rounds} rounds\n", LEN / 1024 / 1024);
    println!("| way | median | x plain | aim |");
    println!("|---|---:|---:|---:|");
    for (row, own) in rows.iter().zip(&samples) {
        let ratio = median(own.iter().zip(&samples[0]).map(|(own, plain)| own / plain));
        println!("| {} | {:.2} ms | {ratio:.2} | {} |", row.name, median(own.iter().copied()) * 1e3, row.aim);
    }
}

/// What no edit can do without.
fn plainly(path: &Path, old: &str) -> f64 {
    let start = Instant::now();
    let content = fs::read(path).expect("it can be read");
    let at = memchr::memmem::find(&content, old.as_bytes()).expect("it is there");
    let temporary = path.with_extension("tmp");
    let mut file = File::create(&temporary).expect("it can be made");
    for part in [&content[..at], b"changed\n", &content[at + old.len()..]] {
        file.write_all(part).expect("it can be written");
    }
    file.sync_all().expect("it can be synced");
    fs::rename(&temporary, path).expect("it can be renamed");
    let folder: PathBuf = path.parent().expect("it is in a folder").to_owned();
    File::open(folder).and_then(|folder| folder.sync_all()).expect("a folder can be synced");
    start.elapsed().as_secs_f64()
}

fn through(runtime: &Runtime, executor: &Executor, folder: &Path, old: &str, is_there: bool) -> f64 {
    // A session of its own, that has not seen the file.
    let session = Session::new(folder);
    let arguments = json!({ "filePath": "file.rs", "oldString": old, "newString": "changed\n" }).to_string();
    let start = Instant::now();
    let outcome = runtime.block_on(executor.call(&session, ToolCall::new("call_1", "edit", arguments)));
    let spent = start.elapsed().as_secs_f64();
    assert_eq!(black_box(&outcome).output().is_some(), is_there, "{}", outcome.text());
    spent
}

fn median(samples: impl Iterator<Item = f64>) -> f64 {
    let mut samples: Vec<f64> = samples.collect();
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}
