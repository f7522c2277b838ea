//! Blocks known by their first and last line.

use super::{BUDGET, Budget, Found, Strategy, Text, Wanted, nearest::similarity};

/// How alike the lines between have to be on average (opencode's figure).
const ALIKE: f64 = 0.65;
/// How much more alike than any other one a block has to be to be the one that is meant.
const CLEARLY: f64 = 0.2;

/// The text's lines, and the file's lines that are equal to its first one and its last one.
struct Anchors<'a> {
    wanted: Vec<&'a [u8]>,
    ended: bool,
    firsts: Vec<usize>,
    lasts: Vec<usize>,
}

impl<'a> Anchors<'a> {
    fn of(text: &Text<'_>, old: &'a str) -> Option<Self> {
        let Wanted { lines, ended } = Wanted::of(old);
        let wanted: Vec<&[u8]> = lines.into_iter().map(<[u8]>::trim_ascii).collect();
        let (first, last) = match wanted.as_slice() {
            // Blank lines are no anchors.
            [first, _, .., last] if !first.is_empty() && !last.is_empty() => (*first, *last),
            _ => return None,
        };
        let (mut firsts, mut lasts) = (Vec::new(), Vec::new());
        for (at, line) in text.lines.iter().enumerate() {
            let line = line.trim_ascii();
            if line == first {
                firsts.push(at);
            }
            if line == last {
                lasts.push(at);
            }
        }
        Some(Self { wanted, ended, firsts, lasts })
    }
}

/// Blocks whose lines between are alike. The block ends with the nearest last line.
pub(super) fn anchored(text: &Text<'_>, old: &str) -> Option<Found> {
    let Anchors { wanted, ended, firsts, lasts } = Anchors::of(text, old)?;
    let slack = (wanted.len() / 4).max(1);
    let mut budget = Budget(BUDGET);
    let mut blocks = Vec::new();
    for first in firsts {
        let Some(last) = lasts.get(lasts.partition_point(|last| *last < first + 2)) else { break };
        let count = last - first + 1;
        if count.abs_diff(wanted.len()) > slack {
            continue;
        }
        let pairs = count.min(wanted.len()) - 2;
        let mut sum = 0.0;
        for (line, wanted) in (first + 1..=first + pairs).zip(&wanted[1..]) {
            sum += similarity(text.lines.content(line).trim_ascii(), wanted, &mut budget)?;
        }
        // The number of lines is far below where a double loses whole numbers.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        let alike = sum / pairs as f64;
        if alike >= ALIKE {
            blocks.push((alike, text.range(first, count, ended)));
        }
    }
    let best = blocks.iter().map(|(alike, _)| *alike).fold(0.0, f64::max);
    let places = blocks.into_iter().filter(|(alike, _)| best - alike < CLEARLY).map(|(_, place)| place).collect();
    Found::whole(Strategy::BlockAnchor, places, old)
}

/// Blocks of as many lines, half of whose lines between are equal. Lines that are blank on both sides do not count.
pub(super) fn context_aware(text: &Text<'_>, old: &str) -> Option<Found> {
    let Anchors { wanted, ended, firsts, lasts } = Anchors::of(text, old)?;
    let mut budget = Budget(BUDGET);
    let mut places = Vec::new();
    for first in firsts {
        if lasts.binary_search(&(first + wanted.len() - 1)).is_err() {
            continue;
        }
        let (mut equal, mut counted) = (0, 0);
        for (at, line) in wanted.iter().enumerate().take(wanted.len() - 1).skip(1) {
            let there = text.lines.content(first + at).trim_ascii();
            budget.spend(20 + there.len().min(line.len()) / 16)?;
            if !(there.is_empty() && line.is_empty()) {
                counted += 1;
                equal += usize::from(there == *line);
            }
        }
        if 2 * equal >= counted {
            places.push(text.range(first, wanted.len(), ended));
        }
    }
    Found::whole(Strategy::ContextAware, places, old)
}
