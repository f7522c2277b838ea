//! Searching a file whose lines are too long to be held.
//!
//! The searcher holds a line as a whole. Here a line that does not fit is searched in pieces that overlap; it is taken
//! down once, around its first match. A match that is longer than the overlap may be missed there, and `^` and `$` hold
//! at the line's own ends only. No context is taken down: beside a line of that size it is not what is looked for.

use std::io::{self, Read};

use super::{
    lines::{BINARY_WITHIN, Lines, Role},
    pattern::Engine,
};

/// How much is held.
const HELD: usize = 4 * 1024 * 1024;
/// How much two pieces of one line have in common.
const OVERLAP: usize = 64 * 1024;

/// Takes down the matches of a file.
///
/// # Errors
/// When it cannot be read.
pub(super) fn search(
    mut source: impl Read,
    engine: &Engine,
    limit: usize,
    files_only: bool,
    lines: &mut Lines,
) -> io::Result<()> {
    let mut held = vec![0; HELD];
    let mut state = State { number: 1, is_line_start: true, is_taken: false };
    let (mut filled, mut read, mut from) = (0, 0u64, 0);
    loop {
        let count = match source.read(&mut held[filled..]) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if let Some(nul) = memchr::memchr(0, &held[filled..filled + count]) {
            lines.binary_at = Some(read + nul as u64);
            if read + (nul as u64) < BINARY_WITHIN {
                return Ok(());
            }
            filled += nul;
            state.take(&held[..filled], from, true, engine, limit, files_only, lines);
            return Ok(());
        }
        filled += count;
        read += count as u64;
        let at_end = count == 0;
        if filled < HELD && !at_end {
            continue;
        }
        let Some(done) = state.take(&held[..filled], from, at_end, engine, limit, files_only, lines) else {
            return Ok(());
        };
        if at_end {
            return Ok(());
        }
        // Half of the overlap is looked at again, the other half is what stands before it.
        held.copy_within(done..filled, 0);
        filled -= done;
        from = if state.is_line_start { 0 } else { OVERLAP / 2 };
    }
}

/// Where in the file a piece begins.
struct State {
    number: u64,
    is_line_start: bool,
    /// Whether the line has been taken down.
    is_taken: bool,
}

impl State {
    /// Looks through what is held; gives how much of it is done with, nothing when the search is over.
    #[expect(clippy::too_many_arguments, reason = "one search's own")]
    fn take(
        &mut self,
        held: &[u8],
        mut from: usize,
        at_end: bool,
        engine: &Engine,
        limit: usize,
        files_only: bool,
        lines: &mut Lines,
    ) -> Option<usize> {
        let mut start = 0;
        while start < held.len() {
            let end = memchr::memchr(b'\n', &held[start..]).map(|end| start + end);
            let line = &held[start..end.unwrap_or(held.len())];
            let is_whole = end.is_some() || at_end;
            if !is_whole && start > 0 {
                break;
            }
            let found = if self.is_taken { None } else { engine.find_at(line, from.min(line.len())) };
            // What ends where the piece does may be none; where it is looked at again, that is waited for.
            let is_sure = is_whole || line.len() < OVERLAP;
            let again = line.len().saturating_sub(OVERLAP / 2);
            if let Some(found) = found.filter(|found| is_sure || found.end < line.len() || found.start < again) {
                if files_only {
                    lines.matches = 1;
                    return None;
                }
                if !lines.has_room(limit) {
                    lines.more = true;
                    return None;
                }
                lines.matches += 1;
                lines.push(self.number, line, Role::Match, || Some(found));
                self.is_taken = true;
            }
            let Some(end) = end else {
                self.is_line_start = false;
                return Some(held.len().saturating_sub(OVERLAP));
            };
            self.number += 1;
            (self.is_taken, self.is_line_start) = (false, true);
            (start, from) = (end + 1, 0);
        }
        Some(start)
    }
}
