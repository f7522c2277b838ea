//! The question, on a real pseudo-terminal.

use std::{
    ffi::OsStr,
    fs::File,
    io::{Read, Write},
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    process::{Child, Stdio},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use rustix::{
    fs::{Mode, OFlags, open},
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};

use crate::demo::{Demo, Run};

const PRETEND: [&str; 4] = ["call", "pretend", r#"{"command":"echo hi"}"#, "--json"];

/// The demo with a person at its standard input and standard error; standard output is a pipe.
struct Person {
    _demo: Demo,
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
}

impl Person {
    fn at(demo: Demo, args: &[&str], color: bool) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let end = || -> OwnedFd {
            open(OsStr::from_bytes(name.to_bytes()), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap()
        };
        let mut command = demo.command(args);
        command.env("TERM", "xterm-256color").stdin(Stdio::from(end())).stderr(Stdio::from(end()));
        if !color {
            command.env("NO_COLOR", "1");
        }
        let child = command.spawn().unwrap();
        let keyboard = File::from(master);
        let mut output = keyboard.try_clone().unwrap();
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The last process to close a terminal ends it with an error.
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { _demo: demo, child, keyboard, screen, seen: String::new() }
    }

    /// Waits until these words have been shown since the last time.
    fn sees(&mut self, words: &str) -> String {
        loop {
            if let Some(at) = self.seen.find(words) {
                let rest = self.seen.split_off(at + words.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            let more = self.screen.recv_timeout(Duration::from_secs(30));
            let more = more.unwrap_or_else(|_| panic!("no {words:?} in {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&more));
        }
    }

    fn types(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
    }

    fn interrupts(&self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
    }

    fn ends(self) -> Run {
        Run::of(self.child.wait_with_output().unwrap())
    }
}

#[test]
fn a_question_shows_what_would_happen_and_takes_a_yes() {
    let demo = Demo::new();
    let mut person = Person::at(demo, &PRETEND, false);
    let shown = person.sees("Allow it?");
    for words in ["pretend asks for the permission bash", "$ echo hi", "-old", "+new", "reason: a demonstration"] {
        assert!(shown.contains(words), "no {words:?} in {shown:?}");
    }
    assert!(!shown.contains("\u{1b}[32m"), "coloured in spite of NO_COLOR: {shown:?}");
    // Enter alone, and what is no choice, ask again.
    person.types("\n");
    person.sees("Please answer");
    person.types("perhaps\n");
    person.sees("Please answer");
    person.sees("(echo *)");
    person.types("y\n");
    let run = person.ends();
    assert_eq!(run.code, Some(0));
    assert_eq!(run.json()["output"], "ran echo hi");
}

#[test]
fn a_question_is_coloured() {
    let mut person = Person::at(Demo::new(), &PRETEND, true);
    let shown = person.sees("Allow it?");
    assert!(shown.contains("\u{1b}[32m+new"), "{shown:?}");
    person.types("n\n");
    person.ends();
}

#[test]
fn a_no_takes_a_reason_to_the_model() {
    let mut person = Person::at(Demo::new(), &PRETEND, false);
    person.sees("no REASON:");
    person.types("no use printf\n");
    let run = person.ends();
    assert_eq!(run.code, Some(1));
    let error = &run.json()["error"];
    assert_eq!(error["kind"], "denied");
    assert!(error["message"].as_str().unwrap().ends_with("They say: use printf"), "{error}");
}

#[test]
fn the_end_of_input_is_a_no() {
    let mut person = Person::at(Demo::new(), &PRETEND, false);
    person.sees("no REASON:");
    person.types("\u{4}");
    assert_eq!(person.ends().json()["error"]["kind"], "denied");
}

#[test]
fn always_holds_for_the_session() {
    let demo = Demo::new();
    let call = |id: u8, command: &str| {
        format!("{{\"id\":\"{id}\",\"name\":\"pretend\",\"arguments\":{{\"command\":\"{command}\"}}}}\n")
    };
    demo.write("calls", call(1, "echo 1") + &call(2, "echo 2") + &call(3, "rm 3"));
    let mut person = Person::at(demo, &["batch", "@calls"], false);
    person.sees("$ echo 1");
    person.types("always\n");
    let between = person.sees("$ rm 3");
    assert!(!between.contains("$ echo 2"), "{between:?}");
    person.sees("no REASON:");
    person.types("no\n");
    let run = person.ends();
    assert_eq!(run.code, Some(1));
    let statuses: Vec<_> = run.lines().iter().map(|line| line["status"].clone()).collect();
    assert_eq!(statuses, ["completed", "completed", "error"]);
}

#[test]
fn what_a_model_writes_cannot_move_the_cursor() {
    let arguments = serde_json::json!({ "command": "echo \u{1b}[2J\rhi" }).to_string();
    let mut person = Person::at(Demo::new(), &["call", "pretend", &arguments], false);
    let shown = person.sees("no REASON:");
    assert!(shown.contains(r"echo \u{1b}[2J\u{d}hi"), "{shown:?}");
    person.types("n\n");
    person.ends();
}

#[test]
fn a_question_nobody_answers_ends_with_the_timeout() {
    let mut person = Person::at(
        Demo::new(),
        &["call", "write_file", "--arg", "file_path=x", "--arg", "content=y", "--timeout", "100ms", "--json"],
        false,
    );
    person.sees("no REASON:");
    let run = person.ends();
    assert_eq!(run.json()["error"]["kind"], "denied");
    assert!(run.stdout.contains("no answer came within 100ms"), "{}", run.stdout);
}

#[test]
fn a_spinner_shows_how_far_the_call_is() {
    let mut person = Person::at(Demo::new(), &["call", "slow", r#"{"milliseconds":60000}"#, "--json"], false);
    person.sees("slow: second line");
    person.interrupts();
    assert_eq!(person.ends().json()["error"]["kind"], "cancelled");
}

#[test]
fn a_question_can_be_interrupted() {
    let mut person = Person::at(Demo::new(), &PRETEND, false);
    person.sees("no REASON:");
    person.interrupts();
    let run = person.ends();
    assert_eq!(run.code, Some(1));
    assert_eq!(run.json()["error"]["kind"], "cancelled");
}

#[test]
fn a_call_from_stdin_asks_nobody() {
    // Standard input is a pipe here, so nobody can answer, although standard error is a terminal.
    let demo = Demo::new();
    let run = demo
        .run_with(&["batch", "--verbose"], "{\"id\":\"1\",\"name\":\"pretend\",\"arguments\":{\"command\":\"x\"}}\n");
    assert_eq!(run.lines()[0]["error"]["kind"], "denied");
}
