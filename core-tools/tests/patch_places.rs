//! Where hunks go, beside a slow search that is written as plainly as the rules are.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use core_tools::apply_patch::{
    locate::{Pass, locate},
    patch::{Hint, Hunk, Line, LineEnding, LineKind},
};
use proptest::prelude::*;

const LINES: [&str; 12] = ["", "a", "a ", " a", "b", "\tb", "“b”", "\"b\"", "x–y", "x-y", "}", "c"];

/// The four passes, one line at a time.
fn same(pass: Pass, file: &str, patch: &str) -> bool {
    let fold = |text: &str| -> String {
        let folded = text.trim().chars().map(|character| match character {
            '\u{2013}' => '-',
            '\u{201c}' | '\u{201d}' => '"',
            other => other,
        });
        folded.collect()
    };
    match pass {
        Pass::Exact => file == patch,
        Pass::TrailingSpace => file.trim_end() == patch.trim_end(),
        Pass::OuterSpace => file.trim() == patch.trim(),
        Pass::Punctuation => fold(file) == fold(patch),
    }
}

fn places(lines: &[&str], block: &[&str], from: usize, pass: Pass) -> Vec<usize> {
    let fits = |at: &usize| block.iter().zip(&lines[*at..]).all(|(patch, file)| same(pass, file, patch));
    (from..=lines.len().saturating_sub(block.len())).filter(|at| at + block.len() <= lines.len()).filter(fits).collect()
}

fn block(lines: &[&str], hunk: &Hunk, block: &[&str], from: usize) -> Option<usize> {
    Pass::ALL.into_iter().find_map(|pass| {
        let places = places(lines, block, from, pass);
        if hunk.at_end {
            return places.last().copied().filter(|at| at + block.len() == lines.len());
        }
        match hunk.hint {
            None => places.first().copied(),
            Some(hint) => {
                let to = hint.start.saturating_sub(1);
                places.into_iter().min_by_key(|at| (at.abs_diff(to), std::cmp::Reverse(*at)))
            }
        }
    })
}

/// For each hunk where its old lines begin, and how many there are; or the number of the first that has no place.
fn slowly(lines: &[&str], hunks: &[Hunk]) -> Result<Vec<(usize, usize)>, usize> {
    let mut from = 0;
    let mut located = Vec::new();
    for (number, hunk) in hunks.iter().enumerate() {
        for header in &hunk.headers {
            let found = Pass::ALL.into_iter().find_map(|pass| places(lines, &[header], from, pass).first().copied());
            from = found.ok_or(number)? + 1;
        }
        let old: Vec<&str> = hunk.old().map(|line| line.text.as_str()).collect();
        if old.is_empty() {
            let at = match hunk.hint {
                _ if hunk.at_end => lines.len(),
                Some(hint) => hint.start.clamp(from.min(lines.len()), lines.len()),
                None if hunk.headers.is_empty() => lines.len(),
                None => from,
            };
            if hunk.hint.is_some() && !hunk.at_end {
                from = at;
            }
            located.push((at, 0));
            continue;
        }
        let mut shorter = vec![old.clone()];
        let blank = old.iter().rev().take_while(|line| line.is_empty()).count();
        shorter.extend(
            [1, blank]
                .iter()
                .filter(|out| **out > 0 && **out <= blank && **out < old.len())
                .map(|out| old[..old.len() - out].to_vec()),
        );
        let found = shorter.iter().find_map(|old| Some((block(lines, hunk, old, from)?, old.len())));
        let (at, len) = found.ok_or(number)?;
        located.push((at, len));
        from = at + len;
    }
    Ok(located)
}

fn hunk() -> impl Strategy<Value = Hunk> {
    let kind = prop_oneof![Just(LineKind::Context), Just(LineKind::Removed), Just(LineKind::Added)];
    let line = (kind, prop::sample::select(&LINES[..])).prop_map(|(kind, text)| Line {
        kind,
        text: text.to_owned(),
        ending: LineEnding::Unsaid,
    });
    let header = prop::sample::select(&LINES[..]).prop_map(str::to_owned);
    let hint = prop::option::weighted(0.3, 0..30_usize);
    (prop::collection::vec(header, 0..2), hint, prop::collection::vec(line, 1..5), prop::bool::weighted(0.1)).prop_map(
        |(headers, start, lines, at_end)| {
            let count = lines.iter().filter(|line| line.kind != LineKind::Added).count();
            Hunk { headers, hint: start.map(|start| Hint { start, count }), lines, at_end, line: 1 }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_fast_search_finds_what_the_slow_one_does(
        lines in prop::collection::vec(prop::sample::select(&LINES[..]), 0..25),
        hunks in prop::collection::vec(hunk(), 1..4),
    ) {
        let bytes: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
        let found = locate(&bytes, &hunks);
        let found = found.map(|found| found.iter().map(|place| (place.at, place.len)).collect::<Vec<_>>());
        prop_assert_eq!(found.map_err(|missing| missing.hunk), slowly(&lines, &hunks));
    }
}
