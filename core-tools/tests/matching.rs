//! Where a text stands in a file: each strategy, what is ambiguous, what is nearest.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use core_tools::{
    edit::{
        Edit, Plan, Problem,
        matching::{Nearest, NotFound, Strategy, find},
    },
    text_file::apply,
};

type Problems = Vec<(usize, Problem)>;

fn replaced(content: &[u8], old: &str, new: &str) -> Result<(Strategy, Vec<u8>), Problems> {
    let plan = Plan::of(content, &[Edit { old, new, all: false }])?;
    Ok((plan.found[0].0, apply(content, &plan.splices)))
}

#[track_caller]
fn check(content: &str, old: &str, new: &str, strategy: Strategy, expected: &str) {
    let (found, bytes) = replaced(content.as_bytes(), old, new).unwrap();
    assert_eq!((found, String::from_utf8(bytes).unwrap().as_str()), (strategy, expected));
}

#[test]
fn exact_text_is_taken_whatever_ends_the_lines() {
    check("a\nb\nc\n", "b", "B", Strategy::Exact, "a\nB\nc\n");
    check("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\n", Strategy::Exact, "x\r\ny\r\nc\r\n");
    check("a\nb\n", "a\r\nb", "x\r\ny", Strategy::Exact, "x\ny\n");
    check("a\rb\rc", "a\nb", "x\ny\nz", Strategy::Exact, "x\ry\rz\rc");
    check("a\r\nb\nc\r\n", "b\nc", "b\nnew\nc", Strategy::Exact, "a\r\nb\nnew\nc\r\n");
    check("one\r\ntwo", "\ntwo", "\n2", Strategy::Exact, "one\r\n2");
    check("one\r\ntwo", "one\n", "", Strategy::Exact, "two");
    check("$&", "$&", "$1$&\\n", Strategy::Exact, "$1$&\\n");
}

#[test]
fn blanks_around_lines_do_not_count_and_the_new_text_is_indented() {
    check(
        "class A:\n    def f(self):\n        return 1\n",
        "def f(self):\n    return 1",
        "def f(self):\n    if x:\n        return 2\n\n    return 1",
        Strategy::LineTrimmed,
        "class A:\n    def f(self):\n        if x:\n            return 2\n\n        return 1\n",
    );
    // Tabs in the file, blanks in the text.
    check(
        "{\n\tif a {\n\t\tb\n\t}\n}\n",
        "    if a {\n        b\n    }",
        "    if a {\n        if c {\n            b\n        }\n    }",
        Strategy::LineTrimmed,
        "{\n\tif a {\n\t\tif c {\n\t\t\tb\n\t\t}\n\t}\n}\n",
    );
    // Blanks in the file, tabs in the text.
    check("{\n  a;\n}\n", "\ta;", "\ta;\n\t\tb;", Strategy::LineTrimmed, "{\n  a;\n    b;\n}\n");
    // Less than the old text: never below the margin.
    check("  a;\n  b;\n", "    a;\n    b;", "c;", Strategy::LineTrimmed, "c;\n");
    // The first line was given without its indentation.
    check(
        "    f(\n        x\n    )\n",
        "f(\n        x\n    )\n",
        "f(\n        y\n    )\n",
        Strategy::Exact,
        "    f(\n        y\n    )\n",
    );
    // No indentation at all: line by line as the file has it.
    check("  f {\n    x\n  }\n", "f {\nx\n}", "f {\ny\n}", Strategy::LineTrimmed, "  f {\n    y\n  }\n");
    // The new text has the right indentation already.
    check("    a\n    b\n", "a \nb", "    a\n    c", Strategy::LineTrimmed, "    a\n    c\n");
}

#[test]
fn whole_lines_end_as_the_file_has_them() {
    check("  a\n  b\nc", " a\n b\n", " x\n", Strategy::LineTrimmed, "  x\nc");
    check("  a\n  b", " a\n b\n", " x\n", Strategy::LineTrimmed, "  x");
    // A line break that only the new text has makes no blank line.
    check("  a\n  b\nc", " a\n b", " x\n", Strategy::LineTrimmed, "  x\nc");
    check("\ta\r\n\tb\r\nc\r\n", "  a\n  b", "  x\n  y", Strategy::LineTrimmed, "\tx\r\n\ty\r\nc\r\n");
}

#[test]
fn typography_does_not_count() {
    check("say \u{201c}hi\u{201d} \u{2014} now\n", "say \"hi\" - now", "x", Strategy::Typographic, "x\n");
    check("a\u{a0}b c\n", "a b", "x", Strategy::Typographic, "x c\n");
    check("cafe\u{301}s\n", "caf\u{e9}", "tea", Strategy::Typographic, "teas\n");
    check("caf\u{e9}s\n", "cafe\u{301}", "tea", Strategy::Typographic, "teas\n");
    check("x \u{fb01}n y\n", "x fin", "z", Strategy::Typographic, "z y\n");
    check("one  \ntwo three\n", "one\ntwo", "1\n2", Strategy::Typographic, "1\n2 three\n");
    check("\u{1112}\u{1161}\u{11ab} x\n", "\u{d55c} x", "y", Strategy::Typographic, "y\n");
    // Half a ligature, or a letter without its accent, is nothing that could be replaced.
    assert!(matches!(find("\u{fb01}x \u{201c}".as_bytes(), "ix \""), Err(NotFound::Absent)));
    // What is not touched keeps its form, and bytes that are no text theirs.
    let (_, bytes) = replaced(b"\xff \xe2\x80\x9ca\xe2\x80\x9d \xfe\xe2\x80\x93\n", "\"a\"", "b").unwrap();
    assert_eq!(bytes, b"\xff b \xfe\xe2\x80\x93\n");
}

#[test]
fn blocks_are_known_by_their_ends() {
    let file = "fn f() {\n    let a = 1;\n    let b = 2;\n    a + b\n}\n";
    let old = "fn f() {\n    let a = 1;\n    let b = 3;\n    a + b\n}";
    check(file, old, "fn f() {\n    0\n}", Strategy::BlockAnchor, "fn f() {\n    0\n}\n");
    // Several blocks: one that is far more alike is meant, two that are about as alike are not told apart.
    let two = "if {\n  alpha one\n}\nif {\n  alpha xne\n  more\n}\n";
    assert!(matches!(
        replaced(two.as_bytes(), "if {\n  alpha ine\n}", "x").unwrap_err()[..],
        [(0, Problem::Ambiguous { strategy: Strategy::BlockAnchor, count: 2, .. })]
    ));
    let one = "if {\n  alpha one\n}\nif {\n  alp--- one\n}\n";
    check(one, "if {\n  alpha onE\n}", "x", Strategy::BlockAnchor, "x\nif {\n  alp--- one\n}\n");
    check(
        "  begin\n    keep one\n    keep two\n    zzzzzzzzzz\n    yyyyyyyyyy\n  end\n",
        "begin\n  keep one\n  keep two\n  111\n  222\nend",
        "begin\n  keep\nend",
        Strategy::ContextAware,
        "  begin\n    keep\n  end\n",
    );
}

#[test]
fn words_count_where_blanks_do_not() {
    check("  x(a,   b)\n", "x(a, b)", "y()", Strategy::WhitespaceNormalised, "  y()\n");
    check("let  a = f( x );\n", " a  = f( x ", " b  = g( x ", Strategy::WhitespaceNormalised, "let  b  = g( x );\n");
    check(
        "  if  a\n    then   b\nz\n",
        "if a\n  then b\n",
        "if c\n  then d\n",
        Strategy::WhitespaceNormalised,
        "  if c\n    then d\nz\n",
    );
}

#[test]
fn escapes_are_undone_to_find_and_never_to_replace() {
    check("a\tb\nc\n", "a\\tb\\nc", "x\\ny", Strategy::EscapeNormalised, "x\\ny\n");
    check("say(\\\"hi\\\")\nq\n", "say(\"hi\")", "said", Strategy::EscapeNormalised, "said\nq\n");
}

#[test]
fn blanks_around_the_whole_text_do_not_count() {
    check("x foo\nbar y\n", "\n foo\nbar \n", "\n FOO\nBAR \n", Strategy::TrimmedBoundary, "x FOO\nBAR y\n");
}

#[test]
fn what_is_ambiguous_is_never_settled() {
    // opencode changes the second.
    let problems = replaced(b"foo();\n  foo();\n", "foo();", "bar();").unwrap_err();
    let [(0, Problem::Ambiguous { strategy: Strategy::Exact, count: 2, lines })] = &problems[..] else {
        panic!("{problems:?}")
    };
    assert_eq!(lines, &[1, 2]);
    // Two that overlap are two as well: nobody has said which.
    assert_eq!(find(b"aaa", "aa").unwrap().places, [0..2, 1..3]);
    assert_eq!(find(b"aaaa", "aa").unwrap().places, [0..2, 2..4]);
    let apart = find(b"aaa", "aa").unwrap().apart();
    assert_eq!((apart.len(), &apart[0]), (1, &(0..2)));
    // Two lax places, of which a later strategy would take one.
    let lax = replaced(b"  a\n    b\nx\n  a\n  b\n", "a \n  b", "c").unwrap_err();
    assert!(matches!(lax[..], [(0, Problem::Ambiguous { strategy: Strategy::LineTrimmed, count: 2, .. })]));
    // Equal but for line endings.
    let mixed = replaced(b"a\r\nb\na\nb\n", "a\nb", "c").unwrap_err();
    assert!(matches!(mixed[..], [(0, Problem::Ambiguous { strategy: Strategy::Exact, count: 2, .. })]));
}

#[test]
fn a_much_larger_place_is_refused() {
    let long = format!("begin\n  x{}\n  same\nend\n", "y".repeat(3_000));
    let error = find(long.as_bytes(), "begin\n  z\n  same\nend").unwrap_err();
    assert!(matches!(error, NotFound::TooLarge { strategy: Strategy::ContextAware, .. }), "{error:?}");
    assert_eq!(find(b"a", ""), Err(NotFound::Empty));
    assert_eq!(find(b"", "a"), Err(NotFound::Absent));
    assert_eq!(find(b"a\n\nb", " "), Err(NotFound::Absent));
}

#[test]
fn the_nearest_place_says_what_differs() {
    let file = b"fn a() {}\n\nfn sum(one: u32, two: u32) -> u32 {\n    one + two\n}\n\nfn b() {}\n";
    let nearest = Nearest::of(file, "fn sum(one: u32, two: u32) -> u32 {\n    one.plus(two)\n}").unwrap();
    assert_eq!((nearest.lines.clone(), nearest.equal, nearest.of), (3..6, 2, 3));
    let text = nearest.to_string();
    assert!(text.contains("lines 3-5, where 2 of its 3 lines are"), "{text}");
    assert!(text.contains("\n-     one.plus(two)\n+ line 4:     one + two"), "{text}");
    // No line is equal.
    let nearest = Nearest::of(file, "fn summe(one: u32, two: u32) -> u64 {").unwrap();
    assert_eq!(nearest.lines, 3..4);
    // A file of one long line.
    let minified = format!("{}function go(a){{return a+1}}{}", "x();".repeat(9_000), "y();".repeat(9_000));
    let text = Nearest::of(minified.as_bytes(), "function go(a){return a+2}").unwrap().to_string();
    assert!(text.contains("+ line 1: …function go(a){return a+1}"), "{text}");
    assert!(text.len() < 2_000);
    assert_eq!(Nearest::of(file, "\u{4e00}\u{4e01}\u{4e02}"), None);
}

/// Inputs that make a careless search quadratic. What each comes to is right as well; that they come to an end is the
/// point.
#[test]
fn hostile_texts_take_linear_time() {
    let lines = |line: &str, count: usize| format!("{line}\n").repeat(count);
    let many = lines("a", 16_000);
    for old in [
        format!("{}b\n", lines("a", 8_000)),
        format!("{}b", lines(" a", 8_000)),
        format!("a\n{}a\n", lines("b", 8_000)),
        format!("a\n{}b\na\n", lines("a", 8_000)),
        format!("{}b", "a ".repeat(8_000)),
        "a".repeat(30_000),
        format!("\\n{}", "a\\n".repeat(8_000)) + "b",
    ] {
        assert!(find(many.as_bytes(), &old).is_err());
        let _ = Nearest::of(many.as_bytes(), &old);
        let crlf = many.replace('\n', "\r\n");
        assert!(find(crlf.as_bytes(), &old).is_err());
    }
    let spaced = "a ".repeat(20_000);
    assert!(find(spaced.as_bytes(), &format!("{}b", "a  ".repeat(30_000))).is_err());
    assert!(find("a".repeat(30_000).as_bytes(), &("a".repeat(15_000) + "b")).is_err());
    let wide = "\u{ff21}\u{301}".repeat(20_000);
    assert!(find(wide.as_bytes(), &("A\u{301}".repeat(10_000) + "b")).is_err());
}

#[test]
fn replacing_every_character_needs_few_splices() {
    let content = "ab".repeat(50_000);
    let plan = Plan::of(content.as_bytes(), &[Edit { old: "a", new: "x", all: true }]).unwrap();
    assert_eq!((plan.found[0], plan.splices.len()), ((Strategy::Exact, 50_000), 1));
    assert_eq!(apply(content.as_bytes(), &plan.splices), "xb".repeat(50_000).as_bytes());
}
