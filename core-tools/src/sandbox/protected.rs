//! Where a repository keeps what its `.git` stands for: it may be a file that names another place (worktrees, submodules).

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// The longest such file that is read.
const MOST: u64 = 64 * 1024;

/// The real directories that a `.git` stands for, where it is not simply one itself.
pub(super) fn git_directories(git: &Path) -> Vec<PathBuf> {
    let Ok(real) = fs::canonicalize(git) else { return Vec::new() };
    let Some(named) = (real.is_file()).then(|| line(&real)).flatten() else { return vec![real] };
    let Some(named) = named.strip_prefix("gitdir:") else { return vec![real] };
    let Ok(directory) = fs::canonicalize(real.with_file_name("").join(named.trim())) else { return vec![real] };
    // What the worktrees of a repository have in common: its hooks and its configuration.
    let common = line(&directory.join("commondir")).and_then(|common| fs::canonicalize(directory.join(common)).ok());
    [real, directory].into_iter().chain(common).collect()
}

/// The first line of a short file.
fn line(path: &Path) -> Option<String> {
    let mut text = String::new();
    // A pipe of that name would wait for ever.
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|metadata| metadata.is_file()))?;
    file.take(MOST).read_to_string(&mut text).ok()?;
    Some(text.lines().next()?.trim_end().to_owned())
}
