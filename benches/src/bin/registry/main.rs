//! What a thousand linked tools cost: the registry, all declarations for a provider, one look-up.
//!
//! Each figure is CPU time, the median over rounds. `registry --rounds N`.

use std::{hint::black_box, process::ExitCode};

use nix::time::{ClockId, clock_gettime};
use tool_core::{
    prelude::*,
    wire::{Provider, declaration},
};

#[allow(missing_docs, reason = "written by build.rs")]
mod tools {
    use tool_core::prelude::*;
    include!(concat!(env!("OUT_DIR"), "/tools.rs"));
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let rounds = match words.as_slice() {
        [] => 31,
        [option, rounds] if option == "--rounds" => rounds.parse().unwrap_or(31),
        _ => {
            eprintln!("usage: registry [--rounds N]");
            return ExitCode::from(2);
        }
    };
    let registry = linked();
    let names: Vec<String> = registry.names().map(ToString::to_string).collect();
    assert_eq!(names.len(), 1_000, "all are linked");
    println!("1,000 linked tools of three parameters, CPU time, median of {rounds} rounds\n");
    println!("| step | median | aim |");
    println!("|---|---:|---:|");
    row("build the registry", "5 ms", rounds, 1, || drop(black_box(linked())));
    for (what, provider, strict) in [
        ("OpenAI Chat", Provider::OpenAiChat, false),
        ("OpenAI Chat, strict", Provider::OpenAiChat, true),
        ("Anthropic", Provider::Anthropic, false),
        ("Gemini", Provider::Gemini, false),
        ("MCP", Provider::Mcp, false),
    ] {
        let declare = |registry: &Registry| {
            let all: Vec<_> = registry.specs().map(|spec| declaration(spec, provider, strict)).collect();
            drop(black_box(all));
        };
        row(&format!("registry and declarations, first time: {what}"), "10 ms", rounds, 1, || declare(&linked()));
        row(&format!("declarations again: {what}"), "5 ms", rounds, 1, || declare(&registry));
    }
    row("make an executor", "-", rounds, 1, || {
        drop(black_box(Executor::builder(linked()).build().expect("the tools need nothing")));
    });
    row("look up, the exact name", "50 ns", rounds, names.len(), || {
        for name in &names {
            black_box(registry.get(black_box(name)));
        }
    });
    ExitCode::SUCCESS
}

fn linked() -> Registry {
    Registry::linked().expect("the names differ")
}

fn row(step: &str, aim: &str, rounds: usize, steps: usize, mut work: impl FnMut()) {
    work();
    let mut samples: Vec<f64> = (0..rounds.max(1))
        .map(|_| {
            let start = cpu_nanoseconds();
            work();
            (cpu_nanoseconds() - start) / steps as f64
        })
        .collect();
    samples.sort_by(f64::total_cmp);
    let median = samples[samples.len() / 2];
    let shown = if median >= 1e5 { format!("{:.2} ms", median / 1e6) } else { format!("{median:.0} ns") };
    println!("| {step} | {shown} | {aim} |");
}

fn cpu_nanoseconds() -> f64 {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("every process has this clock");
    time.tv_sec() as f64 * 1e9 + time.tv_nsec() as f64
}
