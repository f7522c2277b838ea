//! What is read in the text of a patch, and what is wrong with one.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use core_tools::apply_patch::{
    parse::parse,
    patch::{Action, Hunk, LineEnding, LineKind, Operation},
};

/// A patch in few letters: `U path > to [header|header @12 -old +new  same $]`.
fn read(text: &str) -> String {
    match parse(text) {
        Ok(patch) => patch.operations.iter().map(operation).collect::<Vec<_>>().join("; "),
        Err(problem) => format!("! {problem}"),
    }
}

fn operation(operation: &Operation) -> String {
    let path = operation.path.readings().collect::<Vec<_>>().join("|");
    match &operation.action {
        Action::Add { content, executable, .. } => {
            format!("A {path} {content:?}{}", if *executable == Some(true) { " run" } else { "" })
        }
        Action::Delete { hunks } => format!("D {path}{}", hunks.iter().map(hunk).collect::<String>()),
        Action::Update(update) => {
            let to = update.to.as_ref().map(|to| format!(" > {}", to.first())).unwrap_or_default();
            let letter = if update.copies { 'C' } else { 'U' };
            format!("{letter} {path}{to}{}", update.hunks.iter().map(hunk).collect::<String>())
        }
    }
}

fn hunk(hunk: &Hunk) -> String {
    let mut text = format!(" [{}", hunk.headers.join("|"));
    if let Some(hint) = hunk.hint {
        text += &format!("@{},{}", hint.start, hint.count);
    }
    for line in &hunk.lines {
        let mark = match line.kind {
            LineKind::Context => ' ',
            LineKind::Removed => '-',
            LineKind::Added => '+',
        };
        let ending = match line.ending {
            LineEnding::Unsaid => "",
            LineEnding::Lf => "\\n",
            LineEnding::CrLf => "\\r\\n",
            LineEnding::Nothing => "\\0",
        };
        text += &format!("({mark}{}{ending})", line.text);
    }
    text + if hunk.at_end { "$]" } else { "]" }
}

#[test]
fn sections_of_codex() {
    for (sections, expected) in [
        ("*** Add File: a b\n+x\n+\n++y", r#"A a b "x\n\n+y\n""#),
        ("*** Add File: a\n\n*** Delete File: b\n\n\n*** Add File: c\n+x\n\n", r#"A a ""; D b; A c "x\n""#),
        ("*** Add File: a\n+x\n\n+y\n", r#"A a "x\n\ny\n""#),
        ("  *** Delete File: a  ", "D a"),
        ("*** Environment ID: x\n*** Delete File: a", "D a"),
        ("*** Update File: a\n-x\n+y", "U a [(-x)(+y)]"),
        ("*** Update File: a\n@@\n-x\n\n+y\n@@ def f\n z", "U a [(-x)( )(+y)] [def f( z)]"),
        ("*** Update File: a\n@@ class A\n@@ def f\n x\n@@\n@@ g\n+y", "U a [class A|def f( x)] [g(+y)]"),
        ("*** Update File: a\n@@ -3,2 +3,2 @@ fn x()\n-x\n+y", "U a [@3,2(-x)(+y)]"),
        ("*** Update File: a\n@@ fn x()\n@@ -3 +3 @@\n-x", "U a [fn x()@3,1(-x)]"),
        ("*** Update File: a\n@@\n-x\n*** End of File\n\n@@\n y", "U a [(-x)$] [( y)]"),
        ("*** Update File: a\n*** Move to: b", "U a > b"),
        ("*** Update File: a\n*** Move to: b\n@@\n x\n\n*** Delete File: c", "U a > b [( x)( )]; D c"),
        ("*** Update File: a\n*** Move to: b\n\n*** Delete File: c", "U a > b; D c"),
        ("*** Update File: a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y", "U a [@1,1(-x)(+y)]"),
        ("*** Update File: a\n@@\n *** Update File: b\n+*** End Patch", "U a [( *** Update File: b)(+*** End Patch)]"),
        ("*** Update File: a\n@@\n-x\n+y\n\\ No newline at end of file", "U a [(-x)(+y\\0)]"),
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y", "U f|b/f|a/f [@1,1(-x)(+y)]"),
    ] {
        assert_eq!(read(&format!("*** Begin Patch\n{sections}\n*** End Patch")), expected, "{sections}");
        let windows = format!("*** Begin Patch\n{sections}\n*** End Patch\n").replace('\n', "\r\n");
        assert_eq!(read(&windows), expected, "{windows}");
    }
    assert_eq!(read("\n *** Begin Patch ***\n*** Delete File: a\n*** End Patch ***\n\n"), "D a");
}

#[test]
fn what_is_wrong_in_codex_sections() {
    for (sections, expected) in [
        ("", "patch rejected: empty patch"),
        (
            "*** Frobnicate File: a",
            "on line 2: '*** Frobnicate File: a' is not a valid hunk header. Valid hunk headers:",
        ),
        ("*** Add File:", "on line 2: '*** Add File:' is not a valid hunk header"),
        ("*** Add File: a\nx", "on line 3: 'x' is not a valid hunk header"),
        ("*** Delete File: a\n+x", "on line 3: '+x' is not a valid hunk header"),
        ("*** Update File: a", "on line 2: Update file hunk for path 'a' is empty"),
        ("*** Update File: a\n@@", "Update hunk does not contain any lines"),
        ("*** Update File: a\n@@\n*** End of File", "Update hunk does not contain any lines"),
        ("*** Update File: a\n@@\nx", "Unexpected line found in update hunk: 'x'. Every line should start with ' '"),
        ("*** Update File: a\n@@\n x\ny", "Expected update hunk to start with a @@ context marker, got: 'y'"),
        ("*** Update File: a\n@@text\n x", "Unexpected line found in update hunk: '@@text'"),
        ("*** Update File: a\n@@\n x\n*** End of File\n y", "Expected update hunk to start with a @@ context marker"),
        ("*** Update File: a\n@@ -1,x +1 @@\n x", "'-1,x +1 @@' is not a range"),
        ("*** Environment ID:  \n*** Delete File: a", "environment_id cannot be empty"),
        ("*** Environment ID: a\n*** Environment ID: b", "cannot be specified more than once"),
        ("*** Delete File: a\n*** End Patch\n*** Begin Patch", "The last line of the patch must be '*** End Patch'"),
    ] {
        let found = read(&format!("*** Begin Patch\n{sections}\n*** End Patch"));
        assert!(found.starts_with("! ") && found.contains(expected), "{sections}\n{found}");
    }
    for (text, expected) in [
        ("", "input (patchText) is required"),
        (" \n", "is empty"),
        ("hello", "The first line of the patch must be '*** Begin Patch'"),
        ("*** Begin Patch", "The last line of the patch must be '*** End Patch'"),
        ("*** Begin Patch\n*** Delete File: a\n*** End Patch\nDone.", "and it is 'Done.'"),
        ("*** Delete File: a\n*** End Patch", "The first line of the patch must be '*** Begin Patch'"),
    ] {
        let found = read(text);
        assert!(found.starts_with("! ") && found.contains(expected), "{text}\n{found}");
    }
}

#[test]
fn diffs() {
    let body = "@@ -1,2 +1,2 @@\n x\n-a\n+b\n";
    let hunk = "[@1,2( x)(-a)(+b)]";
    for (diff, expected) in [
        (format!("--- a/f\n+++ b/f\n{body}"), format!("U f|b/f|a/f {hunk}")),
        (format!("--- f.orig\t2024-01-01 00:00\n+++ f\t2024-01-01 00:00\n{body}"), format!("U f|f.orig {hunk}")),
        (format!("--- one/f\n+++ two/f\n{body}"), format!("U two/f|one/f|f {hunk}")),
        (format!("--- a/f\n+++ b/g\n{body}"), format!("U f > g {hunk}")),
        (format!("--- f\n+++ f\n{body}\n\n{body}"), format!("U f {hunk} {hunk}")),
        (
            format!("Some words.\n\n--- f\n+++ f\n{body}-- \n2.40\n\nMore.\n--- g\n+++ g\n{body}"),
            format!("U f {hunk}; U g {hunk}"),
        ),
        (
            format!("diff -ru a/f b/f\n--- a/f\n+++ b/f\n{body}diff -ru a/g b/g\n--- a/g\n+++ b/g\n{body}"),
            format!("U f|b/f|a/f {hunk}; U g|b/g|a/g {hunk}"),
        ),
        (
            "--- f\n+++ f\n@@ -9,9 +9,9 @@\n x\n-a\n+b\n\n@@ -20 +20 @@ fn\n-c\n+d\n".to_owned(),
            "U f [@9,2( x)(-a)(+b)] [@20,1(-c)(+d)]".to_owned(),
        ),
        (
            "--- f\n+++ f\n@@\n x\n-a\n+b\n@@ class A\n@@ def f\n-c\n".to_owned(),
            "U f [( x)(-a)(+b)] [class A|def f(-c)]".to_owned(),
        ),
        // A line of dashes that goes, and one of pluses that comes.
        ("--- f\n+++ f\n@@ -1,2 +1,2 @@\n x\n--- a\n+++ b\n".to_owned(), "U f [@1,2( x)(--- a)(+++ b)]".to_owned()),
        (
            "--- f\n+++ f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
                .to_owned(),
            "U f [@1,1(-a\\0)(+b\\0)$]".to_owned(),
        ),
        (
            "--- f\n+++ f\n@@ -1,2 +1,2 @@\n x\r\n-a\r\n+b\n".to_owned(),
            "U f [@1,2( x\\r\\n)(-a\\r\\n)(+b\\n)]".to_owned(),
        ),
        (format!("--- f\n+++ f\n{body}").replace('\n', "\r\n"), format!("U f {hunk}")),
        ("--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline\n".to_owned(), "A f|b/f \"x\\ny\"".to_owned()),
        (
            "--- f\t1970-01-01 00:00:00 +0000\n+++ f\t2024-01-01\n@@ -0,0 +1 @@\n+x\n".to_owned(),
            "A f \"x\\n\"".to_owned(),
        ),
        ("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n".to_owned(), "D f|a/f [@1,1(-x)]".to_owned()),
        (
            "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nnew file mode 100755\n".to_owned(),
            "A ä|b/ä \"\" run".to_owned(),
        ),
        ("diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n".to_owned(), "C x > y".to_owned()),
        ("diff --git x y\nrename from x\nrename to y\n".to_owned(), "U x > y".to_owned()),
        ("diff --git a/x b/x\ndeleted file mode 100644\n".to_owned(), "D x|a/x".to_owned()),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n".to_owned(), "U x|b/x|a/x".to_owned()),
    ] {
        assert_eq!(read(&diff), expected, "{diff}");
    }
    for (diff, expected) in [
        ("--- f\n+++ f\n", "Update file hunk for path 'f' is empty"),
        ("--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\nwords\n", "Unexpected line found in update hunk: 'words'"),
        ("--- f\n+++ f\n@@ -1,3 +1,3 @@\n-a\nb\n", "Unexpected line found in update hunk: 'b'"),
        ("--- f\n+++ f\n@@ -1 +1 @@\n", "Update hunk does not contain any lines"),
        ("--- f\n+++ f\n@@ -1,3 +1,4 @@\n+a\n", "said to replace 3 lines"),
        ("--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n--- g\n", "'--- g' is followed by no '+++' line"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "both sides are /dev/null"),
        ("--- /dev/null\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", "shows lines that are there already"),
        ("--- f\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "deletes the file, and adds lines"),
        ("diff --git a/f b/f\nindex 1..2\n", "is empty"),
        ("diff --git a/f b/f\nGIT binary patch\nliteral 0\n", "binary patches"),
        ("diff --git a/f b/f\nold mode 100644\nnew mode 160000\n", "mode 160000"),
        ("@@ -1 +1 @@\n-a\n+b\n--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", "no file was named before it"),
    ] {
        let found = read(diff);
        assert!(found.starts_with("! ") && found.contains(expected), "{diff}\n{found}");
    }
}
