//! Diffs that real programs make, applied: what `git diff` and `diff -u` say of two files makes the second of the first.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use std::{fs, path::Path, process::Command};

use core_tools::apply_patch::{
    parse::parse,
    patch::{Action, Update},
    update::update,
};
use proptest::prelude::*;

/// Lines that are easily taken for something else.
const LINES: [&str; 16] = [
    "",
    "a",
    "b",
    "c",
    " ",
    "  a",
    "a  ",
    "-a",
    "--a",
    "-- ",
    "+b",
    "++b",
    "@@ -1 +1 @@",
    "*** End Patch",
    "\\ No",
    "é “ü”",
];
const ENDINGS: [&str; 3] = ["\n", "\r\n", "\r"];

/// A line and its ending, as indices.
type Row = (usize, usize);

fn rows(endings: usize, most: usize) -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((0..LINES.len(), 0..endings), 0..most)
}

/// A file and what becomes of it: some places replaced, and perhaps no ending at the end of either.
fn files(endings: usize) -> impl Strategy<Value = (String, String)> {
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, rows(endings, 4)), 0..5);
    (rows(endings, 40), edits, any::<[bool; 2]>()).prop_map(|(old, edits, open)| {
        let mut new = old.clone();
        for (at, gone, come) in edits {
            let at = at.index(new.len() + 1);
            let end = (at + gone).min(new.len());
            new.splice(at..end, come);
        }
        (text(&old, open[0]), text(&new, open[1]))
    })
}

fn text(rows: &[Row], open: bool) -> String {
    let mut text: String = rows.iter().map(|(line, ending)| format!("{}{}", LINES[*line], ENDINGS[*ending])).collect();
    if open {
        let end = text.trim_end_matches(['\r', '\n']).len();
        text.truncate(end);
    }
    text
}

/// What a program prints, which ends with 1 where the files differ.
fn run(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn applied(old: &str, diff: &str) -> Result<String, String> {
    if diff.is_empty() {
        return Ok(old.to_owned());
    }
    let patch = parse(diff).map_err(|problem| format!("{problem}\n{diff}"))?;
    let [operation] = &patch.operations[..] else { return Err(format!("{} files\n{diff}", patch.operations.len())) };
    let Action::Update(change) = &operation.action else { return Err(format!("no update\n{diff}")) };
    let updated = update(old.as_bytes(), change, "f", "f").map_err(|problem| format!("{problem:?}\n{diff}"))?;
    String::from_utf8(updated.content).map_err(|problem| problem.to_string())
}

fn check(old: &str, new: &str, context: &str) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("old"), old).unwrap();
    fs::write(folder.path().join("new"), new).unwrap();
    let git = ["-c", "core.autocrlf=false", "diff", "--no-index", "--no-color", "--no-ext-diff", context, "old", "new"];
    for diff in [run(folder.path(), "git", &git), run(folder.path(), "diff", &["-a", context, "old", "new"])] {
        prop_assert_eq!(applied(old, &diff), Ok(new.to_owned()), "by\n{}", diff);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn diffs_of_any_endings((old, new) in files(ENDINGS.len()), context in 1..4_usize) {
        check(&old, &new, &format!("-U{context}"))?;
    }

    /// Without context nothing but the numbers says where lines go.
    #[test]
    fn diffs_without_context((old, new) in files(1)) {
        check(&old, &new, "-U0")?;
    }

    /// The diff of the result says what was done.
    #[test]
    fn the_diff_that_is_shown((old, new) in files(1)) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("old"), &old).unwrap();
        fs::write(folder.path().join("new"), &new).unwrap();
        let diff = run(folder.path(), "diff", &["-a", "-u", "old", "new"]);
        if !diff.is_empty() {
            let patch = parse(&diff).unwrap();
            let Action::Update(change) = &patch.operations[0].action else { panic!("an update") };
            let shown = update(old.as_bytes(), change, "f", "f").unwrap().diff;
            prop_assert_eq!(applied(&old, &shown.patch), Ok(new), "by\n{}", shown.patch);
            let marks = |mark: char| {
                let body = shown.patch.lines().skip(4);
                body.filter(|line| line.starts_with(mark)).count()
            };
            prop_assert_eq!((marks('+'), marks('-')), (shown.additions, shown.deletions));
        }
    }
}

/// What a patch leaves alone keeps its bytes, whatever they are.
#[test]
fn bytes_that_no_hunk_touches() {
    let old = b"\xff\xfe is not a mark here\xff\r\nmixed\nx\ny\r\n\xc3\x28\rlone\n\x80open";
    let old = [&b"\xef\xbb\xbf"[..], old].concat();
    let diff = "--- f\n+++ f\n@@ -2,3 +2,3 @@\n mixed\n-x\n+X\n y\n";
    let patch = parse(diff).unwrap();
    let Action::Update(change) = &patch.operations[0].action else { panic!("an update") };
    let new = update(&old, change, "f", "f").unwrap().content;
    let at = old.windows(3).position(|bytes| bytes == b"\nx\n").unwrap();
    let expected = [&old[..at], &b"\nX\n"[..], &old[at + 3..]].concat();
    assert_eq!(new, expected);
}

#[test]
fn utf_16_stays_utf_16() {
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let old = wide("\u{feff}one\r\nzwei €\r\n\u{1f600}");
    let lines = "*** Begin Patch\n*** Update File: f\n@@\n one\n-zwei €\n+zwei ¥\n*** End Patch";
    let patch = parse(lines).unwrap();
    let Action::Update(change) = &patch.operations[0].action else { panic!("an update") };
    let new = update(&old, change, "f", "f").unwrap().content;
    assert_eq!(new, wide("\u{feff}one\r\nzwei ¥\r\n\u{1f600}\r\n"));
}

#[test]
fn a_mark_is_kept_removed_and_put_in() {
    for (old, diff, new) in [
        ("\u{feff}a\nb\n", " a\n-b\n+c", "\u{feff}a\nc\n"),
        ("\u{feff}a\nb\n", " \u{feff}a\n-b\n+c", "\u{feff}a\nc\n"),
        ("\u{feff}a\nb\n", "-\u{feff}a\n+a", "a\nb\n"),
        ("\u{feff}a\nb\n", "-a\n+\u{feff}A", "\u{feff}A\nb\n"),
        ("a\nb\n", "-a\n+\u{feff}a", "\u{feff}a\nb\n"),
    ] {
        assert_eq!(applied(old, &format!("--- f\n+++ f\n@@\n{diff}\n")), Ok(new.to_owned()), "{diff}");
    }
}

#[test]
fn what_is_not_utf_8_is_not_written_over_with_signs_for_it() {
    let hunks = |old: &str| {
        let patch = parse(&format!("*** Begin Patch\n*** Update File: f\n@@\n{old}\n*** End Patch")).unwrap();
        match patch.operations.into_iter().next().unwrap().action {
            Action::Update(change) => change,
            Action::Add { .. } | Action::Delete { .. } => Update::default(),
        }
    };
    let old = b"caf\xe9\nx\n";
    let change = hunks(" caf\u{fffd}\n-x\n+y");
    assert_eq!(update(old, &change, "f", "f").unwrap().content, b"caf\xe9\ny\n");
    let change = hunks("-caf\u{fffd}\n+caf\u{fffd}s");
    assert!(update(old, &change, "f", "f").is_err());
    let change = hunks("-caf\u{fffd}\n+cafe");
    assert_eq!(update(old, &change, "f", "f").unwrap().content, b"cafe\nx\n");
}
