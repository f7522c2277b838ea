//! What is told of a search: within the room there is, and with what could not be looked at.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use crate::workspace::Fault;

use super::newest::Rank;

/// So many faults are named.
const NAMED: usize = 3;

/// Kept for what stands around the lines, or a quarter where there is little room.
const NOTES: usize = 1024;

/// Lines up to a limit of bytes; the rest is counted by whoever made them.
#[derive(Debug)]
pub(crate) struct Report {
    text: String,
    room: usize,
    limit: usize,
}

impl Report {
    /// A report of so many bytes at most, its notes counted: what is longer would be cut by somebody else, and them first.
    pub(crate) fn new(limit: usize) -> Self {
        Self { text: String::new(), room: limit - NOTES.min(limit / 4), limit }
    }

    /// How much it may have, as pi writes it: `50.0KB`.
    pub(crate) fn size(&self) -> String {
        let tenths = (self.limit * 10 + 512) / 1024;
        format!("{}.{}KB", tenths / 10, tenths % 10)
    }

    /// Takes a line whole, or says that there is no room for it.
    #[must_use]
    pub(crate) fn line(&mut self, line: &str) -> bool {
        let fits = self.text.len() + line.len() < self.room;
        if fits {
            self.text.push_str(line);
            self.text.push('\n');
        }
        fits
    }

    /// The lines, without a line break at the end.
    pub(crate) fn finish(mut self) -> String {
        self.text.pop();
        self.text
    }
}

/// Notes as pi puts them below a result: in one bracket after an empty line.
pub(crate) fn bracketed(notes: &[String]) -> String {
    if notes.is_empty() { String::new() } else { format!("\n\n[{}]", notes.join(". ")) }
}

/// Of so many places it is known where they are; beyond, how many more there are.
const KNOWN: usize = 10_000;

/// What could not be looked at.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// The first of them: why.
    known: BTreeMap<Rank, String>,
    /// How many there are.
    pub(crate) count: u64,
}

impl Faults {
    /// Notes a place that is looked for whatever else is found.
    pub(super) fn note(&mut self, path: &Path, why: impl std::fmt::Display) {
        self.note_at(Rank { modified: None, path: path.to_owned() }, why);
    }

    /// Notes a place that is of interest only up to where the search ends.
    pub(super) fn note_at(&mut self, rank: Rank, why: impl std::fmt::Display) {
        self.count += 1;
        self.known.insert(rank, why.to_string());
        self.settle();
    }

    pub(super) fn note_fault(&mut self, fault: &Fault) {
        self.note(fault.path.as_deref().unwrap_or(Path::new("?")), &fault.error);
    }

    pub(super) fn absorb(&mut self, other: Self) {
        self.count += other.count;
        self.known.extend(other.known);
        self.settle();
    }

    /// Forgets those behind the last thing that was found: which of them a search comes to changes from run to run.
    pub(super) fn keep_before(&mut self, is_before: impl Fn(&Rank) -> bool) {
        let all = self.known.len();
        self.known.retain(|rank, _| is_before(rank));
        if self.known.len() < all {
            // And so are those of which nothing is known.
            self.count = self.known.len() as u64;
        }
    }

    fn settle(&mut self) {
        while self.known.len() > KNOWN {
            self.known.pop_last();
        }
    }

    /// What is said of them below a result; nothing where there are none.
    pub(crate) fn message(&self) -> Option<String> {
        if self.count == 0 {
            return None;
        }
        let mut message = format!("({} could not be searched:", places(self.count));
        let mut known: Vec<(&Rank, &String)> = self.known.iter().collect();
        known.sort_by(|(one, _), (other, _)| one.path.cmp(&other.path));
        for (rank, why) in known.into_iter().take(NAMED) {
            // Writing to a string cannot fail.
            let _ = write!(message, "\n{}: {why}", rank.path.display());
        }
        if self.count > NAMED as u64 {
            message.push_str("\n…");
        }
        message.push(')');
        Some(message)
    }
}

fn places(count: u64) -> String {
    if count == 1 { "1 place".to_owned() } else { format!("{count} places") }
}
