//! The names that tools of servers have in a registry: `mcp__server__tool`.

use std::collections::HashMap;

use sha2::{Digest, Sha256};
use tool_core::tool::{MAX_NAME_LENGTH, ToolName};

/// What all these names begin with (codex-rs, Claude Code).
const PREFIX: &str = "mcp";
/// Digits of the hash that tells apart what would have one name: none, as many as in codex-rs, and so many that nobody
/// finds two names with one hash, however long they look.
const HASH_DIGITS: [usize; 3] = [0, 12, 40];

/// Gives every tool a name, in the order they are given.
///
/// What a name cannot hold becomes `_`. A name that is too long, or that more than one tool would have, is cut and ends
/// in a hash of the two names it was made of: it is the same in every run, whatever else there is. A tool that is called
/// as another's hash has it is the one that gets another name.
///
/// All names differ, where no two tools are the same one of the same server.
pub(super) fn names<'a>(tools: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<ToolName> {
    let mut given: Vec<Given<'_>> = tools.map(|(server, tool)| Given::of(server, tool)).collect();
    loop {
        let mut least: HashMap<&str, (usize, usize)> = HashMap::new();
        for tool in &given {
            let (times, step) = least.entry(&tool.name).or_insert((0, tool.step));
            (*times, *step) = (*times + 1, tool.step.min(*step));
        }
        let is_taken =
            |tool: &Given<'_>| least.get(&*tool.name).is_some_and(|(times, step)| *times > 1 && tool.step == *step);
        let longer: Vec<usize> =
            (0..given.len()).filter(|i| given[*i].step + 1 < HASH_DIGITS.len() && is_taken(&given[*i])).collect();
        if longer.is_empty() {
            break;
        }
        for i in longer {
            let step = given[i].step + 1;
            given[i].hash(step);
        }
    }
    let name = |tool: Given<'_>| {
        ToolName::new(tool.name).expect("letters, digits, `_` and `-` behind a letter, cut to length")
    };
    given.into_iter().map(name).collect()
}

/// The name of a tool, so far.
struct Given<'a> {
    server: &'a str,
    tool: &'a str,
    name: String,
    /// Which of [`HASH_DIGITS`] it has.
    step: usize,
}

impl<'a> Given<'a> {
    fn of(server: &'a str, tool: &'a str) -> Self {
        let mut given = Self { server, tool, name: plain(server, tool), step: 0 };
        if given.name.len() > MAX_NAME_LENGTH {
            given.hash(1);
        }
        given
    }

    /// Cuts the name, and puts as much of the hash behind it as the step has.
    fn hash(&mut self, step: usize) {
        let Self { server, tool, .. } = *self;
        let digest = Sha256::new().chain_update(server).chain_update([0]).chain_update(tool).finalize();
        let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let (plain, count) = (plain(server, tool), HASH_DIGITS[step]);
        let room = MAX_NAME_LENGTH - count - 1;
        self.name = format!("{}_{}", &plain[..plain.len().min(room)], &digits[..count]);
        self.step = step;
    }
}

/// `mcp__server__tool`, of the characters that every provider takes. It may be too long.
fn plain(server: &str, tool: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let parts = [PREFIX, "__", server, "__", tool];
    parts.into_iter().flat_map(str::chars).map(fit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tools: &[(&str, &str)]) -> Vec<String> {
        names(tools.iter().copied()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_are_made_safe() {
        assert_eq!(of(&[("files", "read"), ("my server", "a/b.c-d")]), ["mcp__files__read", "mcp__my_server__a_b_c-d"]);
        assert_eq!(of(&[("ü", "")]), ["mcp_____"]);
    }

    #[test]
    fn long_names_are_cut_and_told_apart() {
        let long = "x".repeat(70);
        let (one, other) = (format!("{long}1"), format!("{long}2"));
        let names = of(&[("s", &one), ("s", &other)]);
        assert!(names.iter().all(|name| name.len() == MAX_NAME_LENGTH));
        assert_ne!(names[0], names[1]);
        assert_eq!(of(&[("s", &one)])[0], names[0], "a name does not depend on the others");
    }

    #[test]
    fn names_that_would_be_one_are_told_apart() {
        let names = of(&[("a", "b.c"), ("a", "b/c"), ("a", "d"), ("a__b", "c"), ("a", "b__c")]);
        let all: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(all.len(), 5);
        assert_eq!(names[2], "mcp__a__d");
        assert!(names[0].starts_with("mcp__a__b_c_"));
    }
    #[test]
    fn a_name_that_is_like_a_hashed_one_is_told_apart_too() {
        let hashed = of(&[("a", "b.c"), ("a", "b/c")]);
        let forged = hashed[0].strip_prefix("mcp__a__").expect("the prefix");
        let (server, tool) = ("a__b", hashed[1].strip_prefix("mcp__a__b_").expect("the prefix"));
        for liar in [("a", forged), (server, tool)] {
            let mut names = of(&[liar, ("a", "b.c"), ("a", "b/c")]);
            assert_eq!(names.split_off(1), hashed, "the others keep their names");
            assert!(!hashed.contains(&names[0]), "{names:?}");
        }
    }
}
