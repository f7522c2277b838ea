//! Output cut to a number of tokens, the middle taken out (codex-rs: four bytes are a token, whatever they are).

use std::fmt::Write as _;

use super::Taken;

const BYTES_PER_TOKEN: u64 = 4;

/// An output that fits.
#[derive(Debug)]
pub(crate) struct Cut {
    /// The text, with `…N tokens truncated…` in the middle where it was cut.
    pub(crate) text: String,
    /// How many tokens there were.
    pub(crate) tokens: u64,
    /// Where it was cut: what is said of the whole.
    pub(crate) whole: Option<Whole>,
}

/// What is known of an output that was cut.
#[derive(Debug)]
pub(crate) enum Whole {
    /// It had so many lines.
    Lines(u64),
    /// So many bytes were gone before it was cut.
    Omitted(u64),
}

/// So many bytes in tokens, rounded up.
pub(crate) fn tokens(bytes: u64) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// Cuts what was printed to at most so many tokens.
pub(crate) fn cut(taken: Taken, most: u64) -> Cut {
    let count = tokens(taken.bytes);
    let most = usize::try_from(most.saturating_mul(BYTES_PER_TOKEN)).unwrap_or(usize::MAX);
    if taken.dropped == 0 && taken.text.len() <= most {
        return Cut { text: taken.text, tokens: count, whole: None };
    }
    let text = taken.text;
    let most = most.min(text.len());
    let head = text.floor_char_boundary(most / 2);
    let tail = text.ceil_char_boundary(text.len() - (most - most / 2)).max(head);
    let removed = (tail - head) as u64 + taken.dropped;
    let mut kept = String::with_capacity(most + 40);
    kept.push_str(&text[..head]);
    let _ = write!(kept, "…{} tokens truncated…", tokens(removed));
    kept.push_str(&text[tail..]);
    let whole = if taken.dropped > 0 { Whole::Omitted(taken.dropped) } else { Whole::Lines(taken.lines) };
    Cut { text: kept, tokens: count, whole: Some(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> Taken {
        Taken { text: text.to_owned(), bytes: text.len() as u64, dropped: 0, lines: 1 }
    }

    #[test]
    fn what_fits_is_left_alone() {
        let cut = cut(taken("12345678"), 2);
        assert_eq!((&*cut.text, cut.tokens), ("12345678", 2));
        assert!(cut.whole.is_none());
    }

    #[test]
    fn the_middle_goes_at_a_character() {
        assert_eq!(cut(taken("ab€€€cd"), 1).text, "ab…3 tokens truncated…cd");
        assert_eq!(cut(taken("€€€€"), 1).text, "…3 tokens truncated…");
        assert_eq!(cut(taken("abc"), 0).text, "…1 tokens truncated…");
    }

    #[test]
    fn what_was_dropped_before_counts() {
        let cut = cut(Taken { text: "abcd".repeat(10), bytes: 1000, dropped: 960, lines: 1 }, 10);
        assert_eq!(cut.tokens, 250);
        assert!(cut.text.contains("…240 tokens truncated…"), "{}", cut.text);
        assert!(matches!(cut.whole, Some(Whole::Omitted(960))));
    }
}
