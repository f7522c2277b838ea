//! Edits: exact text is found where a plain search finds it, and nothing outside of a match changes.
#![no_main]

use std::ops::Range;

use arbitrary::{Arbitrary, Result, Unstructured};
use core_tools::{
    edit::{
        Edit, Plan,
        matching::{Nearest, Strategy, find},
    },
    text_file::{Diff, apply},
};
use libfuzzer_sys::fuzz_target;

#[derive(Debug)]
struct Case {
    content: Vec<u8>,
    old: String,
    new: String,
    all: bool,
}

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        const PIECES: [&str; 20] = [
            "a",
            "b",
            "ab",
            " ",
            "  ",
            "\t",
            "\n",
            "\r\n",
            "\r",
            "}",
            "\\n",
            "\\",
            "\"",
            "é",
            "e\u{301}",
            "\u{a0}",
            "\u{2014}",
            "\u{fb01}",
            "fn f() {\n",
            "    a b\n",
        ];
        let words = |u: &mut Unstructured<'a>, most: usize| -> Result<String> {
            let count = u.int_in_range(0..=most)?;
            (0..count).map(|_| Ok(PIECES[u.int_in_range(0..=PIECES.len() - 1)?])).collect()
        };
        let (new, old) = (words(u, 6)?, words(u, 8)?);
        let all = bool::arbitrary(u)?;
        let mut content = Vec::new();
        for _ in 0..u.int_in_range(0..=30)? {
            match u.int_in_range(0..=9)? {
                0 => content.push(u8::arbitrary(u)?),
                1 => content.extend_from_slice(old.as_bytes()),
                _ => content.extend_from_slice(PIECES[u.int_in_range(0..=PIECES.len() - 1)?].as_bytes()),
            }
        }
        Ok(Self { content, old, new, all })
    }
}

/// Places of a text that has no line break in it, for which nothing but bytes counts.
fn plainly(content: &[u8], old: &str) -> Vec<Range<usize>> {
    let starts = 0..(content.len() + 1).saturating_sub(old.len());
    starts.filter(|at| content[*at..].starts_with(old.as_bytes())).map(|at| at..at + old.len()).collect()
}

fuzz_target!(|case: Case| {
    let Case { content, old, new, all } = case;
    let found = find(&content, &old);
    if !old.is_empty() && !old.contains(['\n', '\r']) {
        let plain = plainly(&content, &old);
        match &found {
            Ok(found) if found.strategy == Strategy::Exact => {
                assert_eq!(found.places.len() == 1, plain.len() == 1);
                assert!(found.places.iter().all(|place| plain.contains(place)));
                assert_eq!(found.places[0], plain[0]);
            }
            _ => assert!(plain.is_empty()),
        }
    }
    if let Ok(found) = &found {
        assert!(!found.places.is_empty() && found.places.is_sorted_by_key(|place| place.start));
        assert!(found.places.iter().all(|place| place.start <= place.end && place.end <= content.len()));
        assert!(found.part.end <= old.len());
    }
    if let Some(nearest) = Nearest::of(&content, &old) {
        assert!(nearest.lines.start >= 1 && nearest.to_string().len() < 20_000);
    }
    let Ok(plan) = Plan::of(&content, &[Edit { old: &old, new: &new, all }]) else { return };
    assert!(found.is_ok_and(|found| all || found.places.len() == 1));
    let after = apply(&content, &plan.splices);
    assert_ne!(after, content);
    let (first, last) = (plan.splices[0].range.start, plan.splices[plan.splices.len() - 1].range.end);
    assert!(after.starts_with(&content[..first]) && after.ends_with(&content[last..]));
    let diff = Diff::of_splices("f", &content, &plan.splices);
    let marked = |mark: char| diff.patch.lines().skip(4).filter(|line| line.starts_with(mark)).count();
    // A lone CR inside a line, which the count of lines here cannot tell from an ending, is left out.
    if !content.contains(&b'\r') && !new.contains('\r') {
        assert_eq!((marked('-'), marked('+')), (diff.deletions, diff.additions));
    }
});
