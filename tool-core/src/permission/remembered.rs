//! What was allowed "always".

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::matches;

/// One thing that a session was allowed for good; serialise it to restore the session later.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// The permission's name.
    pub permission: String,
    /// What it was given for.
    pub pattern: String,
    /// Whether the pattern is text that a model wrote, in which `*` and `?` are no wildcards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
}

/// What was allowed "always", by permission: as many approvals as differ, in an order that does not change.
#[derive(Default)]
pub(super) struct Remembered(BTreeMap<String, Patterns>);

#[derive(Default)]
struct Patterns {
    exact: BTreeSet<String>,
    wild: BTreeSet<String>,
}

impl Remembered {
    pub(super) fn covers(&self, permission: &str, pattern: &str) -> bool {
        self.0
            .get(permission)
            .is_some_and(|known| known.exact.contains(pattern) || known.wild.iter().any(|wild| matches(wild, pattern)))
    }

    pub(super) fn add(&mut self, approval: Approval) {
        let known = self.0.entry(approval.permission).or_default();
        let patterns = if approval.exact { &mut known.exact } else { &mut known.wild };
        patterns.insert(approval.pattern);
    }

    pub(super) fn list(&self) -> Vec<Approval> {
        let of = |(permission, known): (&String, &Patterns)| {
            let all = known.wild.iter().map(|pattern| (pattern, false));
            let all = all.chain(known.exact.iter().map(|pattern| (pattern, true)));
            all.map(|(pattern, exact)| Approval { permission: permission.clone(), pattern: pattern.clone(), exact })
                .collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }
}
