//! Virtual environments of Python.

use std::{
    io,
    path::{Path, PathBuf},
    process::Command,
};

/// The interpreter on the path.
pub(crate) const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// What makes a virtual environment that holds `packages`. Only wheels: nothing is built.
pub(crate) fn commands(folder: &Path, packages: &[&str]) -> io::Result<Vec<Command>> {
    let mut venv = Command::new(PYTHON);
    venv.args(["-m", "venv"]).arg(folder);
    let mut pip = Command::new(interpreter(folder));
    pip.args(["-m", "pip", "install", "--only-binary=:all:", "--disable-pip-version-check"])
        .args(["--no-input", "--quiet", "--retries=1", "--timeout=30"])
        .args(packages);
    Ok(vec![venv, pip])
}

/// The interpreter of a virtual environment.
pub(crate) fn interpreter(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { r"Scripts\python.exe" } else { "bin/python" })
}
