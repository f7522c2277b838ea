//! The snapshot that is kept beside the tests.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{Report, Snapshot};
use crate::registry::Registry;

/// What may be written to the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Update {
    /// Nothing.
    #[default]
    Never,
    /// The tools of today, where no caller is broken, or there is no file yet.
    Compatible,
    /// The tools of today, whatever was.
    Breaking,
}

/// Why the tools of today do not pass.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// There is no snapshot yet.
    #[error("there is no snapshot at {}; write it with UPDATE_SPECS=1, and commit it", .0.display())]
    Missing(PathBuf),
    /// Callers are broken, or may be.
    #[error(
        "these tools are not compatible with {}:\n{report}Keep what callers know (add beside it, and go on taking the old form), or accept the break with UPDATE_SPECS=breaking and tell your callers.",
        .path.display()
    )]
    Breaking {
        /// The snapshot.
        path: PathBuf,
        /// Every difference.
        report: Report,
    },
    /// The file is no snapshot.
    #[error("{} is no snapshot of tools: {reason}; if nobody needs it, write it anew with UPDATE_SPECS=breaking", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file cannot be read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the machine says.
        source: io::Error,
    },
}

/// Holds the tools against the snapshot at `path`, and writes them there where `update` lets it.
///
/// # Errors
/// When there is no snapshot, or it is not compatible and may not be replaced.
pub fn check(path: impl AsRef<Path>, registry: &Registry, update: Update) -> Result<Report, Mismatch> {
    let path = path.as_ref();
    let today = Snapshot::of(registry);
    let io = |source| Mismatch::Io { path: path.to_owned(), source };
    let old = match fs::read_to_string(path) {
        Ok(text) => serde_json::from_str::<Snapshot>(&text)
            .map(Some)
            .map_err(|error| Mismatch::Unreadable { path: path.to_owned(), reason: error.to_string() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => return Err(io(error)),
    };
    let old = match (old, update) {
        (Ok(None), Update::Never) => return Err(Mismatch::Missing(path.to_owned())),
        (Err(_), Update::Breaking) => None,
        (old, _) => old?,
    };
    let report = old.as_ref().map(|old| old.compare(&today)).unwrap_or_default();
    if !report.is_compatible() && update != Update::Breaking {
        return Err(Mismatch::Breaking { path: path.to_owned(), report });
    }
    if update != Update::Never && old.as_ref() != Some(&today) {
        let text = serde_json::to_string_pretty(&today).map_err(|error| io(error.into()))?;
        fs::write(path, text + "\n").map_err(io)?;
    }
    Ok(report)
}

/// The same as an assertion: fails with every difference that breaks callers, and what to do about it.
///
/// With `UPDATE_SPECS=1` in the environment the snapshot is written where that breaks nobody, with
/// `UPDATE_SPECS=breaking` in any case. This is the one place of the crate that looks at the environment; [`check`]
/// takes the same as an argument. A relative path is meant from where the test runs: with cargo, the package's folder.
///
/// # Panics
/// When the tools of today do not pass.
#[track_caller]
pub fn assert_compatible(path: impl AsRef<Path>, registry: &Registry) {
    let update = match std::env::var("UPDATE_SPECS").as_deref() {
        Ok("breaking") => Update::Breaking,
        Ok("1" | "true") => Update::Compatible,
        Ok("" | "0" | "false") | Err(_) => Update::Never,
        Ok(other) => panic!("UPDATE_SPECS is `{other}`; expected `1` or `breaking`"),
    };
    if let Err(mismatch) = check(path, registry, update) {
        panic!("{mismatch}");
    }
}
