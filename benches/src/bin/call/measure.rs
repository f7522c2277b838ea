//! CPU time in interleaved rounds: each round runs every subject once, so that what disturbs the machine disturbs all,
//! and ratios are taken within a round.

use nix::time::{ClockId, clock_gettime};
use tokio::runtime::Runtime;

use crate::{allocations, payload::Case, subjects::Subject};

/// CPU nanoseconds of this process so far.
fn cpu_nanoseconds() -> f64 {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("every process has this clock");
    time.tv_sec() as f64 * 1e9 + time.tv_nsec() as f64
}

/// Measures all subjects and prints a table.
pub(crate) fn table(runtime: &Runtime, subjects: &[Subject], rounds: usize, iterations: usize) {
    for subject in subjects {
        subject.run(runtime, iterations);
    }
    let mut samples = vec![Vec::with_capacity(rounds); subjects.len()];
    for round in 0..rounds {
        // Each round begins with another subject, so that none always comes after the same one.
        for turn in 0..subjects.len() {
            let index = (turn + round) % subjects.len();
            let start = cpu_nanoseconds();
            subjects[index].run(runtime, iterations);
            samples[index].push((cpu_nanoseconds() - start) / iterations as f64);
        }
    }
    println!("median of {rounds} interleaved rounds of {iterations} calls, CPU time");
    for case in Case::ALL {
        let Some(floor) = subjects.iter().position(|subject| subject.case == case && subject.name == "floor") else {
            continue;
        };
        println!("\n| {case} | ns a call | x floor | ns over floor | allocations | bytes |");
        println!("|---|---:|---:|---:|---:|---:|");
        for (index, subject) in subjects.iter().enumerate().filter(|(_, subject)| subject.case == case) {
            let own = &samples[index];
            let pairs = || own.iter().zip(&samples[floor]);
            let ratio = median(pairs().map(|(own, floor)| own / floor));
            let over = median(pairs().map(|(own, floor)| own - floor));
            let (count, bytes) = allocated(runtime, subject).unwrap_or(("-".to_owned(), "-".to_owned()));
            println!(
                "| {} | {:.0} | {ratio:.2} | {over:.0} | {count} | {bytes} |",
                subject.name,
                median(own.iter().copied())
            );
        }
    }
}

fn allocated(runtime: &Runtime, subject: &Subject) -> Option<(String, String)> {
    const CALLS: usize = 100;
    let (count, bytes) = allocations::so_far()?;
    subject.run(runtime, CALLS);
    let (count_after, bytes_after) = allocations::so_far()?;
    let each = |total: u64| format!("{:.0}", total as f64 / CALLS as f64);
    Some((each(count_after - count), each(bytes_after - bytes)))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
