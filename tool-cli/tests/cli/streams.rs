//! Closed streams and signals.

use std::{io::Write, process::Stdio};

use crate::demo::{Demo, Run};

#[test]
fn nobody_reading_is_no_panic() {
    let demo = Demo::new();
    // The reader is gone before the arguments come, and so before anything can be written.
    let mut child = demo.command(&["call", "numbers", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(br#"{"to":1900}"#).unwrap();
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));

    let mut child = demo.command(&["batch"]).stdin(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let call = "{\"id\":\"1\",\"name\":\"count_on\"}\n";
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(call.as_bytes()).unwrap();
    // It ends although its input does not.
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    drop(stdin);
}

#[cfg(unix)]
mod signals {
    use std::{
        path::Path,
        process::Child,
        time::{Duration, Instant},
    };

    use rustix::process::{Pid, Signal, kill_process};

    use super::{Demo, Run};

    fn wait_for(path: &Path) {
        let start = Instant::now();
        while !path.exists() {
            assert!(start.elapsed() < Duration::from_secs(30), "the tool did not start");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn interrupt(child: &Child) {
        kill_process(Pid::from_child(child), Signal::INT).unwrap();
    }

    #[test]
    fn an_interrupt_cancels_and_the_outcome_is_printed() {
        let demo = Demo::new();
        let arguments = r#"{"milliseconds":60000,"started":"started"}"#;
        let child = demo.command(&["call", "slow", arguments, "--json"]).spawn().unwrap();
        wait_for(&demo.path("started"));
        interrupt(&child);
        let run = Run::of(child.wait_with_output().unwrap());
        assert_eq!(run.code, Some(1));
        assert_eq!(run.json()["error"]["kind"], "cancelled");
    }

    #[test]
    fn an_interrupt_ends_a_batch_after_the_running_call() {
        let demo = Demo::new();
        let call = r#"{"id":"1","name":"slow","arguments":{"milliseconds":60000,"started":"started"}}"#;
        demo.write("calls", format!("{call}\n{call}\n"));
        let child = demo.command(&["batch", "@calls"]).spawn().unwrap();
        wait_for(&demo.path("started"));
        interrupt(&child);
        let run = Run::of(child.wait_with_output().unwrap());
        assert_eq!(run.code, Some(1));
        assert_eq!(run.lines().len(), 1);
    }

    #[test]
    fn a_second_interrupt_ends_what_does_not_listen() {
        let demo = Demo::new();
        let mut child = demo.command(&["call", "stubborn", r#"{"started":"started"}"#]).spawn().unwrap();
        wait_for(&demo.path("started"));
        let start = Instant::now();
        let status = loop {
            interrupt(&child);
            std::thread::sleep(Duration::from_millis(20));
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "it did not end");
        };
        assert_eq!(status.code(), Some(130));
    }
}
