//! The rules that calls run under: the defaults, then what the flags say.

use std::path::Path;

use tool_core::permission::Ruleset;

use crate::args::Scope;

/// Reading inside the working directory is allowed, but for files that hold secrets (opencode's defaults). What is
/// outside asks for `external_directory` first; no rule here covers that, nor anything else, and so it asks.
pub(crate) fn default_rules() -> Ruleset {
    Ruleset::new()
        .allow("read", "*")
        .ask("read", "*.env")
        .ask("read", "*.env.*")
        .allow("read", "*.env.example")
        .allow("glob", "*")
        .allow("grep", "*")
        .allow("list", "*")
}

/// The flags after the rules, denials last: the last rule that matches decides.
pub(crate) fn with_flags(rules: Ruleset, allow: &[Scope], deny: &[Scope], home: Option<&Path>) -> Ruleset {
    let rules = allow.iter().fold(rules, |rules, scope| rules.allow(scope.permission.clone(), pattern(scope, home)));
    deny.iter().fold(rules, |rules, scope| rules.deny(scope.permission.clone(), pattern(scope, home)))
}

/// The home directory for a leading `~/` or `$HOME/`, which no shell expands behind a colon.
fn pattern(scope: &Scope, home: Option<&Path>) -> String {
    let below = scope.pattern.strip_prefix("~/").or_else(|| scope.pattern.strip_prefix("$HOME/"));
    match (below, home) {
        (Some(below), Some(home)) => format!("{}/{below}", home.display()),
        _ => scope.pattern.clone(),
    }
}

#[cfg(test)]
mod tests {
    use tool_core::permission::Action;

    use super::*;

    fn scope(permission: &str, pattern: &str) -> Scope {
        Scope { permission: permission.to_owned(), pattern: pattern.to_owned() }
    }

    #[test]
    fn reading_is_allowed_and_secrets_ask() {
        let rules = default_rules();
        assert_eq!(rules.find("read", "src/main.rs"), Some(Action::Allow));
        assert_eq!(rules.find("read", "config/.env"), Some(Action::Ask));
        assert_eq!(rules.find("read", ".env.local"), Some(Action::Ask));
        assert_eq!(rules.find("read", ".env.example"), Some(Action::Allow));
        assert_eq!(rules.find("edit", "src/main.rs"), None);
        assert_eq!(rules.find("external_directory", "/etc/*"), None);
    }

    #[test]
    fn a_denial_is_stronger_than_any_allowance() {
        let rules = with_flags(default_rules(), &[scope("*", "*")], &[scope("edit", "secret/*")], None);
        assert_eq!(rules.find("edit", "src/main.rs"), Some(Action::Allow));
        assert_eq!(rules.find("edit", "secret/key"), Some(Action::Deny));
    }

    #[test]
    fn home_is_expanded() {
        let allow = [scope("external_directory", "~/notes/*")];
        let rules = with_flags(Ruleset::new(), &allow, &[], Some(Path::new("/home/ann")));
        assert_eq!(rules.find("external_directory", "/home/ann/notes/*"), Some(Action::Allow));
    }
}
