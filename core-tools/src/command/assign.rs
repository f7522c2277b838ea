//! Variables that a script sets, where that is more than a value: some change what the commands after them are.

use tool_core::permission::Reading;
use tree_sitter::Node;

use super::{
    walk::{Walk, is_word},
    word::{self, Word},
    wrapper,
};

impl Walk {
    /// `NAME=value` as a word.
    pub(super) fn assigned(&self, node: Node<'_>, script: &str) -> Word {
        let name = node.child_by_field_name("name").map_or("", |name| &script[name.byte_range()]);
        let value = node.child_by_field_name("value").map(|value| word::read(value, script, &self.variables));
        let reading = Reading::known(format!("{name}="));
        let reading = value.map_or(reading.clone(), |value| reading.then_all(&value.reading));
        Word { source: script[node.byte_range()].to_owned(), reading, ..Word::default() }
    }

    /// An assignment of its own: nothing runs, but what comes after may be changed by it.
    pub(super) fn assignment(&mut self, node: Node<'_>, script: &str, is_exported: bool) {
        self.injected(&script[node.byte_range()]);
        let name = node.child_by_field_name("name").map_or("", |name| &script[name.byte_range()]);
        let name = name.split('[').next().unwrap_or(name);
        if wrapper::is_special_variable(name) || is_exported && !wrapper::is_harmless_variable(name) {
            let word = self.assigned(node, script);
            let words = if is_exported { vec![Word::known("export"), word] } else { vec![word] };
            self.plainly(&words);
        }
    }

    pub(super) fn declaration(&mut self, node: Node<'_>, script: &str) {
        let text = &script[node.byte_range()];
        let is_exported = text.starts_with("export")
            || text.split_whitespace().any(|word| word.starts_with('-') && word.contains('x'));
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "variable_assignment" => self.assignment(child, script, is_exported),
                // `export "$x"`: any variable.
                kind if is_word(kind) && kind != "word" => {
                    self.plainly(&[Word::known("export"), Word::unknown(&script[child.byte_range()])]);
                }
                _ => {}
            }
        }
        self.injected(text);
        self.nested(node, script);
    }
}
