//! Runs of lines that are equal to the lines that are looked for, line by line.

use super::{Found, Strategy, Text, Wanted};

/// Whole lines that are equal without the blanks around each.
pub(super) fn line_trimmed(text: &Text<'_>, old: &str) -> Option<Found> {
    let wanted = Wanted::of(old);
    let lines: Vec<&[u8]> = wanted.lines.iter().map(|line| line.trim_ascii()).collect();
    let is = |line: usize, at: usize| text.lines.content(line).trim_ascii() == lines[at];
    let starts = runs(text.lines.len(), lines.len(), |one, other| lines[one] == lines[other], is);
    let places = starts.into_iter().map(|start| text.range(start, lines.len(), wanted.ended)).collect();
    Found::whole(Strategy::LineTrimmed, places, old)
}

/// Where a run of items stands in a longer one, also where two overlap (Knuth, Morris and Pratt's algorithm: each item
/// is compared a bounded number of times). `twin` compares two of the run, `is` one of the longer with one of the run;
/// together they have to be an equivalence.
pub(super) fn runs(
    longer: usize,
    run: usize,
    twin: impl Fn(usize, usize) -> bool,
    is: impl Fn(usize, usize) -> bool,
) -> Vec<usize> {
    if run == 0 || run > longer {
        return Vec::new();
    }
    // For each length of a beginning of the run: the longest shorter beginning that also ends it.
    let mut borders = vec![0; run + 1];
    let mut border = 0;
    for at in 1..run {
        while border > 0 && !twin(at, border) {
            border = borders[border];
        }
        border += usize::from(twin(at, border));
        borders[at + 1] = border;
    }
    let mut starts = Vec::new();
    let mut matched = 0;
    for item in 0..longer {
        while matched > 0 && (matched == run || !is(item, matched)) {
            matched = borders[matched];
        }
        matched += usize::from(is(item, matched));
        if matched == run {
            starts.push(item + 1 - run);
        }
    }
    starts
}
