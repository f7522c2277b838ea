//! The first of many, of which only so many are kept.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Where something stands: what was written last comes first; of what was written at the same time, by path, each folder
/// before what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rank {
    /// `None` where the time does not count, or is not known: then it comes last.
    pub(super) modified: Option<SystemTime>,
    pub(super) path: PathBuf,
}

impl Rank {
    fn order(&self, modified: Option<SystemTime>, path: &Path) -> Ordering {
        modified.cmp(&self.modified).then_with(|| self.path.as_path().cmp(path))
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order(other.modified, &other.path)
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The first of what it is given: as few as hold more than `limit` together. So it is known that there is more, and the
/// last that is kept says what need not be looked at.
#[derive(Debug)]
pub(super) struct Newest<T> {
    kept: BTreeMap<Rank, (usize, T)>,
    weight: usize,
    limit: usize,
}

impl<T> Newest<T> {
    /// Keeps so much, and a little more.
    pub(super) fn new(limit: usize) -> Self {
        Self { kept: BTreeMap::new(), weight: 0, limit }
    }

    /// Whether something of that rank would be kept.
    pub(super) fn admits(&self, modified: Option<SystemTime>, path: &Path) -> bool {
        !self.is_full() || self.kept.last_key_value().is_some_and(|(last, _)| last.order(modified, path).is_gt())
    }

    /// Whether there is more than may be kept already.
    pub(super) fn is_full(&self) -> bool {
        self.weight > self.limit
    }

    /// Keeps something that counts so much, unless enough comes before it.
    pub(super) fn insert(&mut self, rank: Rank, weight: usize, value: T) {
        if let Some((old, _)) = self.kept.insert(rank, (weight, value)) {
            self.weight -= old;
        }
        self.weight += weight;
        while let Some(last) = self.kept.last_entry() {
            let weight = last.get().0;
            if self.weight - weight <= self.limit {
                break;
            }
            self.weight -= weight;
            last.remove();
        }
    }

    /// Takes over what another has kept.
    pub(super) fn absorb(&mut self, other: Self) {
        for (rank, (weight, value)) in other.kept {
            self.insert(rank, weight, value);
        }
    }

    /// What is kept, the first first.
    pub(super) fn into_sorted(self) -> impl Iterator<Item = (Rank, T)> {
        self.kept.into_iter().map(|(rank, (_, value))| (rank, value))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn rank(second: u64, path: &str) -> Rank {
        Rank { modified: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(second)), path: path.into() }
    }

    #[test]
    fn the_newest_come_first_and_the_path_settles_a_tie() {
        let mut newest = Newest::new(2);
        for (second, path) in [(1, "/old"), (3, "/b"), (3, "/a"), (2, "/mid"), (0, "/oldest")] {
            newest.insert(rank(second, path), 1, ());
        }
        assert!(newest.is_full());
        assert!(newest.admits(Some(SystemTime::UNIX_EPOCH + Duration::from_secs(3)), Path::new("/aa")));
        assert!(!newest.admits(Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1)), Path::new("/z")));
        let paths: Vec<PathBuf> = newest.into_sorted().map(|(rank, ())| rank.path).collect();
        assert_eq!(paths, ["/a", "/b", "/mid"].map(PathBuf::from));
    }

    #[test]
    fn what_is_kept_does_not_hang_on_the_order_or_on_who_saw_it() {
        let all: Vec<(Rank, usize)> =
            (0..50).map(|n| (rank(n * 7 % 10, &format!("/{n}")), usize::try_from(n % 5).expect("small") + 1)).collect();
        let of = |ranks: &[(Rank, usize)]| {
            let mut newest = Newest::new(12);
            ranks.iter().for_each(|(rank, weight)| newest.insert(rank.clone(), *weight, ()));
            newest
        };
        let whole: Vec<Rank> = of(&all).into_sorted().map(|(rank, ())| rank).collect();
        let reversed: Vec<_> = all.iter().rev().cloned().collect();
        assert_eq!(of(&reversed).into_sorted().map(|(rank, ())| rank).collect::<Vec<_>>(), whole);
        let mut parts = of(&all[..20]);
        parts.absorb(of(&all[20..]));
        assert_eq!(parts.into_sorted().map(|(rank, ())| rank).collect::<Vec<_>>(), whole);
    }
}
