//! Text files against slow versions that are obviously right, on random bytes.

use core_tools::text_file::{Ending, Lines, NotText, Splice, TextFile, adapt, apply};
use proptest::{collection::vec, prelude::*, sample::select};

/// Bytes that make lines, and some that are no text.
fn content() -> impl Strategy<Value = Vec<u8>> {
    vec(select(b"ab\n\n\r\r\xff\xc3\xa4 ".to_vec()), 0..60)
}

/// Ranges in order that do not overlap, with what takes their place.
fn splices(len: usize) -> impl Strategy<Value = Vec<Splice>> {
    let ends = vec(0..=len, 0..8).prop_map(|mut ends| {
        ends.sort_unstable();
        ends.truncate(ends.len() / 2 * 2);
        ends
    });
    (ends, vec(content(), 4)).prop_map(|(ends, texts)| {
        ends.chunks(2).zip(texts).map(|(ends, text)| Splice { range: ends[0]..ends[1], text }).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn splicing((content, splices) in content().prop_flat_map(|content| {
        let len = content.len();
        (Just(content), splices(len))
    })) {
        let mut slow = content.clone();
        for splice in splices.iter().rev() {
            slow.splice(splice.range.clone(), splice.text.iter().copied());
        }
        prop_assert_eq!(apply(&content, &splices), slow);
    }

    #[test]
    fn lines_of_text_in_utf_8_are_those_of_the_standard_library(text in "[ab\n\r]{0,40}\n") {
        let lines = Lines::of(text.as_bytes());
        let slow: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
        prop_assert_eq!(lines.iter().collect::<Vec<_>>(), slow);
    }

    #[test]
    fn lines_are_the_whole_file(content in content()) {
        let lines = Lines::of(&content);
        let whole: Vec<u8> = (0..lines.len())
            .flat_map(|line| [lines.content(line), lines.ending(line).bytes()].concat())
            .collect();
        prop_assert_eq!(&whole, &content);
        for line in 0..lines.len().saturating_sub(1) {
            prop_assert_ne!(lines.ending(line), Ending::None);
        }
    }

    #[test]
    fn what_takes_its_own_place_changes_nothing((content, range) in content().prop_flat_map(|content| {
        let len = content.len();
        (Just(content), (0..=len, 0..=len).prop_map(|(one, other)| one.min(other)..one.max(other)))
    })) {
        // As a model writes what it has read: with LF for every ending. A CR before CRLF cannot be told from it then.
        let old = &content[range.clone()];
        let cut_in_two = range.start > 0 && content[range.start - 1] == b'\r' && old.starts_with(b"\n");
        let odd = content.windows(3).any(|three| three == b"\r\r\n");
        prop_assume!(!cut_in_two && !odd && content.contains(&b'\n'));
        let written = replace_all(old, b"\r\n", b"\n");
        prop_assert_eq!(adapt(&content, &range, &written).into_owned(), old);
    }

    #[test]
    fn nothing_is_lost_in_decoding(stored in prop_oneof![
        content(),
        vec(any::<u8>(), 0..60),
        vec(any::<u8>(), 0..60).prop_map(|bytes| [b"\xff\xfe".to_vec(), bytes].concat()),
        vec(any::<u8>(), 0..60).prop_map(|bytes| [b"\xfe\xff".to_vec(), bytes].concat()),
        content().prop_map(|bytes| [b"\xef\xbb\xbf".to_vec(), bytes].concat()),
    ]) {
        match TextFile::decode(stored.clone()) {
            Ok(file) => prop_assert_eq!(file.encode(file.bytes().to_vec()), stored),
            Err(why) => prop_assert!(matches!(why, NotText::Binary | NotText::Utf32)),
        }
    }
}

fn replace_all(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut result = Vec::new();
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        if let Some(after) = rest.strip_prefix(from) {
            result.extend_from_slice(to);
            rest = after;
        } else {
            result.push(*first);
            rest = tail;
        }
    }
    result
}
