//! What changes in a file, for people.

use std::time::Duration;

use bytes::Bytes;
use similar::{ChangeTag, TextDiff};
use tokio::task::spawn_blocking;

use super::strip_bom_bytes;

/// After this time the diff gets coarse instead of exact.
const DEADLINE: Duration = Duration::from_millis(500);
/// Longer texts are not compared.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Shorter texts are compared where the caller stands: no other thread would be quicker.
const MAX_INLINE: usize = 16 * 1024;
/// A longer patch is cut, and says so.
const MAX_PATCH: usize = 512 * 1024;
/// How many lines are shown around a change.
const CONTEXT: usize = 3;

/// The difference between two texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Diff {
    /// A unified diff with three lines of context under the header that opencode gives it; empty where nothing changes.
    /// Where the texts are too long for one it says so instead.
    pub patch: String,
    /// How many lines came.
    pub additions: usize,
    /// How many lines went.
    pub deletions: usize,
    /// The first line of the new text that differs, counted from 1.
    pub first_changed: Option<usize>,
}

impl Diff {
    /// No difference that could be told, and why.
    #[must_use]
    pub fn missing(why: impl Into<String>) -> Self {
        Self { patch: why.into(), ..Self::default() }
    }

    /// [`Diff::of`], where it may block. Byte order marks are left out.
    pub async fn between(name: String, old: Bytes, new: Bytes) -> Self {
        let old_and_new = old.len() + new.len();
        let work = move || Self::of(&name, strip_bom_bytes(&old), strip_bom_bytes(&new));
        if old_and_new <= MAX_INLINE {
            return work();
        }
        spawn_blocking(work).await.unwrap_or_else(|error| Self::missing(format!("(no diff: {error})")))
    }

    /// Compares two texts line by line. Bytes that are not UTF-8 are shown as U+FFFD. Blocks for up to half a second:
    /// where that matters, run it on a pool for blocking work.
    #[must_use]
    pub fn of(name: &str, old: &[u8], new: &[u8]) -> Self {
        if old == new {
            return Self::default();
        }
        if old.len().max(new.len()) > MAX_BYTES {
            return Self::counted(name, old, new);
        }
        let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
        let diff = TextDiff::configure().timeout(DEADLINE).diff_lines(&*old, &*new);
        let mut found = Self::default();
        for change in diff.iter_all_changes() {
            match change.tag() {
                ChangeTag::Equal => continue,
                ChangeTag::Insert => found.additions += 1,
                ChangeTag::Delete => found.deletions += 1,
            }
            if found.first_changed.is_none() {
                let before = diff.ops().first().filter(|op| op.tag() == similar::DiffTag::Equal);
                found.first_changed = Some(1 + before.map_or(0, |op| op.new_range().len()));
            }
        }
        let body = diff.unified_diff().context_radius(CONTEXT).header(name, name).to_string();
        found.patch = format!("Index: {name}\n{}\n{}", "=".repeat(67), cut(body));
        found
    }

    /// What can be said of texts that are too long: the lines between the first and the last that differ.
    fn counted(name: &str, old: &[u8], new: &[u8]) -> Self {
        let first = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        let most = old.len().min(new.len()) - first;
        let last = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).take(most).count();
        let start = memchr::memrchr(b'\n', &old[..first]).map_or(0, |at| at + 1);
        let lines = |text: &[u8]| {
            let end = text.len() - last;
            let end = memchr::memchr(b'\n', &text[end..]).map_or(text.len(), |at| end + at);
            super::Lines::of(&text[start.min(end)..end]).len()
        };
        Self {
            patch: format!("(no diff: {name} is too long)"),
            additions: lines(new),
            deletions: lines(old),
            first_changed: Some(memchr::memchr_iter(b'\n', &old[..start]).count() + 1),
        }
    }
}

fn cut(mut patch: String) -> String {
    if patch.len() > MAX_PATCH {
        let mut end = MAX_PATCH;
        while !patch.is_char_boundary(end) {
            end -= 1;
        }
        let end = patch[..end].rfind('\n').map_or(end, |at| at + 1);
        let more = patch[end..].lines().count();
        patch.truncate(end);
        patch.push_str(&format!("(The diff is too long to be shown whole: {more} lines more.)\n"));
    }
    patch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_the_first_is_found() {
        let diff = Diff::of("/f", b"a\nb\nc\n", b"a\nB\nB2\nc\n");
        assert_eq!((diff.additions, diff.deletions, diff.first_changed), (2, 1, Some(2)));
        assert!(diff.patch.ends_with("--- /f\n+++ /f\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B2\n c\n"), "{}", diff.patch);
        assert_eq!(Diff::of("/f", b"same", b"same"), Diff::default());
        assert_eq!(Diff::of("/f", b"", b"x").first_changed, Some(1));
        assert_eq!(Diff::of("/f", b"a\nb\n", b"a\n").first_changed, Some(2));
    }

    #[test]
    fn what_is_too_long_is_only_counted() {
        let old = "line\n".repeat(MAX_BYTES / 5 + 1);
        let mut new = old.clone();
        new.replace_range(10..14, "one\ntwo");
        let diff = Diff::of("/f", old.as_bytes(), new.as_bytes());
        assert_eq!((diff.additions, diff.deletions, diff.first_changed), (2, 1, Some(3)));
        assert!(diff.patch.starts_with("(no diff"));
    }

    #[test]
    fn a_long_patch_is_cut_at_a_line() {
        let new: String = (0..200_000).map(|number| format!("{number}\n")).collect();
        let diff = Diff::of("/f", b"", new.as_bytes());
        assert_eq!(diff.additions, 200_000);
        assert!(diff.patch.len() < MAX_PATCH + 300);
        assert!(diff.patch.ends_with(" lines more.)\n"));
    }
}
