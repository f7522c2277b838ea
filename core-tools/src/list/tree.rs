//! Paths as an indented tree.

use std::{collections::BTreeMap, ffi::OsString, path::PathBuf};

/// What is in a folder.
#[derive(Default)]
struct Folder {
    folders: BTreeMap<OsString, Folder>,
    files: Vec<OsString>,
}

/// What is still to be shown, at its level.
enum Open {
    Folder(OsString, Folder),
    File(OsString),
}

/// The lines of a tree of relative paths, two blanks a level; in each folder first the folders in it, then the files
/// (opencode).
pub(super) fn lines(paths: &[PathBuf]) -> Vec<String> {
    let mut root = Folder::default();
    for path in paths {
        let Some(name) = path.file_name() else { continue };
        let folders = path.parent().into_iter().flat_map(|parent| parent.iter());
        let folder = folders.fold(&mut root, |folder, name| folder.folders.entry(name.to_owned()).or_default());
        folder.files.push(name.to_owned());
    }
    let mut lines = Vec::new();
    // No recursion: a tree may be as deep as a path is long.
    let mut open = within(root, 1);
    while let Some((next, level)) = open.pop() {
        let blanks = "  ".repeat(level);
        match next {
            Open::File(name) => lines.push(format!("{blanks}{}", name.to_string_lossy())),
            Open::Folder(name, folder) => {
                lines.push(format!("{blanks}{}/", name.to_string_lossy()));
                open.extend(within(folder, level + 1));
            }
        }
    }
    lines
}

/// What is in a folder, the last first.
fn within(folder: Folder, level: usize) -> Vec<(Open, usize)> {
    let folders = folder.folders.into_iter().map(|(name, folder)| Open::Folder(name, folder));
    let mut all: Vec<(Open, usize)> =
        folders.chain(folder.files.into_iter().map(Open::File)).map(|open| (open, level)).collect();
    all.reverse();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_before_files() {
        let paths = ["a.txt", "b/c/d.txt", "b/e.txt", "z.txt"].map(PathBuf::from);
        assert_eq!(lines(&paths), ["  b/", "    c/", "      d.txt", "    e.txt", "  a.txt", "  z.txt"]);
    }
}
