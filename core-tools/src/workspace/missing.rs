//! What is said beside that a path is not there.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use strsim::normalized_damerau_levenshtein;

use super::{Entry, FileKind, Place, Workspace, is_staged};

/// How many names are suggested (opencode).
const SUGGESTIONS: usize = 3;
/// A shorter name is in too many others to mean anything.
const MIN_INNER: usize = 3;
/// Two names that are less alike than this are different ones.
const LIKENESS: f64 = 0.65;

/// Whether an error says that there is nothing at a path.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// What may have been meant by a path at which there is nothing, to stand behind the message that says so.
///
/// What is beside it and has a name that is in the name asked for, or the other way round, in the order of names (opencode,
/// which knows no other); where there is none, what is written nearly like it. Where a folder above is not there, what
/// there would be with another in its place. Of a link that leads to nothing it says so.
pub(crate) async fn suggestions(workspace: &dyn Workspace, place: &Place) -> String {
    let Some(Missing { folder, real_folder, name, below }) = Missing::of(workspace, place).await else {
        return String::new();
    };
    let entries = workspace.list(&real_folder).await.unwrap_or_default();
    let is_last = below.as_os_str().is_empty();
    if let Some(entry) = entries.iter().find(|entry| entry.shown() == name) {
        let path = folder.join(&name);
        return if is_last {
            format!("\n\n{} is there, but cannot be followed: {}.", path.display(), what(entry))
        } else {
            format!("\n\n{} is no directory.", path.display())
        };
    }
    let mut names: Vec<String> = entries.iter().filter(|entry| !is_staged(&entry.name)).map(Entry::shown).collect();
    names.sort();
    let mut alike: Vec<String> = names.iter().filter(|other| holds(other, &name)).cloned().collect();
    if alike.is_empty() {
        names.sort_by(|one, other| likeness(other, &name).total_cmp(&likeness(one, &name)));
        alike = names.into_iter().take_while(|other| likeness(other, &name) >= LIKENESS).collect();
    }
    let mut meant = Vec::new();
    for name in alike {
        if is_last {
            meant.push(folder.join(name));
        } else if workspace.stat(&real_folder.join(&name).join(&below)).await.is_ok() {
            meant.push(folder.join(name).join(&below));
        }
        if meant.len() == SUGGESTIONS {
            break;
        }
    }
    if meant.is_empty() {
        return String::new();
    }
    let meant: Vec<_> = meant.iter().map(|path| path.to_string_lossy()).collect();
    format!("\n\nDid you mean one of these?\n{}", meant.join("\n"))
}

/// Where a path ends that leads to nothing.
struct Missing {
    /// The lowest folder that is there, as it was called, and with its links followed.
    folder: PathBuf,
    real_folder: PathBuf,
    /// What is not there.
    name: String,
    /// What was meant to be below that.
    below: PathBuf,
}

impl Missing {
    async fn of(workspace: &dyn Workspace, place: &Place) -> Option<Self> {
        let mut below: Vec<Component<'_>> = Vec::new();
        let (mut path, mut real) = (&*place.path, &*place.real);
        loop {
            let name = path.components().next_back()?;
            let (folder, real_folder) = (path.parent()?, real.parent()?);
            if workspace.stat(real_folder).await.is_ok_and(|info| info.kind == FileKind::Directory) {
                let name = Path::new(&name).to_string_lossy().into_owned();
                let below = below.iter().rev().collect();
                return Some(Self { folder: folder.to_owned(), real_folder: real_folder.to_owned(), name, below });
            }
            below.push(name);
            (path, real) = (folder, real_folder);
        }
    }
}

fn what(entry: &Entry) -> &'static str {
    match (entry.is_link, entry.name.to_str()) {
        (true, _) => "it is a link to something that does not exist",
        (false, None) => "its name is not UTF-8, so that it can only be renamed by a command",
        (false, Some(_)) => "it may not be looked at",
    }
}

/// Whether one name is in the other, in any case of letters.
fn holds(name: &str, wanted: &str) -> bool {
    let (name, wanted) = (name.to_lowercase(), wanted.to_lowercase());
    name.contains(&wanted) || name.len() >= MIN_INNER && wanted.contains(&name)
}

/// How nearly two names are written the same, from 0 to 1.
fn likeness(name: &str, wanted: &str) -> f64 {
    normalized_damerau_levenshtein(&name.to_lowercase(), &wanted.to_lowercase())
}
