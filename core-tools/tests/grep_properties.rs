//! `grep` finds what a slow search finds.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use project::{Project, output};
use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::Outcome;

async fn grep(project: &Project, arguments: Value) -> Outcome {
    project.call("grep", arguments).await
}

/// Lines that a pattern has, found the slow way.
fn naive(text: &[u8], holds: impl Fn(&[u8]) -> bool) -> Vec<u64> {
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let bare = |line: &[u8]| -> Vec<u8> { line.strip_suffix(b"\r").unwrap_or(line).to_vec() };
    lines.into_iter().zip(1..).filter(|(line, _)| holds(&bare(line))).map(|(_, number)| number).collect()
}

/// The length of the match that begins where a text does, if one does.
type Here = fn(&[u8]) -> Option<usize>;

fn line_break(text: &[u8]) -> Option<usize> {
    [&b"\r\n"[..], b"\n"].iter().find(|sign| text.starts_with(sign)).map(|sign| sign.len())
}

/// `b`, a line break, `a`.
fn over_two_lines(text: &[u8]) -> Option<usize> {
    let end = 1 + line_break(text.strip_prefix(b"b")?)?;
    (text.get(end) == Some(&b'a')).then_some(end + 1)
}

/// `a` or `b`, as many of them as there are, with line breaks between: `(?:[ab]+\n)+[ab]`.
fn over_many_lines(text: &[u8]) -> Option<usize> {
    let (mut at, mut end) = (0, None);
    loop {
        let run = text[at..].iter().take_while(|byte| matches!(byte, b'a' | b'b')).count();
        if run > 0 && at > 0 {
            end = Some(at + 1);
        }
        let Some(found) = line_break(&text[at + run..]).filter(|_| run > 0) else { return end };
        at += run + found;
    }
}

/// The lines of the matches that begin in the first so many lines, and in how many lines one begins.
fn naive_over_lines(text: &[u8], here: Here, limit: usize) -> (Vec<u64>, usize) {
    let number = |at: usize| text[..at].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    let (mut shown, mut begins) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < text.len() {
        let Some(length) = here(&text[at..]) else {
            at += 1;
            continue;
        };
        let first = number(at);
        if begins.last() != Some(&first) {
            begins.push(first);
        }
        if begins.len() <= limit {
            shown.extend(first..=number(at + length - 1));
        }
        at += length;
    }
    shown.dedup();
    (shown, begins.len())
}

fn shown_lines(text: &str) -> Vec<u64> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("  Line ")?.split_once(": "));
    lines.filter_map(|(number, _)| number.parse().ok()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn the_lines_are_those_that_a_slow_search_finds(
        pieces in prop::collection::vec(prop::sample::select(vec![
            &b"a"[..], b"b", b"ab", b"A", b"\n", b"\n", b"\r\n", b" ", "ä".as_bytes(), b"\xff", b"aab", b"\t",
        ]), 0..400),
        context in 0u64..3,
    ) {
        let text = pieces.concat();
        let project = Project::new();
        project.file("f", &text);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        type Holds = fn(&[u8]) -> bool;
        let cases: [(Value, Holds); 6] = [
            (json!({ "pattern": "ab" }), |line| line.windows(2).any(|pair| pair == b"ab")),
            (json!({ "pattern": "AB", "ignoreCase": true }), |line| {
                line.to_ascii_lowercase().windows(2).any(|pair| pair == b"ab")
            }),
            (json!({ "pattern": "^a" }), |line| line.starts_with(b"a")),
            (json!({ "pattern": "b$" }), |line| line.ends_with(b"b")),
            (json!({ "pattern": "^$" }), <[u8]>::is_empty),
            (json!({ "pattern": "ä", "literal": true }), |line| line.windows(2).any(|pair| pair == "ä".as_bytes())),
        ];
        for (mut arguments, holds) in cases {
            arguments["limit"] = json!(2000);
            arguments["context"] = json!(context);
            let outcome = runtime.block_on(grep(&project, arguments.clone()));
            let found = shown_lines(output(&outcome));
            prop_assert_eq!(found, naive(&text, holds), "{} {:?}", arguments, String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn matches_over_several_lines_are_each_counted(
        pieces in prop::collection::vec(prop::sample::select(vec![
            &b"a"[..], b"b", b"\n", b"b\n", b"b\r\na", b" ", b"\xff",
        ]), 0..60),
        limit in 1usize..6,
    ) {
        let text = pieces.concat();
        let project = Project::new();
        project.file("f", &text);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let cases: [(Value, Here); 4] = [
            (json!({ "pattern": "b\na", "literal": true }), over_two_lines),
            (json!({ "pattern": r"b\na" }), over_two_lines),
            (json!({ "pattern": r"b\n" }), |text| Some(1 + line_break(text.strip_prefix(b"b")?)?)),
            (json!({ "pattern": r"(?:[ab]+\n)+[ab]", "multiline": true }), over_many_lines),
        ];
        for (mut arguments, here) in cases {
            arguments["limit"] = json!(limit);
            let outcome = runtime.block_on(grep(&project, arguments.clone()));
            let (shown, begins) = naive_over_lines(&text, here, limit);
            let note = format!("{} {:?}: {}", arguments, String::from_utf8_lossy(&text), output(&outcome));
            prop_assert_eq!(shown_lines(output(&outcome)), shown, "{}", note);
            prop_assert_eq!(&outcome.metadata()["matches"], begins.min(limit), "{}", note);
            prop_assert_eq!(&outcome.metadata()["truncated"], begins > limit, "{}", note);
        }
    }
}
