//! What stands beside a command's words: the files it writes and reads, and the texts it is given.

use tree_sitter::Node;

use super::{
    effect::Access,
    syntax,
    walk::{Walk, is_word},
    word::{self, Word},
};

/// What a command reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Stdin {
    /// What the shell reads.
    #[default]
    Inherited,
    /// Something that is not known.
    Given,
    /// This text.
    Text(String),
}

/// What stands beside a command's words.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    pub(super) stdin: Stdin,
    /// Files that are written, as they are shown: `>`, and the word.
    pub(super) outputs: Vec<Word>,
    /// Words of the command that stand behind a redirection.
    pub(super) words: Vec<Word>,
}

impl Walk {
    pub(super) fn redirected(&mut self, node: Node<'_>, script: &str) {
        let mut redirects = Redirects::default();
        let mut body = None;
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    self.redirect(child, script, &mut redirects);
                }
                _ if child.is_named() => body = Some(child),
                _ => {}
            }
        }
        match body {
            Some(body) if body.kind() == "command" => self.command(body, script, redirects),
            Some(body) => {
                let is_fed = self.is_fed;
                self.is_fed |= redirects.stdin != Stdin::Inherited;
                self.statement(body, script);
                self.is_fed = is_fed;
                self.nothing(redirects);
            }
            None => self.nothing(redirects),
        }
    }

    /// Redirections of no single command: what is left of them are the files, and words that should not be there.
    pub(super) fn nothing(&mut self, redirects: Redirects) {
        for word in redirects.words {
            self.unreadable(&word.source);
        }
    }

    pub(super) fn redirect(&mut self, node: Node<'_>, script: &str, redirects: &mut Redirects) {
        let mut cursor = node.walk();
        let children = node.children(&mut cursor).collect::<Vec<_>>();
        match node.kind() {
            "herestring_redirect" => {
                for child in children.iter().filter(|child| is_word(child.kind())) {
                    let word = self.word(*child, script);
                    redirects.stdin = word.text().map_or(Stdin::Given, |text| Stdin::Text(text.to_owned()));
                }
            }
            "heredoc_redirect" => self.heredoc(&children, script, redirects),
            _ => {
                let operator = children.iter().find(|child| !child.is_named()).map_or("", |child| child.kind());
                let mut words = children.iter().filter(|child| is_word(child.kind()));
                let Some(target) = words.next() else { return };
                let target = self.word(*target, script);
                redirects.words.extend(words.map(|word| self.word(*word, script)).collect::<Vec<_>>());
                let is_descriptor = operator.ends_with('&')
                    && target.text().is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit() || b == b'-'));
                if operator.starts_with('<') && operator != "<>" {
                    redirects.stdin = Stdin::Given;
                    if !is_descriptor {
                        self.file(&target, Access::Read);
                    }
                } else if !is_descriptor {
                    self.file(&target, Access::Write);
                    if !matches!(target.text(), Some("/dev/null" | "/dev/stdout" | "/dev/stderr")) {
                        redirects.outputs.push(target);
                    }
                }
            }
        }
    }

    fn heredoc(&mut self, children: &[Node<'_>], script: &str, redirects: &mut Redirects) {
        let of = |kind: &str| children.iter().find(|child| child.kind() == kind);
        let text = |node: Option<&Node<'_>>| node.map_or("", |node| &script[node.byte_range()]);
        let (delimiter, is_literal) = syntax::delimiter(text(of("heredoc_start")));
        let body = text(of("heredoc_body"));
        let strips_tabs = of("<<-").is_some();
        if !syntax::ends_there(body, &delimiter, strips_tabs)
            || text(of("heredoc_end")).trim_start_matches('\t') != delimiter
        {
            self.unreadable(body);
        }
        let is_known = is_literal || !body.contains(['$', '`']);
        // The grammar reads no substitution of this form in such a text.
        if !is_literal && body.replace("\\`", "").contains('`') {
            self.unreadable(body);
        }
        redirects.stdin = match is_known {
            true if is_literal => Stdin::Text(body.to_owned()),
            true => Stdin::Text(word::unescaped(body)),
            false => Stdin::Given,
        };
        for child in children {
            match child.kind() {
                "heredoc_body" if !is_literal => self.nested(*child, script),
                "heredoc_start" | "heredoc_body" | "heredoc_end" => {}
                "file_redirect" | "herestring_redirect" => self.redirect(*child, script, redirects),
                kind if is_word(kind) => {
                    let word = self.word(*child, script);
                    redirects.words.push(word);
                }
                "pipeline" => {
                    let is_fed = std::mem::replace(&mut self.is_fed, true);
                    self.statement(*child, script);
                    self.is_fed = is_fed;
                }
                _ if child.is_named() => self.statement(*child, script),
                _ => {}
            }
        }
    }
}
