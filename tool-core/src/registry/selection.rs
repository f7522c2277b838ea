//! Which tools which model and agent get: rules that a host writes down, or reads from its configuration.

use serde::{Deserialize, Serialize};

use super::Registered;
use crate::{permission::matches, tool::Audience};

/// What a rule does with the tools it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Offer {
    /// They are there.
    Include,
    /// They are not.
    Exclude,
    /// They are there, and found by searching: see [`RegistryBuilder::defer`](super::RegistryBuilder::defer).
    Defer,
}

/// One rule: what becomes of some tools, for some models and agents.
///
/// Each list narrows the rule down, and an empty one does not. Of a list, one pattern has to match, and none that begins
/// with `!`; patterns are the wildcards of [`permission::matches`](crate::permission::matches), by case. A rule that names
/// models, agents or providers does not hold where the audience's is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SelectionRule {
    /// What it does.
    pub offer: Offer,
    /// Names of tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Sets that a tool is in; every tool is in `all`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    /// Tags that a tool has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Ids of models.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// Names of agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Ids of providers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<String>,
}

impl SelectionRule {
    /// A rule for all tools and everybody.
    #[must_use]
    pub fn new(offer: Offer) -> Self {
        let none = Vec::new;
        Self { offer, tools: none(), sets: none(), tags: none(), models: none(), agents: none(), providers: none() }
    }

    /// Only for tools of these names.
    #[must_use]
    pub fn tools(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.tools = strings(patterns);
        self
    }

    /// Only for tools in one of these sets.
    #[must_use]
    pub fn sets(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.sets = strings(patterns);
        self
    }

    /// Only for tools with one of these tags.
    #[must_use]
    pub fn tags(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.tags = strings(patterns);
        self
    }

    /// Only for these models.
    #[must_use]
    pub fn models(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.models = strings(patterns);
        self
    }

    /// Only for these agents.
    #[must_use]
    pub fn agents(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.agents = strings(patterns);
        self
    }

    /// Only for these providers.
    #[must_use]
    pub fn providers(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.providers = strings(patterns);
        self
    }

    fn holds(&self, tool: &Registered, audience: &Audience) -> bool {
        let policy = tool.tool().policy();
        any(&self.tools, [tool.name().as_str()])
            && any(&self.sets, policy.sets.iter().chain(["all"]))
            && any(&self.tags, policy.tags.iter())
            && any(&self.models, audience.model.as_deref())
            && any(&self.agents, audience.agent.as_deref())
            && any(&self.providers, audience.provider.as_deref())
    }
}

fn strings(patterns: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    patterns.into_iter().map(Into::into).collect()
}

/// Whether the patterns admit one of the texts.
fn any<'t>(patterns: &[String], texts: impl IntoIterator<Item = &'t str>) -> bool {
    patterns.is_empty() || texts.into_iter().any(|text| admits(patterns, text))
}

fn admits(patterns: &[String], text: &str) -> bool {
    let (mut wanted, mut is_wanted) = (false, false);
    for pattern in patterns {
        match pattern.strip_prefix('!') {
            Some(refused) if matches(refused, text) => return false,
            Some(_) => {}
            None => {
                wanted = true;
                is_wanted |= matches(pattern, text);
            }
        }
    }
    // Where only refusals are listed, all else is meant.
    is_wanted || !wanted
}

/// Rules in order: the last one that holds decides, and a tool that none is for is there.
///
/// ```
/// use tool_core::registry::Selection;
/// let selection: Selection = serde_json::from_str(
///     r#"[
///         { "offer": "exclude", "sets": ["coding"], "agents": ["plan"] },
///         { "offer": "include", "tags": ["harmless"] },
///         { "offer": "defer", "tools": ["github__*"] }
///     ]"#,
/// )?;
/// assert_eq!(selection.rules().len(), 3);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// Applied by [`Registry::for_audience`](super::Registry::for_audience). Tools that a permission ruleset disables
/// altogether are another matter: `permission`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Selection {
    rules: Vec<SelectionRule>,
}

impl Selection {
    /// No rules: every tool, for everybody.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// opencode's choice of editing tools: `apply_patch` for models whose id has `gpt-` in it, but neither `gpt-4` nor
    /// `oss`; `edit` and `write` for all others, and where the model is not known.
    ///
    /// ```
    /// use tool_core::{registry::{Offer, Selection}, tool::Audience};
    /// # use tool_core::{Registry, tool::FnTool};
    /// # let tool = |name: &str| FnTool::raw(name, "", serde_json::json!({"type": "object"}), |_, _| async {}).unwrap();
    /// # let registry = Registry::builder().add(tool("apply_patch")).add(tool("edit")).build()?;
    /// let names = |model: &str| {
    ///     let chosen = registry.for_audience(&Audience::new().model(model), &Selection::opencode());
    ///     chosen.names().map(ToString::to_string).collect::<Vec<_>>()
    /// };
    /// assert_eq!(names("gpt-5-codex"), ["apply_patch"]);
    /// assert_eq!(names("gpt-4o"), ["edit"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn opencode() -> Self {
        let models = ["*gpt-*", "!*oss*", "!*gpt-4*"];
        Self::new()
            .with(SelectionRule::new(Offer::Exclude).tools(["apply_patch"]))
            .with(SelectionRule::new(Offer::Include).tools(["apply_patch"]).models(models))
            .with(SelectionRule::new(Offer::Exclude).tools(["edit", "write"]).models(models))
    }

    /// Adds a rule behind all others.
    #[must_use]
    pub fn with(mut self, rule: SelectionRule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Adds the rules of another selection behind all others.
    #[must_use]
    pub fn then(mut self, other: &Self) -> Self {
        self.rules.extend_from_slice(&other.rules);
        self
    }

    /// The rules in order.
    #[must_use]
    pub fn rules(&self) -> &[SelectionRule] {
        &self.rules
    }

    /// What the last rule that holds says; `None` where none does.
    #[must_use]
    pub fn find(&self, tool: &Registered, audience: &Audience) -> Option<Offer> {
        self.rules.iter().rev().find(|rule| rule.holds(tool, audience)).map(|rule| rule.offer)
    }
}

impl FromIterator<SelectionRule> for Selection {
    fn from_iter<I: IntoIterator<Item = SelectionRule>>(rules: I) -> Self {
        Self { rules: rules.into_iter().collect() }
    }
}
