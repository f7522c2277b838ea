//! Files of a project that have another name outside: hard links made before. To write one is to write outside, and neither
//! a mount nor a rule of Landlock's tells its names apart.
//!
//! They are found by going through the project, and protected like `.git`. Confined commands cannot make such a link, so
//! what was found is good for a while; that a name is still the same file is looked at every time, for they can move
//! directories.

use std::{collections::HashMap, fs, os::unix::fs::MetadataExt, path::PathBuf, time::Duration};

use tokio::time::Instant;

/// So many entries are gone through …
const MOST_ENTRIES: usize = 250_000;
/// … and so many files protected: those of a package manager that links all of them to its store are too many.
const MOST_FILES: usize = 256;
/// Others than confined commands may make links.
const GOOD_FOR: Duration = Duration::from_secs(60);

/// A file, whatever its name.
type Identity = (u64, u64);

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Links {
    folders: Vec<PathBuf>,
    files: Vec<(PathBuf, Identity)>,
    is_complete: bool,
    at: Option<Instant>,
}

impl Links {
    /// The files, and whether these are all, which is looked for anew where it has to be. What is in `protected` counts as
    /// outside.
    pub(super) fn of(&mut self, folders: &[PathBuf], protected: &[PathBuf]) -> (impl Iterator<Item = &PathBuf>, bool) {
        if !self.holds(folders) {
            *self = search(folders, protected);
        }
        (self.files.iter().map(|(path, _)| path), self.is_complete)
    }

    fn holds(&self, folders: &[PathBuf]) -> bool {
        let is_same = |(path, identity): &(PathBuf, Identity)| {
            path.symlink_metadata().is_ok_and(|metadata| (metadata.dev(), metadata.ino()) == *identity)
        };
        self.folders == folders && self.at.is_some_and(|at| at.elapsed() < GOOD_FOR) && self.files.iter().all(is_same)
    }
}

fn search(folders: &[PathBuf], protected: &[PathBuf]) -> Links {
    // A folder in another is gone through with that.
    let is_inner = |folder: &&PathBuf| folders.iter().any(|other| *folder != other && folder.starts_with(other));
    let mut left: Vec<PathBuf> = folders.iter().filter(|folder| !is_inner(folder)).cloned().collect();
    let mut names: HashMap<Identity, (u64, Vec<PathBuf>)> = HashMap::new();
    let mut entries = 0;
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            entries += 1;
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if protected.contains(&path) || !(kind.is_dir() || kind.is_file()) {
                continue;
            }
            if kind.is_dir() {
                left.push(path);
            } else if let Ok(metadata) = entry.metadata()
                && metadata.nlink() > 1
            {
                let (links, paths) = names.entry((metadata.dev(), metadata.ino())).or_default();
                *links = metadata.nlink();
                paths.push(path);
            }
        }
        if entries > MOST_ENTRIES {
            break;
        }
    }
    let outside = names.into_iter().filter(|(_, (links, paths))| *links > paths.len() as u64);
    let mut files: Vec<_> =
        outside.flat_map(|(identity, (_, paths))| paths.into_iter().map(move |path| (path, identity))).collect();
    let is_complete = entries <= MOST_ENTRIES && files.len() <= MOST_FILES;
    files.sort();
    files.truncate(MOST_FILES);
    Links { folders: folders.to_owned(), files, is_complete, at: Some(Instant::now()) }
}
