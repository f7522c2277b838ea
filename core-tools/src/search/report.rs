//! What is told of a search: within the room there is, and with what could not be looked at.

use std::{fmt::Write as _, path::Path};

use crate::workspace::Fault;

use super::newest::Rank;

/// So many faults are named.
const NAMED: usize = 3;

/// Lines up to a limit of bytes; the rest is counted by whoever made them.
#[derive(Debug)]
pub(crate) struct Report {
    text: String,
    room: usize,
}

impl Report {
    /// A report of so many bytes at most, its notes not counted.
    pub(crate) fn new(room: usize) -> Self {
        Self { text: String::new(), room }
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

/// What could not be looked at.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// The first of them, by path: why, with the path.
    named: Vec<(Rank, String)>,
    /// How many there are.
    pub(crate) count: u64,
}

impl Faults {
    pub(super) fn note(&mut self, path: &Path, why: impl std::fmt::Display) {
        self.count += 1;
        let rank = Rank { modified: None, path: path.to_owned() };
        if self.named.len() < NAMED || self.named.last().is_some_and(|(last, _)| rank < *last) {
            self.named.push((rank, format!("{}: {why}", path.display())));
            self.settle();
        }
    }

    pub(super) fn note_fault(&mut self, fault: &Fault) {
        self.note(fault.path.as_deref().unwrap_or(Path::new("?")), &fault.error);
    }

    pub(super) fn absorb(&mut self, other: Self) {
        self.count += other.count;
        self.named.extend(other.named);
        self.settle();
    }

    fn settle(&mut self) {
        self.named.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.named.truncate(NAMED);
    }

    /// What is said of them below a result; nothing where there are none.
    pub(crate) fn message(&self) -> Option<String> {
        if self.count == 0 {
            return None;
        }
        let mut message = format!("({} could not be searched:", places(self.count));
        for (_, why) in &self.named {
            // Writing to a string cannot fail.
            let _ = write!(message, "\n{why}");
        }
        if self.count > self.named.len() as u64 {
            message.push_str("\n…");
        }
        message.push(')');
        Some(message)
    }
}

fn places(count: u64) -> String {
    if count == 1 { "1 place".to_owned() } else { format!("{count} places") }
}
