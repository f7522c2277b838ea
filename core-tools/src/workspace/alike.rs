//! Names that look the same and are not.
//!
//! A model writes a name as it reads it: with a plain space where a macOS screenshot has a narrow one, with `'` for `’`,
//! composed where the disk has it decomposed. pi tries a few whole paths with such exchanges; here each name on the way
//! that does not exist is looked for among those that do.

use std::{
    borrow::Cow,
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

use icu_normalizer::ComposingNormalizerBorrowed;

use super::Workspace;

/// How alike two names have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alike {
    /// One text in two forms of Unicode: to a person, the same name.
    Equivalent,
    /// Spaces and quotes of any kind are taken for one another as well.
    Similar,
}

/// The path itself where it exists or none of its names can have one that is alike, else with the names that exist. A name
/// that nothing is like is taken as pi takes it, with plain spaces.
pub(super) async fn find(workspace: &dyn Workspace, path: PathBuf, alike: Alike) -> PathBuf {
    if !path.components().any(|part| can_vary(part.as_os_str())) || workspace.stat(&path).await.is_ok() {
        return path;
    }
    let mut found = PathBuf::new();
    for part in path.components() {
        let next = found.join(part);
        let is_name = matches!(part, Component::Normal(_));
        found = if !is_name || !can_vary(part.as_os_str()) || workspace.stat(&next).await.is_ok() {
            next
        } else {
            match name(workspace, &found, part.as_os_str(), alike).await {
                Some(name) => found.join(name),
                None => found.join(plain_spaces(&part.as_os_str().to_string_lossy()).as_ref()),
            }
        };
    }
    found
}

/// The one name in a directory that is like this one; none where there are several.
async fn name(workspace: &dyn Workspace, folder: &Path, wanted: &OsStr, alike: Alike) -> Option<std::ffi::OsString> {
    let entries = workspace.list(folder).await.ok()?;
    // A link that leads to nothing is there by its own name.
    if entries.iter().any(|entry| entry.name == wanted) {
        return Some(wanted.to_owned());
    }
    let key = key(wanted.to_str()?, alike);
    let is_alike = |name: &OsStr| name.to_str().is_some_and(|name| self::key(name, alike) == key);
    let mut names = entries.into_iter().map(|entry| entry.name).filter(|name| is_alike(name));
    let first = names.next()?;
    names.next().is_none().then_some(first)
}

/// Whether another name can look like this one. Most names are spared all of the above.
fn can_vary(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| !name.is_ascii() || name.contains([' ', '\'', '"']))
}

/// The same for two names that are alike.
fn key(name: &str, alike: Alike) -> String {
    let name = ComposingNormalizerBorrowed::new_nfc().normalize(name);
    match alike {
        Alike::Equivalent => name.into_owned(),
        Alike::Similar => plain_spaces(&name).chars().map(plain_quote).collect(),
    }
}

/// pi's list: U+00A0, U+2000 to U+200A, U+202F, U+205F, U+3000.
fn plain_spaces(name: &str) -> Cow<'_, str> {
    let is_space = |char| matches!(char, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}');
    if name.contains(is_space) { name.replace(is_space, " ").into() } else { name.into() }
}

fn plain_quote(char: char) -> char {
    match char {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        char => char,
    }
}
