//! Variables that a script sets itself to what can be read: `for f in a b`, `x=rm`.

use std::{collections::HashMap, sync::Arc};

use tree_sitter::{Node, Tree, TreeCursor};

use super::word::{self, Word};

/// As many values of one variable are told apart.
const MOST_VALUES: usize = 32;

/// What each variable may be.
#[derive(Debug, Default)]
pub(super) struct Variables {
    known: HashMap<String, Values>,
}

#[derive(Debug)]
struct Values {
    /// Where the first value is given; before that, it is whatever the environment says.
    from: usize,
    /// `None`: it may be anything.
    values: Option<Arc<[Word]>>,
}

impl Variables {
    /// Collects them. A script with commands that set variables by name (`read`, `eval`, `printf -v`, …) has none.
    pub(super) fn of(tree: &Tree, script: &str) -> Self {
        let mut variables = Self::default();
        let nothing = Self::default();
        let mut cursor = tree.walk();
        // A node would look for its parent from the root on.
        let mut parents = Vec::new();
        loop {
            let node = cursor.node();
            match node.kind() {
                "variable_assignment" => {
                    // Before a command, it is only set for that command.
                    let is_for_command = parents.last() == Some(&"command");
                    variables.assigned(node, is_for_command, script, &nothing);
                }
                "for_statement" => variables.looped(node, script, &nothing),
                "c_style_for_statement" | "unset_command" => return Self::default(),
                "command_name" => {
                    let name = word::read(node, script, &nothing);
                    let sets = [
                        "read",
                        "mapfile",
                        "readarray",
                        "eval",
                        "printf",
                        "getopts",
                        "source",
                        ".",
                        "let",
                        "set",
                        "builtin",
                        "command",
                    ];
                    if name.text().is_none_or(|name| sets.contains(&name))
                        && !is_plain_printf(&cursor, script, &nothing)
                    {
                        return Self::default();
                    }
                }
                // `declare -n` gives a variable a second name.
                "declaration_command" if script[node.byte_range()].contains(" -") => return Self::default(),
                "expansion" if script[node.byte_range()].contains('=') => return Self::default(),
                _ => {}
            }
            if cursor.goto_first_child() {
                parents.push(node.kind());
                continue;
            }
            if cursor.goto_next_sibling() {
                continue;
            }
            loop {
                if !cursor.goto_parent() {
                    return variables;
                }
                parents.pop();
                if cursor.goto_next_sibling() {
                    break;
                }
            }
        }
    }

    /// The values that an expansion may stand for; `None` where it is more than a variable, or its values are not known.
    pub(super) fn value(&self, node: Node<'_>, script: &str) -> Option<Arc<[Word]>> {
        let text = &script[node.byte_range()];
        let name = text.strip_prefix('$')?;
        let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
        // With it, words are divided otherwise.
        let values = self.known.get(name).filter(|_| !self.known.contains_key("IFS"))?;
        (values.from < node.start_byte()).then(|| values.values.clone()).flatten()
    }

    fn assigned(&mut self, node: Node<'_>, is_for_command: bool, script: &str, nothing: &Self) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let is_plain = name.kind() == "variable_name" && !script[node.byte_range()].contains("+=");
        let value = node.child_by_field_name("value").map(|value| word::read(value, script, nothing));
        let name = if name.kind() == "subscript" { name.child(0).unwrap_or(name) } else { name };
        let value = value.filter(|_| is_plain && !is_for_command);
        self.add(&script[name.byte_range()], node.end_byte(), value.map(|value| vec![value]));
    }

    fn looped(&mut self, node: Node<'_>, script: &str, nothing: &Self) {
        let Some(name) = node.child_by_field_name("variable") else { return };
        let mut cursor = node.walk();
        let words: Vec<_> = node.children_by_field_name("value", &mut cursor).collect();
        let words = words.into_iter().map(|word| word::read(word, script, nothing)).collect::<Vec<_>>();
        let is_known = |word: &Word| !word.splits || word.is_glob;
        let known = !words.is_empty() && words.iter().all(is_known);
        self.add(&script[name.byte_range()], name.end_byte(), known.then_some(words));
    }

    fn add(&mut self, name: &str, from: usize, new: Option<Vec<Word>>) {
        let entry = self.known.entry(name.to_owned()).or_insert_with(|| Values { from, values: Some(Arc::new([])) });
        entry.from = entry.from.min(from);
        entry.values = match (&entry.values, new) {
            (Some(values), Some(new)) if values.len() + new.len() <= MOST_VALUES => {
                Some(values.iter().cloned().chain(new).collect())
            }
            _ => None,
        };
    }
}

/// `printf` without `-v`, which sets nothing.
fn is_plain_printf(name: &TreeCursor<'_>, script: &str, nothing: &Variables) -> bool {
    if &script[name.node().byte_range()] != "printf" {
        return false;
    }
    let mut next = name.clone();
    while next.goto_next_sibling() {
        if next.node().is_named() {
            let first = word::read(next.node(), script, nothing);
            return first.text().is_some_and(|first| !first.starts_with('-'));
        }
    }
    true
}
