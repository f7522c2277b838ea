//! Rules: what is allowed, what is refused, what is asked about.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::wildcard::matches;

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// The permission's name, with wildcards.
    pub permission: Cow<'static, str>,
    /// What it is asked for, with wildcards.
    pub pattern: Cow<'static, str>,
    /// What to do.
    pub action: Action,
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
        self.rules.push(Rule { permission: permission.into(), pattern: pattern.into(), action });
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

    /// Whether a tool is denied as such: the last rule on all of it that names it, without wildcards, denies.
    pub(crate) fn denies_tool(&self, tool: &str) -> bool {
        let named = self.rules.iter().rev().find(|rule| rule.permission == tool && rule.pattern == "*");
        named.is_some_and(|rule| rule.action == Action::Deny)
    }

    /// What the last matching rule says; `None` where none matches.
    #[must_use]
    pub fn find(&self, permission: &str, pattern: &str) -> Option<Action> {
        let decides = |rule: &&Rule| matches(&rule.permission, permission) && matches(&rule.pattern, pattern);
        self.rules.iter().rev().find(decides).map(|rule| rule.action)
    }
}
