//! A page of a directory.

use icu_collator::{CollatorBorrowed, options::CollatorOptions};

use crate::workspace::{Entry, FileKind};

/// At most this many bytes of names are shown; opencode has no such limit, and its users ask for one.
const MAX_BYTES: usize = 50 * 1024;

/// Some entries of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    /// The names shown, directories with a `/`.
    pub(super) entries: Vec<String>,
    /// How many entries there are.
    pub(super) total: u64,
    offset: u64,
}

impl Page {
    /// At most `limit` entries from number `offset` on, counted from 1, in the order of JavaScript's `localeCompare`
    /// (opencode).
    ///
    /// # Errors
    /// When the order's tables cannot be loaded.
    pub(super) fn of(entries: Vec<Entry>, offset: u64, limit: u64) -> Result<Self, String> {
        let order = CollatorBorrowed::try_new(Default::default(), CollatorOptions::default())
            .map_err(|error| format!("the order of names cannot be had: {error}"))?;
        let total = entries.len() as u64;
        let mut names: Vec<String> = entries.into_iter().map(name).collect();
        names.sort_by(|one, other| order.compare(one, other).then_with(|| one.cmp(other)));
        let skip = usize::try_from(offset.saturating_sub(1)).unwrap_or(usize::MAX);
        let take = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut bytes = 0;
        let fits = |name: &String| {
            bytes += name.len() + 1;
            bytes <= MAX_BYTES
        };
        let entries = names.into_iter().skip(skip).take(take).take_while(fits).collect();
        Ok(Self { entries, total, offset })
    }

    /// Whether there are further entries.
    pub(super) fn truncated(&self) -> bool {
        (self.offset - 1).saturating_add(self.entries.len() as u64) < self.total
    }

    /// What is said below the entries.
    pub(super) fn trailer(&self) -> String {
        let (shown, total) = (self.entries.len() as u64, self.total);
        if self.truncated() {
            let next = self.offset + shown;
            format!("(Showing {shown} of {total} entries. Use 'offset' parameter to read beyond entry {next})")
        } else {
            format!("({total} entries)")
        }
    }
}

fn name(entry: Entry) -> String {
    if entry.kind == FileKind::Directory { entry.shown() + "/" } else { entry.shown() }
}
