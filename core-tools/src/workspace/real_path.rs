//! A path with its links followed, as far as it exists.

use std::{
    collections::VecDeque,
    ffi::OsString,
    fs, io,
    path::{Component, Path, PathBuf},
};

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

/// Follows every link of an absolute path. [`fs::canonicalize`] does that only where all of it exists; here a file still
/// to be made has a real path too, also behind a link that leads nowhere yet.
///
/// # Errors
/// When a part may not be looked at, or there are too many links.
pub(super) fn real_path(path: &Path) -> io::Result<PathBuf> {
    if let Ok(real) = fs::canonicalize(path) {
        return Ok(real);
    }
    follow_links(path, |_| {})
}

/// The same, where every link that is followed is told, by its real place.
///
/// # Errors
/// As of [`real_path`].
pub(crate) fn follow_links(path: &Path, mut followed: impl FnMut(PathBuf)) -> io::Result<PathBuf> {
    let mut todo: VecDeque<OsString> = parts(path);
    let mut real = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = todo.pop_front() {
        if part == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&part);
        match fs::symlink_metadata(&next) {
            Ok(found) if found.is_symlink() => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(io::Error::other("too many links, perhaps in a circle"));
                }
                let target = fs::read_link(&next)?;
                followed(next);
                if target.is_absolute() {
                    real = PathBuf::from("/");
                }
                for part in parts(&target).into_iter().rev() {
                    todo.push_front(part);
                }
            }
            Ok(_) => real = next,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => real = next,
            Err(error) => return Err(error),
        }
    }
    Ok(real)
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| part.as_os_str().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_to_nothing_leads_to_what_it_names() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let root = fs::canonicalize(folder.path())?;
        symlink("../elsewhere/new.txt", root.join("link"))?;
        let parent = root.parent().expect("a temporary folder has a parent");
        assert_eq!(real_path(&root.join("link"))?, parent.join("elsewhere/new.txt"));
        assert_eq!(real_path(&root.join("no/such"))?, root.join("no/such"));
        Ok(())
    }

    #[test]
    fn a_circle_of_links_is_an_error() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        symlink("b", folder.path().join("a"))?;
        symlink("a", folder.path().join("b"))?;
        assert!(real_path(&folder.path().join("a")).is_err());
        Ok(())
    }
}
