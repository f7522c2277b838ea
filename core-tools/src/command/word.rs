//! Words: what a shell makes of one, as far as that can be known.

use std::sync::Arc;

use tool_core::permission::Reading;
use tree_sitter::Node;

use super::variables::Variables;

/// The longest value of a variable that is put in its place: it may stand there many times.
const MOST_EXPANDED: usize = 1024;

/// One word of a command.
#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    /// As it is written.
    pub(super) source: String,
    /// What it amounts to, without quotes.
    pub(super) reading: Reading,
    /// It may become no word, or several.
    pub(super) splits: bool,
    /// What is not known of it comes from wildcards and braces alone.
    pub(super) is_glob: bool,
    /// It starts with a `~` that a shell expands.
    pub(super) has_tilde: bool,
    /// What it may be, where it is a variable that the script sets.
    pub(super) choices: Arc<[Word]>,
    /// It names something in a directory that is one of the choices, and not that itself.
    pub(super) is_below: bool,
}

impl Word {
    /// A word that is known, as if written without quotes.
    pub(super) fn known(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { source: text.clone(), reading: Reading::known(text), ..Self::default() }
    }

    /// A word of which nothing is known.
    pub(super) fn unknown(source: impl Into<String>) -> Self {
        Self { source: source.into(), reading: Reading::anything(), splits: true, ..Self::default() }
    }

    /// Its text, where it is one word that is known.
    pub(super) fn text(&self) -> Option<&str> {
        if self.splits { None } else { self.reading.as_known() }
    }

    /// The word behind this many bytes of known text, e.g. the value of `--output=`.
    pub(super) fn after(&self, prefix: &str) -> Option<Self> {
        if self.reading.start().len() < prefix.len() || !self.reading.start().starts_with(prefix) {
            return None;
        }
        match self.reading.as_known() {
            Some(text) => Some(Self::known(&text[prefix.len()..])),
            None => Some(Self::unknown(self.source.clone())),
        }
    }
}

/// Text under construction.
#[derive(Default)]
struct Draft {
    reading: Reading,
    splits: bool,
    has_globs: bool,
    is_unknown: bool,
    has_tilde: bool,
    choices: Arc<[Word]>,
}

impl Draft {
    fn text(&mut self, text: &str) {
        self.reading = std::mem::take(&mut self.reading).then(text);
    }

    fn hole(&mut self) {
        self.reading = std::mem::take(&mut self.reading).then_anything();
    }

    fn unknown(&mut self, is_quoted: bool) {
        self.hole();
        self.is_unknown = true;
        self.splits |= !is_quoted;
    }
}

/// Reads a word.
pub(super) fn read(node: Node<'_>, script: &str, variables: &Variables) -> Word {
    let source = &script[node.byte_range()];
    let mut draft = Draft::default();
    let has_braces = expands_braces(node, script);
    piece(node, script, variables, false, has_braces, &mut draft);
    Word {
        source: source.to_owned(),
        is_glob: draft.has_globs && !draft.is_unknown,
        reading: draft.reading,
        splits: draft.splits,
        has_tilde: draft.has_tilde,
        choices: draft.choices,
        is_below: false,
    }
}

/// Whether a word has braces that a shell makes several words of.
fn expands_braces(node: Node<'_>, script: &str) -> bool {
    fn bare(node: Node<'_>, script: &str, text: &mut String) {
        match node.kind() {
            "word" | "{" | "}" | ".." | "brace_expression" if node.child_count() == 0 => {
                let mut chars = script[node.byte_range()].chars();
                while let Some(c) = chars.next() {
                    if c == '\\' {
                        chars.next();
                    } else {
                        text.push(c);
                    }
                }
            }
            "concatenation" | "brace_expression" | "command_name" => {
                let mut cursor = node.walk();
                for child in node.children(&mut cursor) {
                    bare(child, script, text);
                }
            }
            _ => text.push('x'),
        }
    }
    let mut text = String::new();
    bare(node, script, &mut text);
    let Some((_, inside)) = text.split_once('{') else { return false };
    let Some((inside, _)) = inside.rsplit_once('}') else { return false };
    node.kind() == "brace_expression" || inside.contains(',') || inside.contains("..")
}

fn piece(node: Node<'_>, script: &str, variables: &Variables, is_quoted: bool, has_braces: bool, draft: &mut Draft) {
    let text = &script[node.byte_range()];
    match node.kind() {
        "number" | "variable_name" | "test_operator" | "special_variable_name" | "file_descriptor" => draft.text(text),
        "word" => bare(text, has_braces, draft),
        "raw_string" => draft.text(text.trim_start_matches('\'').strip_suffix('\'').unwrap_or_default()),
        "ansi_c_string" => match ansi_c(text) {
            Some(text) => draft.text(&text),
            None => draft.unknown(true),
        },
        "concatenation" | "command_name" => {
            let mut at = node.start_byte();
            let mut cursor = node.walk();
            for child in node.children(&mut cursor) {
                // A continued line in the middle of a word.
                if !script[at..child.start_byte()].replace("\\\n", "").is_empty() {
                    draft.unknown(false);
                }
                piece(child, script, variables, is_quoted, has_braces, draft);
                at = child.end_byte();
            }
        }
        "string" | "translated_string" => {
            let inner = if text.starts_with('$') { node.child(1).unwrap_or(node) } else { node };
            quoted(inner, script, variables, draft);
        }
        "simple_expansion" | "expansion" => match variables.value(node, script) {
            Some(values) => expanded(&values, is_quoted, draft),
            None => draft.unknown(is_quoted && !text.contains(['@', '*'])),
        },
        "extglob_pattern" | "brace_expression" => {
            draft.hole();
            draft.has_globs = true;
            draft.splits = true;
            draft.is_unknown |= text.contains('$');
        }
        // A file that the shell makes: one word.
        "process_substitution" => draft.unknown(true),
        _ => draft.unknown(is_quoted),
    }
}

/// What a variable stands for: its text where there is one value, else a choice.
fn expanded(values: &Arc<[Word]>, is_quoted: bool, draft: &mut Draft) {
    if let [value] = &**values
        && let Some(text) = value.text().filter(|text| text.len() <= MOST_EXPANDED)
        && (is_quoted || !text.is_empty() && !text.contains([' ', '\t', '\n', '*', '?', '[']))
    {
        draft.text(text);
        return;
    }
    let is_alone = draft.reading.as_known() == Some("");
    draft.unknown(is_quoted);
    if is_alone {
        draft.choices = values.clone();
    }
}

/// Unquoted text.
fn bare(text: &str, has_braces: bool, draft: &mut Draft) {
    if text.starts_with('~') && draft.reading.as_known() == Some("") {
        draft.has_tilde = true;
    }
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                None | Some('\n') => {}
                Some(c) => draft.text(c.encode_utf8(&mut [0; 4])),
            },
            '*' | '?' | '[' => {
                draft.hole();
                draft.has_globs = true;
                draft.splits = true;
            }
            '{' | '}' | ',' | '.' if has_braces => {
                draft.hole();
                draft.has_globs = true;
                draft.splits = true;
            }
            c => draft.text(c.encode_utf8(&mut [0; 4])),
        }
    }
}

/// Text in double quotes, with what stands between the leaves.
fn quoted(node: Node<'_>, script: &str, variables: &Variables, draft: &mut Draft) {
    let (mut at, end) = (node.start_byte() + 1, node.end_byte().saturating_sub(1));
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        if matches!(child.kind(), "\"" | "string_content") || child.start_byte() < at {
            continue;
        }
        draft.text(&unescaped(&script[at..child.start_byte()]));
        piece(child, script, variables, true, false, draft);
        at = child.end_byte();
    }
    if at < end {
        draft.text(&unescaped(&script[at..end]));
    }
}

/// Text in double quotes, as it is meant.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('\n') => {}
            Some(c @ ('$' | '`' | '"' | '\\')) => out.push(c),
            Some(c) => out.extend(['\\', c]),
            None => out.push('\\'),
        }
    }
    out
}

/// The text of `$'…'`; `None` where it is none.
fn ansi_c(text: &str) -> Option<String> {
    let text = text.strip_prefix("$'")?.strip_suffix('\'')?;
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c != '\\' {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let escape = rest.chars().next()?;
        let mut number = |skip: usize, most: usize, radix: u32| {
            let digits = rest[skip..].chars().take(most).take_while(|c| c.is_digit(radix)).count();
            let value = u32::from_str_radix(&rest[skip..skip + digits], radix).ok();
            rest = &rest[skip + digits..];
            value
        };
        let value = match escape {
            'x' => number(1, 2, 16)? & 0xff,
            '0'..='7' => number(0, 3, 8)? & 0xff,
            'u' | 'U' => {
                let c = char::from_u32(number(1, if escape == 'u' { 4 } else { 8 }, 16)?)?;
                if c == '\0' {
                    break;
                }
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            'c' => return None,
            c => {
                rest = &rest[c.len_utf8()..];
                match c {
                    'a' => 7,
                    'b' => 8,
                    'e' | 'E' => 27,
                    'f' => 12,
                    'n' => 10,
                    'r' => 13,
                    't' => 9,
                    'v' => 11,
                    '\\' | '\'' | '"' | '?' => u32::from(c),
                    c => {
                        bytes.push(b'\\');
                        bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                        continue;
                    }
                }
            }
        };
        // The rest is not looked at by a shell.
        if value == 0 {
            break;
        }
        bytes.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(bytes).ok()
}
