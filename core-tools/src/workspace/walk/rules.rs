//! What ignore files leave out.

use std::{path::Path, sync::Arc};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

/// The ignore files of one folder, before those of the folders above.
pub(super) struct Rules {
    above: Option<Arc<Rules>>,
    ignore: Gitignore,
    git: Gitignore,
    exclude: Gitignore,
    /// Whether the `.gitignore` files above belong to another repository.
    is_top: bool,
}

/// What the ignore files of a folder say.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) ignore: Option<Vec<u8>>,
    pub(super) git: Option<Vec<u8>>,
    pub(super) exclude: Option<Vec<u8>>,
}

impl Rules {
    /// The rules in a folder.
    pub(super) fn new(folder: &Path, texts: &Texts, is_top: bool, above: Option<Arc<Self>>) -> Self {
        let of = |text: &Option<Vec<u8>>| text.as_ref().map_or_else(Gitignore::empty, |text| parse(folder, text));
        Self { above, ignore: of(&texts.ignore), git: of(&texts.git), exclude: of(&texts.exclude), is_top }
    }

    /// Whether an entry is left out. The nearest folder that has something to say decides; `.ignore` before
    /// `.gitignore` before `.git/info/exclude`.
    pub(super) fn leave_out(&self, path: &Path, is_folder: bool) -> bool {
        let (mut ignore, mut git, mut exclude) = (Match::None, Match::None, Match::None);
        let mut beyond_top = false;
        let mut rules = Some(self);
        while let Some(here) = rules {
            if ignore.is_none() {
                ignore = here.ignore.matched(path, is_folder);
            }
            if !beyond_top && git.is_none() {
                git = here.git.matched(path, is_folder);
            }
            if !beyond_top && exclude.is_none() {
                exclude = here.exclude.matched(path, is_folder);
            }
            beyond_top |= here.is_top;
            rules = here.above.as_deref();
        }
        ignore.or(git).or(exclude).is_ignore()
    }
}

/// Lines that are no rules are passed over; one that is not UTF-8 ends the file, as it does for `ignore`.
fn parse(folder: &Path, text: &[u8]) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    let text = crate::text_file::strip_bom_bytes(text);
    for line in text.split(|byte| *byte == b'\n') {
        let Ok(line) = std::str::from_utf8(line) else { break };
        let _ = builder.add_line(None, line.strip_suffix('\r').unwrap_or(line));
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
