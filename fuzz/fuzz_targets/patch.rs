//! Patches: any text is read or refused, and what is applied changes nothing but what the hunks show.
#![no_main]

use arbitrary::Arbitrary;
use core_tools::{
    apply_patch::{
        parse::parse,
        patch::{Action, LineKind},
        update::update,
    },
    text_file::Lines,
};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    /// The text itself, or lines of a hunk that are put into a patch.
    text: &'a str,
    whole: bool,
    file: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let text = match case.whole {
        true => case.text.to_owned(),
        false => format!("*** Begin Patch\n*** Update File: f\n@@\n{}\n*** End Patch", case.text),
    };
    let Ok(patch) = parse(&text) else { return };
    assert!(!patch.operations.is_empty());
    for operation in &patch.operations {
        assert!(!operation.path.first().is_empty());
        let Action::Update(change) = &operation.action else { continue };
        let Ok(updated) = update(case.file, change, "f", "f") else { continue };
        assert_eq!(updated.located.len(), change.hunks.len());
        let lines =
            |kind| change.hunks.iter().flat_map(|hunk| &hunk.lines).filter(move |line| line.kind == kind).count();
        // UTF-16 has other line breaks, and a file of lone CR gets more of these.
        if !case.file.starts_with(b"\xff\xfe") && !case.file.starts_with(b"\xfe\xff") && !case.file.contains(&b'\r') {
            let (old, new) = (Lines::of_lf(case.file).len(), Lines::of_lf(&updated.content).len());
            assert!(new <= old + lines(LineKind::Added) + 1, "{old} {new}");
        }
        if lines(LineKind::Added) + lines(LineKind::Removed) == 0 && !change.closes_last_line {
            assert_eq!(updated.content, case.file);
        }
        assert!(updated.diff.additions <= lines(LineKind::Added) + 1);
        assert!(updated.diff.deletions <= lines(LineKind::Removed) + 1);
    }
});
