//! What a call costs, from JSON text to output text, beside the floor and the peers.
//!
//! `call` prints a table. `call --subject add/tool-core --iterations 100000` runs one subject alone, for a profiler or
//! for `valgrind --tool=callgrind`.

mod allocations;
mod measure;
mod payload;
mod subjects;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut options = Options::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().unwrap_or_default();
        let taken = match word.as_str() {
            "--subject" => {
                options.subject = Some(value);
                true
            }
            "--iterations" => value.parse().map(|count| options.iterations = count).is_ok(),
            "--rounds" => value.parse().map(|count| options.rounds = count).is_ok(),
            _ => false,
        };
        if !taken {
            eprintln!("usage: call [--subject CASE/NAME] [--iterations N] [--rounds N]");
            return ExitCode::from(2);
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime without drivers");
    let subjects = subjects::all(&runtime);
    for subject in &subjects {
        for turns in [1, 2] {
            let answer = subject.run(&runtime, turns);
            assert_eq!(answer, subject.case.answer(turns - 1), "{} does not do the work", subject.id());
        }
    }
    match options.subject {
        None => measure::table(&runtime, &subjects, options.rounds, options.iterations),
        Some(wanted) => match subjects.iter().find(|subject| subject.id() == wanted) {
            Some(subject) => {
                subject.run(&runtime, options.iterations);
            }
            None => {
                let known: Vec<String> = subjects.iter().map(subjects::Subject::id).collect();
                eprintln!("no subject `{wanted}`; there are {}", known.join(", "));
                return ExitCode::from(2);
            }
        },
    }
    ExitCode::SUCCESS
}

struct Options {
    subject: Option<String>,
    iterations: usize,
    rounds: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { subject: None, iterations: 2_000, rounds: 60 }
    }
}
