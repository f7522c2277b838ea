//! Rules: what is allowed, what is refused, what is asked about.

use std::{borrow::Cow, path::Path};

use serde::Serialize;

use super::{PatternDetail, wildcard::matches};

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It may happen.
    Allow,
    /// Somebody is asked.
    Ask,
    /// It may not happen, whoever is asked.
    Deny,
}

/// One rule: an action for the permissions and patterns that match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// The permission's name, with wildcards.
    pub permission: Cow<'static, str>,
    /// What it is asked for, with wildcards.
    pub pattern: Cow<'static, str>,
    /// What to do.
    pub action: Action,
    /// Why: who is asked sees it, and a model that is refused (codex-rs).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub justification: Option<Cow<'static, str>>,
}

impl Rule {
    /// What it says to a pattern, `None` where it is for others; and whether that is certain, which only a refusal of what
    /// may turn out otherwise is not.
    pub(super) fn says(&self, pattern: &str, detail: Option<&PatternDetail>) -> Option<(Action, bool)> {
        let Some(detail) = detail else { return matches(&self.pattern, pattern).then_some((self.action, true)) };
        let readings = &detail.readings;
        match self.action {
            Action::Allow => {
                let first = readings.first()?;
                first.is_covered_by(&self.pattern).then_some((Action::Allow, true))
            }
            action if readings.iter().any(|reading| reading.surely_matches(&self.pattern)) => Some((action, true)),
            action => readings.iter().any(|reading| reading.may_match(&self.pattern)).then_some((action, false)),
        }
    }

    /// Whether it is for one permission, by its name, or allows nothing.
    pub(super) fn names_or_restricts(&self) -> bool {
        self.action != Action::Allow || !self.permission.contains(['*', '?'])
    }

    /// Whether it leaves nothing of the permissions it is for.
    pub(super) fn denies_all(&self) -> bool {
        self.pattern == "*" && self.action == Action::Deny
    }
}

/// Rules in order: the last one that matches decides (opencode).
///
/// ```
/// use tool_core::permission::{Action, Ruleset};
/// let rules = Ruleset::new().allow("bash", "git *").deny("bash", "git push *");
/// assert_eq!(rules.find("bash", "git log"), Some(Action::Allow));
/// assert_eq!(rules.find("bash", "git push origin"), Some(Action::Deny));
/// assert_eq!(rules.find("bash", "rm -r build"), None);
/// ```
///
/// # As configuration
/// It deserialises from each of these, in JSON, TOML or any other format of serde's that keeps the order of a map:
///
/// - `"ask"`: for everything;
/// - `{"*": "ask", "bash": {"git *": "allow"}}`: opencode's map from a permission to an action, or to a map from
///   patterns to actions; the order counts;
/// - `{"permission": …}`: a whole configuration file with such a value under this key; its other keys are left alone;
/// - `{"prefix_rules": […]}`, alone or beside `permission`: codex's rules for commands, each with `pattern`, `decision`
///   (`allow`, `prompt`, `forbidden`), `justification`, `match` and `not_match`, on the permission `bash`; with
///   `{"host_executables": [{"name": "git", "paths": ["/usr/bin/git"]}]}` beside it, what is said of `git` counts for a
///   command that names it by such a path too, which otherwise is a program of its own. codex's `network_rules` are
///   refused: nothing here would hold a command to them;
/// - `[{"permission": "bash", "pattern": "git *", "action": "allow"}]`: what it serialises to; a pattern left out is
///   `*`.
///
/// An error names the key at fault: an action or a pattern of the wrong kind, a key that stands twice. `~` and `$HOME`
/// are expanded by [`expand_home`](Self::expand_home). The crate `toml` needs its feature `preserve_order`.
///
/// ```
/// use tool_core::permission::{Action, Ruleset};
/// let rules: Ruleset = serde_json::from_str(r#"{"*": "ask", "bash": {"*": "ask", "git *": "allow"}}"#)?;
/// assert_eq!(rules.find("bash", "git log"), Some(Action::Allow));
///
/// let wrong = serde_json::from_str::<Ruleset>(r#"{"bash": {"git *": "alow"}}"#).unwrap_err();
/// assert!(wrong.to_string().starts_with(r#"`bash`.`git *`: expected "allow", "ask" or "deny", got "alow""#));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Ruleset {
    rules: Vec<Rule>,
}

impl Ruleset {
    /// No rules: everything that is asked for goes to the approver.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows everything.
    #[must_use]
    pub fn allow_all() -> Self {
        Self::new().allow("*", "*")
    }

    /// Several sources as one, weakest first: defaults, then the user's, then the project's. What comes later wins.
    ///
    /// (opencode merges the maps instead: a key keeps the place it had in the first file, so a project cannot put it
    /// behind a later wildcard.)
    ///
    /// ```
    /// use tool_core::permission::{Action, Ruleset};
    /// let user = Ruleset::new().ask("bash", "*");
    /// let project = Ruleset::new().allow("bash", "cargo *");
    /// let rules = Ruleset::merge([user, project]);
    /// assert_eq!(rules.find("bash", "cargo test"), Some(Action::Allow));
    /// assert_eq!(rules.find("bash", "rm x"), Some(Action::Ask));
    /// ```
    #[must_use]
    pub fn merge(sources: impl IntoIterator<Item = Self>) -> Self {
        sources.into_iter().flatten().collect()
    }

    /// Adds a rule that allows.
    #[must_use]
    pub fn allow(self, permission: impl Into<Cow<'static, str>>, pattern: impl Into<Cow<'static, str>>) -> Self {
        self.with(permission, pattern, Action::Allow)
    }

    /// Adds a rule that asks.
    #[must_use]
    pub fn ask(self, permission: impl Into<Cow<'static, str>>, pattern: impl Into<Cow<'static, str>>) -> Self {
        self.with(permission, pattern, Action::Ask)
    }

    /// Adds a rule that refuses.
    #[must_use]
    pub fn deny(self, permission: impl Into<Cow<'static, str>>, pattern: impl Into<Cow<'static, str>>) -> Self {
        self.with(permission, pattern, Action::Deny)
    }

    fn with(
        mut self,
        permission: impl Into<Cow<'static, str>>,
        pattern: impl Into<Cow<'static, str>>,
        action: Action,
    ) -> Self {
        self.rules.push(Rule { permission: permission.into(), pattern: pattern.into(), action, justification: None });
        self
    }

    /// Adds a rule behind all others.
    pub fn push(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    /// The rules in order.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Puts the home directory for `~`, `~/…`, `$HOME` and `$HOME/…` at the start of a pattern (opencode; it also takes
    /// `$HOMEWARD` for a path below home, which is left alone here).
    ///
    /// The host says where home is: rules read no environment. A `*` or `?` in its path stays a wildcard.
    #[must_use]
    pub fn expand_home(mut self, home: &Path) -> Self {
        let home = home.to_string_lossy();
        let home = home.trim_end_matches('/');
        for rule in &mut self.rules {
            let below = rule.pattern.strip_prefix('~').or_else(|| rule.pattern.strip_prefix("$HOME"));
            if let Some(below) = below.filter(|below| below.is_empty() || below.starts_with('/')) {
                let expanded = format!("{home}{below}");
                rule.pattern = if expanded.is_empty() { "/".into() } else { expanded.into() };
            }
        }
        self
    }

    /// The rules for a permission, the last first.
    pub(super) fn backwards(&self, permission: &str) -> impl Iterator<Item = &Rule> {
        self.rules.iter().rev().filter(move |rule| matches(&rule.permission, permission))
    }

    /// What the last matching rule says; `None` where none matches.
    #[must_use]
    pub fn find(&self, permission: &str, pattern: &str) -> Option<Action> {
        let decides = |rule: &&Rule| matches(&rule.permission, permission) && matches(&rule.pattern, pattern);
        self.rules.iter().rev().find(decides).map(|rule| rule.action)
    }

    /// Whether no call of a tool can be allowed, so that a model need not see it (opencode's rule): the last rule on its
    /// permission denies it for the pattern `*`. A rule for some patterns behind that keeps it.
    ///
    /// The permission is the one the tool declares; without one it goes by its own name. So `edit` governs `write`, as
    /// in opencode. Beyond opencode, a rule that is for the tool and not for its permission counts as well: where the
    /// last such rule denies `*`, the tool is disabled, whatever its permission.
    ///
    /// ```
    /// use tool_core::permission::Ruleset;
    /// let rules = Ruleset::new().deny("*", "*").allow("edit", "*");
    /// assert!(rules.disabled("bash", None));
    /// assert!(!rules.disabled("write", Some("edit")));
    /// assert!(rules.deny("write", "*").disabled("write", Some("edit")));
    /// ```
    #[must_use]
    pub fn disabled(&self, tool: &str, permission: Option<&str>) -> bool {
        let permission = permission.unwrap_or(tool);
        self.last_on(permission).is_some_and(Rule::denies_all)
            || self.on_tool(tool, permission) == Some(Action::Deny) && self.find(tool, "*") == Some(Action::Deny)
    }

    /// The last rule on a permission, whatever its pattern.
    pub(super) fn last_on(&self, permission: &str) -> Option<&Rule> {
        self.rules.iter().rev().find(|rule| matches(&rule.permission, permission))
    }

    /// What the last rule says that is for all of a tool by its name, and not for its permission. (`* deny` is for both,
    /// and what comes after it on the permission is not undone by the tool's name.)
    pub(super) fn on_tool(&self, tool: &str, permission: &str) -> Option<Action> {
        let names = |rule: &&Rule| {
            rule.pattern == "*" && matches(&rule.permission, tool) && !matches(&rule.permission, permission)
        };
        self.rules.iter().rev().find(names).map(|rule| rule.action)
    }
}

impl FromIterator<Rule> for Ruleset {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> Self {
        Self { rules: rules.into_iter().collect() }
    }
}

impl Extend<Rule> for Ruleset {
    fn extend<I: IntoIterator<Item = Rule>>(&mut self, rules: I) {
        self.rules.extend(rules);
    }
}

impl IntoIterator for Ruleset {
    type Item = Rule;
    type IntoIter = std::vec::IntoIter<Rule>;

    fn into_iter(self) -> Self::IntoIter {
        self.rules.into_iter()
    }
}
