//! From the tree of a script to its commands.

use std::{mem, sync::Arc};

use tool_core::permission::Reading;
use tree_sitter::Node;

use super::{
    analysis::{Analysis, FileUse, Invoked, Step, When},
    effect::Access,
    invoke::Invocation,
    redirect::Redirects,
    syntax,
    variables::Variables,
    word::{self, Word},
    wrapper,
};

/// As many commands are told apart; what comes after may be anything.
const MOST_COMMANDS: usize = 500;

/// As many readings are made of all of them.
const MOST_READINGS: usize = 10_000;

/// As many files are told apart; what comes after may be any.
const MOST_FILES: usize = 1_000;

/// As many files that the script writes are known again; where there are more, any may be one.
const MOST_WRITTEN: usize = 200;

/// How deep scripts may stand in scripts: `bash -c "eval '…'"`.
const MOST_NESTED: usize = 8;

/// How many scripts may stand in one: each takes a parser.
const MOST_SCRIPTS: usize = 100;

/// How deep statements may stand in each other, over all nested scripts.
const MOST_LEVELS: usize = 300;

/// How much script is read, with all that stands in it.
const MOST_BYTES: usize = 2 * syntax::MOST_BYTES;

/// How many changes of the directory are followed.
const MOST_STEPS: usize = 16;

/// The state while a script is walked through.
#[derive(Default)]
pub(super) struct Walk {
    pub(super) found: Analysis,
    pub(super) variables: Variables,
    pub(super) steps: Arc<Vec<Step>>,
    /// Files that the script itself writes.
    written: Vec<String>,
    /// Whether what runs reads what another command wrote.
    pub(super) is_fed: bool,
    /// What the commands are called that do nothing but run what is walked through.
    pub(super) around: Vec<Vec<Reading>>,
    nested: usize,
    scripts: usize,
    /// How many readings there are.
    readings: usize,
    /// Whether the list that is looked at next stands in another.
    is_within_list: bool,
    /// How many commands run the one that is looked at.
    pub(super) wrapped: usize,
    level: usize,
    bytes: usize,
}

impl Walk {
    /// Reads a script within the one that is read.
    pub(super) fn script(&mut self, script: &str) {
        self.bytes = self.bytes.saturating_add(script.len());
        self.scripts += 1;
        let is_within = self.nested < MOST_NESTED && self.scripts <= MOST_SCRIPTS && self.bytes <= MOST_BYTES;
        let tree = is_within.then(|| syntax::parse(script)).flatten();
        let Some(tree) = tree else { return self.unreadable(script) };
        let variables = std::mem::replace(&mut self.variables, Variables::of(&tree, script));
        self.nested += 1;
        self.statement(tree.root_node(), script);
        self.nested -= 1;
        self.variables = variables;
    }

    /// Something that may be any command.
    pub(super) fn unreadable(&mut self, script: &str) {
        let text = format!("bash -c '{}'", script.trim().replace('\'', "'\\''"));
        let readings = vec![Reading::anything()];
        self.add(Invoked { text, readings, always: None, harm: super::Harm::Unknown, once: true });
    }

    /// Adds a command that is not known yet.
    pub(super) fn add(&mut self, mut invoked: Invoked) {
        if self.is_full() {
            return self.add_rest();
        }
        invoked.readings.extend(self.around.iter().flatten().cloned());
        if !self.found.commands.contains(&invoked) {
            self.readings += invoked.readings.len();
            self.found.commands.push(invoked);
        }
    }

    /// Whether no more commands are told apart.
    pub(super) fn is_full(&self) -> bool {
        self.found.commands.len() >= MOST_COMMANDS || self.readings >= MOST_READINGS
    }

    /// Adds one that stands for all that are not told apart.
    pub(super) fn add_rest(&mut self) {
        const REST: &str = "# more commands than are told apart";
        let commands = &mut self.found.commands;
        if commands.last().is_none_or(|last| last.text != REST) {
            let (text, readings) = (REST.to_owned(), vec![Reading::anything()]);
            commands.push(Invoked { text, readings, always: None, harm: super::Harm::Unknown, once: true });
        }
    }

    pub(super) fn file(&mut self, word: &Word, access: Access) {
        if access.writes() && self.written.len() <= MOST_WRITTEN {
            self.written.extend(word.text().map(str::to_owned));
        }
        let access = if word.is_below && access.writes() { Access::WriteBelow } else { access };
        let choices = if word.choices.is_empty() { std::slice::from_ref(word) } else { &word.choices[..] };
        for word in choices {
            match self.found.files.len() {
                ..MOST_FILES => {
                    self.found.files.push(FileUse { word: word.clone(), access, steps: self.steps.clone() });
                }
                MOST_FILES => {
                    let word = Word::unknown("# more files than are told apart");
                    self.found.files.push(FileUse { word, access: Access::Write, steps: Arc::default() });
                }
                _ => {}
            }
        }
    }

    /// Whether the script itself writes a file of this name, as far as that can be told by its name.
    pub(super) fn writes(&self, path: &str) -> bool {
        let bare = |path: &str| -> usize { path.len() - path.trim_start_matches("./").len() };
        let same = |written: &String| written[bare(written)..] == path[bare(path)..];
        self.written.len() > MOST_WRITTEN || self.written.iter().any(same)
    }

    pub(super) fn step(&mut self, to: Word, when: When) {
        let to = if self.steps.len() < MOST_STEPS { to } else { Word::unknown("") };
        let steps = Arc::make_mut(&mut self.steps);
        steps.truncate(MOST_STEPS);
        steps.push(Step { to, when });
    }

    /// What happens here does not move the shell around it.
    fn apart(&mut self, walk: impl FnOnce(&mut Self)) {
        let steps = self.steps.clone();
        let is_fed = self.is_fed;
        walk(self);
        self.steps = steps;
        self.is_fed = is_fed;
    }

    /// What happens here may not happen.
    fn perhaps(&mut self, walk: impl FnOnce(&mut Self)) {
        let before = self.steps.len();
        walk(self);
        self.retime(before, |_| When::Perhaps);
    }

    /// Says anew of the steps from this one on when they were taken.
    fn retime(&mut self, from: usize, when: impl Fn(When) -> When) {
        if from < self.steps.len() {
            for step in Arc::make_mut(&mut self.steps).iter_mut().skip(from) {
                step.when = when(step.when);
            }
        }
    }

    pub(super) fn statement(&mut self, node: Node<'_>, script: &str) {
        self.level += 1;
        if self.level > MOST_LEVELS {
            self.is_within_list = false;
            self.unreadable(&script[node.byte_range()]);
        } else {
            self.inside(node, script);
        }
        self.level -= 1;
    }

    fn children(&mut self, node: Node<'_>, script: &str) {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.statement(child, script);
        }
    }

    fn inside(&mut self, node: Node<'_>, script: &str) {
        match node.kind() {
            "command" => self.command(node, script, Redirects::default()),
            "redirected_statement" => self.redirected(node, script),
            "list" => self.list(node, script),
            "pipeline" => {
                let mut cursor = node.walk();
                for child in node.children(&mut cursor) {
                    self.apart(|walk| walk.statement(child, script));
                    // All but the first; an own pipe of the last is behind it.
                    self.is_fed |= child.is_named();
                }
                self.is_fed = false;
            }
            "subshell" | "command_substitution" | "process_substitution" => {
                self.apart(|walk| walk.children(node, script));
            }
            "if_statement"
            | "while_statement"
            | "for_statement"
            | "c_style_for_statement"
            | "case_statement"
            | "function_definition" => self.perhaps(|walk| walk.children(node, script)),
            "declaration_command" => self.declaration(node, script),
            "variable_assignment" => {
                self.assignment(node, script, false);
                self.nested(node, script);
            }
            "test_command" | "unset_command" => {
                self.injected(&script[node.byte_range()]);
                self.nested(node, script);
            }
            // `$(< file)`
            "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                let mut redirects = Redirects::default();
                self.redirect(node, script, &mut redirects);
                self.nothing(redirects);
            }
            _ => self.children(node, script),
        }
    }

    /// What runs inside a word or an expression.
    pub(super) fn nested(&mut self, node: Node<'_>, script: &str) {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "command_substitution" | "process_substitution" => self.statement(child, script),
                _ if child.child_count() == 0 => {}
                _ => self.nested_in(child, script),
            }
        }
    }

    pub(super) fn nested_in(&mut self, node: Node<'_>, script: &str) {
        // `${x@P}` reads a value as a prompt, in which commands may stand.
        if node.kind() == "expansion" && script[node.byte_range()].contains("@P") {
            self.unreadable(&script[node.byte_range()]);
        }
        self.level += 1;
        if self.level > MOST_LEVELS {
            self.unreadable(&script[node.byte_range()]);
        } else {
            self.nested(node, script);
        }
        self.level -= 1;
    }

    /// Text that a shell expands later, or as arithmetic, which runs substitutions in it.
    pub(super) fn injected(&mut self, text: &str) {
        let is_quoted = text.contains('\'') || text.contains("\\$") || text.contains("\\`");
        if is_quoted && (text.contains("$(") || text.contains('`') || text.contains("<(")) {
            self.unreadable(text);
        }
    }

    fn list(&mut self, node: Node<'_>, script: &str) {
        let is_within = mem::take(&mut self.is_within_list);
        let mut cursor = node.walk();
        let mut before = self.steps.len();
        let mut joint = ";";
        for child in node.children(&mut cursor) {
            if !child.is_named() {
                joint = child.kind();
                continue;
            }
            self.is_within_list = child.kind() == "list";
            match joint {
                "&&" => {
                    self.retime(before, |when| if when == When::IfThere { When::Surely } else { when });
                    self.statement(child, script);
                }
                "||" => {
                    self.retime(before, |_| When::Perhaps);
                    self.perhaps(|walk| walk.statement(child, script));
                }
                _ => {
                    before = self.steps.len();
                    self.statement(child, script);
                }
            }
        }
        // Where the list failed, a later command stands where it was.
        if !is_within {
            self.retime(before, |when| if when == When::Surely { When::IfThere } else { when });
        }
    }

    /// Reads a word, and what runs in it.
    pub(super) fn word(&mut self, node: Node<'_>, script: &str) -> Word {
        match node.kind() {
            "command_substitution" | "process_substitution" => self.statement(node, script),
            _ => self.nested_in(node, script),
        }
        word::read(node, script, &self.variables)
    }

    pub(super) fn command(&mut self, node: Node<'_>, script: &str, mut redirects: Redirects) {
        let mut words = Vec::new();
        let mut set = Vec::new();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "variable_assignment" => {
                    self.nested(child, script);
                    let name = child.child_by_field_name("name").map_or("", |name| &script[name.byte_range()]);
                    if !wrapper::is_harmless_variable(name) {
                        set.push(Word {
                            source: script[child.byte_range()].to_owned(),
                            ..self.assigned(child, script)
                        });
                    }
                }
                "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    self.redirect(child, script, &mut redirects);
                }
                _ if child.is_named() || is_word(child.kind()) => words.push(self.word(child, script)),
                // `$` alone, or an operator of `[[`.
                _ => words.push(Word::known(&script[child.byte_range()])),
            }
        }
        words.append(&mut redirects.words);
        self.invoke(Invocation { words, set, redirects, more: false });
    }
}

/// The kinds of nodes that are words of a command.
pub(super) fn is_word(kind: &str) -> bool {
    matches!(
        kind,
        "word"
            | "number"
            | "string"
            | "raw_string"
            | "ansi_c_string"
            | "translated_string"
            | "concatenation"
            | "simple_expansion"
            | "expansion"
            | "command_substitution"
            | "process_substitution"
            | "arithmetic_expansion"
            | "brace_expression"
            | "extglob_pattern"
            | "command_name"
            | "regex"
            | "test_operator"
            | "array"
    )
}
