//! What annotated functions cost to compile, beside argument structs with derives written by hand.
//!
//! `compile` writes one crate a variant to `target/compile`, builds what they depend on, and then measures each crate
//! alone: the CPU time of `cargo` and all it starts, without incremental compilation.

mod cargo;
mod generate;

use std::{path::Path, process::ExitCode};

use crate::generate::Variant;

/// One variant's figures, in seconds of CPU time, and bytes.
#[derive(Default)]
struct Figures {
    check: Vec<f64>,
    build: Vec<f64>,
    binary: Option<u64>,
}

fn main() -> ExitCode {
    let (mut tools, mut rounds, mut release, mut only) = (200, 3, true, None::<Vec<String>>);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number =
            |into: &mut usize| words.next().and_then(|value| value.parse().ok()).map(|value| *into = value);
        let taken = match word.as_str() {
            "--tools" => number(&mut tools).is_some(),
            "--rounds" => number(&mut rounds).is_some(),
            "--no-release" => {
                release = false;
                true
            }
            "--only" => {
                only = words.next().map(|names| names.split(',').map(str::to_owned).collect());
                only.is_some()
            }
            _ => false,
        };
        if !taken {
            eprintln!("usage: compile [--tools N] [--rounds N] [--no-release] [--only NAME,NAME]");
            return ExitCode::from(2);
        }
    }
    let wanted = |variant: &Variant| only.as_ref().is_none_or(|names| names.iter().any(|name| name == variant.name()));
    let variants: Vec<Variant> = Variant::ALL.into_iter().filter(wanted).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/compile");
    if let Err(error) = generate::workspace(&root, &variants, tools) {
        eprintln!("cannot write to {}: {error}", root.display());
        return ExitCode::FAILURE;
    }

    // What they depend on, and whether they build at all.
    let mut built: Vec<(Variant, Figures)> = Vec::new();
    for variant in variants {
        let ready = ["check", "build"].iter().all(|command| cargo::run(&root, command, &variant.package()).is_some());
        if ready {
            built.push((variant, Figures::default()));
        } else {
            println!("left out, for it does not build: {}", variant.name());
        }
    }
    for round in 0..rounds {
        for turn in 0..built.len() {
            let index = (turn + round) % built.len();
            let (variant, figures) = &mut built[index];
            figures.check.extend(cargo::measure(&root, "check", &variant.package()));
            figures.build.extend(cargo::measure(&root, "build", &variant.package()));
        }
    }
    if release {
        for (variant, figures) in &mut built {
            figures.binary = cargo::release_size(&root, &variant.package());
        }
    }
    print(&built, tools, rounds);
    ExitCode::SUCCESS
}

fn print(built: &[(Variant, Figures)], tools: usize, rounds: usize) {
    let floor = built.iter().find(|(variant, _)| *variant == Variant::Floor).map(|(_, figures)| figures);
    println!("{tools} tools of three parameters; CPU seconds, median of {rounds} interleaved rounds\n");
    println!("| crate | check | x floor | build | x floor | stripped release, KiB | x floor |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for (variant, figures) in built {
        let (check, build) = (median(&figures.check), median(&figures.build));
        let binary = figures.binary.map(|bytes| bytes as f64 / 1024.0);
        let times = |own: Option<f64>, floor: Option<f64>| match (own, floor) {
            (Some(own), Some(floor)) => format!("{:.2}", own / floor),
            _ => "-".to_owned(),
        };
        println!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            variant.name(),
            shown(check, 2),
            times(check, floor.and_then(|floor| median(&floor.check))),
            shown(build, 2),
            times(build, floor.and_then(|floor| median(&floor.build))),
            shown(binary, 0),
            times(binary, floor.and_then(|floor| floor.binary).map(|bytes| bytes as f64 / 1024.0)),
        );
    }
}

fn shown(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
