//! The rules that calls run under: the defaults, then a file's, then what the flags say.

use std::{ffi::OsStr, fs, path::Path};

use tool_core::permission::Ruleset;

use crate::{
    args::{RunArgs, Scope},
    failure::Failure,
};

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

/// All rules of a run, weakest first; the last that matches decides.
///
/// # Errors
/// When the file of rules cannot be read or understood.
pub(crate) fn rules(defaults: Ruleset, args: &RunArgs, home: Option<&Path>) -> Result<Ruleset, Failure> {
    let file = args.permissions.as_deref().map(read).transpose()?.unwrap_or_default();
    // No shell expands `~` behind a colon.
    let more = Ruleset::merge([file, flags(&args.allow, &args.deny)]);
    let more = match home {
        Some(home) => more.expand_home(home),
        None => more,
    };
    Ok(Ruleset::merge([defaults, more]))
}

/// The flags, denials last.
fn flags(allow: &[Scope], deny: &[Scope]) -> Ruleset {
    let rules = Ruleset::new();
    let rules = allow.iter().fold(rules, |rules, scope| rules.allow(scope.permission.clone(), scope.pattern.clone()));
    deny.iter().fold(rules, |rules, scope| rules.deny(scope.permission.clone(), scope.pattern.clone()))
}

fn read(path: &Path) -> Result<Ruleset, Failure> {
    let failed = |error: String| Failure::Usage(format!("--permissions {}: {error}", path.display()));
    let text = || fs::read_to_string(path).map_err(|error| failed(format!("cannot be read: {error}")));
    match path.extension().and_then(OsStr::to_str) {
        Some("json") => {
            serde_json::from_str(text()?.trim_start_matches('\u{feff}')).map_err(|error| failed(error.to_string()))
        }
        Some("toml") => toml::from_str(&text()?).map_err(|error| failed(error.to_string())),
        _ => Err(failed("expected a file whose name ends in .json or .toml".to_owned())),
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
        let rules = Ruleset::merge([default_rules(), flags(&[scope("*", "*")], &[scope("edit", "secret/*")])]);
        assert_eq!(rules.find("edit", "src/main.rs"), Some(Action::Allow));
        assert_eq!(rules.find("edit", "secret/key"), Some(Action::Deny));
    }
}
