//! One installation a list of packages, kept under `target/`, made by whoever comes first.

use std::{
    env,
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::{Skipped, process};

/// How long an installation may take.
const INSTALL_LIMIT: Duration = Duration::from_secs(180);
/// How long a failed installation is not tried again, so that many tests do not each wait for a dead network.
const RETRY_AFTER: Duration = Duration::from_secs(300);

/// The folder that holds `packages`, installed there by the commands of `install` unless they already are.
///
/// Tests run in parallel, in threads and processes: the first takes a lock on a file and installs, the others wait.
pub(crate) fn installed(
    kind: &str,
    packages: &[&str],
    install: impl FnOnce(&Path) -> io::Result<Vec<Command>>,
) -> Result<PathBuf, Skipped> {
    let skipped = |error: io::Error| Skipped(format!("no place to install {kind} packages: {error}"));
    let root = target().join("oracles");
    fs::create_dir_all(&root).map_err(skipped)?;
    let folder = root.join(format!("{kind}-{:016x}", fingerprint(packages)));
    let lock = File::create(folder.with_extension("lock")).map_err(skipped)?;
    lock.lock().map_err(skipped)?;

    let done = folder.join("installed.txt");
    if done.exists() {
        return Ok(folder);
    }
    let failed = folder.with_extension("failed");
    if let Some(error) = recent(&failed) {
        return Err(Skipped(error));
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(skipped)?;
    }
    fs::create_dir_all(&folder).map_err(skipped)?;
    for mut command in install(&folder).map_err(skipped)? {
        if let Err(error) = process::run(&mut command, b"", INSTALL_LIMIT) {
            let error = format!("cannot install {} from {kind}: {error}", packages.join(" "));
            fs::write(&failed, &error).map_err(skipped)?;
            return Err(Skipped(error));
        }
    }
    fs::write(done, packages.join("\n")).map_err(skipped)?;
    Ok(folder)
}

/// What went wrong a short while ago.
fn recent(failed: &Path) -> Option<String> {
    let age = fs::metadata(failed).ok()?.modified().ok()?.elapsed().ok()?;
    (age < RETRY_AFTER).then(|| fs::read_to_string(failed).ok()).flatten()
}

fn fingerprint(packages: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    packages.hash(&mut hasher);
    hasher.finish()
}

/// Cargo's target folder: test programs are in `target/PROFILE/deps/`.
fn target() -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    let deps = program.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "deps"));
    match deps.and_then(Path::parent).and_then(Path::parent) {
        Some(target) => target.to_owned(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
    }
}
