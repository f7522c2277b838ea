//! What is shown of a long line.

use std::ops::Range;

/// Lines are shown up to so many characters (opencode).
pub(super) const MAX_CHARS: usize = 2000;
const CUT: &str = "...";

/// A line as it is shown: bytes that are not UTF-8 as U+FFFD; of a line that is longer than [`MAX_CHARS`], that many
/// characters around the match, so that a match in a minified file is seen. opencode shows the line's beginning, where
/// the match may not be.
pub(super) fn window(line: &[u8], found: Option<Range<usize>>) -> String {
    // No character has more than four bytes: a line of fewer bytes than that cannot be too long.
    if line.len() <= MAX_CHARS {
        return String::from_utf8_lossy(line).into_owned();
    }
    let found = found.unwrap_or(0..0);
    // Twice the room on either side, so that the middle can be found without reading all of the line.
    let reach = 4 * MAX_CHARS;
    let mut from = found.start.saturating_sub(reach).min(line.len() - 1);
    let mut to = found.start.saturating_add(2 * reach).min(line.len());
    // At most three steps: what goes on for longer is no character.
    for _ in 0..3 {
        from -= usize::from(from > 0 && is_within(line[from]));
        to += usize::from(to < line.len() && is_within(line[to]));
    }
    let start = found.start.clamp(from, to);
    let before = String::from_utf8_lossy(&line[from..start]);
    let after = String::from_utf8_lossy(&line[start..to]);
    let (count_before, count_after) = (before.chars().count(), after.chars().count());
    if from == 0 && to == line.len() && count_before + count_after <= MAX_CHARS {
        return format!("{before}{after}");
    }
    // The match's beginning in the first quarter, or nearer to an end of the line.
    let wanted = (MAX_CHARS / 4).max(MAX_CHARS.saturating_sub(count_after)).min(count_before);
    let shown_before: String = before.chars().skip(count_before - wanted).collect();
    let shown_after: String = after.chars().take(MAX_CHARS - wanted).collect();
    let head = if from > 0 || wanted < count_before { CUT } else { "" };
    let tail = if to < line.len() || MAX_CHARS - wanted < count_after { CUT } else { "" };
    format!("{head}{shown_before}{shown_after}{tail}")
}

/// Whether a byte stands inside a character.
fn is_within(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// A text up to so many bytes, not ending inside a character.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_fits_is_whole() {
        assert_eq!(window("é".repeat(2000).as_bytes(), Some(0..2)), "é".repeat(2000));
        assert_eq!(window(b"a\xffb", None), "a\u{fffd}b");
    }

    #[test]
    fn a_long_line_is_cut_around_the_match() {
        let mut line = vec![b'x'; 1_000_000];
        line[500_000..500_006].copy_from_slice(b"needle");
        let shown = window(&line, Some(500_000..500_006));
        assert!(shown.starts_with("...xxx") && shown.ends_with("xxx...") && shown.contains("xneedlex"));
        assert_eq!(shown.chars().count(), 2006);
        let shown = window(&line, Some(0..1));
        assert_eq!(shown, format!("{}...", "x".repeat(2000)));
        let shown = window(&line, Some(999_999..1_000_000));
        assert_eq!(shown, format!("...{}", "x".repeat(2000)));
    }

    #[test]
    fn no_place_and_no_bytes_make_it_panic() {
        let line: Vec<u8> = (0..30_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for at in 0..line.len() {
            assert!(window(&line, Some(at..at + 1)).chars().count() <= MAX_CHARS + 6, "{at}");
        }
        assert!(window(&[0x80; 9000], Some(9000..9000)).chars().count() <= MAX_CHARS + 6);
    }
}
