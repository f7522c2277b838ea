//! Where the lines that a patch asks for stand in a file: one pass over it, however many hunks there are.

use std::{borrow::Cow, collections::HashMap};

use foldhash::fast::RandomState;

use super::Pass;

/// No line of the patch.
const OTHER: u32 = u32::MAX;

/// A file as a row of numbers: one number for each different line the patch asks for, under one [`Pass`].
pub(super) struct LineIndex {
    pass: Pass,
    numbers: HashMap<Vec<u8>, u32, RandomState>,
    file: Vec<u32>,
    /// For each number the lines of the file that have it, in order.
    places: Vec<Vec<u32>>,
}

impl LineIndex {
    pub(super) fn new<'p>(pass: Pass, lines: &[&[u8]], asked: impl Iterator<Item = &'p str>) -> Self {
        let mut numbers: HashMap<Vec<u8>, u32, RandomState> = HashMap::default();
        // A line of another length is none of them, which spares most lines the hashing.
        let mut lengths = [false; 256];
        for text in asked {
            let key = pass.key(text.as_bytes());
            lengths[key.len().min(255)] = true;
            let next = u32::try_from(numbers.len()).unwrap_or(OTHER);
            if !numbers.contains_key(&*key) {
                numbers.insert(key.into_owned(), next);
            }
        }
        let mut places = vec![Vec::new(); numbers.len()];
        let file = (0..).zip(lines).map(|(at, line)| {
            let key = pass.key(line);
            if !lengths[key.len().min(255)] {
                return OTHER;
            }
            let Some(number) = numbers.get(&*key).copied() else { return OTHER };
            places[number as usize].push(at);
            number
        });
        let file = file.collect();
        Self { pass, numbers, file, places }
    }

    /// The numbers of lines that were asked for.
    pub(super) fn numbers<'p>(&self, lines: impl Iterator<Item = &'p str>) -> Vec<u32> {
        let number = |line: &str| {
            let key: Cow<'_, [u8]> = self.pass.key(line.as_bytes());
            self.numbers.get(&*key).copied().unwrap_or(OTHER)
        };
        lines.map(number).collect()
    }

    /// The lines of the file that are the same as one that was asked for.
    pub(super) fn places(&self, number: u32) -> &[u32] {
        self.places.get(number as usize).map_or(&[], Vec::as_slice)
    }

    fn is_at(&self, block: &[u32], at: usize) -> bool {
        self.file.get(at..at + block.len()) == Some(block)
    }

    /// Where the block stands at the very end of the file, from a line on.
    pub(super) fn at_end(&self, block: &[u32], from: usize) -> Option<usize> {
        let at = self.file.len().checked_sub(block.len())?;
        (at >= from && self.is_at(block, at)).then_some(at)
    }

    /// Where the block stands, from a line on. Only places of its rarest line are looked at.
    pub(super) fn all(&self, block: &[u32], from: usize) -> impl Iterator<Item = usize> + '_ {
        let (offset, places) = self.rarest(block);
        let first = places.partition_point(|place| (*place as usize) < from + offset);
        let block = block.to_vec();
        places[first..].iter().map(move |place| *place as usize - offset).filter(move |at| self.is_at(&block, *at))
    }

    /// Where the block stands nearest to a line; the later of two that are as near.
    pub(super) fn nearest(&self, block: &[u32], from: usize, to: usize) -> Option<usize> {
        let (offset, places) = self.rarest(block);
        let middle = places.partition_point(|place| (*place as usize) < to.max(from) + offset);
        let at = |place: &u32| (*place as usize).checked_sub(offset).filter(|at| *at >= from && self.is_at(block, *at));
        let after = places[middle..].iter().find_map(at);
        let before = places[..middle]
            .iter()
            .rev()
            .take_while(|place| **place as usize >= from + offset)
            .take_while(|place| after.is_none_or(|after| (**place as usize - offset).abs_diff(to) < after.abs_diff(to)))
            .find_map(at);
        before.or(after)
    }

    fn rarest(&self, block: &[u32]) -> (usize, &[u32]) {
        let places = block.iter().map(|number| self.places(*number)).enumerate();
        places.min_by_key(|(_, places)| places.len()).unwrap_or((0, &[]))
    }
}
