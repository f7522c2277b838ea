//! The names that tools of servers have in a registry: `mcp__server__tool`.

use std::collections::HashMap;

use sha2::{Digest, Sha256};
use tool_core::tool::{MAX_NAME_LENGTH, ToolName};

/// What all these names begin with (codex-rs, Claude Code).
const PREFIX: &str = "mcp";
/// Digits of the hash that tells apart what would have one name (as in codex-rs).
const HASH_DIGITS: usize = 12;

/// Gives every tool a name, in the order they are given.
///
/// What a name cannot hold becomes `_`. A name that is too long, or that more than one tool would have, is cut and ends
/// in a hash of the two names it was made of: it is the same in every run, whatever else there is.
pub(super) fn names<'a>(tools: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Vec<ToolName> {
    let mut wanted: HashMap<String, usize> = HashMap::new();
    for (server, tool) in tools.clone() {
        *wanted.entry(plain(server, tool)).or_default() += 1;
    }
    let name = |(server, tool): (&str, &str)| {
        let plain = plain(server, tool);
        let is_taken = wanted.get(&plain).is_some_and(|times| *times > 1);
        let name = if is_taken || plain.len() > MAX_NAME_LENGTH { hashed(&plain, server, tool) } else { plain };
        ToolName::new(name).expect("letters, digits, `_` and `-` behind a letter, cut to length")
    };
    tools.map(name).collect()
}

/// `mcp__server__tool`, of the characters that every provider takes. It may be too long.
fn plain(server: &str, tool: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let parts = [PREFIX, "__", server, "__", tool];
    parts.into_iter().flat_map(str::chars).map(fit).collect()
}

fn hashed(plain: &str, server: &str, tool: &str) -> String {
    let digest = Sha256::new().chain_update(server).chain_update([0]).chain_update(tool).finalize();
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let room = MAX_NAME_LENGTH - HASH_DIGITS - 1;
    format!("{}_{}", &plain[..plain.len().min(room)], &digits[..HASH_DIGITS])
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
}
