//! Output cut to size: whole lines, whole characters, within the limits, the whole on disk.

use std::{fs, time::SystemTime};

use proptest::prelude::*;
use tool_core::{
    ToolOutput,
    truncate::{Keep, Limits, RETENTION, SpillStore, cut, fit},
};

fn limits(lines: usize, bytes: usize, keep: Keep) -> Limits {
    Limits { lines, bytes, keep }
}

/// Texts with long and short lines, characters of every width, and odd line ends.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof!["[a-z]{0,12}", "[äöü€😀\\r\\t ]{0,12}", Just(String::new()), "[a-z😀]{40,120}",];
    (proptest::collection::vec(line, 0..40), any::<bool>())
        .prop_map(|(lines, ends)| lines.join("\n") + if ends { "\n" } else { "" })
}

fn keep() -> impl Strategy<Value = Keep> {
    prop_oneof![Just(Keep::Head), Just(Keep::Tail), Just(Keep::Middle)]
}

proptest! {
    #[test]
    fn what_fits_is_untouched(text in text(), keep in keep()) {
        let limits = limits(text.lines().count(), text.len(), keep);
        prop_assert!(cut(&text, limits).is_none());
        let bounded = fit(ToolOutput::text(text.clone()), limits, None);
        prop_assert_eq!(bounded.output(), text);
        prop_assert!(!bounded.truncated());
    }

    #[test]
    fn what_is_kept_is_within_the_limits(text in text(), lines in 1_usize..30, bytes in 1_usize..300, keep in keep()) {
        let limits = limits(lines, bytes, keep);
        match cut(&text, limits) {
            None => prop_assert!(text.len() <= bytes && text.lines().count() <= lines),
            Some(cut) => {
                prop_assert!(cut.kept() <= bytes, "{} of {bytes}", cut.kept());
                prop_assert!(cut.head.lines().count() + cut.tail.lines().count() <= lines);
                prop_assert!(cut.kept() < text.len());
                prop_assert!(text.starts_with(cut.head));
                prop_assert!(text.ends_with(cut.tail));
                prop_assert!(cut.head.len() + cut.tail.len() <= text.len());
            }
        }
    }

    #[test]
    fn lines_are_whole_unless_one_alone_is_too_long(
        text in text(), lines in 1_usize..30, bytes in 1_usize..300, keep in keep(),
    ) {
        let Some(cut) = cut(&text, limits(lines, bytes, keep)) else { return Ok(()) };
        let share = if keep == Keep::Middle { bytes / 2 } else { bytes };
        if !cut.head.is_empty() {
            let whole = text[cut.head.len()..].starts_with('\n');
            let last = text.split('\n').nth(cut.head.matches('\n').count()).unwrap_or_default();
            prop_assert!(whole || last.len() > share, "{:?}", cut.head);
        }
        if !cut.tail.is_empty() {
            let start = text.len() - cut.tail.len();
            let whole = start == 0 || text[..start].ends_with('\n');
            let lines = cut.tail.split_inclusive('\n').count();
            let first = text.split_inclusive('\n').rev().nth(lines - 1).unwrap_or_default();
            prop_assert!(whole || first.len() > share, "{:?}", cut.tail);
        }
    }

    #[test]
    fn as_much_is_kept_as_fits(text in text(), lines in 1_usize..30, bytes in 1_usize..300) {
        let Some(cut) = cut(&text, limits(lines, bytes, Keep::Head)) else { return Ok(()) };
        let kept = cut.head.split('\n').count();
        let next = text[cut.head.len()..].strip_prefix('\n').and_then(|rest| rest.split('\n').next());
        if let (Some(next), false) = (next, cut.head.is_empty()) {
            prop_assert!(kept >= lines || cut.head.len() + 1 + next.len() > bytes);
        }
    }

    #[test]
    fn the_whole_is_on_disk(text in text(), keep in keep()) {
        let directory = tempfile::tempdir().unwrap();
        let store = SpillStore::new(directory.path());
        let bounded = fit(ToolOutput::text(text.clone()), limits(3, 60, keep), Some(&store));
        prop_assert_eq!(bounded.truncated(), bounded.output_path().is_some());
        if let Some(path) = bounded.output_path() {
            prop_assert_eq!(fs::read_to_string(path).unwrap(), text);
            let hint = format!("Full output saved to: {}\n", path.display());
            prop_assert!(bounded.output().contains(&hint));
            let metadata = bounded.metadata();
            prop_assert_eq!(metadata["outputPath"].as_str(), path.to_str());
        }
    }
}

#[test]
fn the_defaults_are_2000_lines_and_50_kib() {
    let lines = |n: usize| "x\n".repeat(n);
    assert!(cut(&lines(2_000), Limits::default()).is_none());
    assert_eq!(cut(&lines(2_001), Limits::default()).unwrap().head.lines().count(), 2_000);
    assert!(cut(&"x".repeat(51_200), Limits::default()).is_none());
    assert_eq!(cut(&"x".repeat(51_201), Limits::default()).unwrap().head.len(), 51_200);
}

#[test]
fn what_was_removed_is_told_in_the_unit_that_ran_out() {
    let directory = tempfile::tempdir().unwrap();
    let store = SpillStore::new(directory.path());
    let of = |text: &str, limits| fit(ToolOutput::text(text), limits, Some(&store)).output().to_owned();
    assert!(of("a\nb\nc\nd\n", limits(1, 100, Keep::Head)).starts_with("a\n\n...3 lines truncated...\n\n"));
    assert!(of("a\nb\nc\nd", limits(1, 100, Keep::Tail)).ends_with("\n\nd"));
    assert!(of("aaaa\nbbbb", limits(9, 6, Keep::Head)).starts_with("aaaa\n\n...5 bytes truncated...\n\n"));
    let middle = of("a\nb\nc\nd\n", limits(2, 100, Keep::Middle));
    assert!(middle.starts_with("a\n\n...2 lines truncated...\n\n") && middle.ends_with("\n\nd\n"), "{middle}");
}

#[test]
fn a_line_that_is_too_long_is_shown_in_part() {
    let text = "é".repeat(100);
    assert_eq!(cut(&text, limits(10, 11, Keep::Head)).unwrap().head, "é".repeat(5));
    assert_eq!(cut(&text, limits(10, 11, Keep::Tail)).unwrap().tail, "é".repeat(5));
    let with_break = format!("{text}\n");
    assert_eq!(cut(&with_break, limits(10, 11, Keep::Tail)).unwrap().tail, format!("{}\n", "é".repeat(5)));
}

#[test]
fn a_line_that_is_too_long_is_shown_wherever_it_stands() {
    let long = "x".repeat(1_000);
    let kept = |text: String, keep| cut(&text, limits(10, 100, keep)).unwrap().kept();
    assert_eq!(kept(format!("Output:\n{long}"), Keep::Head), 100);
    assert_eq!(kept(format!("\n{long}"), Keep::Head), 100);
    // The limit falls on the break before it: the empty line there is shown too.
    assert_eq!(kept(format!("\n{}\n\n{long}", "y".repeat(98)), Keep::Head), 100);
    assert_eq!(kept(format!("{long}\nend"), Keep::Tail), 100);
    assert_eq!(kept(format!("{long}\n\n"), Keep::Tail), 100);
    assert_eq!(kept(format!("a\n{long}\nb"), Keep::Middle), 100);
}

#[test]
fn a_tool_that_cut_its_output_itself_is_left_alone() {
    let output = ToolOutput::text("x\n".repeat(5_000)).with("truncated", true);
    let bounded = fit(output.clone(), Limits::default(), None);
    assert_eq!(bounded.output(), output.output);
    assert!(bounded.truncated());
    assert!(!fit(output.with("truncated", false), Limits::default(), None).truncated());
}

#[test]
fn a_spill_that_cannot_be_written_fails_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "in the way").unwrap();
    let bounded = fit(ToolOutput::text("x\n".repeat(3_000)), Limits::default(), Some(&SpillStore::new(&file)));
    assert!(bounded.truncated());
    assert_eq!(bounded.output_path(), None);
    assert!(
        bounded.output().contains("The rest is lost, for it could not be saved ("),
        "{}",
        &bounded.output()[4_000..]
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "in the way");
}

#[test]
fn a_discarded_spill_is_gone() {
    let directory = tempfile::tempdir().unwrap();
    let store = SpillStore::new(directory.path());
    let mut spill = store.create().unwrap();
    std::io::Write::write_all(&mut spill, b"half").unwrap();
    let path = spill.path().to_owned();
    assert!(path.exists());
    spill.discard();
    assert!(!path.exists());
}

#[test]
fn spills_are_private_and_ascend_in_time() {
    let directory = tempfile::tempdir().unwrap();
    let store = SpillStore::new(directory.path());
    let one = store.write("one").unwrap().path;
    std::thread::sleep(std::time::Duration::from_millis(2));
    let other = store.write("other").unwrap().path;
    assert!(one.file_name() < other.file_name());
    assert!(one.file_name().unwrap().to_str().unwrap().starts_with("tool_"));
    assert!(one.parent().unwrap().ends_with("tool-output"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&one).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn spills_are_kept_seven_days() {
    let directory = tempfile::tempdir().unwrap();
    let store = SpillStore::new(directory.path());
    let now = SystemTime::now();
    assert_eq!(store.sweep(now).unwrap(), 0);
    let spill = store.write("old").unwrap().path;
    let other = store.directory().join("notes.txt");
    fs::write(&other, "not a spill").unwrap();
    assert_eq!(store.sweep(now).unwrap(), 0);
    assert_eq!(store.sweep(now + RETENTION + std::time::Duration::from_secs(60)).unwrap(), 1);
    assert!(!spill.exists());
    assert!(other.exists());
}
