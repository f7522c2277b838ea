//! Edits of random texts, beside a slow way of making them that is obviously right.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use std::ops::Range;

use core_tools::{
    edit::{
        Edit, Plan, Problem,
        matching::{Strategy, find},
    },
    text_file::{Diff, apply},
};
use proptest::{
    collection::vec,
    prelude::{
        ProptestConfig, Strategy as Generate, prop_assert, prop_assert_eq, prop_assert_ne, prop_assume, proptest,
    },
    sample::select,
};

/// Content of few pieces, so that texts stand in several places; with all line endings and bytes that are no text.
fn content() -> impl Generate<Value = Vec<u8>> {
    let pieces: [&[u8]; 10] = [b"a", b"b", b"ab", b" ", b"\n", b"\r\n", b"\r", "\u{e9}".as_bytes(), b"\xff", b"\n\n"];
    vec(select(pieces.map(<[u8]>::to_vec).to_vec()), 0..24).prop_map(|pieces| pieces.concat())
}

fn text() -> impl Generate<Value = String> {
    vec(select(vec!["a", "b", "ab", " ", "\n", "\r\n", "\u{e9}", "$&"]), 0..6).prop_map(|pieces| pieces.concat())
}

/// The units of a text: a line ending is one, any other byte is one.
fn units(text: &[u8], cr_ends: bool) -> Vec<(u8, Range<usize>)> {
    let mut units = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (unit, length) = match &text[at..] {
            [b'\r', b'\n', ..] => (b'\n', 2),
            [b'\r', ..] if cr_ends => (b'\n', 1),
            [byte, ..] => (*byte, 1),
            [] => break,
        };
        units.push((unit, at..at + length));
        at += length;
    }
    units
}

/// Every place of a text, one unit after the other.
fn places(content: &[u8], old: &str) -> Vec<Range<usize>> {
    let cr_ends = !content.contains(&b'\n');
    let (content, old) = (units(content, cr_ends), units(old.as_bytes(), cr_ends));
    let is = |window: &[(u8, Range<usize>)]| window.iter().zip(&old).all(|(one, other)| one.0 == other.0);
    content
        .windows(old.len())
        .filter(|window| is(window))
        .map(|window| window[0].1.start..window[old.len() - 1].1.end)
        .collect()
}

fn plain(text: &[u8], cr_ends: bool) -> Vec<u8> {
    units(text, cr_ends).into_iter().map(|(unit, _)| unit).collect()
}

/// Applies a unified diff to the lines of a text, as it is shown: with `\n` for line endings.
fn patched(old: &[u8], patch: &str) -> String {
    let old = String::from_utf8_lossy(old).replace("\r\n", "\n");
    let old = if old.contains('\n') { old } else { old.replace('\r', "\n") };
    let mut lines: Vec<String> = old.split_inclusive('\n').map(str::to_owned).collect();
    let mut new: Vec<String> = Vec::new();
    let (mut done, mut mark) = (0, "");
    for line in patch.lines().skip(4) {
        if let Some(numbers) = line.strip_prefix("@@ -") {
            let (first, rest) = numbers.split_once(',').unwrap();
            let count: usize = rest.split_once(' ').unwrap().0.parse().unwrap();
            let first = first.parse::<usize>().unwrap() - usize::from(count > 0);
            new.extend(lines[done..first].iter().cloned());
            done = first;
        } else if line.starts_with("\\ ") {
            if let Some(last) = new.last_mut().filter(|last| mark != "-" && last.ends_with('\n')) {
                last.pop();
            }
        } else {
            let text;
            (mark, text) = line.split_at(1);
            if mark != "+" {
                assert_eq!(lines[done].trim_end_matches('\n'), text, "{patch}");
                done += 1;
            }
            if mark != "-" {
                new.push(format!("{text}\n"));
            }
        }
    }
    new.extend(lines.drain(done..));
    new.concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exact_edits_are_what_the_slow_way_makes(content in content(), old in text(), new in text(), all: bool) {
        // Without a lone CR at a seam, which belongs to the break behind it on one side only.
        prop_assume!(!content.windows(3).any(|three| three == b"\r\r\n"));
        let slow = if old.is_empty() { Vec::new() } else { places(&content, &old) };
        prop_assume!(slow.iter().all(|place| !content[..place.start].ends_with(b"\r")));
        let plan = Plan::of(&content, &[Edit { old: &old, new: &new, all }]);
        match slow.as_slice() {
            [] => prop_assert_ne!(find(&content, &old).ok().map(|found| found.strategy), Some(Strategy::Exact)),
            [_, _, ..] if !all => {
                let told = plan.unwrap_err();
                let is_told = matches!(told[..], [(0, Problem::Ambiguous { strategy: Strategy::Exact, .. })]);
                prop_assert!(is_told, "{:?}", told);
            }
            slow => {
                let cr_ends = !content.contains(&b'\n');
                // From the first on, those that do not overlap.
                let (mut expected, mut done, mut count) = (Vec::new(), 0, 0);
                for place in slow.iter().filter(|_| all || slow.len() == 1) {
                    if place.start < done {
                        continue;
                    }
                    expected.extend_from_slice(&plain(&content[done..place.start], cr_ends));
                    expected.extend_from_slice(&plain(new.as_bytes(), cr_ends));
                    (done, count) = (place.end, count + 1);
                }
                expected.extend_from_slice(&plain(&content[done..], cr_ends));
                match plan {
                    Ok(plan) => {
                        let after = apply(&content, &plan.splices);
                        prop_assert_eq!(plan.found, vec![(Strategy::Exact, count)]);
                        let ends_alike = |bytes: &[u8]| bytes.contains(&b'\n') == content.contains(&b'\n');
                        if ends_alike(&after) {
                            prop_assert_eq!(plain(&after, cr_ends), expected);
                        }
                        // What is outside stays byte by byte.
                        let first = slow[0].start;
                        prop_assert_eq!(&after[..first], &content[..first]);
                    }
                    Err(problems) => {
                        prop_assert_eq!(problems, vec![(0, Problem::Unchanged)]);
                        prop_assert_eq!(expected, plain(&content, cr_ends));
                    }
                }
            }
        }
    }

    #[test]
    fn lax_edits_stay_within_the_file(content in content(), old in "[ab \\n\u{a0}\u{2014}-]{1,12}", new in text()) {
        if let Ok(found) = find(&content, &old) {
            for place in &found.places {
                prop_assert!(place.start <= place.end && place.end <= content.len());
            }
            prop_assert!(found.places.is_sorted_by_key(|place| place.start));
            let plan = Plan::of(&content, &[Edit { old: &old, new: &new, all: true }]);
            if let Ok(plan) = plan {
                let after = apply(&content, &plan.splices);
                let (first, last) = (plan.splices[0].range.start, plan.splices[plan.splices.len() - 1].range.end);
                prop_assert!(after.starts_with(&content[..first]) && after.ends_with(&content[last..]));
            }
        }
    }

    #[test]
    fn diffs_of_splices_make_the_new_text(
        lines in vec(select(vec!["a\n", "b\n", "c\n", "a\r\n", "\n"]), 0..40),
        last in select(vec!["", "a", "end"]),
        new in vec(select(vec!["a", "x", "\n", "y\n", ""]), 0..4),
        old in select(vec!["a", "b", "a\n", "b\n", "\n", "c\na", "end", "b\n\n"]),
    ) {
        let content = lines.concat() + last;
        let new = new.concat();
        if let Ok(plan) = Plan::of(content.as_bytes(), &[Edit { old, new: &new, all: true }]) {
            let after = String::from_utf8(apply(content.as_bytes(), &plan.splices)).unwrap();
            let diff = Diff::of_splices("f", content.as_bytes(), &plan.splices);
            let removed = diff.patch.lines().skip(4).filter(|line| line.starts_with('-')).count();
            let added = diff.patch.lines().skip(4).filter(|line| line.starts_with('+')).count();
            prop_assert_eq!((removed, added), (diff.deletions, diff.additions));
            prop_assert_eq!(patched(content.as_bytes(), &diff.patch), after.replace("\r\n", "\n"), "{}", diff.patch);
        }
    }
}
