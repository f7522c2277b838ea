//! Running cargo on one crate, and its CPU time.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::SystemTime,
};

use nix::sys::{
    resource::{UsageWho, getrusage},
    time::TimeValLike,
};

/// CPU seconds of all processes that were started here and have ended, and of those that they waited for.
fn children() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("every process may ask for its own usage");
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    micros as f64 / 1e6
}

/// Runs `cargo COMMAND -p NAME`; gives its CPU seconds, if it succeeds.
pub(crate) fn run(root: &Path, command: &str, name: &str) -> Option<f64> {
    let before = children();
    let status = Command::new(env!("CARGO"))
        .args(command.split(' '))
        .args(["--quiet", "--package", name])
        .current_dir(root)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_TARGET_DIR", root.join("target"))
        .stdout(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success()).then(|| children() - before)
}

/// The same after the crate's source was touched, so that the crate alone is compiled.
pub(crate) fn measure(root: &Path, command: &str, name: &str) -> Option<f64> {
    let source = fs::File::options().append(true).open(root.join(name).join("src/main.rs")).ok()?;
    source.set_modified(SystemTime::now()).ok()?;
    run(root, command, name)
}

/// The size of the release binary without symbols.
pub(crate) fn release_size(root: &Path, name: &str) -> Option<u64> {
    run(root, "build --release", name)?;
    fs::metadata(root.join("target/release").join(name)).ok().map(|file| file.len())
}
