//! What a lax edit leaves as it is, and what it says where it cannot be made.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use core_tools::{
    edit::{
        Edit, Likeness, Plan, Problem,
        matching::{GaveUp, Nearest, Strategy},
    },
    text_file::{TextFile, apply},
};
use proptest::{
    collection::vec,
    prelude::{ProptestConfig, prop_assert_eq, proptest},
    sample::select,
};

fn one<'a>(old: &'a str, new: &'a str) -> [Edit<'a>; 1] {
    [Edit { old, new, all: false }]
}

#[track_caller]
fn check(content: impl AsRef<[u8]>, old: &str, new: &str, strategy: Strategy, expected: impl AsRef<[u8]>) {
    let content = content.as_ref();
    let plan = Plan::of(content, &one(old, new)).unwrap();
    let shown = |bytes: &[u8]| bytes.escape_ascii().to_string();
    let after = apply(content, &plan.splices);
    assert_eq!((plan.found[0].0, shown(&after)), (strategy, shown(expected.as_ref())));
}

#[test]
fn lines_that_both_texts_have_stay_as_the_file_has_them() {
    // Blanks at the ends, endings and tabs of lines that the edit does not change.
    check("a  \r\nb\t\nc \r\nd\n", "a\nb\nc", "a\nB\nc", Strategy::LineTrimmed, "a  \r\nB\nc \r\nd\n");
    check(
        "\tif x:\n        y \n\tz\n",
        "if x:\n    y\nz",
        "if x:\n    y\nw",
        Strategy::LineTrimmed,
        "\tif x:\n        y \n\tw\n",
    );
    check("“a” — b\nc’s\nd\n", "\"a\" - b\nc's\nd", "\"a\" - b\nc's\nD", Strategy::Typographic, "“a” — b\nc’s\nD\n");
    // A block whose lines between are only alike: they are not what the edit is about.
    let file = "fn f() {\n    let first = 1;\n    let second = two();\n    first\n}\n";
    let old = "fn f() {\n    let first = 1;\n    let second = tow();\n    first\n}";
    let new = "fn f() {\n    let first = 7;\n    let second = tow();\n    first\n}";
    check(file, old, new, Strategy::BlockAnchor, file.replace("first = 1", "first = 7"));
    // One that has a line that the old text knows nothing of.
    let file = "fn f() {\n    one();\n    two();\n    three();\n    // kept\n    four();\n}\n";
    let old = file.replace("    // kept\n", "");
    let new = old.replace("three", "3").replace("four", "4");
    let expected = file.replace("three", "3").replace("four", "4");
    check(file, &old, &new, Strategy::BlockAnchor, expected);
    check(
        "a  b\n c   d\ne\n",
        "a b\nc d\ne",
        "a b\nnew\nc d\nE",
        Strategy::WhitespaceNormalised,
        "a  b\n new\n c   d\nE\n",
    );
}

#[test]
fn lines_come_and_go_at_every_end() {
    for (new, expected) in [
        ("x\na\nb\nc", "  x\n  a \n  b\n  c\nd\n"),
        ("a\nb\nc\nx", "  a \n  b\n  c\n  x\nd\n"),
        ("b\nc", "  b\n  c\nd\n"),
        ("a\nb", "  a \n  b\nd\n"),
        ("a\nc", "  a \n  c\nd\n"),
        ("c", "  c\nd\n"),
    ] {
        check("  a \n  b\n  c\nd\n", "a\nb\nc", new, Strategy::LineTrimmed, expected);
    }
    // The first line begins behind what is not replaced.
    check("x foo\nbar y\n", "\n foo\nbar \n", "\n NEW\nfoo\nbar \n", Strategy::TrimmedBoundary, "x NEW\nfoo\nbar y\n");
    // Words that stand in other lines than they were given in are never lost.
    check("a\nb  c\n", "a b\nc", "a b\nd", Strategy::WhitespaceNormalised, "a b\nd\n");
}

#[test]
fn bytes_that_are_no_utf8_are_found_as_they_are_shown_and_kept() {
    check(b"caf\xe9\nb\nc\n", "caf\u{fffd}\nb", "caf\u{fffd}\nB", Strategy::Typographic, b"caf\xe9\nB\nc\n");
    check(b"caf\xe9 x\n", "caf\u{fffd} x", "tea", Strategy::Typographic, b"tea\n");
    // To write U+FFFD in their place would lose them.
    let problems = Plan::of(b"a\ncaf\xe9 x\n", &one("caf\u{fffd} x", "caf\u{fffd} y")).unwrap_err();
    assert_eq!(problems, [(0, Problem::NotUtf8 { line: 2 })]);
    // Two lines that differ do not look the same in an error.
    let text = Nearest::of(b"one\ncaf\xe9 au lait\ntwo\n", "one\ncaf\u{fffd} au lit\ntwo").unwrap().to_string();
    assert!(text.contains("- caf\u{fffd} au lit\n+ line 2: caf\\xE9 au lait"), "{text}");
    assert!(text.contains("not UTF-8"), "{text}");
}

#[test]
fn a_byte_order_mark_is_never_doubled() {
    for (old, new, expected) in [
        ("a", "\u{feff}b", "\u{feff}b\n"),
        ("\u{feff}a", "\u{feff}b", "\u{feff}b\n"),
        ("\u{feff}a", "b", "\u{feff}b\n"),
        ("a", "b", "\u{feff}b\n"),
    ] {
        let file = TextFile::decode("\u{feff}a\n".into()).unwrap();
        let plan = Plan::of_file(&file, &one(old, new)).unwrap();
        let stored = file.encode(apply(file.bytes(), &plan.splices));
        assert_eq!(String::from_utf8(stored).unwrap(), expected, "{old:?} to {new:?}");
    }
    let file = TextFile::decode("\u{feff}a\n".into()).unwrap();
    assert_eq!(Plan::of_file(&file, &one("a", "\u{feff}a")).unwrap_err(), [(0, Problem::Unchanged)]);
    // Elsewhere it is a character like any other.
    let file = TextFile::decode("\u{feff}x\u{feff}a\n".into()).unwrap();
    let plan = Plan::of_file(&file, &one("\u{feff}a", "\u{feff}b")).unwrap();
    assert_eq!(apply(file.bytes(), &plan.splices), "x\u{feff}b\n".as_bytes());
}

#[test]
fn what_was_not_looked_at_is_said() {
    let long = "line\n".repeat(4_000_000);
    let problems = Plan::of(long.as_bytes(), &one(" line \n line2", "x")).unwrap_err();
    let gave_up = Some(GaveUp::Length);
    assert_eq!(problems, [(0, Problem::Absent { likeness: Likeness::NotSought, gave_up })]);
    let plan = Plan::of((long + "last").as_bytes(), &one("last", "x")).unwrap();
    assert_eq!(plan.found, [(Strategy::Exact, 1)]);
    // Blocks without end, of lines that are long and never alike enough.
    let between = "x".repeat(900);
    let many = format!("{{\n{between}\n}}\n").repeat(3_000);
    let problems = Plan::of(many.as_bytes(), &one(&format!("{{\n{}\n}}", "y".repeat(900)), "x")).unwrap_err();
    let [(0, Problem::Absent { gave_up, .. })] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!(*gave_up, Some(GaveUp::Budget));
    assert!(GaveUp::Budget.to_string().contains("passed over") && GaveUp::Length.to_string().contains("16 MiB"));
}

/// Many places, and texts that have nothing in common: at each they are replaced whole.
#[test]
fn many_large_places_are_replaced_whole() {
    let lines = |name: &str, blank: &str| (0..1_000).map(|line| format!("{name}{line}{blank}\n")).collect::<String>();
    let content = lines("a", " ").repeat(200);
    let plan = Plan::of(content.as_bytes(), &[Edit { old: &lines("a", ""), new: &lines("b", ""), all: true }]).unwrap();
    assert_eq!(plan.found, [(Strategy::LineTrimmed, 200)]);
    assert_eq!(apply(content.as_bytes(), &plan.splices), lines("b", "").repeat(200).as_bytes());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each line of the file is the old text's, with something that a lax strategy does not look at; of each the new text
    /// keeps it, drops it, or has another in its place.
    #[test]
    fn only_lines_that_differ_are_replaced(
        lines in vec((select(vec!["a", "b", "c"]), select(vec!["", " ", "\t", "\u{a0}"]), select(vec!["keep", "drop", "change"])), 1..12),
        ended: bool,
    ) {
        let head = "first line\n";
        let (mut file, mut old, mut new, mut expected) = (head.to_owned(), String::new(), String::new(), head.to_owned());
        for (number, (text, blanks, fate)) in lines.iter().enumerate() {
            let line = format!("{text}{number}");
            file.push_str(&format!("{line}{blanks}\n"));
            old.push_str(&format!("{line}\n"));
            match *fate {
                "keep" => {
                    new.push_str(&format!("{line}\n"));
                    expected.push_str(&format!("{line}{blanks}\n"));
                }
                "change" => {
                    new.push_str(&format!("Z{number}\n"));
                    expected.push_str(&format!("Z{number}\n"));
                }
                _ => {}
            }
        }
        if ended {
            file.push_str("end\n");
            expected.push_str("end\n");
        }
        let same = lines.iter().all(|(_, _, fate)| *fate == "keep");
        match Plan::of(file.as_bytes(), &one(&old, &new)) {
            Ok(plan) => {
                let after = String::from_utf8(apply(file.as_bytes(), &plan.splices)).unwrap();
                prop_assert_eq!(after, expected, "{:?}", plan.found);
            }
            Err(problems) => prop_assert_eq!((problems, same), (vec![(0, Problem::Unchanged)], true)),
        }
    }
}
