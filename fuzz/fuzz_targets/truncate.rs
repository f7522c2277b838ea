//! Truncation: the limits hold, and what is kept is a part of what came.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use tool_core::{
    ToolOutput,
    truncate::{Keep, Limits, cut, fit},
};

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    text: &'a str,
    lines: u8,
    bytes: u16,
    keep: u8,
}

fuzz_target!(|case: Case<'_>| {
    let Case { text, .. } = case;
    let keep = [Keep::Head, Keep::Tail, Keep::Middle, Keep::All][usize::from(case.keep % 4)];
    let limits = Limits { lines: case.lines.into(), bytes: case.bytes.into(), keep };
    let fits = text.len() <= limits.bytes && text.lines().count() <= limits.lines;
    let bounded = fit(ToolOutput::text(text), limits, None);
    let Some(cut) = cut(text, limits) else {
        assert!(fits || keep == Keep::All);
        assert_eq!(bounded.output(), text);
        return;
    };
    assert!(!fits && keep != Keep::All);
    assert!(cut.kept() <= limits.bytes);
    assert!(cut.head.lines().count() + cut.tail.lines().count() <= limits.lines);
    assert!(text.starts_with(cut.head) && text.ends_with(cut.tail));
    assert!(cut.kept() <= text.len());
    assert!(keep != Keep::Head || cut.tail.is_empty());
    assert!(keep != Keep::Tail || cut.head.is_empty());
    // Whole lines, but for one that is longer than all that may be kept.
    let (head_share, tail_share) =
        if keep == Keep::Middle { (limits.bytes.div_ceil(2), limits.bytes / 2) } else { (limits.bytes, limits.bytes) };
    let behind = &text[cut.head.len()..];
    if !cut.head.is_empty() && !behind.starts_with('\n') {
        assert!(text.split('\n').any(|line| line.len() > head_share));
    }
    let before = &text[..text.len() - cut.tail.len()];
    if !cut.tail.is_empty() && !before.is_empty() && !before.ends_with('\n') {
        assert!(text.split_inclusive('\n').any(|line| line.len() > tail_share));
    }
    let output = bounded.output();
    assert!(bounded.truncated() && output.starts_with(cut.head) && output.ends_with(cut.tail));
    assert!(output.contains(&format!("...{} bytes truncated...", text.len() - cut.kept())));
    assert!(output.len() <= limits.bytes + 400);
});
