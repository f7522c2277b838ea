//! What the headers of a diff say is done with a file.

use super::{
    error::Problem,
    names::{self, Side},
};
use crate::apply_patch::patch::{Action, Hint, Hunk, LineEnding, LineKind, Update, WrittenPath};

/// What git says of a file before its hunks.
#[derive(Default)]
pub(super) struct GitHeader {
    pub(super) pair: Option<(String, String)>,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) copies: bool,
    pub(super) is_new: bool,
    pub(super) is_deleted: bool,
    pub(super) executable: Option<bool>,
}

/// What a diff of git's does with its file.
pub(super) fn git_action(
    git: GitHeader,
    sides: Option<(Side, Side)>,
    hunks: Vec<Hunk>,
) -> Result<(WrittenPath, Action), Problem> {
    let executable = git.executable;
    if let (Some(from), Some(to)) = (&git.from, &git.to) {
        let to = Some(WrittenPath::plain(to));
        let update = Update { to, copies: git.copies, executable, hunks, closes_last_line: false };
        return Ok((WrittenPath::plain(from), Action::Update(update)));
    }
    let (old, new) = match sides {
        Some((old, new)) => (old.name, new.name),
        None => git.pair.map(|(old, new)| (Some(old), Some(new))).ok_or(Problem::NoSides)?,
    };
    match (old, new) {
        (None, Some(new)) => made(&new, executable, &hunks),
        (_, Some(new)) if git.is_new => made(&new, executable, &hunks),
        (Some(old), None) => deleted(&old, hunks),
        (Some(old), _) if git.is_deleted => deleted(&old, hunks),
        (Some(old), Some(new)) => Ok(changed(&old, &new, executable, hunks)),
        (None, None) => Err(Problem::NoSides),
    }
}

/// What a diff without git's lines does with its file.
pub(super) fn plain_action(old: &Side, new: &Side, hunks: Vec<Hunk>) -> Result<(WrittenPath, Action), Problem> {
    let is_empty = |is_old: bool| {
        let kind = if is_old { LineKind::Added } else { LineKind::Removed };
        hunks.iter().flat_map(|hunk| &hunk.lines).all(|line| line.kind == kind)
    };
    match (&old.name, &new.name) {
        (None, Some(new)) => made(new, None, &hunks),
        (Some(old), None) => deleted(old, hunks),
        (None, None) => Err(Problem::NoSides),
        (Some(_), Some(name)) if old.is_epoch && is_empty(true) && starts_nowhere(&hunks) => made(name, None, &hunks),
        (Some(name), Some(_)) if new.is_epoch && is_empty(false) => deleted(name, hunks),
        (Some(old), Some(new)) => Ok(changed(old, new, None, hunks)),
    }
}

fn starts_nowhere(hunks: &[Hunk]) -> bool {
    matches!(hunks, [Hunk { hint: Some(Hint { start: 0, .. }), .. }])
}

fn made(name: &str, executable: Option<bool>, hunks: &[Hunk]) -> Result<(WrittenPath, Action), Problem> {
    let mut content = String::new();
    for line in hunks.iter().flat_map(|hunk| &hunk.lines) {
        if line.kind != LineKind::Added {
            return Err(Problem::NewWithOld);
        }
        content.push_str(&line.text);
        content.push_str(match line.ending {
            LineEnding::Unsaid | LineEnding::Lf => "\n",
            LineEnding::CrLf => "\r\n",
            LineEnding::Nothing => "",
        });
    }
    Ok((names::one(name), Action::Add { content, replaces: false, executable }))
}

fn deleted(name: &str, hunks: Vec<Hunk>) -> Result<(WrittenPath, Action), Problem> {
    if hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| line.kind == LineKind::Added) {
        return Err(Problem::DeletedWithNew);
    }
    Ok((names::one(name), Action::Delete { hunks }))
}

/// A change in place; and a move, where the two sides have git's directories and different names behind them.
fn changed(old: &str, new: &str, executable: Option<bool>, hunks: Vec<Hunk>) -> (WrittenPath, Action) {
    let mut update = Update { executable, hunks, ..Update::default() };
    let path = match (names::bare(old), names::bare(new)) {
        _ if old == new => names::one(new),
        (Some(from), Some(to)) if from == to => WrittenPath::plain(to).or(new).or(old),
        (Some(from), Some(to)) => {
            update.to = Some(WrittenPath::plain(to));
            WrittenPath::plain(from)
        }
        _ => names::either(old, new),
    };
    (path, Action::Update(update))
}
