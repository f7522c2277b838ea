//! codex's prefix rules (`prefix_rule` of its execpolicy files), as configuration: a command that starts with these words
//! may run, is asked about, or may not.
//!
//! In: the list under `prefix_rules`. Out: rules on `bash`, in an order in which the strictest wins.

use super::{
    Action, Rule, Ruleset,
    config::{Node, Path, expected, once},
    host_executable::HostExecutables,
    matches,
};

/// The permission of commands.
const BASH: &str = "bash";

/// The most patterns that one rule with alternatives may stand for.
const MOST_PATTERNS: usize = 1000;

const KEYS: [&str; 5] = ["pattern", "decision", "justification", "match", "not_match"];

/// Puts rules that allow behind the last rule for everything, so that what is said of particular commands wins over them;
/// those that ask, and then those that forbid, behind all others.
pub(super) fn add(rules: Ruleset, node: &Node, at: &Path<'_>, programs: &HostExecutables) -> Result<Ruleset, String> {
    let Node::List(nodes) = node else { return Err(expected(at, "a list of prefix rules", node)) };
    let (mut allow, mut ask, mut deny) = (Vec::new(), Vec::new(), Vec::new());
    for (index, node) in nodes.iter().enumerate() {
        for rule in prefix_rule(node, &Path::Index(at, index), programs)? {
            match rule.action {
                Action::Allow => allow.push(rule),
                Action::Ask => ask.push(rule),
                Action::Deny => deny.push(rule),
            }
        }
    }
    let mut before = rules.into_iter().collect::<Vec<_>>();
    let general = before.iter().rposition(|rule| rule.pattern == "*" && matches(&rule.permission, BASH));
    let particular = before.split_off(general.map_or(0, |at| at + 1));
    Ok(before.into_iter().chain(allow).chain(particular).chain(ask).chain(deny).collect())
}

fn prefix_rule(node: &Node, at: &Path<'_>, programs: &HostExecutables) -> Result<Vec<Rule>, String> {
    let Node::Map(entries) = node else {
        return Err(expected(at, "a prefix rule: a map with `pattern` and `decision`", node));
    };
    once(entries.iter(), at)?;
    if let Some((key, _)) = entries.iter().find(|(key, _)| !KEYS.contains(&key.as_str())) {
        let near = crate::suggest::nearest(key, KEYS.into_iter());
        let near = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
        return Err(format!("{}: a prefix rule has {} alone.{near}", Path::Key(at, key), KEYS.join(", ")));
    }
    let member = |key: &str| entries.iter().find(|(known, _)| known == key).map(|(_, node)| node);
    let decision = match member("decision") {
        None => Action::Allow,
        Some(node) => decision(node, &Path::Key(at, "decision"))?,
    };
    let justification = match member("justification") {
        None => None,
        Some(Node::Text(text)) if !text.trim().is_empty() => Some(text.clone().into()),
        Some(Node::Text(_)) => {
            return Err(format!("{}: is blank; say why, or leave it out", Path::Key(at, "justification")));
        }
        Some(node) => return Err(expected(&Path::Key(at, "justification"), "a string", node)),
    };
    let pattern_at = Path::Key(at, "pattern");
    let pattern = member("pattern").ok_or_else(|| format!("{at}: a prefix rule needs `pattern`"))?;
    let mut words = words(pattern, &pattern_at)?;
    if let Some(names) = words.first_mut() {
        let paths: Vec<String> = names.iter().flat_map(|name| programs.of(name)).cloned().collect();
        names.extend(paths);
    }
    in_bounds(&words, &pattern_at)?;
    examples(member("match"), &Path::Key(at, "match"), &words, true)?;
    examples(member("not_match"), &Path::Key(at, "not_match"), &words, false)?;
    let rule = |pattern: String| Rule {
        permission: BASH.into(),
        pattern: format!("{pattern} *").into(),
        action: decision,
        justification: justification.clone(),
    };
    Ok(texts(&words).into_iter().map(rule).collect())
}

fn decision(node: &Node, at: &Path<'_>) -> Result<Action, String> {
    match node {
        Node::Text(text) if text == "allow" => Ok(Action::Allow),
        Node::Text(text) if text == "prompt" => Ok(Action::Ask),
        Node::Text(text) if text == "forbidden" => Ok(Action::Deny),
        node => Err(expected(at, "\"allow\", \"prompt\" or \"forbidden\"", node)),
    }
}

/// The words of a pattern, each with its alternatives.
fn words(node: &Node, at: &Path<'_>) -> Result<Vec<Vec<String>>, String> {
    let Node::List(nodes) = node else { return Err(expected(at, "a list of words", node)) };
    let mut words = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let at = Path::Index(at, index);
        let alternatives = match node {
            Node::List(nodes) => {
                let each = nodes.iter().enumerate().map(|(index, node)| plain_word(node, &Path::Index(&at, index)));
                each.collect::<Result<Vec<_>, _>>()?
            }
            node => vec![plain_word(node, &at)?],
        };
        words.push(alternatives);
    }
    Ok(words)
}

/// Whether a pattern stands for some commands, and not for too many.
fn in_bounds(words: &[Vec<String>], at: &Path<'_>) -> Result<(), String> {
    match words.iter().map(Vec::len).fold(1, usize::saturating_mul) {
        0 => Err(format!("{at}: a list of alternatives is empty; give at least one word")),
        _ if words.is_empty() => Err(format!("{at}: is empty; give at least the program's name")),
        count if count > MOST_PATTERNS => {
            Err(format!("{at}: stands for {count} commands, and at most {MOST_PATTERNS} are taken; make several rules"))
        }
        _ => Ok(()),
    }
}

/// A word that rules can have in them.
pub(super) fn plain_word(node: &Node, at: &Path<'_>) -> Result<String, String> {
    let Node::Text(text) = node else { return Err(expected(at, "a word, or a list of alternatives", node)) };
    if text.is_empty() || text.contains(['*', '?']) || text.contains(char::is_whitespace) {
        let word = super::config::excerpt(text);
        return Err(format!(
            "{at}: expected one word without `*` and `?`, got {word:?}; rules with wildcards stand under `permission`"
        ));
    }
    Ok(text.clone())
}

/// Every choice of alternatives.
fn texts(words: &[Vec<String>]) -> Vec<String> {
    words.iter().fold(vec![String::new()], |texts, alternatives| {
        let more = |text: &String| {
            let blank = if text.is_empty() { "" } else { " " };
            alternatives.iter().map(move |word| format!("{text}{blank}{word}")).collect::<Vec<_>>()
        };
        texts.iter().flat_map(more).collect()
    })
}

/// Examples are held against the rule when it is read, so that one that does not mean what its author thinks is found.
fn examples(node: Option<&Node>, at: &Path<'_>, words: &[Vec<String>], wanted: bool) -> Result<(), String> {
    let Some(node) = node else { return Ok(()) };
    let Node::List(nodes) = node else { return Err(expected(at, "a list of commands", node)) };
    for (index, node) in nodes.iter().enumerate() {
        let at = Path::Index(at, index);
        let example = match node {
            Node::Text(text) => shlex::split(text)
                .ok_or_else(|| format!("{at}: a quote is not closed in {:?}", super::config::excerpt(text)))?,
            Node::List(nodes) => {
                let each = nodes.iter().enumerate().map(|(index, node)| match node {
                    Node::Text(text) => Ok(text.clone()),
                    node => Err(expected(&Path::Index(&at, index), "a word", node)),
                });
                each.collect::<Result<Vec<_>, _>>()?
            }
            node => return Err(expected(&at, "a command, as text or as a list of words", node)),
        };
        let starts = example.len() >= words.len() && words.iter().zip(&example).all(|(any, word)| any.contains(word));
        if starts != wanted {
            let (rule, example) = (texts(words).join("` or `"), example.join(" "));
            let what = if wanted { "does not match" } else { "matches" };
            return Err(format!("{at}: the rule {what} `{example}`: it is for commands that start with `{rule}`"));
        }
    }
    Ok(())
}
