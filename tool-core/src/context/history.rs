//! What a session remembers of the calls before this one.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::{call::object_text, tool::ToolName};

/// So much is kept of arguments that are larger than a call may have.
const KEPT: usize = 64 * 1024;

/// The last call of the model, and how many like it came in a row.
#[derive(Default)]
pub(crate) struct History(Mutex<Option<Last>>);

struct Last {
    tool: ToolName,
    arguments: String,
    /// In bytes, before they were cut.
    length: usize,
    /// The fingerprint of the arguments, once it was wanted.
    print: Option<Fingerprint>,
    times: u32,
}

impl History {
    /// Notes a call as it comes. Says how many identical ones came in a row, this one among them: of the same tool, with
    /// arguments that mean the same JSON. Those of more than `most` bytes are told apart by their beginning and length.
    pub(crate) fn note(&self, tool: &ToolName, arguments: &str, most: usize) -> u32 {
        let length = arguments.len();
        let kept = if length > most { &arguments[..arguments.floor_char_boundary(KEPT.min(most))] } else { arguments };
        let is_cut = kept.len() < length;
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(last) = &mut *last else {
            *last = Some(Last { tool: tool.clone(), arguments: kept.to_owned(), length, print: None, times: 1 });
            return 1;
        };
        let mut print = None;
        if last.tool == *tool {
            let is_equal = last.length == length && last.arguments == kept;
            if is_equal || !is_cut && last.length <= most && last.means(kept, print.insert(fingerprint(kept))) {
                last.times = last.times.saturating_add(1);
                return last.times;
            }
        } else {
            last.tool.clone_from(tool);
        }
        last.print = print;
        if last.arguments.capacity() > KEPT {
            last.arguments = String::new();
        }
        // Into the room of the one before, so that noting a call makes no new.
        last.arguments.clear();
        last.arguments.push_str(kept);
        (last.length, last.times) = (length, 1);
        1
    }

    /// Takes the last call out of the count, if it was one of this tool's.
    pub(crate) fn forgive(&self, tool: &ToolName) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_mut().filter(|last| last.tool == *tool) {
            last.times = 0;
        }
    }
}

impl Last {
    /// Whether a text that differs from its arguments means the same: in another order, with other blanks and escapes, or
    /// one of them mended.
    fn means(&mut self, other: &str, print: &Fingerprint) -> bool {
        // Most calls differ in this already, and need no parser.
        let own = *self.print.get_or_insert_with(|| fingerprint(&self.arguments));
        let may_be = own.zip(*print).is_none_or(|(one, other)| one == other);
        may_be && meaning(&self.arguments).is_some_and(|one| meaning(other) == Some(one))
    }
}

fn meaning(text: &str) -> Option<Value> {
    serde_json::from_str(&object_text(text).ok()?.text).ok()
}

/// A sum that the order of members, blanks, escapes, and what is mended inside an object leave as it is; `None` for a
/// text that has more around the object, or none.
type Fingerprint = Option<u32>;

fn fingerprint(text: &str) -> Fingerprint {
    if !text.trim_ascii_start().starts_with('{') {
        return None;
    }
    let (whole, has_escapes) = weight(text.as_bytes());
    if !has_escapes {
        return Some(whole);
    }
    let mut sum = 0_u32;
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        sum = sum.wrapping_add(weight(&rest.as_bytes()[..at]).0);
        let (character, length) = unescaped(&rest[at..]);
        sum = sum.wrapping_add(weight(character.encode_utf8(&mut [0; 4]).as_bytes()).0);
        rest = &rest[at + length..];
    }
    Some(sum.wrapping_add(weight(rest.as_bytes()).0))
}

/// The sum of the bytes, and whether a backslash is among them. Blanks, line breaks and commas do not count: they come and
/// go between members and where a text is mended.
fn weight(bytes: &[u8]) -> (u32, bool) {
    let of = |byte: u8| if byte > b' ' && byte != b',' { u16::from(byte) } else { 0 };
    // By blocks, which the processor sums up at once.
    let (blocks, rest) = bytes.as_chunks::<16>();
    let mut last = [0; 16];
    last[..rest.len()].copy_from_slice(rest);
    let (mut sum, mut has_escapes) = (0_u32, false);
    for block in blocks.iter().chain([&last]) {
        sum = sum.wrapping_add(block.iter().map(|byte| of(*byte)).sum::<u16>().into());
        has_escapes |= block.iter().fold(false, |found, byte| found | (*byte == b'\\'));
    }
    (sum, has_escapes)
}

/// The character that an escape at the beginning of a text stands for, and the escape's length. A backslash that
/// escapes nothing is one.
fn unescaped(text: &str) -> (char, usize) {
    match text.as_bytes().get(1) {
        Some(b'n' | b'r' | b't' | b'b' | b'f') => (' ', 2),
        Some(known @ (b'"' | b'\\' | b'/')) => (char::from(*known), 2),
        Some(b'u') => match (unit(text), text.get(6..).and_then(unit)) {
            (Some(high @ 0xd800..0xdc00), Some(low @ 0xdc00..0xe000)) => {
                let pair = char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
                (pair.unwrap_or(char::REPLACEMENT_CHARACTER), 12)
            }
            (Some(unit), _) => (char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
            (None, _) => ('\\', 1),
        },
        _ => ('\\', 1),
    }
}

fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}
