//! Rules as they stand in configuration: opencode's maps, one action for everything, or a list.
//!
//! The text is read as it stands first, in its order and with keys that stand twice, for no value type of a format
//! shows both; then it is understood, by someone who can say which key is wrong.

use std::{collections::HashSet, fmt, fmt::Write};

use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, SeqAccess, Visitor},
};

use super::{Action, Rule, Ruleset, host_executable::HostExecutables, prefix};

/// A key of opencode's whole configuration, with the rules under it.
const PERMISSION: &str = "permission";

/// A key beside it, with codex's rules for commands.
const PREFIX_RULES: &str = "prefix_rules";

/// A key beside that, with the files that names of programs stand for in it.
const HOST_EXECUTABLES: &str = "host_executables";

/// A key of codex's, with rules that nothing here could hold anybody to.
const NETWORK_RULES: &str = "network_rules";

impl<'de> Deserialize<'de> for Ruleset {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        read(&node).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        rule(&Node::deserialize(deserializer)?, &Path::Root).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        action(&Node::deserialize(deserializer)?, &Path::Root).map_err(de::Error::custom)
    }
}

/// Configuration as it stands.
pub(super) enum Node {
    Text(String),
    Map(Vec<(String, Node)>),
    List(Vec<Node>),
    /// What no rule has in it, by its kind.
    Other(&'static str),
}

/// Where something stands.
pub(super) enum Path<'p> {
    Root,
    Key(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = match self {
            Self::Root => return f.write_str("the rules"),
            Self::Key(before, _) | Self::Index(before, _) => before,
        };
        if !matches!(before, Self::Root) {
            write!(f, "{before}.")?;
        }
        match self {
            Self::Key(_, key) => write!(f, "`{}`", excerpt(key)),
            Self::Index(_, index) => write!(f, "[{index}]"),
            Self::Root => Ok(()),
        }
    }
}

fn read(node: &Node) -> Result<Ruleset, String> {
    if let Node::Map(entries) = node
        && entries.iter().any(|(key, _)| key == PERMISSION || key == PREFIX_RULES)
    {
        return configuration(entries);
    }
    rules(node, &Path::Root)
}

/// A whole configuration file. What else is in it is no concern of the rules, with one exception: older files of
/// opencode switch tools off under `tools`, and what somebody forbade must not pass unread.
fn configuration(entries: &[(String, Node)]) -> Result<Ruleset, String> {
    let root = Path::Root;
    let ours = [PERMISSION, PREFIX_RULES, HOST_EXECUTABLES];
    once(entries.iter().filter(|(key, _)| ours.contains(&key.as_str())), &root)?;
    if entries.iter().any(|(key, _)| key == NETWORK_RULES) {
        return Err(format!(
            "`{NETWORK_RULES}` is not read: rules are held against what is asked for, and what a command that may run does \
             in the network is not asked. Leave it out, and confine commands that should have no network"
        ));
    }
    if entries.iter().any(|(key, _)| key == "tools") {
        return Err(
            "`tools` is not read beside `permission`: write what it says as rules, e.g. \"edit\": \"deny\" for \
                    \"write\": false"
                .to_owned(),
        );
    }
    let found = |name: &str| entries.iter().find(|(key, _)| key == name);
    let mut all = Ruleset::new();
    if let Some((key, node)) = found(PERMISSION) {
        all = rules(node, &Path::Key(&root, key))?;
    }
    if let Some((key, node)) = found(PREFIX_RULES) {
        let programs = match found(HOST_EXECUTABLES) {
            Some((key, node)) => HostExecutables::read(node, &Path::Key(&root, key))?,
            None => HostExecutables::default(),
        };
        all = prefix::add(all, node, &Path::Key(&root, key), &programs)?;
    }
    Ok(all)
}

fn rules(node: &Node, at: &Path<'_>) -> Result<Ruleset, String> {
    match node {
        Node::Text(_) => Ok(Ruleset::from_iter([of("*", "*", action(node, at)?)])),
        Node::Map(entries) => {
            once(entries.iter(), at)?;
            let mut rules = Ruleset::new();
            for (permission, node) in entries {
                permission_rules(permission, node, &Path::Key(at, permission), &mut rules)?;
            }
            Ok(rules)
        }
        Node::List(nodes) => {
            let each = nodes.iter().enumerate().map(|(index, node)| rule(node, &Path::Index(at, index)));
            each.collect()
        }
        Node::Other(_) => Err(expected(at, "an action, a map from permissions to actions, or a list of rules", node)),
    }
}

fn permission_rules(permission: &str, node: &Node, at: &Path<'_>, rules: &mut Ruleset) -> Result<(), String> {
    if permission.is_empty() {
        return Err(format!("{at}: a permission's name is empty; write `*` for every permission"));
    }
    match node {
        Node::Map(entries) => {
            once(entries.iter(), at)?;
            for (pattern, node) in entries {
                rules.push(of(permission, pattern, action(node, &Path::Key(at, pattern))?));
            }
        }
        Node::Text(_) => rules.push(of(permission, "*", action(node, at)?)),
        Node::List(_) | Node::Other(_) => {
            return Err(expected(at, "an action, or a map from patterns to actions", node));
        }
    }
    Ok(())
}

/// One rule of a list.
fn rule(node: &Node, at: &Path<'_>) -> Result<Rule, String> {
    const KEYS: [&str; 4] = [PERMISSION, "pattern", "action", "justification"];
    let Node::Map(entries) = node else {
        return Err(expected(at, "a rule: a map with `permission`, `pattern` and `action`", node));
    };
    once(entries.iter(), at)?;
    if let Some((key, _)) = entries.iter().find(|(key, _)| !KEYS.contains(&key.as_str())) {
        let near = crate::suggest::nearest(key, KEYS.into_iter());
        let near = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
        let key = Path::Key(at, key);
        return Err(format!("{key}: a rule has `permission`, `pattern`, `action` and `justification` alone.{near}"));
    }
    let member = |key: &str| entries.iter().find(|(known, _)| known == key).map(|(_, node)| node);
    let text = |key: &str| match member(key) {
        None => Ok(None),
        Some(Node::Text(text)) => Ok(Some(text.as_str())),
        Some(node) => Err(expected(&Path::Key(at, key), "a string", node)),
    };
    let absent = |key: &str| format!("{at}: a rule needs `{key}`");
    let permission = text(PERMISSION)?.filter(|name| !name.is_empty()).ok_or_else(|| absent(PERMISSION))?;
    let says = member("action").ok_or_else(|| absent("action"))?;
    let mut rule = of(permission, text("pattern")?.unwrap_or("*"), action(says, &Path::Key(at, "action"))?);
    rule.justification = text("justification")?.map(|why| why.to_owned().into());
    Ok(rule)
}

fn action(node: &Node, at: &Path<'_>) -> Result<Action, String> {
    const ACTIONS: [(&str, Action); 3] = [("allow", Action::Allow), ("ask", Action::Ask), ("deny", Action::Deny)];
    let known = match node {
        Node::Text(text) => ACTIONS.iter().find(|(name, _)| name == text),
        _ => None,
    };
    known.map(|(_, action)| *action).ok_or_else(|| {
        let mut message = expected(at, "\"allow\", \"ask\" or \"deny\"", node);
        if let Node::Text(text) = node
            && let Some(near) = crate::suggest::nearest(text, ACTIONS.iter().map(|(name, _)| *name))
        {
            let _ = write!(message, "; did you mean \"{near}\"?");
        }
        message
    })
}

/// Which of two rules for the same thing counts is not to be guessed.
pub(super) fn once<'n>(entries: impl Iterator<Item = &'n (String, Node)>, at: &Path<'_>) -> Result<(), String> {
    let mut seen = HashSet::new();
    for (key, _) in entries {
        if !seen.insert(key.as_str()) {
            return Err(format!("{}: the key stands twice; keep one", Path::Key(at, key)));
        }
    }
    Ok(())
}

fn of(permission: &str, pattern: &str, action: Action) -> Rule {
    Rule { permission: permission.to_owned().into(), pattern: pattern.to_owned().into(), action, justification: None }
}

pub(super) fn expected(at: &Path<'_>, what: &str, got: &Node) -> String {
    let got = match got {
        Node::Text(text) => format!("{:?}", excerpt(text)),
        Node::Map(_) => "a map".to_owned(),
        Node::List(_) => "a list".to_owned(),
        Node::Other(kind) => (*kind).to_owned(),
    };
    format!("{at}: expected {what}, got {got}")
}

/// So much of a text as an error should show.
pub(super) fn excerpt(text: &str) -> String {
    const MOST: usize = 80;
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("permission rules")
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Other("a boolean"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Other("a number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Other("a number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Other("a number"))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Other("nothing"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element()? {
            nodes.push(node);
        }
        Ok(Node::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Map(entries))
    }
}
